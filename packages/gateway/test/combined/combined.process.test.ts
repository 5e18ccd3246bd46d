// POST /mcp joins all servers of the gateway.

import { afterEach, expect, it } from "vitest";
import type { Exchange } from "../../src/policy/exchange.ts";
import type { Recorder } from "../../src/policy/pipeline.ts";
import { authorizerOf } from "../policy/authorization/policies.ts";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import {
  type GatewayStage,
  type Json,
  openStage,
  type StageOptions,
  upstreamTo,
} from "../stage.ts";

const VIEW = "ui://board/view.html";
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Combined {
  stage: GatewayStage;
  servers: Record<string, RawServer>;
  /** What the recorder got: server, method, tool. */
  records: string[];
  /** Sends a request to the combined endpoint. */
  post(method: string, params?: object, more?: object): Promise<Json>;
  names(list?: string): Promise<string[]>;
}

/** A gateway before servers with these tools. */
async function openCombined(
  tools: Record<string, Json[]>,
  options: StageOptions = {},
): Promise<Combined> {
  const servers: Record<string, RawServer> = {};
  for (const [id, list] of Object.entries(tools)) {
    const raw = await serveRaw(list);
    raw.answers["tools/call"] = ({ name }) => ({
      content: [{ type: "text", text: `${id}/${name}` }],
    });
    raw.answers["resources/read"] = ({ uri }) => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: `<!doctype html><p>${id}` }],
      ttlMs: 0,
    });
    servers[id] = raw;
    open.push(raw);
  }
  const records: string[] = [];
  const note = ({ server, frame, tool }: Exchange): void => {
    records.push(
      [server.id, frame?.method, tool?.name ?? frame?.params?.name].filter(Boolean).join(" "),
    );
  };
  const recorder: Recorder = {
    admit: (exchange) => {
      note(exchange);
      return undefined;
    },
    refused: (exchange, link, { code }) =>
      void records.push(`${exchange.server.id} ${link} ${code}`),
    answered: () => {},
  };
  const stage = await openStage({
    recorder,
    ...options,
    servers: Object.fromEntries(
      Object.entries(servers).map(([id, { url }]) => [id, { upstream: upstreamTo(url) }]),
    ),
  });
  open.push(stage);
  const post = (method: string, params: object = {}, more: object = {}) =>
    stage.post(method, params, { path: "/mcp", ...more });
  const names = async (list = "tools"): Promise<string[]> => {
    const { body } = await post(`${list}/list`);
    return body.result[list].map(({ name, uri }: Json) => (list === "resources" ? uri : name));
  };
  return { stage, servers, records, post, names };
}

it("lists the tools of all servers, and sends each call to the server of the tool (O2)", async () => {
  const { post, names, records } = await openCombined({
    garden: [tool("show"), tool("water")],
    kitchen: [tool("show"), tool("cook")],
  });
  expect(await names()).toEqual([
    "garden__show",
    "garden__water",
    "kitchen__show",
    "kitchen__cook",
  ]);
  const { body } = await post("tools/call", { name: "kitchen__show", arguments: {} });
  expect(body.result.content[0].text).toBe("kitchen/show");
  // The call is recorded once, with the server's own names.
  expect(records.filter((record) => record.includes("call"))).toEqual(["kitchen tools/call show"]);
  expect(records).toContain("* tools/list");
  expect(records).toContain("garden tools/list");
});

