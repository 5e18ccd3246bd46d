// Real servers in a cluster: programs, sessions of the older protocol, and a server without either.

import { readFileSync } from "node:fs";
import { askingServer } from "@vitrine/internal/asking-server";
import { serveSessions } from "@vitrine/internal/session-servers";
import { serveStation2, stationServer1 } from "@vitrine/internal/station-servers";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "../../gateway/src/upstreams/address-guard.ts";
import {
  createHttpUpstream,
  type HttpUpstreamOptions,
} from "../../gateway/src/upstreams/http-upstream.ts";
import { createStdioUpstream } from "../../gateway/src/upstreams/stdio-upstream.ts";
import type { OwnableUpstream } from "../../gateway/src/upstreams/upstream.ts";
import { ann, request, resultOf, toolCall, until } from "../../gateway/test/upstreams/calls.ts";
import { program } from "../../gateway/test/upstreams/programs.ts";
import { openRealPair } from "./real-pair.ts";
import { failureOf } from "./stage.ts";

const rawProgram = (mayStart: (key: string) => boolean): OwnableUpstream =>
  createStdioUpstream({ id: "s", argv: program("raw-stdio", "modern"), sharing: "all", mayStart });

function httpTo(url: URL, options: Partial<HttpUpstreamOptions> = {}): OwnableUpstream {
  const guard = createAddressGuard({ exempt: [url.host] });
  return createHttpUpstream({ id: "s", url, guard, sharing: "all", ...options });
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("a program", { timeout: 30_000 }, () => {
  test("is one process for all callers", async () => {
    await using pair = await openRealPair(rawProgram);
    const [here, there] = await Promise.all([
      pair.owner.send(toolCall("echo")),
      pair.other.send(toolCall("echo")),
    ]);
    expect(resultOf(there).pid).toBe(resultOf(here).pid);
  });

  test("ends with its call when its owner is cut off, and is started by the next owner", async () => {
    await using pair = await openRealPair(rawProgram, { ttl: 3000 });
    const { pid } = resultOf(await pair.other.send(toolCall("echo")));
    const hanging = failureOf(pair.other.send(toolCall("hang", {}, { deadline: 20_000 })));
    const own = failureOf(pair.owner.send(toolCall("hang", {}, { deadline: 20_000 })));
    // Waits until both are under way: the next owner would carry out a call that wasn't sent yet.
    await new Promise((resolve) => setTimeout(resolve, 300));
    pair.engines[0].cut();
    await until(() => !isAlive(pid), 3000);
    expect(await own).toBe("outcome-unknown");
    expect(await hanging).toBe("outcome-unknown");
    const next = resultOf(await pair.other.send(toolCall("echo", {}, { deadline: 20_000 }))).pid;
    expect(next).not.toBe(pid);
    expect(await failureOf(pair.owner.send(toolCall("echo", {}, { deadline: 500 })))).toBe(
      "timeout",
    );
  });

  test("is only started by its owner, for any kind of request", async () => {
    const upstream = rawProgram(() => false);
    expect(await failureOf(upstream.send(toolCall("echo")))).toBe("unreachable");
    await upstream.close();
  });

  test("leaves no process behind if it is ended during its start", async () => {
    const upstream = rawProgram(() => true);
    const starting = failureOf(upstream.send(toolCall("echo")));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await upstream.end();
    expect(["closed", "crashed", "unreachable"]).toContain(await starting);
    // The next call starts another process.
    expect(resultOf(await upstream.send(toolCall("echo"))).pid).toBeTypeOf("number");
    await upstream.close();
  });
});

describe("sessions of the older protocol", { timeout: 30_000 }, () => {
  test("are one session for all callers", async () => {
    await using served = await serveSessions(() => stationServer1().server);
    await using pair = await openRealPair(() => httpTo(served.url, { era: "legacy" }));
    for (const upstream of [pair.owner, pair.other, pair.owner]) {
      await upstream.send(toolCall("forecast", { city: "Oslo" }));
    }
    expect(served.opened).toBe(1);
  });

  test("a session that was only opened to detect the protocol version is ended", async () => {
    await using served = await serveSessions(() => stationServer1().server);
    await using pair = await openRealPair(() => httpTo(served.url));
    await pair.other.send(toolCall("forecast", { city: "Oslo" }));
    expect(served.opened).toBe(2);
    await until(() => served.ended.length === 1);
    await pair.owner.send(toolCall("forecast", { city: "Oslo" }));
    await pair.other.send(toolCall("forecast", { city: "Oslo" }));
    expect([served.opened, served.ended.length]).toEqual([2, 1]);
  });

  test("a server's request can be answered through another process", async () => {
    await using served = await serveSessions(askingServer);
    await using pair = await openRealPair(() => httpTo(served.url, { era: "legacy" }));
    const asked = resultOf(await pair.owner.send(toolCall("ask")));
    expect(asked.resultType).toBe("input_required");
    const [key] = Object.keys(asked.inputRequests);
    const answer = await pair.other.send(
      request("tools/call", {
        name: "ask",
        arguments: {},
        requestState: asked.requestState,
        inputResponses: { [`${key}`]: { action: "accept", content: { name: "Ann" } } },
      }),
    );
    expect(resultOf(answer).content[0].text).toContain("Ann");
  });

  test("end when their owner is cut off, and the next owner has its own", async () => {
    await using served = await serveSessions(() => stationServer1().server);
    await using pair = await openRealPair(() => httpTo(served.url, { era: "legacy" }), {
      ttl: 3000,
    });
    await pair.other.send(toolCall("forecast", { city: "Oslo" }));
    pair.engines[0].cut();
    await until(() => served.ended.length === 1, 5000);
    await pair.other.send(toolCall("forecast", { city: "Oslo" }, { deadline: 15_000 }));
    expect(served.opened).toBe(2);
  });
});

test("a server without sessions is called directly, without the engine", async () => {
  await using served = await serveStation2();
  await using pair = await openRealPair(() => httpTo(served.url), { ttl: 60_000 });
  for (const engine of pair.engines) engine.operations.length = 0;
  for (let n = 0; n < 20; n++) {
    await pair.owner.send(toolCall("forecast", { city: "Oslo" }));
    await pair.other.send(toolCall("forecast", { city: "Oslo" }));
    await pair.other.discover(ann);
  }
  expect(pair.engines.map(({ operations }) => operations)).toEqual([[], []]);
});
