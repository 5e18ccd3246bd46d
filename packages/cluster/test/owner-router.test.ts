import { expect, test } from "vitest";
import { ann } from "../../gateway/test/upstreams/calls.ts";
import type { Directory } from "../src/membership/directory.ts";
import { Counts } from "../src/routing/call-counts.ts";
import type { ClusterParts } from "../src/routing/cluster-parts.ts";
import { OwnerRouter } from "../src/routing/owner-router.ts";
import { FakeUpstream, World } from "./stage.ts";

/** A router of a process that owns nothing: another process owns every key, and answers at once. */
function routerOf(maxOtherClaims: number) {
  const ended: (string | undefined)[] = [];
  const local = new FakeUpstream(new World(), "here");
  local.end = async (key) => {
    ended.push(key);
  };
  const claim = { node: "other", epoch: 1, revision: 5 };
  const parts = {
    membership: { node: "here", epoch: 2 },
    rpc: { request: async () => "{}\nanswered" },
    counts: new Counts(),
  } as unknown as ClusterParts;
  const directory = { known: () => claim } as unknown as Directory;
  const router = new OwnerRouter(local, parts, {
    ...{ directory, owner: undefined as never, patience: 1000, maxOtherClaims },
  });
  const run = (stateKey: string): Promise<string> =>
    router.run(
      { key: `key of ${stateKey}`, stateKey },
      {
        ...{ op: "call", method: "tools/call", scope: ann },
        runHere: () => Promise.reject(new Error("Another process is the owner.")),
        read: (text) => text,
      },
      { deadline: 1000 },
    );
  return { run, ended, claim };
}

test("ends a stray session once for each claim of another process", async () => {
  const { run, ended, claim } = routerOf(2);
  expect(await run("a")).toBe("answered");
  await run("b");
  await run("a");
  expect(ended).toEqual(["a", "b"]);
  claim.revision += 1;
  await run("a");
  expect(ended).toEqual(["a", "b", "a"]);
});

test("forgets the oldest claim at its limit, and only ends its stray session again", async () => {
  const { run, ended } = routerOf(2);
  for (const key of ["a", "b", "c"]) await run(key);
  // Both that are kept are known; the forgotten one isn't, and its call succeeds anyway.
  await run("b");
  await run("c");
  expect(ended).toEqual(["a", "b", "c"]);
  expect(await run("a")).toBe("answered");
  expect(ended).toEqual(["a", "b", "c", "a"]);
});
