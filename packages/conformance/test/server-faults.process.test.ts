// For every rule of the server that a scenario can break: a server that breaks it is found.

import { describe, expect, it } from "vitest";
import { runConformance } from "../src/run.ts";
import type { Outcome } from "../src/scenario.ts";
import { goodModel, type ServerModel, serveModel } from "./faulty-server.ts";

async function outcomes(model: ServerModel, rules?: string[]): Promise<Outcome[]> {
  await using server = await serveModel(model);
  const target = { url: server.url };
  return (await runConformance({ role: "server", target, ...(rules && { rules }) })).outcomes;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change parts of a model.
type Change = (model: any) => void;

const FAULTS: [rule: string, verdict: string, words: string, change: Change][] = [
  ["SRV-01", "fail", "ui://", (m) => (m.tool._meta.ui.resourceUri = "https://x.example/v.html")],
  ["SRV-01", "fail", "ui://", (m) => (m.tool._meta["ui/resourceUri"] = "UI://good/view.html")],
  ["SRV-02", "fail", "resources/list", (m) => (m.entry.mimeType = "text/html")],
  ["SRV-02", "fail", "resources/read", (m) => (m.content.mimeType = undefined)],
  ["SRV-03", "fail", "neither text nor blob", (m) => (m.content.text = undefined)],
  [
    "SRV-03",
    "fail",
    "not base64",
    (m) => (m.content = { ...m.content, text: undefined, blob: "<!doctype" }),
  ],
  [
    "SRV-03",
    "fail",
    "not UTF-8",
    (m) => (m.content = { ...m.content, text: undefined, blob: "/////w==" }),
  ],
  ["SRV-04", "fail", "<!doctype html>", (m) => (m.content.text = "<div>A fragment</div>")],
  ["SRV-05", "fail", "does not exist", (m) => (m.content = undefined)],
  [
    "SRV-06",
    "warn",
    "connectDomains",
    (m) => (m.content._meta.ui.csp = { connectDomains: "https://x.example" }),
  ],
  ["SRV-06", "warn", "camera", (m) => (m.content._meta.ui.permissions = { camera: true })],
  [
    "SRV-07",
    "warn",
    "csp is only in the list",
    (m) => (m.content._meta = { ui: { prefersBorder: true } }),
  ],
  [
    "SRV-08",
    "fail",
    "not the name of a host",
    (m) => (m.content._meta.ui.domain = "https://x.example/"),
  ],
  [
    "SRV-08",
    "fail",
    "32 hexadecimal digits",
    (m) => (m.content._meta.ui.domain = "mine.claudemcpcontent.com"),
  ],
  [
    "SRV-08",
    "fail",
    "another endpoint",
    (m) => (m.content._meta.ui.domain = `${"0".repeat(32)}.claudemcpcontent.com`),
  ],
  ["SRV-09", "warn", "prefersBorder is not set", (m) => (m.content._meta.ui = { csp: {} })],
  ["SRV-11", "warn", "gets no text", (m) => (m.plain = { result: { content: [] } })],
  ["SRV-12", "warn", "no text", (m) => (m.plain = { result: { content: [{ type: "image" }] } })],
  ["SRV-13", "fail", "content is empty", (m) => (m.result.content = [])],
  ["SRV-13", "fail", "not a list", (m) => (m.result.content = "text")],
  ["SRV-13", "fail", "[object Object]", (m) => (m.result.content[0].text = "[object Object]")],
  ["SRV-15", "warn", "user", (m) => (m.tool._meta.ui.visibility = ["user"])],
  ["SRV-16", "warn", "only the flat key", (m) => (m.tool._meta.ui = {})],
  ["SRV-16", "warn", "differ", (m) => (m.tool._meta["ui/resourceUri"] = "ui://good/other.html")],
  ["SRV-17", "warn", "csp is ignored on a tool", (m) => (m.tool._meta.ui.csp = {})],
  [
    "SRV-18",
    "warn",
    "https://cdn.example.com is not in csp.resourceDomains",
    (m) => (m.content.text += `<script src="https://cdn.example.com/a.js"></script>`),
  ],
  [
    "SRV-18",
    "warn",
    "csp.connectDomains",
    (m) => (m.content.text += `<script>fetch("http://localhost:3000/x")</script>`),
  ],
  [
    "SRV-19",
    "warn",
    "JSON in the text",
    (m) => (m.result = { content: [{ type: "text", text: '{"rows":[1,2]}' }] }),
  ],
  ["SRV-20", "warn", "initialize", (m) => (m.capabilities.extensions = undefined)],
];

describe("a Server", () => {
  it("that is correct passes every rule it can", async () => {
    const found = await outcomes(goodModel());
    const others = found.filter(({ verdict }) => verdict !== "pass" && verdict !== "info");
    expect(others.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(["SRV-08 not-run"]);
    expect(found).toHaveLength(20);
  });

  it.each(FAULTS)(
    "that breaks %s gets the verdict %s (%s)",
    async (rule, verdict, words, change) => {
      const model = goodModel();
      change(model);
      const [outcome] = await outcomes(model, [rule]);
      expect(outcome?.note).toContain(words);
      expect(outcome?.verdict).toBe(verdict);
    },
  );

  it("of Claude's own domain for this endpoint follows SRV-08", async () => {
    const model = goodModel();
    await using server = await serveModel(model);
    const { createHash } = await import("node:crypto");
    const label = createHash("sha256").update(String(server.url)).digest("hex").slice(0, 32);
    Object.assign(model.content?._meta.ui, { domain: `${label}.claudemcpcontent.com` });
    const target = { url: server.url };
    const report = await runConformance({ role: "server", target, rules: ["SRV-08"] });
    expect(report.outcomes[0]?.verdict).toBe("pass");
  });

  it("may leave its view out of the list, and vary its tools: SRV-10 and SRV-14 report it", async () => {
    const model = goodModel();
    const { _meta, ...plainTool } = model.tool;
    const found = await outcomes({ ...model, entry: undefined, plain: { tools: [plainTool] } }, [
      "SRV-10",
      "SRV-11",
      "SRV-14",
    ]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["info", "pass", "info"]);
    expect(found[0]?.note).toContain("Not in resources/list: ui://good/view.html");
    expect(found[2]?.note).toContain("vary");
  });

  it("whose tool declares that it destroys is not called unless its arguments are given", async () => {
    const model = goodModel();
    model.tool.annotations = { destructiveHint: true };
    const [left] = await outcomes(model, ["SRV-13"]);
    expect(left?.verdict).toBe("not-run");
    expect(left?.note).toContain("declares that it changes things");
    await using server = await serveModel(model);
    const target = { url: server.url, calls: { good: {} } };
    const report = await runConformance({ role: "server", target, rules: ["SRV-13"] });
    expect(report.outcomes[0]?.verdict).toBe("pass");
  });

  it("whose view only mentions an address in its code has loaded nothing from there", async () => {
    const model = goodModel();
    Object.assign(model.content ?? {}, {
      text: `<!doctype html><a href="https://a.example/">A</a><script>new URL("https://b.example")</script>`,
    });
    expect((await outcomes(model, ["SRV-18"]))[0]?.verdict).toBe("pass");
  });

  it("without any view has nothing to be judged by", async () => {
    const model = goodModel();
    model.tool._meta = undefined;
    const found = await outcomes({ ...model, entry: undefined });
    const failed = found.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));
    expect(failed).toEqual([]);
    expect(found.filter(({ verdict }) => verdict === "not-run").length).toBeGreaterThan(14);
  });

  it("that doesn't exist gives an error instead of a report", async () => {
    const target = { url: "http://127.0.0.1:9/mcp" };
    await expect(runConformance({ role: "server", target })).rejects.toThrow(
      "could not be reached",
    );
  });
});
