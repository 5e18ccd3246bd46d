import { openStream, type RawRequest, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream, type HttpUpstreamOptions } from "../../src/upstreams/http-upstream.ts";
import type { Upstream, UpstreamAnswer } from "../../src/upstreams/upstream.ts";
import { ann, envelope, rawCall, request, toolCall, until } from "./calls.ts";

async function withServer(
  answer: (request: RawRequest) => unknown,
  body: (upstream: Upstream, server: Awaited<ReturnType<typeof serveRaw>>) => Promise<void>,
  options: Partial<HttpUpstreamOptions> = {},
): Promise<void> {
  await using server = await serveRaw(answer);
  const guard = createAddressGuard({ exempt: [`127.0.0.1:${server.port}`] });
  const upstream = createHttpUpstream({
    id: "s",
    url: server.url,
    era: "modern",
    guard,
    ...options,
  });
  try {
    await body(upstream, server);
  } finally {
    await upstream.close();
  }
}

const complete = (id: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete" } });

describe("a server of 2026-07-28 over HTTP", { timeout: 20_000 }, () => {
  test("keeps every value of a request and its response, including unknown members", async () => {
    const meta = JSON.stringify(envelope);
    // A number no JavaScript number holds, an escape, odd spaces, an unknown method and members.
    const sent = `{"jsonrpc":"2.0", "x-top":[1.0], "id":"é\\u00e9-1","method":"vendor/new","params":{"n":12345678901234567890,"_meta":${meta},"e":"\\u0041"} }`;
    const back = `{"jsonrpc":"2.0","x-mark":null,"result":{"resultType":"task","n":1.10,"big":98765432109876543210,"_meta":{"a/b":"\\u0041"}},"id":"\\u00e9é-1"}`;
    await withServer(
      ({ response }) => sendJson(response, back),
      async (upstream, { requests }) => {
        const answer = await upstream.send(rawCall(sent));
        expect(requests[0]?.body).toBe(
          `{"jsonrpc":"2.0","x-top":[1],"id":"éé-1","method":"vendor/new","params":{"n":12345678901234567890,"_meta":${meta},"e":"A"}}`,
        );
        expect(JSON.stringify(answer.message)).toBe(
          '{"jsonrpc":"2.0","x-mark":null,"result":{"resultType":"task","n":1.1,"big":98765432109876543210,"_meta":{"a/b":"A"}},"id":"éé-1"}',
        );
      },
    );
  });

  test("repeats version, method, name and the requested arguments in headers", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        deep: { type: "object", properties: { on: { type: "boolean", "x-mcp-header": "On" } } },
        gone: { type: "string", "x-mcp-header": "Gone" },
      },
    };
    const args = { region: "Zürich", deep: { on: false } };
    await withServer(
      ({ response, message }) => sendJson(response, complete(message.id)),
      async (upstream, { requests }) => {
        const scope = {
          ...ann,
          headers: { Authorization: "Bearer a", "Mcp-Name": "evil", Host: "evil" },
        };
        const paramHeaders = {
          "Mcp-Param-Other": "kept",
          "Mcp-Param-Region": "lies",
          Cookie: "no",
        };
        await upstream.send(toolCall("get time", args, { inputSchema, scope, paramHeaders }));
        await upstream.send(request("resources/read", { uri: "ui://grüße" }));
        const [first, second] = requests.map(({ headers }) => headers);
        expect(first).toMatchObject({
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          authorization: "Bearer a",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "get time",
          "mcp-param-region": `=?base64?${btoa("Z\u00c3\u00bcrich")}?=`,
          "mcp-param-on": "false",
          "mcp-param-other": "kept",
        });
        expect(first).not.toHaveProperty("mcp-param-gone");
        expect(first).not.toHaveProperty("cookie");
        expect(first).not.toHaveProperty("accept-encoding");
        expect(first?.host).toMatch(/^127\.0\.0\.1:/);
        const name = second?.["mcp-name"] as string;
        expect(Buffer.from(name.slice(9, -2), "base64").toString()).toBe("ui://grüße");
      },
    );
  });

  test("adds the gateway's _meta to a request of an older client", async () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1.50,"_meta":{"a":1}}}';
    await withServer(
      ({ response, message }) => sendJson(response, complete(message.id)),
      async (upstream, { requests }) => {
        await upstream.send(rawCall(text));
        expect(requests[0]?.body).toContain('"cursor":1.5');
        expect(requests[0]?.message.params._meta).toMatchObject({
          a: 1,
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "vitrine-gateway" },
        });
      },
    );
  });

  test("progress comes in order before the answer, and on one line", async () => {
    const progress = (n: number) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":${n}}}`;
    await withServer(
      ({ response, message }) => {
        const send = openStream(response);
        send(progress(1));
        // One message over three lines of data, as a pretty printer would leave it.
        response.write(
          `: keep-alive\r\n\r\nid: 7\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"x/log",\r`,
        );
        response.write(`\ndata: "params":{}}\n\n`);
        response.write(`data:${complete(message.id)}\n\n`);
        response.end();
      },
      async (upstream, server) => {
        const received: string[] = [];
        const onNotification = (note: object) => received.push(JSON.stringify(note));
        for (let n = 0; n < 20; n++) {
          received.length = 0;
          const answer = await upstream.send(toolCall("slow", {}, { onNotification }));
          expect(received).toEqual([progress(1), '{"jsonrpc":"2.0","method":"x/log","params":{}}']);
          expect(answer.message).toMatchObject({ result: { resultType: "complete" } });
        }
        // A stream that ends leaves its connection to the next request.
        expect(server.connections).toBeLessThan(6);
      },
    );
  });

  test("a caller whose listener throws still gets its response", async () => {
    await withServer(
      ({ response, message }) => {
        const send = openStream(response);
        send('{"jsonrpc":"2.0","method":"notifications/x"}');
        send(complete(message.id));
        response.end();
      },
      async (upstream) => {
        const onNotification = () => {
          throw new Error("mine");
        };
        const answer = await upstream.send(toolCall("x", {}, { onNotification }));
        expect(answer.message).toMatchObject({ result: { resultType: "complete" } });
      },
    );
  });

  test("an abort closes the request at the server and doesn't count as its failure", async () => {
    let isClosed = false;
    await withServer(
      ({ response, message }) => {
        if (message.method !== "tools/call") return sendJson(response, complete(message.id));
        openStream(response);
        response.on("close", () => {
          isClosed = true;
        });
      },
      async (upstream, { requests }) => {
        for (let n = 0; n < 8; n++) {
          isClosed = false;
          const controller = new AbortController();
          const call = upstream.send(toolCall("slow", {}, { signal: controller.signal }));
          await until(() => requests.length === n + 1);
          controller.abort(new Error("bye"));
          await expect(call).rejects.toMatchObject({ code: "aborted", sent: true });
          await until(() => isClosed);
        }
        await upstream.send(request("tools/list"));
      },
    );
  });

  test("a call with an aborted signal is never sent", async () => {
    await withServer(
      ({ response, message }) => sendJson(response, complete(message.id)),
      async (upstream, { requests }) => {
        const call = upstream.send(toolCall("x", {}, { signal: AbortSignal.abort() }));
        await expect(call).rejects.toMatchObject({ code: "aborted", sent: false });
        expect(requests).toEqual([]);
      },
    );
  });

  test("treats HTTP errors with a JSON-RPC body as responses, and explains others", async () => {
    const error = (id: unknown) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`;
    let reply: (request: RawRequest) => void = () => {};
    await withServer(
      (request) => reply(request),
      async (upstream) => {
        const ask = async (): Promise<UpstreamAnswer> =>
          upstream.send(toolCall("x", {}, { id: "q" }));
        reply = ({ response }) => sendJson(response, error("q"), 404);
        expect((await ask()).message).toEqual(JSON.parse(error("q")));
        // A server that could not read the id answers nobody by name.
        reply = ({ response }) => sendJson(response, error(null), 400);
        expect((await ask()).message).toMatchObject({ id: "q", error: { code: -32601 } });
        const status = (code: number, headers = {}) => {
          reply = ({ response }) => void response.writeHead(code, headers).end("<html>");
          return ask();
        };
        await expect(status(401, { "www-authenticate": "Bearer x" })).rejects.toMatchObject({
          code: "unauthorized",
          facts: { status: 401, challenge: "Bearer x" },
        });
        await expect(status(403)).rejects.toMatchObject({ code: "unauthorized" });
        await expect(status(429, { "retry-after": "3" })).rejects.toMatchObject({
          code: "busy",
          sent: false,
          facts: { retryAfter: 3000 },
        });
        await expect(status(503)).rejects.toMatchObject({ code: "unreachable", sent: false });
        await expect(status(500)).rejects.toMatchObject({ code: "outcome-unknown" });
        await expect(status(200)).rejects.toMatchObject({ code: "malformed" });
      },
    );
  });

  test("a redirect is not followed", async () => {
    await withServer(
      ({ response, path }) => {
        if (path === "/mcp") response.writeHead(307, { location: "/other" }).end();
        else sendJson(response, complete(1));
      },
      async (upstream, { requests }) => {
        const call = upstream.send(toolCall("x"));
        await expect(call).rejects.toMatchObject({ code: "refused-address" });
        expect(requests.map(({ path }) => path)).toEqual(["/mcp"]);
      },
    );
  });

  test("answers a ping itself", async () => {
    await withServer(
      () => {
        throw new Error("never");
      },
      async (upstream, { requests }) => {
        const answer = await upstream.send(request("ping", {}, { id: 0 }));
        expect(answer.message).toEqual({
          jsonrpc: "2.0",
          id: 0,
          result: { resultType: "complete" },
        });
        expect(requests).toEqual([]);
      },
    );
  });

  test("posts a notification unchanged", async () => {
    await withServer(
      ({ response }) => response.writeHead(202).end(),
      async (upstream, { requests }) => {
        const params = { n: 1.5, _meta: envelope };
        const hint = { jsonrpc: "2.0" as const, method: "vendor/hint", params };
        const cancelled = { ...hint, method: "notifications/cancelled", params: { requestId: 1 } };
        await upstream.notify(hint, ann);
        await upstream.notify(cancelled, ann);
        expect(requests.map(({ body }) => body)).toEqual([JSON.stringify(hint)]);
        expect(requests[0]?.headers["mcp-method"]).toBe("vendor/hint");
      },
    );
  });
});
