import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  base32,
  createSigner,
  cspHash,
  equalsInConstantTime,
  randomName,
  sha256Hex,
} from "../src/digest.ts";

test("base32 is that of RFC 4648 in lower case, without padding", () => {
  const written = (text: string): string => base32(new TextEncoder().encode(text));
  expect(["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(written)).toEqual([
    "",
    "my",
    "mzxq",
    "mzxw6",
    "mzxw6yq",
    "mzxw6ytb",
    "mzxw6ytboi",
  ]);
  expect(base32(new Uint8Array(32).fill(255))).toBe(`${"7".repeat(51)}q`);
});

test("hashes agree with those of Node", async () => {
  const hash = createHash("sha256").update("é");
  expect(await cspHash("é")).toBe(`'sha256-${hash.copy().digest("base64")}'`);
  expect(await sha256Hex("é")).toBe(hash.digest("hex"));
});

test("a signature is HMAC-SHA256 over JSON, which keeps the parts apart", async () => {
  const key = new TextEncoder().encode("k".repeat(32));
  const signer = createSigner(key);
  const expected = createHmac("sha256", key).update('["a","b\\"c"]').digest("hex");
  expect(Buffer.from(await signer.sign(["a", 'b"c'])).toString("hex")).toBe(expected);
  expect(await signer.sign(["ab", "c"])).not.toEqual(await signer.sign(["a", "bc"]));
});

test("random names have 160 bits and do not repeat", () => {
  const names = new Set(Array.from({ length: 1000 }, randomName));
  expect(names.size).toBe(1000);
  for (const name of names) expect(name).toMatch(/^[a-z2-7]{32}$/);
});

test("equal is equal", () => {
  expect(equalsInConstantTime("abc", "abc")).toBe(true);
  for (const other of ["abd", "ab", "abcd", ""]) {
    expect(equalsInConstantTime("abc", other)).toBe(false);
  }
});
