// What operators read when something is refused or fails (O10): the reason, the client's address, the trace, and
// not a line for each of ten thousand refusals.

import { join } from "node:path";
import { SignJWT } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { readAudit } from "../../src/audit/index.ts";
import { createClientAddresses } from "../../src/edge/client-address.ts";
import { openSqliteReader } from "../../src/engine/index.ts";
import { tokenCause } from "../../src/identity/token-cause.ts";
import { LineSampler } from "../../src/observability/line-sampler.ts";
import { createLog } from "../../src/observability/log.ts";
import { outageLog } from "../../src/observability/outage.ts";
import { UpstreamError } from "../../src/upstreams/upstream.ts";
import { collect, freePort, openServiceStage, type ServiceStage } from "../service/stage.ts";

let stage: ServiceStage | undefined;
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
});

const file = { engine: { driver: "sqlite", folder: "data" } };
const call = { name: "forecast", arguments: { city: "Graz" } };
const TRACE = "0af7651916cd43dd8448eb211c80319c";

test("a flood of refusals is a few lines and a count", async () => {
  stage = await openServiceStage(file);
  const { post } = stage;
  for (let n = 0; n < 40; n++) await post("tools/call", { name: `nothing-${n}`, arguments: {} });
  for (let n = 0; n < 40; n++) await post("ping", {}, { token: `wrong-${n}` });
  const refused = stage.log.filter(({ msg }) => msg === "request refused");
  expect(refused).toHaveLength(10);
  expect(refused[0]).toMatchObject({ code: "unknown-tool", reason: expect.any(String) });
  const rejected = stage.log.filter(({ msg }) => msg === "request rejected");
  expect(rejected).toHaveLength(10);
  expect(rejected[0]).toMatchObject({
    ...{ status: 401, code: "unauthenticated", remote: "127.0.0.1" },
    cause: "not a token of an issuer",
  });
  await stage.service.close();
  // What wasn't written one by one is counted.
  const counts = stage.log.filter(({ more }) => more > 0);
  expect(counts).toContainEqual(
    expect.objectContaining({ code: "unauthenticated", carrier: "http", more: 30 }),
  );
});

test("a call's trace and the client's address are in the log and in the audit log", async () => {
  stage = await openServiceStage(file);
  const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
  await stage.post("tools/call", call, { headers });
  await stage.post("tools/call", { name: "nothing", arguments: {} }, { headers });
  await stage.service.close();
  const { log } = openSqliteReader({ folder: join(stage.folder, "data") });
  const records = (await collect(readAudit({ log }))).filter(({ event }) => event !== "operator");
  expect(records).toMatchObject([
    { event: "request", trace: TRACE, actor: { address: "127.0.0.1" } },
    { event: "answer", trace: TRACE },
    { event: "request", trace: TRACE, decision: { verdict: "deny" } },
  ]);
  expect(stage.log.find(({ msg }) => msg === "request refused")).toMatchObject({
    ...{ trace: TRACE, address: "127.0.0.1" },
  });
});

test("calls are counted by tool, and unknown names don't become labels", async () => {
  const port = await freePort();
  stage = await openServiceStage({ operator: { host: "127.0.0.1", port } });
  await stage.post("tools/call", call);
  await stage.post("tools/call", { name: "made-up-by-a-caller", arguments: {} });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line =
    'vitrine_tool_calls_total{server="station",tool="forecast",party="model",outcome="result"} 1';
  expect(metrics).toContain(line);
  expect(metrics).toContain('tool="unknown",party="model",outcome="unknown-tool"} 1');
  expect(metrics).toContain(
    'vitrine_tool_call_duration_seconds_count{server="station",tool="forecast"} 1',
  );
  expect(metrics).not.toContain("made-up-by-a-caller");
});

