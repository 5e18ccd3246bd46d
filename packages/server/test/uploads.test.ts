import { createUploads, type UploadPart } from "@vitrine/server";
import { describe, expect, test, vi } from "vitest";

const part = (offset: number, text: string, more: Partial<UploadPart> = {}): UploadPart => ({
  ...{ id: "u-1", name: "receipt.txt", mimeType: "text/plain", size: 8, offset },
  data: btoa(text),
  ...more,
});
const text = (file: { bytes: Uint8Array } | undefined): string =>
  new TextDecoder().decode(file?.bytes);

describe("createUploads", () => {
  test("returns the file with its last part", () => {
    const uploads = createUploads();
    expect(uploads.add(part(0, "1234"))).toBeUndefined();
    const file = uploads.add(part(4, "5678"));
    expect(file).toMatchObject({ name: "receipt.txt", mimeType: "text/plain" });
    expect(text(file)).toBe("12345678");
    // It is forgotten then.
    expect(() => uploads.add(part(4, "5678"))).toThrow("doesn't follow");
  });

  test("accepts an empty file, and names without their folders", () => {
    const empty = part(0, "", { size: 0, name: "../../etc/passwd" });
    expect(createUploads().add(empty)).toMatchObject({ name: "passwd" });
  });

  test.each([
    ["is larger than allowed", part(0, "1234", { size: 11 })],
    ["has a size that isn't a number of bytes", part(0, "1234", { size: -1 })],
    ["has a part that isn't base64", part(0, "", { data: "<script>" })],
    ["has a part beyond its end", part(0, "123456789")],
    ["has an empty part, which could go on forever", part(0, "")],
    ["begins in the middle", part(4, "5678")],
    ["has an endless name", part(0, "1234", { name: "a".repeat(300) })],
  ])("rejects a file that %s", (_, wrong) => {
    expect(() => createUploads({ maxSize: 10 }).add(wrong)).toThrow(
      expect.objectContaining({ code: "bad-upload" }) as Error,
    );
  });

  test("rejects a part that is sent twice, or that another size came with", () => {
    for (const wrong of [part(2, "34"), part(4, "5678", { size: 9 })]) {
      const uploads = createUploads();
      uploads.add(part(0, "1234"));
      expect(() => uploads.add(wrong)).toThrow("doesn't follow");
      expect(() => uploads.add(part(4, "5678"))).toThrow("doesn't follow");
    }
  });

  test("keeps a bounded number of unfinished files, for a bounded time", () => {
    const uploads = createUploads({ maxUnfinished: 2, timeout: 1000 });
    for (const id of ["a", "b", "c"]) uploads.add(part(0, "1234", { id }));
    expect(() => uploads.add(part(4, "5678", { id: "a" }))).toThrow("doesn't follow");
    expect(text(uploads.add(part(4, "5678", { id: "b" })))).toBe("12345678");
    vi.useFakeTimers({ now: Date.now() + 2000 });
    try {
      uploads.add(part(0, "1234", { id: "d" }));
      expect(() => uploads.add(part(4, "5678", { id: "c" }))).toThrow("doesn't follow");
    } finally {
      vi.useRealTimers();
    }
  });
});
