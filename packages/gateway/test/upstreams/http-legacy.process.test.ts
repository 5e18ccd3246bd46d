// Servers from before 2026-07-28 over HTTP: their sessions, and how they are lost.

import { openStream, type RawRequest, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { serveSessions, serveSse } from "@vitrine/internal/session-servers";
import { stationServer1 } from "@vitrine/internal/station-servers";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream, type HttpUpstreamOptions } from "../../src/upstreams/http-upstream.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import { ann, bob, request, resultOf, toolCall, until } from "./calls.ts";

const serveStation = () => stationServer1().server;

function connect(url: URL, options: Partial<HttpUpstreamOptions> = {}): Upstream {
  const guard = createAddressGuard({ exempt: [url.host] });
  return createHttpUpstream({ id: "s", url, guard, ...options });
}

/** A raw server with a session; tools are up to the test. */
function session(
  tool: (request: RawRequest) => unknown,
  { result = {}, headers = {} }: { result?: object; headers?: object } = {},
) {
  return (request: RawRequest): unknown => {
    const { message, response, method } = request;
    if (method === "DELETE") return response.writeHead(200).end();
    if (message?.method === "server/discover") return response.writeHead(400).end("no session");
    if (message?.method === "initialize") {
      const serverInfo = { name: "raw", version: "1" };
      const initialized = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        serverInfo,
        ...result,
      };
      const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: initialized });
      return sendJson(response, text, 200, { "mcp-session-id": "s-1", ...headers });
    }
    if (message?.method?.startsWith("notifications/")) return response.writeHead(202).end();
    return tool(request);
  };
}

const complete = (id: unknown, result: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result });

