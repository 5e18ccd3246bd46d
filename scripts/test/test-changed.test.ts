import { expect, test } from "vitest";
import { affectedPackages } from "../test-changed.mjs";

const dependencies = { protocol: [], view: ["protocol"], host: ["protocol"], server: ["view"] };

test("a change affects the packages that depend on it, over several steps", () => {
  expect(affectedPackages(["packages/protocol/src/peer.ts"], dependencies)).toEqual([
    "protocol",
    "view",
    "host",
    "server",
  ]);
  expect(affectedPackages(["packages/view/test/app.test.ts"], dependencies)).toEqual([
    "view",
    "server",
  ]);
});

test("a change of documents alone affects no package", () => {
  expect(affectedPackages(["docs/cluster.md", "README.md"], dependencies)).toEqual([]);
});

test("a change of the tests' own machinery affects every package", () => {
  expect(affectedPackages(["internal/src/chromium.ts"], dependencies)).toHaveLength(4);
  expect(affectedPackages(["vitest.config.ts"], dependencies)).toHaveLength(4);
});
