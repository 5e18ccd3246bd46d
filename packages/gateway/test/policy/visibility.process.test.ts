import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, type Json, openStage, upstreamTo } from "../stage.ts";

const VIEW = "ui://raw/view.html";

/** What a server may put where its visibility belongs. */
const visibilities = fc.oneof(
  fc.constant(undefined),
  fc.subarray(["model", "app"]),
  fc.constantFrom(null, "app", 1, {}, ["nobody"], ["app", "app", 7]),
);
const names = fc.constantFrom(
  "a",
  "b",
  "c",
  "A",
  "а",
  "a ",
  "__proto__",
  "constructor",
  "toString",
);

async function listed(ask: (method: string, params: Json) => Promise<Json>): Promise<string[]> {
  const { result } = await ask("tools/list", {});
  return [...new Set<string>(result.tools.map(({ name }: Json) => name))].sort();
}

async function callable(
  ask: (method: string, params: Json) => Promise<Json>,
  all: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const name of all) {
    const { result } = await ask("tools/call", { name, arguments: {} });
    if (result) found.push(name);
  }
  return found.sort();
}

describe("for every tool, caller and carrier", () => {
  test("a tool is callable exactly if it is listed (GW-05, GW-06, G129, G130, G131)", async () => {
    await using raw = await serveRaw();
    await using stage = await openStage({
      servers: { raw: { upstream: upstreamTo(raw.url), settings: { consent: "host" } } },
      limits: {
        rates: {
          viewPerMinute: 1e7,
          userPerMinute: 1e7,
          serverPerMinute: 1e7,
          userAtOnce: 100,
        },
      },
    });
    const everyName = [
      "a",
      "b",
      "c",
      "A",
      "а",
      "a ",
      "__proto__",
      "constructor",
      "toString",
      "other",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, visibilities), { maxLength: 6 }),
        async (defined) => {
          raw.tools = defined.map(([name, visibility]) =>
            tool(name, visibility === undefined ? {} : { _meta: { ui: { visibility } } }),
          );
          stage.gateway.setServer("raw");
          stage.gateway.setServer("raw", {
            upstream: upstreamTo(raw.url),
            settings: { consent: "host" },
          });
          for (const ask of await callers(stage)) {
            expect(await callable(ask, everyName)).toEqual(await listed(ask));
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

/** The model over HTTP, a View over HTTP, a View over its WebSocket. */
async function callers(
  stage: GatewayStage,
): Promise<((method: string, params: Json) => Promise<Json>)[]> {
  const { ticket } = await stage.open(VIEW, { approve: await proposal(stage) });
  const socket = await stage.socket(ticket);
  const byHttp =
    (headers: Record<string, string>, token?: null) => async (method: string, params: Json) =>
      (
        await stage.post(method, params, {
          headers: { ...named(params), ...headers },
          ...(token === null && { token }),
        })
      ).body;
  return [
    byHttp({}),
    byHttp({ "vitrine-view": ticket }, null),
    (method, params) => socket.request(method, params),
  ];
}

/** Names that aren't ASCII are sent base64-wrapped. */
function named({ name }: { name?: string }): Record<string, string> {
  if (name === undefined) return {};
  return { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` };
}

async function proposal(stage: GatewayStage): Promise<string | undefined> {
  const { body } = await stage.open(VIEW);
  return body.error?.data?.approve;
}

test("a server whose tools can't be listed is reported as unavailable, not as a gateway failure", async () => {
  const raw = await serveRaw();
  const upstream = upstreamTo(raw.url);
  await raw[Symbol.asyncDispose]();
  await using stage = await openStage({ servers: { raw: { upstream } } });
  const { status } = await stage.post(
    "tools/call",
    { name: "a", arguments: {} },
    { server: "raw" },
  );
  expect(status).toBe(502);
  expect(stage.refusals).toEqual(["visibility unavailable"]);
});