describe("a session over HTTP", { timeout: 30_000 }, () => {
  test.each([404, 400] as const)(
    "is reopened once when the server forgot it (%i), and the call is made",
    async (unknown) => {
      await using served = await serveSessions(serveStation, { unknown });
      const upstream = connect(served.url);
      await upstream.send(toolCall("forecast"));
      expect(served.opened).toBe(1);
      served.forget();
      const cities = ["Oslo", "Bergen", "Alta"];
      const answers = await Promise.all(
        cities.map((city) => upstream.send(toolCall("forecast", { city }))),
      );
      expect(answers.map((answer) => resultOf(answer).structuredContent.city)).toEqual(cities);
      expect(served.opened).toBe(2);
      await upstream.close();
    },
  );

  test("doesn't loop if the server forgets it again and again", async () => {
    await using server = await serveRaw(session(({ response }) => response.writeHead(404).end()));
    const upstream = connect(server.url);
    await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({
      code: "unreachable",
      sent: false,
    });
    const methods = server.requests.map(({ message }) => message?.method).filter(Boolean);
    expect(methods.filter((method) => method === "tools/call")).toHaveLength(2);
    expect(methods.filter((method) => method === "initialize")).toHaveLength(2);
    await upstream.close();
  });

  test("carries its id and version, and is ended when the upstream is closed", async () => {
    await using server = await serveRaw(
      session(({ response, message }) => sendJson(response, complete(message.id))),
    );
    const upstream = connect(server.url, { headers: { "x-api-key": "k" } });
    await upstream.send(
      toolCall("x", {}, { scope: { ...ann, headers: { authorization: "Bearer 1" } } }),
    );
    await upstream.send(
      toolCall("x", {}, { scope: { ...ann, headers: { authorization: "Bearer 2" } } }),
    );
    await upstream.close();
    const [, initialize, initialized, first, second, end] = server.requests;
    expect(initialize?.headers).not.toHaveProperty("mcp-session-id");
    expect(initialize?.message.params.protocolVersion).toBe("2025-11-25");
    const common = {
      "mcp-session-id": "s-1",
      "mcp-protocol-version": "2025-06-18",
      "x-api-key": "k",
    };
    expect(initialized?.headers).toMatchObject(common);
    // A token that was renewed is used within the same session.
    expect(first?.headers).toMatchObject({ ...common, authorization: "Bearer 1" });
    expect(second?.headers).toMatchObject({ ...common, authorization: "Bearer 2" });
    expect(end).toMatchObject({ method: "DELETE", headers: common });
  });

  test("belongs to one user unless the operator shares it, and a credential is never shared", async () => {
    for (const [sharing, opened] of [
      ["user", 2],
      ["all", 1],
    ] as const) {
      await using served = await serveSessions(serveStation);
      const upstream = connect(served.url, { sharing });
      for (const scope of [ann, bob, ann]) await upstream.send(toolCall("forecast", {}, { scope }));
      expect(served.opened).toBe(opened);
      await upstream.send(
        toolCall("forecast", {}, { scope: { ...bob, headers: { authorization: "b" } } }),
      );
      await upstream.send(
        toolCall("forecast", {}, { scope: { ...ann, headers: { authorization: "a" } } }),
      );
      if (sharing === "all") expect(served.opened).toBe(opened + 2);
      await upstream.close();
    }
  });

  test("is ended when it is not used, or when there are too many", async () => {
    await using served = await serveSessions(serveStation);
    const upstream = connect(served.url, { sessions: { most: 2, idle: 300 } });
    for (const user of ["a", "b", "c"]) {
      await upstream.send(toolCall("forecast", {}, { scope: { tenant: "t", user } }));
    }
    await until(() => served.ended.length === 1);
    await until(() => served.ended.length === 3);
    await upstream.close();
  });

  test("leaves the outcome of a call unknown if it breaks, and doesn't repeat the call", async () => {
    await using server = await serveRaw(session(({ socket }) => socket.resetAndDestroy()));
    const upstream = connect(server.url);
    await expect(upstream.send(toolCall("pay"))).rejects.toMatchObject({
      code: "outcome-unknown",
      sent: true,
    });
    const calls = server.requests.filter(({ message }) => message?.method === "tools/call");
    expect(calls).toHaveLength(1);
    await upstream.close();
  });

  test("resumes a stream that the server closed, from the last event", async () => {
    let id: unknown;
    await using server = await serveRaw((incoming) => {
      const { method, headers, response } = incoming;
      if (method !== "GET") {
        return session(({ message }) => {
          id = message.id;
          openStream(response);
          response.end("id: e-1\ndata:\n\n");
        })(incoming);
      }
      if (headers["last-event-id"] !== "e-1") return response.writeHead(400).end();
      openStream(response)(complete(id, { content: [] }));
    });
    const upstream = connect(server.url);
    expect(resultOf(await upstream.send(toolCall("poll")))).toMatchObject({ content: [] });
    await upstream.close();
  });

  test("a stream that can't be resumed leaves the outcome unknown, and the call isn't repeated", async () => {
    for (const status of [404, 400, 500]) {
      await using server = await serveRaw((incoming) => {
        const { method, response } = incoming;
        if (method === "GET") return response.writeHead(status).end("session");
        return session(() => {
          openStream(response);
          response.end("id: e-1\ndata:\n\n");
        })(incoming);
      });
      const upstream = connect(server.url);
      const call = upstream.send(toolCall("pay"));
      await expect(call).rejects.toMatchObject({ code: "outcome-unknown", sent: true });
      const calls = server.requests.filter(({ message }) => message?.method === "tools/call");
      expect(calls).toHaveLength(1);
      await upstream.close();
    }
  });

  test("survives a failure of the server, which may have kept it", async () => {
    let status = 500;
    await using server = await serveRaw(
      session(({ response, message }) => {
        if (status === 200) return sendJson(response, complete(message.id));
        response.writeHead(status).end();
      }),
    );
    const upstream = connect(server.url);
    await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({ code: "outcome-unknown" });
    status = 200;
    await upstream.send(toolCall("x"));
    const methods = server.requests.map(({ message }) => message?.method);
    expect(methods.filter((method) => method === "initialize")).toHaveLength(1);
    await upstream.close();
  });

  test("ignores a session id that isn't valid in a header", async () => {
    const headers = { "mcp-session-id": "a b\u00ff" };
    const answer = session(({ response, message }) => sendJson(response, complete(message.id)), {
      headers,
    });
    await using server = await serveRaw(answer);
    const upstream = connect(server.url);
    await upstream.send(toolCall("x"));
    expect(server.requests.at(-1)?.headers).not.toHaveProperty("mcp-session-id");
    await upstream.close();
  });

  test("adds missing members of 2026-07-28 to responses and keeps existing ones", async () => {
    const answers: Record<string, string> = {
      none: '{"jsonrpc":"2.0","id":ID,"error":{"code":-32002,"message":"no","data":{"n":1.0}}}',
      task: '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","n":98765432109876543210}}',
      plain: '{"jsonrpc":"2.0","result":{"contents":[],"ttlMs":5},"x":1,"id":ID}',
    };
    await using server = await serveRaw(
      session(({ message, response }) => {
        sendJson(response, answers[message.params.uri]?.replace("ID", message.id) ?? "");
      }),
    );
    const upstream = connect(server.url);
    const read = async (uri: string) => {
      const { message } = await upstream.send(request("resources/read", { uri }, { id: "q" }));
      return JSON.stringify(message);
    };
    expect(await read("none")).toBe(
      '{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"no","data":{"n":1}}}',
    );
    expect(await read("task")).toBe(
      '{"jsonrpc":"2.0","id":"q","result":{"resultType":"task","n":98765432109876543210,"ttlMs":0,"cacheScope":"private"}}',
    );
    expect(await read("plain")).toBe(
      '{"jsonrpc":"2.0","result":{"contents":[],"ttlMs":5,"resultType":"complete","cacheScope":"private"},"x":1,"id":"q"}',
    );
    await upstream.close();
  });

  test("requests that only the gateway makes never reach the server", async () => {
    await using server = await serveRaw(
      session(({ response, message }) => sendJson(response, complete(message.id))),
    );
    const upstream = connect(server.url);
    await upstream.send(toolCall("x"));
    const before = server.requests.length;
    for (const method of ["initialize", "subscriptions/listen"]) {
      const { message } = await upstream.send(request(method));
      expect(message).toMatchObject({ error: { code: -32601 } });
    }
    await upstream.notify({ jsonrpc: "2.0", method: "notifications/initialized" }, ann);
    expect(server.requests).toHaveLength(before);
    await upstream.close();
  });

  test("drops responses to unknown requests, and floods", async () => {
    await using server = await serveRaw(
      session(({ message, response }) => {
        const send = openStream(response);
        if (message.params.name === "flood") {
          for (let n = 0; n < 8000; n++) send('{"jsonrpc":"2.0","method":"notifications/x"}');
          return;
        }
        for (const id of [message.id + 1, `${message.id}`, null])
          send(complete(id, { stolen: true }));
        send("{broken");
        send(complete(message.id, { mine: true }));
        response.end();
      }),
    );
    const upstream = connect(server.url);
    expect(resultOf(await upstream.send(toolCall("x")))).toMatchObject({ mine: true });
    await expect(upstream.send(toolCall("flood"))).rejects.toMatchObject({ code: "malformed" });
    expect(resultOf(await upstream.send(toolCall("x")))).toMatchObject({ mine: true });
    await upstream.close();
  });
});

