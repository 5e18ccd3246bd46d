import { describe, expect, test } from "vitest";
import { resultOf, toolCall } from "../upstreams/calls.ts";
import { program, withProgram } from "../upstreams/programs.ts";

const patient = { deadline: 30_000 };

/** A program that begins to listen when it has slept. */
function sleepy(argv: readonly string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", 'sleep 1.5; exec "$@"', "sh", ...argv];
}

describe("a server that takes longer to start than its era is waited for", {
  timeout: 60_000,
}, () => {
  // It answers the probe and the handshake, both of which lay in its pipe, and stays in the older era.
  test("and supports both eras is called in its current one: a server of the official SDK", async () => {
    const argv = sleepy(program("station-stdio"));
    await withProgram(argv, { probeTime: 200 }, async (upstream) => {
      const answer = resultOf(await upstream.send(toolCall("forecast", { city: "Oslo" }, patient)));
      expect(answer.structuredContent).toMatchObject({ city: "Oslo" });
    });
  });

  test("and is of today alone is called as such, though it refuses the handshake", async () => {
    const argv = sleepy(program("raw-stdio", "modern"));
    await withProgram(argv, { probeTime: 200 }, async (upstream) => {
      expect(resultOf(await upstream.send(toolCall("echo", {}, patient)))).toHaveProperty("pid");
    });
  });
});
