import { type RawRequest, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { EraCache } from "../../src/upstreams/era.ts";
import { createHttpUpstream } from "../../src/upstreams/http-upstream.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import { ann, bob, request, resultOf, toolCall } from "./calls.ts";

const HOUR = 3_600_000;

type Era = "modern" | "legacy" | "failing" | "unauthorized" | "hanging";

/** A server whose era can change under our feet. */
async function withServer(
  body: (context: {
    upstream: Upstream;
    is(era: Era): void;
    asked(): number;
    handshakes(): number;
    later(time: number): void;
    eras: EraCache;
  }) => Promise<void>,
): Promise<void> {
  let era: Era = "modern";
  let time = 1_000_000;
  const reply = (response: RawRequest["response"], id: unknown, body: object, status = 200): void =>
    sendJson(response, JSON.stringify({ jsonrpc: "2.0", id, ...body }), status);
  const statuses: Partial<Record<Era, number>> = { failing: 500, unauthorized: 401 };
  const results: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: {} },
    initialize: { protocolVersion: "2025-06-18", capabilities: {} },
  };
  await using server = await serveRaw(({ message, response, headers }) => {
    const { id, method } = message ?? {};
    const status = statuses[era];
    if (era === "hanging") return;
    if (status !== undefined) return response.writeHead(status).end();
    const spoken = headers["mcp-method"] === undefined ? "legacy" : "modern";
    if (spoken !== era) {
      const error = { code: -32000, message: "Bad Request" };
      return reply(response, null, { error }, 400);
    }
    if (id === undefined) return response.writeHead(202).end();
    reply(response, id, { result: results[method] ?? { era } });
  });
  const eras = new EraCache({ now: () => time });
  const guard = createAddressGuard({ exempt: [server.url.host] });
  const upstream = createHttpUpstream({ id: "s", url: server.url, guard, eras, ownDeadline: 300 });
  const count = (name: string) =>
    server.requests.filter(({ message }) => message?.method === name).length;
  try {
    await body({
      upstream,
      eras,
      is: (next) => {
        era = next;
      },
      asked: () => count("server/discover"),
      handshakes: () => count("initialize"),
      later: (ms) => {
        time += ms;
      },
    });
  } finally {
    await upstream.close();
  }
}

const eraOf = async (upstream: Upstream) => resultOf(await upstream.send(toolCall("x"))).era;

describe("the era of a server", { timeout: 20_000 }, () => {
  test("is probed once, however many calls wait", async () => {
    await withServer(async ({ upstream, asked }) => {
      await Promise.all([...Array(20)].map(() => upstream.send(toolCall("x"))));
      await upstream.send(toolCall("x"));
      expect(asked()).toBe(1);
    });
    await withServer(async ({ upstream, is, asked, handshakes }) => {
      is("legacy");
      await Promise.all([...Array(20)].map(() => upstream.send(toolCall("x"))));
      expect([asked(), handshakes()]).toEqual([1, 1]);
    });
  });

  test("depends on the credential, and on nothing else of the caller", async () => {
    await withServer(async ({ upstream, asked }) => {
      await upstream.send(toolCall("x", {}, { scope: ann }));
      await upstream.send(toolCall("x", {}, { scope: bob }));
      expect(asked()).toBe(1);
      await upstream.send(
        toolCall("x", {}, { scope: { ...ann, headers: { authorization: "a" } } }),
      );
      await upstream.send(
        toolCall("x", {}, { scope: { ...bob, headers: { authorization: "b" } } }),
      );
      expect(asked()).toBe(3);
      await upstream.send(
        toolCall("x", {}, { scope: { ...ann, headers: { authorization: "renewed" } } }),
      );
      expect(asked()).toBe(3);
    });
  });

  test("of a legacy server is probed again after a day at most", async () => {
    await withServer(async ({ upstream, is, asked, later }) => {
      is("legacy");
      expect(await eraOf(upstream)).toBe("legacy");
      later(23 * HOUR);
      await eraOf(upstream);
      expect(asked()).toBe(1);
      is("modern");
      later(2 * HOUR);
      expect(await eraOf(upstream)).toBe("modern");
      expect(asked()).toBe(2);
    });
  });

  test("isn't cached after a failed probe: the next call probes again", async () => {
    await withServer(async ({ upstream, is, handshakes }) => {
      for (const [era, code] of [
        ["failing", "unreachable"],
        ["unauthorized", "unauthorized"],
        ["hanging", "timeout"],
      ] as const) {
        is(era);
        await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({ code, sent: false });
      }
      expect(handshakes()).toBe(0);
      is("modern");
      expect(await eraOf(upstream)).toBe("modern");
    });
  });

  test("is probed again if it turns out to be wrong", async () => {
    await withServer(async ({ upstream, is, asked }) => {
      expect(await eraOf(upstream)).toBe("modern");
      is("legacy");
      const { message } = await upstream.send(request("tools/list"));
      expect(message).toMatchObject({ error: { message: "Bad Request" } });
      expect(await eraOf(upstream)).toBe("legacy");
      expect(asked()).toBe(2);
    });
  });

  test("can be configured by the operator", async () => {
    await using server = await serveRaw(({ message, response }) =>
      sendJson(response, JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} })),
    );
    const guard = createAddressGuard({ exempt: [server.url.host] });
    const upstream = createHttpUpstream({ id: "s", url: server.url, guard, era: "modern" });
    await upstream.send(toolCall("x"));
    expect(server.requests).toHaveLength(1);
    await upstream.close();
  });
});
