// What a server over HTTP can do to us, by accident or on purpose.

import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { openStream, type RawRequest, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { describe, expect, test } from "vitest";
import { request, resultOf, toolCall } from "./calls.ts";
import { complete, connect, withServer } from "./raw-upstream.ts";

const mebi = 2 ** 20;
describe("a server that fails", { timeout: 30_000 }, () => {
  test("a reset connection leaves the outcome of a call unknown, and the call isn't repeated", async () => {
    await withServer(
      ({ socket }) => socket.resetAndDestroy(),
      async (upstream, { requests }) => {
        const call = upstream.send(toolCall("pay"));
        await expect(call).rejects.toMatchObject({ code: "outcome-unknown", sent: true });
        expect(requests).toHaveLength(1);
      },
    );
  });

  test("read-only requests are retried once", async () => {
    await withServer(
      ({ socket }) => socket.resetAndDestroy(),
      async (upstream, { requests }) => {
        const list = upstream.send(request("tools/list"));
        await expect(list).rejects.toMatchObject({ code: "unreachable" });
        expect(requests).toHaveLength(2);
      },
    );
    let isBroken = false;
    await withServer(
      ({ socket, response, message }) => {
        if (!isBroken) {
          isBroken = true;
          return socket.resetAndDestroy();
        }
        sendJson(response, complete(message.id));
      },
      async (upstream) => {
        expect(resultOf(await upstream.send(request("tools/list")))).toEqual({
          resultType: "complete",
        });
      },
    );
  });

  test("a connection that breaks in the middle of a response has the same effect", async () => {
    await withServer(
      ({ response, socket }) => {
        openStream(response)('{"jsonrpc":"2.0","method":"notifications/x"}');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      async (upstream) => {
        await expect(upstream.send(toolCall("pay"))).rejects.toMatchObject({
          code: "outcome-unknown",
        });
      },
    );
    await withServer(
      ({ response }) => {
        openStream(response)('{"jsonrpc":"2.0","method":"notifications/x"}');
        response.end();
      },
      async (upstream) => {
        await expect(upstream.send(toolCall("pay"))).rejects.toMatchObject({
          code: "outcome-unknown",
        });
      },
    );
  });

  test("a missing server is unreachable, and nothing was sent", async () => {
    const server = await serveRaw(() => {});
    const upstream = connect(server);
    await server[Symbol.asyncDispose]();
    await expect(upstream.send(toolCall("x"))).rejects.toMatchObject({
      code: "unreachable",
      sent: false,
    });
    await upstream.close();
  });

  test("a hanging server times out at the deadline, before or during its response", async () => {
    await withServer(
      ({ response, message }) => {
        if (message.params.name === "drip") {
          response.writeHead(200, { "content-type": "application/json" });
          const drip = setInterval(() => response.write(" "), 5);
          response.on("close", () => clearInterval(drip));
        }
      },
      async (upstream) => {
        for (const name of ["silent", "drip"]) {
          const start = performance.now();
          const call = upstream.send(toolCall(name, {}, { deadline: 150 }));
          await expect(call).rejects.toMatchObject({ code: "timeout", sent: true });
          expect(performance.now() - start).toBeLessThan(3000);
        }
      },
    );
  });

  test("fifty megabytes are cut off at the limit, as JSON, as a stream, as one event", async () => {
    const block = "x".repeat(mebi);
    let sent = 0;
    const pour = async ({ response }: RawRequest, piece: string): Promise<void> => {
      const closed = once(response, "close");
      for (let n = 0; n < 50 && !response.destroyed; n++) {
        sent = n + 1;
        if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
      }
      response.end();
    };
    const ways: Record<string, (request: RawRequest) => unknown> = {
      json: (request) => {
        request.response.writeHead(200, { "content-type": "application/json" }).write('{"a":"');
        return pour(request, block);
      },
      event: (request) => {
        openStream(request.response);
        request.response.write("data: ");
        return pour(request, block);
      },
      lines: (request) => {
        openStream(request.response);
        return pour(request, `data: ${block}\n`);
      },
      events: (request) => {
        openStream(request.response);
        return pour(request, `data: {"jsonrpc":"2.0","method":"x","params":{"x":"${block}"}}\n\n`);
      },
      comments: (request) => {
        openStream(request.response);
        return pour(request, `: ${block}\n`);
      },
      html: (request) => {
        request.response.writeHead(500, { "content-type": "text/html" });
        return pour(request, block);
      },
    };
    await withServer(
      (request) => ways[request.message.params.name]?.(request),
      async (upstream) => {
        for (const name of Object.keys(ways)) {
          sent = 0;
          await expect(
            upstream.send(toolCall(name, {}, { deadline: 30_000 })),
            name,
          ).rejects.toMatchObject({
            code: "too-large",
          });
          // Eight for what is one message, thirty-two for what are many; the rest is in the sockets.
          expect(sent, name).toBeLessThan(name === "events" || name === "comments" ? 50 : 28);
        }
      },
      { breaker: { failures: 1e9 } },
    );
  });

  test("a stream without end is cut off by its messages, by its time", async () => {
    await withServer(
      ({ response, message }) => {
        const send = openStream(response);
        const isFast = message.params.name === "fast";
        const timer = setInterval(() => {
          for (let n = 0; n < (isFast ? 500 : 1); n++)
            send('{"jsonrpc":"2.0","method":"notifications/x"}');
        }, 2);
        response.on("close", () => clearInterval(timer));
      },
      async (upstream) => {
        let received = 0;
        const onNotification = () => received++;
        const fast = upstream.send(toolCall("fast", {}, { onNotification }));
        await expect(fast).rejects.toMatchObject({ code: "malformed" });
        expect(received).toBe(10_000);
        const slow = upstream.send(toolCall("slow", {}, { deadline: 200 }));
        await expect(slow).rejects.toMatchObject({ code: "timeout" });
      },
    );
  });

  test("a compressed response is rejected unread, however small it is", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * mebi, 0x20));
    // Another one that only announces it, which is enough.
    const plain = complete("q");
    await withServer(
      ({ response, message }) => {
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(message.params.name === "bomb" ? bomb : plain);
      },
      async (upstream, { requests }) => {
        for (const name of ["bomb", "plain"]) {
          const call = upstream.send(toolCall(name, {}, { id: "q" }));
          await expect(call, name).rejects.toMatchObject({ code: "malformed" });
        }
        expect(requests[0]?.headers).not.toHaveProperty("accept-encoding");
      },
    );
  });

  test("responses that violate the protocol are rejected", async () => {
    const brackets = "[".repeat(mebi);
    const answers: [string, string][] = [
      ["no JSON", "{"],
      ["a batch", `[${complete("q")}]`],
      ["another version", '{"jsonrpc":"1.0","id":"q","result":{}}'],
      ["neither result nor error", '{"jsonrpc":"2.0","id":"q"}'],
      ["another id", complete("other")],
      ["an id of another type", complete(1)],
      ["a result without an id", '{"jsonrpc":"2.0","id":null,"result":{}}'],
      ["a bomb of brackets", `{"jsonrpc":"2.0","id":"q","result":${brackets}`],
      ["a request", '{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage"}'],
      ["not UTF-8", "\u00ff"],
      ["nothing", ""],
    ];
    let answer = "";
    let isStream = false;
    await withServer(
      ({ response }) => {
        const bytes = Buffer.from(answer, answer === "\u00ff" ? "latin1" : "utf8");
        const type = isStream ? "text/event-stream" : "application/json";
        response.writeHead(200, { "content-type": type });
        if (isStream)
          response.end(Buffer.concat([Buffer.from("data: "), bytes, Buffer.from("\n\n")]));
        else response.end(bytes);
      },
      async (upstream) => {
        for (const stream of [false, true]) {
          isStream = stream;
          for (const [name, text] of answers) {
            answer = text;
            const call = upstream.send(toolCall("x", {}, { id: "q" }));
            const outcome = await call.then(
              () => "answered",
              (error) => error.code,
            );
            // A server may send requests in vain: what is missing then is the answer.
            expect(["malformed", "outcome-unknown"], `${name}, ${stream}`).toContain(outcome);
          }
        }
      },
      { breaker: { failures: 1e9 } },
    );
  });
});
