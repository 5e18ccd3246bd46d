// Legacy servers send requests to the user in the middle of a call; modern hosts get them as the result.

import { askingServer } from "@vitrine/internal/asking-server";
import { serveSessions, serveSse } from "@vitrine/internal/session-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream } from "../../src/upstreams/http-upstream.ts";
import { createStdioUpstream } from "../../src/upstreams/stdio-upstream.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import { bob, request, resultOf, toolCall, until } from "./calls.ts";
import { program } from "./programs.ts";

const HOLD = 1500;

async function overHttp(serve: () => Promise<AsyncDisposable & { url: URL }>) {
  const served = await serve();
  const guard = createAddressGuard({ exempt: [served.url.host] });
  const sessions = { holdTime: HOLD };
  const upstream = createHttpUpstream({
    id: "s",
    url: served.url,
    guard,
    sessions,
    sharing: "all",
  });
  return { upstream, dispose: () => served[Symbol.asyncDispose]() };
}

const servers: [string, () => Promise<{ upstream: Upstream; dispose?(): PromiseLike<void> }>][] = [
  ["HTTP with sessions", () => overHttp(() => serveSessions(askingServer))],
  ["HTTP+SSE", () => overHttp(() => serveSse(askingServer))],
  [
    "stdio",
    async () => {
      const argv = program("asking-stdio");
      return { upstream: createStdioUpstream({ id: "s", argv, holdTime: HOLD, sharing: "all" }) };
    },
  ],
];

describe.each(servers)("a question over %s", { timeout: 30_000 }, (name, open) => {
  let upstream: Upstream;
  let dispose: (() => PromiseLike<void>) | undefined;
  beforeAll(async () => {
    ({ upstream, dispose } = await open());
  });
  afterAll(async () => {
    await upstream.close();
    await dispose?.();
  });

  const args = { times: 1, b: { d: 1, c: 2 } };
  const ask = async (given: object = args) =>
    resultOf(await upstream.send(toolCall("ask", { ...given })));
  const answer = (
    asked: { requestState: string; inputRequests: object },
    response: object,
    given: object = args,
  ) => {
    const keys = Object.keys(asked.inputRequests);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, response]));
    const { requestState } = asked;
    return request("tools/call", {
      name: "ask",
      arguments: { ...given },
      inputResponses,
      requestState,
    });
  };
  const accept = { action: "accept", content: { name: "Ann" } };
  const received = (result: { content: [{ text: string }] }) => JSON.parse(result.content[0].text);

  test("becomes the result of the call, and the response continues it", async () => {
    const asked = await ask();
    expect(asked).toMatchObject({ resultType: "input_required" });
    const [question] = Object.values(asked.inputRequests);
    expect(question).toMatchObject({
      method: "elicitation/create",
      params: { message: "Question 1", requestedSchema: { type: "object" } },
    });
    // Another order of keys is the same request.
    const done = await upstream.send(answer(asked, accept, { b: { c: 2, d: 1 }, times: 1 }));
    expect(received(resultOf(done))).toEqual([accept]);
    expect(resultOf(done).resultType).toBe("complete");
  });

  test("may be followed by another", async () => {
    const given = { times: 3 };
    let result = await ask(given);
    for (let n = 2; n <= 3; n++) {
      result = resultOf(await upstream.send(answer(result, { action: "decline" }, given)));
      expect(JSON.stringify(result.inputRequests)).toContain(`Question ${n}`);
    }
    result = resultOf(await upstream.send(answer(result, accept, given)));
    expect(received(result)).toEqual([{ action: "decline" }, { action: "decline" }, accept]);
  });

  test("may come with another at the same time", async () => {
    const given = { together: true };
    let result = await ask(given);
    while (result.resultType === "input_required") {
      result = resultOf(await upstream.send(answer(result, accept, given)));
    }
    expect(received(result)).toEqual([accept, accept]);
  });

  test("is answered once, by the same user, for the same request", async () => {
    const asked = await ask();
    const isRefused = async (call: Parameters<Upstream["send"]>[0]) => {
      const { message } = await upstream.send(call);
      expect(message).toMatchObject({ error: { code: -32602 } });
    };
    await isRefused({ ...answer(asked, accept), scope: bob });
    await isRefused(answer(asked, accept, { ...args, times: 2 }));
    await isRefused(answer({ ...asked, requestState: "x" }, accept));
    await isRefused(request("tools/call", { name: "ask", arguments: args, requestState: 7 }));
    const { message, ...call } = answer(asked, accept);
    await isRefused({ ...call, message: { ...message, method: "prompts/get" } });
    const done = await upstream.send(answer(asked, accept));
    expect(received(resultOf(done))).toEqual([accept]);
    await isRefused(answer(asked, accept));
  });

  test("is cancelled for a client that can't prompt its user", async () => {
    const meta = { "io.modelcontextprotocol/clientCapabilities": {} };
    const result = resultOf(await upstream.send(toolCall("ask", {}, { meta })));
    expect(received(result)).toEqual([{ action: "cancel" }]);
  });

  test("is cancelled in time if there is no answer", async () => {
    const asked = await ask();
    await new Promise((resolve) => setTimeout(resolve, HOLD + 200));
    const { message } = await upstream.send(answer(asked, accept));
    expect(message).toMatchObject({ error: { code: -32602 } });
    // The server goes on.
    expect((await ask()).resultType).toBe("input_required");
  });

  test.runIf(name === "stdio" || name === "HTTP+SSE")(
    "is cancelled where it is not clear whose it is, and once two users have used the connection",
    async () => {
      await until(async () => {
        // What the tests before left open is over.
        const asked = await ask();
        return (
          asked.resultType === "input_required" &&
          resultOf(await upstream.send(answer(asked, accept)))
        );
      });
      const results = await Promise.all([ask(), ask()]);
      for (const result of results) expect(received(result)).toEqual([{ action: "cancel" }]);
      await upstream.send({ ...request("tools/list"), scope: bob });
      expect(received(await ask())).toEqual([{ action: "cancel" }]);
    },
  );
});
