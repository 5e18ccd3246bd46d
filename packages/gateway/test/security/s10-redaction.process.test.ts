import { createMemoryEngine, EngineError } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { createAudit, type ReadRecord, readAudit } from "../../src/audit/index.ts";
import { auditRecorder } from "../../src/policy/audit-recorder.ts";
import { authorizerOf } from "../policy/authorization/policies.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { collect } from "../service/stage.ts";
import { type GatewayStage, META, openStage, upstreamTo } from "../stage.ts";
import { gatedEngine } from "./gated-engine.ts";

// Nothing about this text looks like a secret: only the schema says so.
const SECRET = "hunter2-blue-horse";
const LOGIN = {
  type: "object",
  properties: { who: { type: "string" }, word: { type: "string", format: "password" } },
  required: ["who"],
};
const MIRRORED = {
  ...LOGIN,
  properties: { ...LOGIN.properties, who: { type: "string", "x-mcp-header": "Who" } },
};
const TOKEN_OF_USER = { type: "object", properties: { word: { writeOnly: true } } };
const GIVEN = { who: "alice", word: SECRET };

/**
 * These don't look at calls of tools; reject a call before its arguments are read; or are tested on their own,
 * because the log only counts the denials of a user who has many.
 */
const ELSEWHERE = new Set([
  ...["resource", "upstream"],
  ...["revocation", "scopes"],
  ...["quota", "approval"],
]);

/** A real gateway that records everything, in front of a real server. */
async function openScene(limits: object = {}) {
  const raw = await serveRaw([
    tool("login", { inputSchema: LOGIN }),
    tool("mirrored", { inputSchema: MIRRORED }),
    tool("look", { inputSchema: LOGIN, annotations: { readOnlyHint: true } }),
    tool("plain"),
    tool("forbidden", { inputSchema: LOGIN }),
    tool("approved", { inputSchema: LOGIN }),
    tool("limited", { inputSchema: LOGIN }),
    tool("issue", { inputSchema: { type: "object" }, outputSchema: TOKEN_OF_USER }),
  ]);
  const state = { isFull: false };
  const engine = gatedEngine(async () => {
    if (state.isFull) throw new EngineError("full", "No room.");
  });
  const audit = await createAudit({ engine, node: "n1", level: "full" });
  const servers = { raw: { upstream: upstreamTo(raw.url) } };
  const authorizer = await authorizerOf(`permit(principal, action, resource)
      unless { resource == Vitrine::Tool::"raw/approved" };
    @approve("admin") permit(principal, action, resource == Vitrine::Tool::"raw/approved");
    forbid(principal, action, resource == Vitrine::Tool::"raw/forbidden");`);
  const access = { authorizer, mode: "enforce" } as const;
  const quotas = [{ name: "one", server: "raw", tool: "limited", perDay: 1 }];
  const stage = await openStage({
    ...{ servers, recorder: auditRecorder(audit), access },
    limits: { ...limits, quotas },
  });
  /** The records, when everything has ended. */
  const records = async (): Promise<ReadRecord[]> => {
    await stage[Symbol.asyncDispose]();
    await audit.close();
    await raw[Symbol.asyncDispose]();
    return collect(readAudit({ log: engine.log }));
  };
  return { stage, raw, audit, state, records };
}

const callOf = (stage: GatewayStage, name: string, given: object = GIVEN) =>
  stage.post("tools/call", { name, arguments: given });

/** A view's call over HTTP. */
const viewCall = (stage: GatewayStage, ticket: string, name: string) =>
  stage.post(
    "tools/call",
    { name, arguments: GIVEN },
    { token: null, headers: { "vitrine-view": ticket } },
  );

const denied = (records: ReadRecord[], link: string): ReadRecord[] =>
  records.filter(({ event, decision }) => event === "request" && decision?.link === link);