describe("the client's address", () => {
  /** The address in the log of a rejected request with this header. */
  const addressOf = async (trustedProxies: string[], header: string): Promise<unknown> => {
    stage = await openServiceStage({ listen: { port: 0, trustedProxies } });
    const headers = { "x-forwarded-for": header };
    await stage.post("ping", {}, { token: "wrong", headers });
    const line = stage.log.find(({ msg }) => msg === "request rejected");
    return line?.remote;
  };

  test("comes from a trusted proxy, and what the client wrote before it is ignored", async () => {
    const header = "192.0.2.66, 203.0.113.7, 10.1.2.3";
    expect(await addressOf(["127.0.0.0/8", "10.0.0.0/8"], header)).toBe("203.0.113.7");
  });

  test("isn't taken from a header of a client that isn't a trusted proxy", async () => {
    expect(await addressOf([], "203.0.113.7")).toBe("127.0.0.1");
    await stage?.[Symbol.asyncDispose]();
    expect(await addressOf(["10.0.0.0/8"], "203.0.113.7")).toBe("127.0.0.1");
  });

  test("is the same for sockets, also with hostile headers", () => {
    const { of, isProxy } = createClientAddresses(["10.0.0.0/8", "fd00::/8"]);
    const from = (remoteAddress: string, listed?: string): string =>
      of({ socket: { remoteAddress }, headers: { "x-forwarded-for": listed } } as never);
    expect(from("10.0.0.1", "203.0.113.7")).toBe("203.0.113.7");
    expect(from("::ffff:10.0.0.1", "1.1.1.1, 2001:db8::7, fd00::2")).toBe("2001:db8::7");
    expect(from("198.51.100.9", "203.0.113.7")).toBe("198.51.100.9");
    expect(from("10.0.0.1", "203.0.113.7, <script>")).toBe("10.0.0.1");
    expect(from("10.0.0.1", "")).toBe("10.0.0.1");
    expect(from("10.0.0.1", Array(5_000).fill("10.0.0.2").join(","))).toBe("10.0.0.2");
    expect(isProxy("fd12::1")).toBe(true);
  });
});

test("the cause of a rejected token names what is wrong, but never the token", async () => {
  const key = new Uint8Array(32);
  const sign = (claims: object): Promise<string> =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).sign(key);
  const now = 1_800_000_000_000;
  expect(tokenCause(undefined)).toBe("no token");
  expect(tokenCause("nonsense")).toBe("not a token of an issuer");
  expect(tokenCause(await sign({ exp: now / 1000 - 90 }), now)).toBe("expired 90 s ago");
  const other = await sign({ iss: "https://other.example", aud: ["x"], exp: now / 1000 + 9 });
  expect(tokenCause(other, now)).toMatch(/^issuer "https:\/\/other\.example", audience "x"/);
  expect(tokenCause(await sign({ iss: "x".repeat(9_000) }), now).length).toBeLessThan(400);
});

test("a sampler writes the first lines of each kind and counts the others", () => {
  const counts: string[] = [];
  const sampler = new LineSampler({
    each: 2,
    onMore: (kind, more) => counts.push(`${kind} ${more}`),
  });
  expect(["a", "a", "a", "b", "a"].map((kind) => sampler.take(kind))).toEqual([
    ...[true, true, false, true, false],
  ]);
  for (let n = 0; n < 1_000; n++) sampler.take(`kind-${n}`);
  sampler.flush();
  expect(counts).toEqual(["a 2", expect.stringMatching(/^other \d+$/)]);
  expect(sampler.take("a")).toBe(true);
  sampler.flush();
});

test("a call that failed for a reason of its own is logged with the reason, a few times", () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: "info", scrubber: () => (text) => text, destination });
  const failed = outageLog("inside", log);
  const reason = "inside.example is at 10.0.0.1, which isn't on the public internet.";
  for (let n = 0; n < 9; n++) failed(new UpstreamError("refused-address", reason));
  failed(new UpstreamError("too-large", "The response has more than 4 MiB."));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    ...Array.from({ length: 3 }, () => ({ server: "inside", code: "refused-address", reason })),
    { code: "too-large", reason: "The response has more than 4 MiB." },
  ]);
});
