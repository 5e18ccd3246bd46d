import { afterEach, expect, test, vi } from "vitest";
import { createTokenSigner } from "../../src/remote/signed-token.ts";

const KEY = "a key of at least 32 characters, for tests";
const HOUR = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

test("reads what it has signed, in another process with the same key too", async () => {
  const token = await createTokenSigner(KEY).sign({ user: "ann" }, HOUR);
  expect(await createTokenSigner(KEY).read(token)).toMatchObject({ user: "ann" });
});

test("rejects a statement that was changed or is signed by another key", async () => {
  const signer = createTokenSigner(KEY);
  const token = await signer.sign({ user: "ann" }, HOUR);
  const [body = "", signature = ""] = token.split(".");
  const changed = Buffer.from(body, "base64url").toString().replace("ann", "bob");
  const forged = `${Buffer.from(changed).toString("base64url")}.${signature}`;
  const elsewhere = await createTokenSigner(undefined).sign({ user: "ann" }, HOUR);
  for (const one of [forged, elsewhere, `${token}.${signature}`, `${body}.`, body, "", 7, null]) {
    expect(await signer.read(one)).toBeUndefined();
  }
});

test("rejects a statement that has expired", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const signer = createTokenSigner(KEY);
  const token = await signer.sign({ user: "ann" }, HOUR);
  vi.setSystemTime(Date.now() + HOUR + 1);
  expect(await signer.read(token)).toBeUndefined();
});

test("rejects a key that is too short", () => {
  expect(() => createTokenSigner("short")).toThrow(/at least 32/);
});