describe("a session over HTTP+SSE", { timeout: 30_000 }, () => {
  test("reconnects for the next call after it broke", async () => {
    await using served = await serveSse(serveStation);
    const upstream = connect(served.url);
    const controller = new AbortController();
    const { signal } = controller;
    await upstream.send(toolCall("forecast"));
    const slow = upstream.send(toolCall("slow", { id: "long" }, { signal }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    served.drop();
    await expect(slow).rejects.toMatchObject({ code: "outcome-unknown", sent: true });
    await upstream.send(toolCall("forecast"));
    expect(served.opened).toBe(2);
    served.forget();
    await upstream.send(toolCall("forecast"));
    expect(served.opened).toBe(3);
    await upstream.close();
    await until(() => served.ended.length === 3);
  });

  test("only sends to its own origin, whatever the server names", async () => {
    await using other = await serveRaw(({ response }) => response.writeHead(202).end());
    for (const endpoint of [
      other.url.href,
      `//127.0.0.1:${other.port}/x`,
      "file:///etc/passwd",
      "http://[::bad",
    ]) {
      await using server = await serveRaw(({ response, method }) => {
        if (method !== "GET") return response.writeHead(405).end();
        openStream(response);
        response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      });
      const upstream = connect(server.url, { headers: { authorization: "secret" } });
      const call = upstream.send(toolCall("x"));
      await expect(call, endpoint).rejects.toMatchObject({ code: "refused-address" });
      await upstream.close();
    }
    expect(other.requests).toEqual([]);
  });
});
