import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRegistry, packPackage } from "../packed-registry.mjs";

let folder: string;
let registry: { address: string; close(): void };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-registry-"));
  const manifest = { name: "@acme/thing", version: "1.2.3", files: ["a.js"] };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "a.js"), "export const a = 1;");
  await writeFile(join(folder, "left-out.js"), "");
  const packed = await packPackage(folder, folder);
  expect(packed.files.sort()).toEqual(["a.js", "package.json"]);
  registry = await openRegistry([packed]);
});
afterAll(async () => {
  registry?.close();
  await rm(folder, { recursive: true, force: true });
});

test("has what was packed, under its name as npm writes it, with a tarball that is the packed one", async () => {
  const found = await fetch(`${registry.address}/@acme%2fthing`).then((answer) => answer.json());
  expect(found["dist-tags"]).toEqual({ latest: "1.2.3" });
  const { dist } = found.versions["1.2.3"];
  const bytes = await fetch(dist.tarball).then((answer) => answer.bytes());
  const digest = await crypto.subtle.digest("SHA-512", bytes);
  expect(dist.integrity).toBe(`sha512-${Buffer.from(digest).toString("base64")}`);
});

test("sends every other question on, as it was asked", async () => {
  const answer = await fetch(`${registry.address}/@types%2fnode`, { redirect: "manual" });
  expect(answer.status).toBe(307);
  expect(answer.headers.get("location")).toMatch(/^https?:\/\/.+\/@types%2fnode$/);
});
