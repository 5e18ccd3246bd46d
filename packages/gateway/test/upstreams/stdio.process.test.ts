import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonRpcNotification } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import { EraCache } from "../../src/upstreams/era.ts";
import { FairSlots } from "../../src/upstreams/fair-slots.ts";
import { ann, bob, rawCall, request, resultOf, toolCall, until } from "./calls.ts";
import { processes, program, withProgram } from "./programs.ts";

const quick = { restarts: { first: 1, longest: 5, stable: 30_000 }, breaker: { failures: 1e9 } };

describe("a server over stdio", { timeout: 60_000 }, () => {
  test("passes arguments and variables unchanged, and nothing else of the gateway's environment", async () => {
    process.env.GATEWAY_SECRET = "secret";
    process.env.WANTED = "yes";
    const nasty = ["$(touch /tmp/x)", "; rm -rf /", "`id`", "a b", '"', "-e"];
    const options = { env: { MODE: "$HOME;ls" }, passEnv: ["WANTED"] };
    await withProgram(program("raw-stdio", "modern", ...nasty), options, async (upstream) => {
      const { argv, environment } = resultOf(await upstream.send(toolCall("echo")));
      expect(argv).toEqual(["modern", ...nasty]);
      expect(environment).toMatchObject({ MODE: "$HOME;ls", WANTED: "yes" });
      expect(environment).not.toHaveProperty("GATEWAY_SECRET");
    });
  });

  test("fills in the user of a process in its variables, once and as plain text (O9)", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: As in a configuration.
    const options = { env: { OWNER: "${user.tenant}/${user.id}", REST: "${user.name} $HOME" } };
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      const ownerOf = async (user: string): Promise<unknown> => {
        const scope = { tenant: "acme", user };
        const { environment } = resultOf(await upstream.send(toolCall("echo", {}, { scope })));
        // biome-ignore lint/suspicious/noTemplateCurlyInString: It isn't one of the templates.
        expect(environment.REST).toBe("${user.name} $HOME");
        return environment.OWNER;
      };
      expect(await ownerOf("ann")).toBe("acme/ann");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: A user's name isn't a template.
      const nasty = "$(id);${user.tenant}\n`x`";
      expect(await ownerOf(nasty)).toBe(`acme/${nasty}`);
      expect(await ownerOf("ann")).toBe("acme/ann");
    });
  });

  test("starts a process per user unless the operator shares it", async () => {
    const pid = async (upstream: Parameters<Parameters<typeof withProgram>[2]>[0], scope: object) =>
      resultOf(await upstream.send(toolCall("echo", {}, { scope: scope as never }))).pid;
    await withProgram(program("raw-stdio"), {}, async (upstream) => {
      const [first, second, again] = [
        await pid(upstream, ann),
        await pid(upstream, bob),
        await pid(upstream, ann),
      ];
      expect(second).not.toBe(first);
      expect(again).toBe(first);
    });
    await withProgram(program("raw-stdio"), { sharing: "all" }, async (upstream) => {
      const shared = await pid(upstream, ann);
      expect(await pid(upstream, bob)).toBe(shared);
    });
  });

  test("gives many callers with the same id their own responses and progress", async () => {
    await withProgram(program("raw-stdio"), { sharing: "all" }, async (upstream) => {
      const received: unknown[][] = [];
      const calls = [0, 1, 2, 3, 4].map(async (n) => {
        const mine: unknown[] = [];
        received.push(mine);
        const options = {
          id: 1,
          scope: n % 2 ? ann : bob,
          meta: { progressToken: "same" },
          onNotification: ({ params }: JsonRpcNotification) => mine.push(params),
        };
        return upstream.send(toolCall("progress", { wait: 50 - n * 10, n }, options));
      });
      const answers = await Promise.all(calls);
      const tokens = answers.map((answer) => resultOf(answer).progressToken);
      expect(new Set(tokens).size).toBe(5);
      expect(answers.map(({ message }) => message.id)).toEqual([1, 1, 1, 1, 1]);
      const progress = { progressToken: "same", progress: 1 };
      for (const mine of received) {
        expect(mine).toEqual([progress]);
      }
    });
  });

  test("keeps unknown members although ids are renumbered", async () => {
    const text = `{"jsonrpc":"2.0","x":1.0,"id":"a\\"b","method":"tools/call","params":{"name":"echo",\n"arguments":{"n":12345678901234567890},"_meta":{"k/v":[1e3],"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`;
    await withProgram(program("raw-stdio"), { era: "modern" }, async (upstream) => {
      const answer = await upstream.send(rawCall(text));
      expect(answer.message.id).toBe('a"b');
      // Value by value what was sent, on one line, under another id.
      const line =
        '{"jsonrpc":"2.0","x":1,"id":ID,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890},"_meta":{"k/v":[1000],"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}';
      expect(resultOf(answer).line.replace(/"id":\d+/, '"id":ID')).toBe(line);
    });
  });

  test("drops responses without a request and noise on stdout", async () => {
    await withProgram(program("raw-stdio"), {}, async (upstream) => {
      expect(resultOf(await upstream.send(toolCall("wrong")))).toEqual({ resultType: "complete" });
      expect(resultOf(await upstream.send(toolCall("garbage")))).toEqual({
        resultType: "complete",
      });
      expect(resultOf(await upstream.send(toolCall("echo"))).resultType).toBe("complete");
    });
  });

  test("ends a process that floods with messages, and the next call gets a new one", async () => {
    const options = { ...quick, flood: { rate: 100, burst: 1000 } };
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      await expect(upstream.send(toolCall("storm"))).rejects.toMatchObject({ code: "malformed" });
      expect(resultOf(await upstream.send(toolCall("echo"))).resultType).toBe("complete");
    });
  });

  test("accepts requested progress at ten times the rate, but not faster", async () => {
    const options = { ...quick, flood: { rate: 10, burst: 100 } };
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      let received = 0;
      const listening = { meta: { progressToken: 1 }, onNotification: () => received++ };
      await upstream.send(toolCall("hurry", { times: 900 }, listening));
      expect(received).toBe(900);
      const call = upstream.send(toolCall("hurry", { times: 900 }, listening));
      await expect(call).rejects.toMatchObject({ code: "malformed" });
    });
  });

  test("reports a crash caused by one call as a lost connection to the others", async () => {
    const options = { ...quick, limits: { message: 2 ** 20 } };
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      const other = upstream.send(toolCall("hang"));
      const large = upstream.send(toolCall("large", { size: 2 ** 21 }));
      await expect(other).rejects.toMatchObject({ code: "outcome-unknown" });
      await expect(large).rejects.toMatchObject({ code: "outcome-unknown" });
    });
  });

  test("ends a process that writes a line beyond the limit", async () => {
    const options = { ...quick, limits: { message: 2 ** 20 } };
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      const call = upstream.send(toolCall("large", { size: 50 * 2 ** 20 }));
      await expect(call).rejects.toMatchObject({ code: "too-large", sent: true });
      expect(resultOf(await upstream.send(toolCall("large", { size: 2 ** 19 }))).text).toHaveLength(
        2 ** 19,
      );
    });
  });

  test("a crash during a call leaves its outcome unknown, and read-only requests are retried", async () => {
    await withProgram(program("raw-stdio"), quick, async (upstream) => {
      await upstream.send(toolCall("echo"));
      const reading = upstream.send(request("prompts/get", { name: "hang" }, { deadline: 1500 }));
      const changing = upstream.send(toolCall("hang"));
      const crash = upstream.send(toolCall("crash"));
      await expect(crash).rejects.toMatchObject({ code: "outcome-unknown", sent: true });
      await expect(changing).rejects.toMatchObject({ code: "outcome-unknown" });
      // It went to the next process, where it hangs again.
      await expect(reading).rejects.toMatchObject({ code: "timeout" });
      // No tool was called again.
      expect(resultOf(await upstream.send(request("tools/list"))).calls).toBe(0);
    });
  });

  test("stops sending to a program that doesn't read its input", async () => {
    const options = { era: "modern", limits: { backlog: 2 ** 20, closeTime: 50 } } as const;
    await withProgram(program("raw-stdio", "slow-start", "60000"), options, async (upstream) => {
      const large = { text: "x".repeat(2 ** 19) };
      const calls = [1, 2, 3, 4, 5, 6].map(() =>
        upstream.send(toolCall("echo", large, { deadline: 500 })).catch((error) => error.code),
      );
      const codes = await Promise.all(calls);
      expect(codes.filter((code) => code === "busy").length).toBeGreaterThanOrEqual(2);
      expect(codes.filter((code) => code === "timeout").length).toBeGreaterThanOrEqual(2);
    });
  });

  test("cancels a call at the program and drops a late response", async () => {
    await withProgram(program("station-stdio"), {}, async (upstream) => {
      const controller = new AbortController();
      let isRunning = false;
      const call = upstream.send(
        toolCall(
          "slow",
          { id: "long" },
          {
            signal: controller.signal,
            meta: { progressToken: 1 },
            onNotification: () => {
              isRunning = true;
            },
          },
        ),
      );
      await until(() => isRunning);
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: "aborted", sent: true });
      await until(async () => {
        const { content } = resultOf(await upstream.send(toolCall("aborted")));
        return JSON.parse(content[0].text).includes("long");
      });
    });
  });

  test.each([
    ["of today", "modern", "raw-stdio"],
    ["of both eras, SDK v2", undefined, "station-stdio"],
  ])("a program %s is called without a handshake", async (_, role = "", name) => {
    const eras = new EraCache();
    await withProgram(program(name, role), { eras }, async (upstream) => {
      await upstream.send(toolCall("echo"));
      expect(eras.known(`s ${JSON.stringify(program(name, role))}`)).toMatchObject({
        era: "modern",
      });
      const found = await upstream.discover(ann);
      expect(found).toMatchObject({
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
      });
    });
  });

  test.each([
    ["that refuses to be asked", "legacy", ""],
    ["that ends when it is asked", "legacy-mortal", ""],
    ["that is silent when it is asked", "legacy-silent", ""],
    ["that starts slowly", "legacy-slow-start", "1200"],
  ])("a program from before %s gets a handshake", async (_, role, detail) => {
    const eras = new EraCache();
    const argv = program("raw-stdio", role, detail);
    await withProgram(argv, { eras, probeTime: 300 }, async (upstream) => {
      const answer = await upstream.send(toolCall("echo"));
      expect(resultOf(answer).params._meta).toEqual({});
      expect(eras.known(`s ${JSON.stringify(argv)}`)).toMatchObject({ era: "legacy" });
      expect(await upstream.discover(ann)).toMatchObject({
        supportedVersions: ["2026-07-28"],
        instructions: "Ask",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "raw" } },
      });
    });
  });

  test("doesn't take a modern program that starts slowly for a legacy one", async () => {
    const eras = new EraCache();
    const argv = program("raw-stdio", "slow-start", "1200");
    await withProgram(argv, { eras, probeTime: 200 }, async (upstream) => {
      await upstream.send(toolCall("echo"));
      expect(eras.known(`s ${JSON.stringify(argv)}`)).toMatchObject({ era: "modern" });
    });
  });

  test("probes the era once, however many processes start at the same time", async () => {
    const record = join(mkdtempSync(join(tmpdir(), "era-")), "record");
    const argv = program("raw-stdio", "legacy-mortal", record);
    await withProgram(argv, {}, async (upstream) => {
      const scopes = ["a", "b", "c"].map((user) => ({ tenant: "t", user }));
      const pids = await Promise.all(
        scopes.map(
          async (scope) => resultOf(await upstream.send(toolCall("echo", {}, { scope }))).pid,
        ),
      );
      expect(new Set(pids).size).toBe(3);
      expect(readFileSync(record, "utf8")).toBe("asked ");
    });
  });

  test("reports a program that doesn't start, with its last output", async () => {
    await withProgram(program("raw-stdio", "crash-at-start"), quick, async (upstream) => {
      const error = await upstream.send(toolCall("echo")).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: "crashed", sent: false });
      expect(error.facts.stderr).toMatch(/e+no configuration\n$/);
      expect(error.facts.stderr.length).toBeLessThanOrEqual(8192);
    });
    await withProgram(["/no/such/program"], quick, async (upstream) => {
      const call = upstream.send(toolCall("echo"));
      await expect(call).rejects.toMatchObject({ code: "crashed", sent: false });
    });
  });

  test("waits longer before each restart and tells the caller for how long", async () => {
    const restarts = { first: 50, longest: 30_000, stable: 30_000 };
    const options = { restarts, restartPatience: 300, breaker: { failures: 1e9 } };
    await withProgram(program("raw-stdio", "crash-at-start"), options, async (upstream) => {
      const errors = [];
      for (let n = 0; n < 6; n++)
        errors.push(await upstream.send(toolCall("echo")).catch((e) => e.facts));
      // 50, 100 and 200 ms were waited for, 400 were not.
      expect(errors.map(({ retryAfter }) => retryAfter !== undefined)).toEqual([
        false,
        false,
        false,
        false,
        true,
        true,
      ]);
      expect(errors[5].retryAfter).toBeGreaterThan(250);
    });
  });

  test("limits concurrent starts and the number of processes", async () => {
    const spawns = new FairSlots({ limit: 2, queue: 100, perTenant: 2 });
    const argv = program("raw-stdio", "slow-start", "150", "limited");
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, spawns.taken);
    }, 5);
    await withProgram(
      argv,
      { spawns, most: 5, era: "legacy", startTime: 400 },
      async (upstream) => {
        // It knows no handshake, so no start succeeds: they only queue.
        const calls = [1, 2, 3, 4, 5, 6].map((user) =>
          upstream
            .send(toolCall("echo", {}, { scope: { tenant: "t", user: `${user}` } }))
            .catch((e) => e.code),
        );
        expect((await Promise.all(calls)).filter((code) => code === "busy")).toHaveLength(1);
      },
    );
    clearInterval(watch);
    expect(most).toBe(2);
  });

  test("ends an idle process, and replaces an old one without losing a call", async () => {
    await withProgram(
      program("raw-stdio", "modern", "idle-mark"),
      { idle: 200 },
      async (upstream) => {
        await upstream.send(toolCall("echo"));
        expect(processes({ mark: "idle-mark" })).toHaveLength(1);
        await until(() => processes({ mark: "idle-mark" }).length === 0);
        await upstream.send(toolCall("echo"));
      },
    );
    await withProgram(
      program("raw-stdio", "modern", "old-mark"),
      { lifetime: 300 },
      async (upstream) => {
        const pids = new Set<number>();
        const end = performance.now() + 30_000;
        const meta = { progressToken: 1 };
        while (pids.size <= 2 && performance.now() < end) {
          const [echo] = await Promise.all([
            upstream.send(toolCall("echo")),
            upstream.send(toolCall("progress", { wait: 60 }, { meta })),
          ]);
          pids.add(resultOf(echo).pid);
        }
        expect(pids.size).toBeGreaterThan(2);
      },
    );
    await until(() => processes({ mark: "old-mark" }).length === 0);
  });
});
