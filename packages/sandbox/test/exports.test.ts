import { expect, test } from "vitest";
import * as express from "../src/adapters/express.ts";
import * as hono from "../src/adapters/hono.ts";
import * as node from "../src/adapters/node.ts";
import * as sandbox from "../src/index.ts";
import * as stores from "../src/stores/index.ts";

test("these names are public and no others", () => {
  expect(Object.keys(sandbox).sort()).toEqual([
    "SANDBOX_ERROR_MESSAGES",
    "buildPolicy",
    "createMemoryStore",
    "createOrigins",
    "createSandbox",
    "explainViolation",
    "parseSource",
    "policyHash",
    "withFirstScript",
  ]);
  expect(Object.keys(express)).toEqual(["createExpressMiddleware"]);
  expect(Object.keys(hono)).toEqual(["createHonoMiddleware"]);
  expect(Object.keys(stores).sort()).toEqual(["kvStore", "redisStore"]);
  expect(Object.keys(node).sort()).toEqual(["SANDBOX_SERVER_OPTIONS", "createNodeListener"]);
});

test("each error has a sentence that names the value and the remedy", () => {
  for (const [code, sentence] of Object.entries(sandbox.SANDBOX_ERROR_MESSAGES)) {
    const text = sentence("VALUE");
    if (code !== "no-hosts") expect(text).toContain("VALUE");
    expect(text).toMatch(/^[\x20-\x7e]{40,}\.$/);
  }
});
