// A tool is listed exactly if it can be called, for random policies and callers.

import assert from "node:assert/strict";
import fc from "fast-check";
import { loadCedar } from "../../../src/policy/authorization/cedar.ts";
import { authorizerOf } from "./policies.ts";

const pick = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const principal = pick(
  "principal",
  'principal in Vitrine::Group::"acme/eng"',
  'principal in Vitrine::Group::"acme/ops"',
  'principal == Vitrine::User::"acme/ann"',
  'principal in Vitrine::Tenant::"globex"',
);
const resource = pick(
  "resource",
  "resource is Vitrine::Tool",
  'resource in Vitrine::Server::"files"',
  'resource in Vitrine::Server::"ledger"',
  'resource == Vitrine::Tool::"files/read"',
);
const condition = pick(
  "",
  'when { context.caller == "model" }',
  'unless { context.caller == "view" }',
  'when { principal.name == "ann" }',
  'when { resource in Vitrine::Server::"files" }',
);
const policy = fc
  .tuple(pick("permit", "forbid", "permit"), principal, resource, condition)
  .map(
    ([effect, who, what, when]) =>
      `${effect}(${who}, action == Vitrine::Action::"call", ${what}) ${when};`,
  );
const caller = fc.record({
  tenant: pick("acme", "globex"),
  user: pick("ann", "bob"),
  party: pick("model" as const, "view" as const),
  groups: fc.subarray(["eng", "ops"]),
});
const TOOLS = [
  ["files", "read"],
  ["files", "write"],
  ["ledger", "read"],
] as const;

/** Checks the property for a number of sets of policies, each with up to four callers. Throws a counterexample. */
export async function checkLists(runs: number): Promise<void> {
  const cedar = await loadCedar();
  const property = fc.asyncProperty(
    fc.array(policy, { minLength: 1, maxLength: 6 }),
    fc.array(caller, { minLength: 1, maxLength: 4 }),
    async (policies, callers) => {
      const authorizer = await authorizerOf(policies.join("\n"), cedar);
      for (const one of callers) {
        for (const [server, name] of TOOLS) {
          const target = { action: "call", tool: { name }, arguments: {} } as const;
          const request = { caller: one, server, target };
          const isCallable = authorizer.decide(request).verdict === "allow";
          assert.equal(authorizer.mayAllow(request), isCallable);
          if (isCallable) assert.ok(authorizer.maySee(one, server));
        }
      }
      authorizer.close();
    },
  );
  await fc.assert(property, { numRuns: runs });
}