it("answers for itself in both eras of the protocol", async () => {
  const { post, stage } = await openCombined({ garden: [tool("show")] });
  const found = await post("server/discover");
  expect(found.body.result).toMatchObject({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
  });
  const older = await fetch(`${stage.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer a-token-for-tests-0123456789abcdef",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      },
    }),
  });
  expect(((await older.json()) as Json).result).toMatchObject({
    protocolVersion: "2025-06-18",
    serverInfo: { name: "vitrine-gateway" },
  });
  expect((await fetch(`${stage.url}/mcp`)).status).toBe(405);
});

it("routes every listed name to exactly the tool that it was listed for", async () => {
  const odd = ["a__b", "garden__show", "kitchen__show", "show", "_show", "é", "a.b", "a_b", "a/b"];
  const long = Array.from({ length: 30 }, (_each, place) => "long".repeat(20 + place));
  const likeHashes = ["show__0123456789ab", "__0123456789ab", "0123456789ab"];
  const all = [...odd, ...long, ...likeHashes];
  const { post, stage } = await openCombined({
    garden: all.map((name) => tool(name)),
    kitchen: all.map((name) => tool(name)),
    "a.b": [tool("show")],
    a_: [tool("show")],
    garden__show: [tool("show")],
  });
  const { body } = await post("tools/list");
  expect(body.result.tools).toHaveLength(2 * all.length + 3);
  for (const { name, _meta } of body.result.tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const { server, name: own } = _meta["vitrine/source"];
    const called = await post("tools/call", { name, arguments: {} });
    expect(called.body.result.content[0].text).toBe(`${server}/${own}`);
  }
  expect(stage.refusals).toEqual([]);
});

it("refuses names without a server, and tools that don't exist", async () => {
  const { post, records, servers } = await openCombined({ garden: [tool("show")] });
  for (const name of ["show", "bank__show", "garden__pay", "garden__x__0123456789ab", 7]) {
    const { body, status } = await post(
      "tools/call",
      { name },
      { headers: { "mcp-name": `${name}` } },
    );
    expect([status, body.error.code]).toEqual([
      name === 7 ? 400 : 200,
      name === 7 ? -32_020 : -32_602,
    ]);
  }
  const { status, body } = await post("tasks/get", { taskId: "1" });
  expect([status, body.error.data.reason]).toEqual([404, "unknown-method"]);
  expect(records).toContain("* route unknown-tool");
  expect(records).toContain("garden visibility unknown-tool");
  const calls = servers.garden?.requests.filter(({ body }) => body.method === "tools/call");
  expect(calls).toEqual([]);
});

it("leaves out a server that is down, slow or lists without end, and serves the others", async () => {
  const { post, servers } = await openCombined(
    { down: [], endless: [tool("first")], garden: [tool("show")], slow: [tool("late")], wild: [] },
    { limits: { listTime: 500 } },
  );
  await servers.down?.[Symbol.asyncDispose]();
  let pages = 0;
  const { endless, slow, wild } = servers as Record<string, RawServer>;
  (endless as RawServer).answers["tools/list"] = () => ({
    tools: [tool(`tool-${pages++}`)],
    nextCursor: `${pages}`,
  });
  (slow as RawServer).answers["tools/list"] = () =>
    new Promise((resolve) => setTimeout(resolve, 3000));
  (wild as RawServer).answers["tools/list"] = () => ({ tools: [null, 1, { name: 7 }, tool("ok")] });
  const began = performance.now();
  const { body } = await post("tools/list");
  const listed: string[] = body.result.tools.map(({ name }: Json) => name);
  expect(listed).toContain("garden__show");
  expect(listed).toContain("wild__ok");
  expect(listed.filter((name) => name.startsWith("endless__")).length).toBeLessThanOrEqual(64);
  expect(body.result._meta["vitrine/left-out"]).toEqual(expect.arrayContaining(["down", "slow"]));
  expect(performance.now() - began).toBeLessThan(2900);
  const called = await post("tools/call", { name: "garden__show", arguments: {} });
  expect(called.body.result.content[0].text).toBe("garden/show");
});

it("lists many servers page by page", async () => {
  const ids = Array.from({ length: 20 }, (_each, place) => `s${`${place}`.padStart(2, "0")}`);
  const raw = await serveRaw([tool("show")]);
  open.push(raw);
  const stage = await openStage({
    servers: Object.fromEntries(ids.map((id) => [id, { upstream: upstreamTo(raw.url) }])),
  });
  open.push(stage);
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await stage.post("tools/list", cursor ? { cursor } : {}, { path: "/mcp" });
    listed.push(...body.result.tools.map(({ name }: Json) => name));
    cursor = body.result.nextCursor;
  } while (cursor);
  expect(listed).toEqual(ids.map((id) => `${id}__show`));
});

it("keeps the same ui:// address of two servers apart", async () => {
  const shown = [tool("show", { _meta: { ui: { resourceUri: VIEW } } })];
  const { post } = await openCombined({ garden: shown, kitchen: shown });
  const { body } = await post("tools/list");
  const uris = body.result.tools.map(({ _meta }: Json) => _meta.ui.resourceUri);
  expect(uris).toEqual(["ui://garden/board/view.html", "ui://kitchen/board/view.html"]);
  for (const [place, id] of ["garden", "kitchen"].entries()) {
    const read = await post("resources/read", { uri: uris[place] });
    expect(read.body.result.contents).toEqual([
      { uri: uris[place], mimeType: "text/html;profile=mcp-app", text: `<!doctype html><p>${id}` },
    ]);
  }
  const lost = await post("resources/read", { uri: VIEW });
  expect(lost.body.error.data.reason).toBe("foreign-resource");
});

it("opens views at the real server, whose ticket is for no other one", async () => {
  const shown = [tool("show", { _meta: { ui: { resourceUri: VIEW } } })];
  const { post, stage } = await openCombined({ garden: shown, kitchen: shown });
  const { ticket } = await stage.open(VIEW);
  const asView = { token: null, headers: { "vitrine-view": ticket } };
  const call = { name: "show", arguments: {} };
  const own = await stage.post("tools/call", call, { ...asView, server: "garden" });
  expect(own.body.error?.data.reason ?? own.body.result.content[0].text).toBe("consent-required");
  const foreign = await stage.post("tools/call", call, { ...asView, server: "kitchen" });
  expect([foreign.status, foreign.body.error.data.reason]).toEqual([403, "ticket-foreign"]);
  const combined = await post("tools/call", { ...call, name: "garden__show" }, asView);
  expect([combined.status, combined.body.error.data.reason]).toEqual([403, "ticket-foreign"]);
  // The host got this address from the combined endpoint; the view reads it at its own server.
  const read = (uri: string) =>
    stage.post("resources/read", { uri }, { ...asView, server: "garden" });
  const { body } = await read("vitrine://garden/note://a");
  expect(body.result.contents[0].uri).toBe("note://a");
  const other = await read("vitrine://kitchen/note://a");
  expect(other.body.error.data.reason).toBe("foreign-resource");
});

it("shows and calls only what the policies permit to the user", async () => {
  const policies = `permit(principal in Vitrine::Group::"acme/eng", action, resource == Vitrine::Tool::"garden/show");`;
  const { post, records } = await openCombined(
    { garden: [tool("show"), tool("burn")], kitchen: [tool("show")] },
    {
      authenticate: async (token) => ({ tenant: "acme", user: token, groups: [token] }),
      access: { authorizer: await authorizerOf(policies), mode: "enforce" },
    },
  );
  const namesOf = async (token: string): Promise<string[]> => {
    const { body } = await post("tools/list", {}, { token });
    return body.result.tools.map(({ name }: Json) => name);
  };
  expect(await namesOf("eng")).toEqual(["garden__show"]);
  expect(await namesOf("sales")).toEqual([]);
  // A server that the user may not see isn't asked at all.
  expect(records.filter((record) => record.startsWith("kitchen"))).toEqual([]);
  const reasonOf = async (name: string): Promise<string> => {
    const { body } = await post("tools/call", { name, arguments: {} }, { token: "eng" });
    return body.error?.data.reason ?? "allowed";
  };
  expect(await reasonOf("garden__show")).toBe("allowed");
  expect(await reasonOf("garden__burn")).toBe("forbidden");
  expect(await reasonOf("kitchen__show")).toBe("unknown-tool");
  expect(records).toContain("garden authorization forbidden");
});

it("counts one request of the user, however many servers it asks", async () => {
  const rates = { viewPerMinute: 60, userPerMinute: 18, serverPerMinute: 6000, userAtOnce: 64 };
  const { post } = await openCombined(
    { garden: [tool("show")], kitchen: [tool("show")], shed: [tool("show")] },
    { limits: { rates } },
  );
  const statuses: number[] = [];
  // A sixth of the minute's requests may come at once.
  for (let count = 0; count < 4; count++) statuses.push((await post("tools/list")).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.at(-1)).toBe(429);
});
