import { describe, expect, test } from "vitest";
import {
  ARROWS,
  fileComplaints,
  frameComplaints,
  importComplaints,
  manifestComplaints,
  messageTextComplaints,
} from "../check-architecture.mjs";

describe("arrows between packages", () => {
  test("point one way only: no package reaches itself", () => {
    const reaches = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of ARROWS[from as keyof typeof ARROWS]) {
        if (!seen.has(next)) reaches(next, seen.add(next));
      }
      return seen;
    };
    for (const name of Object.keys(ARROWS)) expect(reaches(name).has(name), name).toBe(false);
  });

  test.each([
    ["packages/view/src/a.ts", `import { Peer } from "@vitrine/protocol";`, 0],
    ["packages/view/src/a.ts", `import { Host } from "@vitrine/host";`, 1],
    ["packages/protocol/src/a.ts", `export { App } from "@vitrine/view";`, 1],
    ["packages/protocol/src/a.ts", `const view = await import("@vitrine/view");`, 1],
    ["packages/gateway/src/a.ts", `import { buildCsp } from "@vitrine/sandbox";`, 0],
    ["packages/host/src/a.ts", `import { buildCsp } from "@vitrine/sandbox";`, 1],
    ["packages/server/src/a.ts", `import { script } from "@vitrine/view/inline";`, 0],
    ["packages/server/src/a.ts", `import { App } from "@vitrine/view";`, 1],
    ["packages/view/test/a.ts", `import { Host } from "@vitrine/host";`, 0],
  ])("%s with %s gives %i complaints", (path, source, count) => {
    expect(importComplaints(path, source)).toHaveLength(count);
  });
});

describe("manifests", () => {
  test("declare no arrow that is not in the table", () => {
    const manifest = { name: "@vitrine/view", dependencies: { "@vitrine/host": "0.1.0" } };
    expect(manifestComplaints("view", manifest)).toHaveLength(1);
  });

  test("of protocol, view and host declare no dependency from outside", () => {
    for (const folder of ["protocol", "view", "host"]) {
      const manifest = { name: `@vitrine/${folder}`, dependencies: { zod: "4.0.0" } };
      expect(manifestComplaints(folder, manifest)).toHaveLength(1);
    }
    const gateway = { name: "@vitrine/gateway", dependencies: { ws: "8.0.0" } };
    expect(manifestComplaints("gateway", gateway)).toEqual([]);
  });

  test("belong to a package that the table knows, under its name", () => {
    expect(manifestComplaints("extras", { name: "@vitrine/extras" })).toHaveLength(1);
    expect(manifestComplaints("view", { name: "view" })).toHaveLength(1);
    expect(manifestComplaints("cli", { name: "vitrine" })).toEqual([]);
  });
});

describe("files", () => {
  test("longer than 400 lines are refused", () => {
    expect(fileComplaints("packages/view/src/app.ts", "x\n".repeat(400))).toEqual([]);
    expect(fileComplaints("packages/view/src/app.ts", "x\n".repeat(401))).toHaveLength(1);
  });

  test.each([
    "packages/host/src/utils.ts",
    "packages/host/src/core/x.ts",
    "testing/src/helpers/x.ts",
  ])("named %s are refused", (path) => {
    expect(fileComplaints(path, "")).toHaveLength(1);
  });

  test("named after a noun that merely contains such a word pass", () => {
    expect(fileComplaints("packages/host/src/scoreboard.ts", "")).toEqual([]);
  });
});

describe("JSON-RPC text in the gateway", () => {
  const file = "packages/gateway/src/edge.ts";

  test.each([
    'send(JSON.stringify({ jsonrpc: "2.0", id, result }));',
    'send(JSON.stringify({\n  id,\n  jsonrpc: "2.0",\n}));',
    "send(JSON.stringify(message));",
    "send(JSON.stringify(exchange.frame));",
    "const text = JSON.stringify(message, undefined, 1);",
    `send('{"jsonrpc":"2.0","method":"ping"}');`,
    'send(`{"jsonrpc":"2.0","id":1,"result":` + result);',
    'send("{\\"jsonrpc\\":\\"2.0\\"}");',
    "return text as MessageText;",
    "return text as unknown as MessageText;",
  ])("is a complaint outside the serializer: %s", (source) => {
    expect(messageTextComplaints(file, source)).not.toEqual([]);
    expect(messageTextComplaints("packages/gateway/src/json-rpc/serialize.ts", source)).toEqual([]);
  });

  test.each([
    'send(serialize({ jsonrpc: "2.0", id, result }));',
    "const key = JSON.stringify([tenant, user]);",
    "const shown = JSON.stringify(message.id);",
    'const members = ["jsonrpc", "id"];',
  ])("is no complaint where none is made: %s", (source) => {
    expect(messageTextComplaints(file, source)).toEqual([]);
  });

  test("is adapted in a folder of at most 250 lines", () => {
    expect(frameComplaints(250)).toEqual([]);
    expect(frameComplaints(251)).toHaveLength(1);
  });
});
