// How a server is used: by how many, for how long, and when it is left alone.

import { openStream, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { describe, expect, test } from "vitest";
import { ann, toolCall, until } from "./calls.ts";
import { complete, connect, withServer } from "./raw-upstream.ts";

describe("a server over HTTP", { timeout: 30_000 }, () => {
  test("pauses calls to a failing server, and not to others", async () => {
    let isBroken = true;
    await using bad = await serveRaw(({ response, message, socket }) => {
      if (isBroken) socket.resetAndDestroy();
      else sendJson(response, complete(message.id));
    });
    await using good = await serveRaw(({ response, message }) =>
      sendJson(response, complete(message.id)),
    );
    const [failing, healthy] = [connect(bad, { breaker: { rest: 1500 } }), connect(good)];
    const codes = [];
    for (let n = 0; n < 20; n++) {
      const [code] = await Promise.all([
        failing.send(toolCall("x")).catch((error) => error.code),
        healthy.send(toolCall("x")),
      ]);
      codes.push(code);
    }
    expect(codes.filter((code) => code === "outcome-unknown")).toHaveLength(5);
    expect(codes.at(-1)).toBe("breaker-open");
    expect(bad.requests).toHaveLength(5);
    isBroken = false;
    await until(() =>
      failing.send(toolCall("x")).then(
        () => true,
        () => false,
      ),
    );
    // One call tried, and since it went well all may.
    expect(bad.requests).toHaveLength(6);
    await Promise.all([1, 2, 3].map(() => failing.send(toolCall("x"))));
    await Promise.all([failing.close(), healthy.close()]);
  });

  test("calls beyond the limit wait, and calls beyond the queue are rejected", async () => {
    let most = 0;
    let now = 0;
    await withServer(
      async ({ response, message }) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 50));
        now--;
        sendJson(response, complete(message.id));
      },
      async (upstream) => {
        const outcomes = await Promise.all(
          [...Array(10)].map(() =>
            upstream.send(toolCall("x")).then(
              () => "done",
              (error) => error.code,
            ),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(6);
        expect(outcomes.filter((outcome) => outcome === "busy")).toHaveLength(4);
        expect(most).toBe(2);
        const [slow, late] = [toolCall("x"), toolCall("x", {}, { deadline: 20 })].map((call) =>
          upstream.send(call),
        );
        const other = upstream.send(toolCall("x"));
        await expect(late).rejects.toMatchObject({ code: "timeout" });
        await Promise.all([slow, other]);
        const waiting = [...Array(3)].map((_, n) =>
          upstream.send(toolCall("x", {}, { deadline: n === 2 ? 20 : 5000 })),
        );
        await expect(waiting[2]).rejects.toMatchObject({ code: "busy", sent: false });
        await Promise.all(waiting.slice(0, 2));
      },
      { slots: { limit: 2, queue: 4, perTenant: 2, perUser: 2 } },
    );
  });

  test("resubscribes after a lost stream and reports everything that may have changed", async () => {
    let streams = 0;
    await withServer(
      ({ response, message, socket }) => {
        const send = openStream(response);
        const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
        const params = { notifications: { toolsListChanged: true }, _meta };
        send(
          JSON.stringify({
            jsonrpc: "2.0",
            method: "notifications/subscriptions/acknowledged",
            params,
          }),
        );
        if (++streams === 1) setTimeout(() => socket.resetAndDestroy(), 30);
      },
      async (upstream) => {
        const received: string[] = [];
        const undo = upstream.listen(ann, ({ kind, uri }) => received.push(uri ?? kind), {
          resources: ["ui://a"],
        });
        await until(() => received.length === 4);
        expect(received).toEqual(["tools", "resources", "prompts", "ui://a"]);
        expect(streams).toBe(2);
        undo();
      },
      { relisten: 20 },
    );
  });

  test("ends a change stream that floods", async () => {
    let isEnded = false;
    await withServer(
      ({ response, message }) => {
        const send = openStream(response);
        const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
        const params = { notifications: { toolsListChanged: true }, _meta };
        send(
          JSON.stringify({
            jsonrpc: "2.0",
            method: "notifications/subscriptions/acknowledged",
            params,
          }),
        );
        response.on("close", () => {
          isEnded = true;
        });
        for (let n = 0; n < 20_000; n++)
          send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      },
      async (upstream) => {
        let received = 0;
        const undo = upstream.listen(ann, () => received++);
        await until(() => isEnded);
        undo();
        expect(received).toBeLessThan(6000);
      },
      { relisten: 60_000 },
    );
  });
});
