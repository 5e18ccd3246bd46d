import { describe, expect, test } from "vitest";
import {
  ARROWS,
  fileComplaints,
  frameComplaints,
  importComplaints,
  manifestComplaints,
  messageTextComplaints,
  structureComplaints,
} from "../check-architecture.mjs";

describe("arrows between packages", () => {
  test("run one way: no package depends on itself through others", () => {
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
  test("may not depend on packages outside the table", () => {
    const manifest = { name: "@vitrine/view", dependencies: { "@vitrine/host": "0.1.0" } };
    expect(manifestComplaints("view", manifest)).toHaveLength(1);
  });

  test("of protocol, view and host may not have third-party dependencies", () => {
    for (const folder of ["protocol", "view", "host"]) {
      const manifest = { name: `@vitrine/${folder}`, dependencies: { zod: "4.0.0" } };
      expect(manifestComplaints(folder, manifest)).toHaveLength(1);
    }
    const gateway = { name: "@vitrine/gateway", dependencies: { ws: "8.0.0" } };
    expect(manifestComplaints("gateway", gateway)).toEqual([]);
  });

  test("belong to a package in the table and have its name", () => {
    expect(manifestComplaints("extras", { name: "@vitrine/extras" })).toHaveLength(1);
    expect(manifestComplaints("view", { name: "view" })).toHaveLength(1);
    expect(manifestComplaints("cli", { name: "vitrine" })).toEqual([]);
  });
});

describe("files", () => {
  test("longer than 400 lines are rejected", () => {
    expect(fileComplaints("packages/view/src/app.ts", "x\n".repeat(400))).toEqual([]);
    expect(fileComplaints("packages/view/src/app.ts", "x\n".repeat(401))).toHaveLength(1);
  });

  test.each([
    "packages/host/src/utils.ts",
    "packages/host/src/core/x.ts",
    "internal/src/helpers/x.ts",
  ])("named %s are rejected", (path) => {
    expect(fileComplaints(path, "")).toHaveLength(1);
  });

  test("whose name only contains a banned word pass", () => {
    expect(fileComplaints("packages/host/src/scoreboard.ts", "")).toEqual([]);
  });
});

describe("structure of a package", () => {
  const complaintsAbout = (
    sources: Record<string, string>,
    layers: Record<string, Record<string, string[]>> = {},
  ): string[] =>
    structureComplaints(
      new Map(Object.entries(sources).map(([path, text]) => [`packages/host/src/${path}`, text])),
      layers,
    ).complaints;

  test("rejects two files that import each other, type imports included", () => {
    const [complaint, ...others] = complaintsAbout({
      "a.ts": `import type { B } from "./b.ts";`,
      "b.ts": `export { a } from "./a.ts";`,
    });
    expect(complaint).toBe("Import cycle: packages/host/src/a.ts, packages/host/src/b.ts.");
    expect(others).toEqual([]);
  });

  test("rejects a cycle through several files and a dynamic import", () => {
    const complaints = complaintsAbout({
      "a.ts": `import {\n  b,\n} from "./x/b.ts";`,
      "x/b.ts": `const { c } = await import("./c.ts");`,
      "x/c.ts": `import "../a.ts";`,
      "d.ts": `import { a } from "./a.ts";`,
    });
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).not.toContain("d.ts");
  });

  test("accepts files that share an import", () => {
    const text = `import { c } from "./c.ts";`;
    expect(
      complaintsAbout({ "a.ts": `${text} import "./b.ts";`, "b.ts": text, "c.ts": "" }),
    ).toEqual([]);
  });

  test("rejects imports that the layers don't allow, and folders without a layer", () => {
    const layers = { host: { ".": ["*"], bridge: ["gate"], gate: [] } };
    const sources = {
      "index.ts": `import "./gate/policy.ts";`,
      "bridge/bridge.ts": `import "../gate/policy.ts";`,
      "gate/policy.ts": "",
    };
    expect(complaintsAbout(sources, layers)).toEqual([]);
    const upward = { ...sources, "gate/rates.ts": `import "../bridge/bridge.ts";` };
    expect(complaintsAbout(upward, layers)).toEqual([
      'packages/host/src/gate/rates.ts imports packages/host/src/bridge/bridge.ts: "gate" may not import "bridge".',
    ]);
    expect(complaintsAbout({ "extras/a.ts": "" }, layers)).toHaveLength(1);
  });

  test("rejects two files with the same name, except index.ts", () => {
    expect(complaintsAbout({ "a/index.ts": "", "b/index.ts": "" })).toEqual([]);
    expect(complaintsAbout({ "a/page.ts": "", "b/page.ts": "" })).toHaveLength(1);
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
  ])("is rejected outside the serializer: %s", (source) => {
    expect(messageTextComplaints(file, source)).not.toEqual([]);
    expect(messageTextComplaints("packages/gateway/src/json-rpc/serialize.ts", source)).toEqual([]);
  });

  test.each([
    'send(serialize({ jsonrpc: "2.0", id, result }));',
    "const key = JSON.stringify([tenant, user]);",
    "const shown = JSON.stringify(message.id);",
    'const members = ["jsonrpc", "id"];',
  ])("is accepted if it isn't a message: %s", (source) => {
    expect(messageTextComplaints(file, source)).toEqual([]);
  });

  test("is adapted in a folder of at most 250 lines", () => {
    expect(frameComplaints(250)).toEqual([]);
    expect(frameComplaints(251)).toHaveLength(1);
  });
});