describe("a secret argument of a denied call", () => {
  test("S10: is redacted by the schema when the user is asked for consent", async () => {
    const { stage, records } = await openScene();
    const { ticket } = await stage.open("ui://raw/view.html");
    await viewCall(stage, ticket, "login");
    const found = await records();
    expect(denied(found, "consent")).toMatchObject([
      { tool: "login", arguments: { who: "alice", word: "[redacted]" } },
    ]);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  test("S10: is in no record of any link that can deny a call", async () => {
    const { stage, state, audit, records } = await openScene({
      rates: { viewPerMinute: 6, userPerMinute: 6_000, serverPerMinute: 6_000, userAtOnce: 64 },
    });
    const post = (params: object, headers: Record<string, string> = {}, method = "tools/call") =>
      stage.post(method, params, { headers });
    // Before the tool is known.
    const batch = [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { arguments: GIVEN } }];
    await stage.post("tools/call", {}, { body: JSON.stringify(batch) });
    await post({ name: "login", arguments: {}, Arguments: GIVEN });
    await post({ name: "login", arguments: GIVEN }, {}, "ui/login");
    await post({ name: "login", arguments: GIVEN }, { "mcp-name": "other" });
    await post({ name: "nosuch", arguments: GIVEN });
    await post({ name: 5, arguments: GIVEN }, { "mcp-name": "5" });
    await stage.gateway.states.pause("raw", { by: "ops" });
    await expect.poll(async () => (await callOf(stage, "login")).status).toBe(503);
    await stage.gateway.states.resume("raw");
    await expect.poll(async () => (await post({}, {}, "tools/list")).status).toBe(200);
    // When it is.
    await post({ name: "mirrored", arguments: GIVEN });
    // Under names that the schema doesn't have; a second denial of the kind would only be counted.
    await post({ name: "login", arguments: { pin: SECRET, extra: { [SECRET]: SECRET } } });
    await post({ name: "look", arguments: { who: 5, word: SECRET } });
    await post({ name: "look", arguments: { who: "alice", Word: SECRET } });
    await callOf(stage, "forbidden");
    const { ticket } = await stage.open("ui://raw/view.html");
    await viewCall(stage, ticket, "login");
    for (let n = 0; n < 3; n++) await viewCall(stage, ticket, "look");
    state.isFull = true;
    await callOf(stage, "login");
    await audit.flushed().catch(() => {});
    expect((await callOf(stage, "login")).body.error.data.reason).toBe("audit-full");
    state.isFull = false;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const found = await records();
    const links = new Set(found.flatMap(({ decision }) => decision?.link ?? []));
    const all = stage.gateway.pipeline.links.filter((link) => !ELSEWHERE.has(link));
    expect([...links].sort()).toEqual([...all].sort());
    expect(JSON.stringify(found)).not.toContain(SECRET);
    for (const link of [
      "envelope",
      "pause",
      "members",
      "visibility",
      "argument-names",
      "mirror",
      "arguments",
    ]) {
      for (const record of denied(found, link)) {
        expect(record).toMatchObject({ argumentsWithheld: true });
        expect(record).not.toHaveProperty("arguments");
        expect(record).not.toHaveProperty("argumentsHash");
      }
    }
    for (const link of ["consent", "audit"]) {
      expect(denied(found, link)).toMatchObject([
        { arguments: { who: "alice", word: "[redacted]" } },
      ]);
    }
  });

  test("S10: is redacted when an approval is missing or a quota is used up", async () => {
    const { stage, records } = await openScene();
    for (const name of ["approved", "limited", "limited"]) await callOf(stage, name);
    const [waiting] = await stage.gateway.approvals.list();
    expect(waiting?.preview).toBe('{"who":"alice","word":"[redacted]"}');
    const found = await records();
    expect(JSON.stringify(found)).not.toContain(SECRET);
    for (const link of ["quota", "approval"]) {
      expect(denied(found, link)).toMatchObject([
        { arguments: { who: "alice", word: "[redacted]" } },
      ]);
    }
  });

  test("S10: is in no record of a call that went through, whatever became of it", async () => {
    const { stage, raw, records } = await openScene();
    raw.answers["tools/call"] = ({ name }) =>
      name === "plain"
        ? { content: [{ type: "text", text: "welcome" }] }
        : { content: [{ type: "text", text: SECRET }], structuredContent: { word: SECRET } };
    for (const name of ["login", "issue", "plain"]) {
      await callOf(stage, name, name === "login" ? GIVEN : {});
    }
    const found = await records();
    expect(JSON.stringify(found)).not.toContain(SECRET);
    const answers = found.filter(({ event }) => event === "answer");
    expect(answers).toMatchObject([
      { tool: "login", resultWithheld: true },
      { tool: "issue", resultWithheld: true },
      { tool: "plain", result: { content: [{ text: "welcome" }] } },
    ]);
  });
});

test("S10: the level digest withholds the hash of arguments without a schema", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  const stage = await openStage({ recorder: auditRecorder(audit) });
  await stage.post("tools/call", { name: "nosuch", arguments: GIVEN, _meta: META });
  await stage[Symbol.asyncDispose]();
  await audit.close();
  const [record] = await collect(readAudit({ log: engine.log }));
  expect(record).toMatchObject({ tool: "nosuch", argumentsWithheld: true });
  expect(record).not.toHaveProperty("argumentsHash");
});
