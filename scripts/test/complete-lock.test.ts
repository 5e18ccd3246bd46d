import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { complete, missingEntries, platformOf } from "../complete-lock.mjs";

test("the committed lock file has an entry for every platform, as `npm ci` requires", async () => {
  const lock = await readFile(new URL("../../package-lock.json", import.meta.url), "utf8");
  expect(Object.keys(missingEntries(JSON.parse(lock)))).toEqual([]);
});

test.each([
  ["@a/cli-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
  ["@a/binding-win32-x64-msvc", { os: ["win32"], cpu: ["x64"] }],
  ["@a/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"], libc: ["glibc"] }],
  ["@a/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
  ["@a/binding-wasm32-wasi", { cpu: ["wasm32"] }],
  ["fsevents", undefined],
])("reads the platform of %s from its name", (name, platform) => {
  expect(platformOf(name)).toEqual(platform);
});

test("adds a missing platform next to a known one, at the version that its parent needs", () => {
  const entry = { optional: true, license: "MIT", integrity: "sha512-1" };
  const optionalDependencies = { "a-linux-x64": "1.0.0", "a-darwin-x64": "1.0.0" };
  const lock = {
    packages: {
      "node_modules/a-darwin-x64": { ...entry, version: "2.0.0" },
      "node_modules/b/node_modules/a": { version: "1.0.0", optionalDependencies },
      "node_modules/b/node_modules/a-linux-x64": { ...entry, version: "1.0.0" },
    },
  };
  const { packages } = JSON.parse(JSON.stringify(complete(lock)));
  expect(packages["node_modules/b/node_modules/a-darwin-x64"]).toEqual({
    version: "1.0.0",
    cpu: ["x64"],
    license: "MIT",
    optional: true,
    os: ["darwin"],
  });
  expect(packages["node_modules/a-darwin-x64"]).toEqual(lock.packages["node_modules/a-darwin-x64"]);
});
