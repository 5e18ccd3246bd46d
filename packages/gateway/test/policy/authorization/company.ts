// The policies and users of a company, for measurements: 20 tenants, 500 groups, 50 servers of 20 tools.

import type { AccessRequest } from "../../../src/policy/authorization/access-request.ts";

const TENANTS = 20;
const GROUPS = 25;
const SERVERS = 50;
const TOOLS = 20;

/** Numbers from 0 to 1 that are the same in each run. */
export function randomNumbers(seed = 23): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The text of this many policies. Most are for a group and a server; one in twenty is for everyone. */
export function companyPolicies(count: number): string {
  const random = randomNumbers();
  const below = (most: number): number => Math.floor(random() * most);
  const one = (): string => {
    const tenant = `t${below(TENANTS)}`;
    const group = `Vitrine::Group::"${tenant}/g${below(GROUPS)}"`;
    const server = `s${below(SERVERS)}`;
    const kind = random();
    if (kind < 0.6)
      return `permit(principal in ${group}, action, resource in Vitrine::Server::"${server}");`;
    if (kind < 0.75) {
      const tool = `Vitrine::Tool::"${server}/tool${below(TOOLS)}"`;
      return `@approve("user") permit(principal in ${group}, action, resource == ${tool}) when { context has input && context.input has amount && context.input.amount < ${below(1000)} };`;
    }
    if (kind < 0.85) {
      return `permit(principal == Vitrine::User::"${tenant}/u${below(500)}", action, resource in Vitrine::Server::"${server}");`;
    }
    if (kind < 0.95) {
      return `permit(principal in Vitrine::Tenant::"${tenant}", action, resource is Vitrine::Tool in Vitrine::Server::"${server}") when { resource.readOnly };`;
    }
    return `forbid(principal, action, resource is Vitrine::Tool) when { resource.destructive && context.caller == "view" && resource.name == "tool${below(TOOLS)}" };`;
  };
  return Array.from({ length: count }, one).join("\n");
}

/** A call of one of this many users. A user is in up to eight groups. */
export function companyCall(number: number, random: () => number): AccessRequest {
  const below = (most: number): number => Math.floor(random() * most);
  const groups = Array.from(
    { length: 1 + (number % 8) },
    (_, n) => `g${(number + 3 * n) % GROUPS}`,
  );
  return {
    caller: {
      ...{ tenant: `t${number % TENANTS}`, user: `u${Math.floor(number / TENANTS)}`, groups },
      ...{ party: random() < 0.5 ? "model" : "view", issuer: "https://id.example" },
    },
    server: `s${below(SERVERS)}`,
    target: {
      action: "call",
      tool: { name: `tool${below(TOOLS)}`, annotations: { readOnlyHint: random() < 0.5 } },
      arguments: { amount: below(2000), path: `/home/${number}/report.txt`, tags: ["a", "b"] },
    },
  };
}
