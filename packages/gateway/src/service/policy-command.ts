// `policy check`, `policy explain` and `policy test`: what the policies decide, without a running gateway.

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { AccessRequest } from "../policy/authorization/access-request.ts";
import { type Authorizer, createAuthorizer } from "../policy/authorization/authorizer.ts";
import { type Policy, PolicyError, readPolicies } from "../policy/authorization/policy-files.ts";
import { outcomeOf } from "../policy/authorization/replay.ts";
import type { Print } from "./audit-command.ts";
import { loadEngine } from "./open-policy.ts";
import { OperatorError } from "./operator-error.ts";

/** A call to explain, as it is written in options and test files. */
export interface PolicyCase {
  /** Tenant and user, as `acme/ann`. */
  user?: string | undefined;
  groups?: string | readonly string[] | undefined;
  server?: string | undefined;
  tool?: string | undefined;
  /** The tool's hints, such as `readOnly`. */
  hints?: string | readonly string[] | undefined;
  caller?: string | undefined;
  /** Whether the tool's definition is approved. It is by default. */
  approved?: boolean | undefined;
  arguments?: unknown;
}

interface OpenedPolicies {
  authorizer: Authorizer;
  policies: readonly Policy[];
}

/** Reports the policies of a folder, or their problems. */
export async function policyCheck(folder: string, print: Print): Promise<number> {
  const { policies } = await open(folder);
  const files = new Set(policies.map(({ file }) => file)).size;
  const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
  const found = `${count(policies.length, "policy", "policies")} in ${count(files, "file", "files")}`;
  print(`${found} of ${folder}: no problems.\n`);
  return 0;
}

/** Prints what the policies decide about a call, and which of them. Returns 1 for a denied call. */
export async function policyExplain(
  folder: string,
  given: PolicyCase,
  print: Print,
): Promise<number> {
  const { authorizer, policies } = await open(folder);
  const decision = authorizer.decide(toRequest(given));
  print(`${outcomeOf(decision)}\n`);
  if (decision.approval) print(`  ${APPROVERS[decision.approval]} has to approve each call.\n`);
  for (const id of decision.policies) {
    const { file, line, json } = policies.find((policy) => policy.id === id) as Policy;
    print(`  ${json.effect.padEnd(6)}  ${id}  ${file}:${line}\n`);
  }
  if (decision.policies.length === 0) print("  No policy permits it.\n");
  if (decision.problem !== undefined) print(`  ${decision.problem}\n`);
  return decision.verdict === "allow" ? 0 : 1;
}

const APPROVERS = { user: "The user", admin: "An administrator" } as const;

/** Runs the cases of a file: a list of calls, each with `expect`. Returns 1 if one has another outcome. */
export async function policyTest(folder: string, file: string, print: Print): Promise<number> {
  const { authorizer } = await open(folder);
  const cases = await readCases(file);
  let failed = 0;
  for (const { name, expect, ...given } of cases) {
    const outcome = outcomeOf(authorizer.decide(toRequest(given)));
    const isRight = outcome === expect;
    if (!isRight) failed++;
    const title = name ?? `${given.user} ${given.server}/${given.tool}`;
    print(isRight ? `ok      ${title}\n` : `FAILED  ${title}: ${outcome} instead of ${expect}\n`);
  }
  print(`${cases.length - failed} of ${cases.length} cases have the expected outcome.\n`);
  return failed === 0 ? 0 : 1;
}

interface NamedCase extends PolicyCase {
  name?: string;
  expect: string;
}

const OUTCOMES = ["allow", "deny", "approve", "approve-admin"];

async function readCases(file: string): Promise<NamedCase[]> {
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new OperatorError("usage", `${file} can't be read: ${cause.message}`);
  });
  const cases = parse(text) as NamedCase[] | null;
  const isValid = Array.isArray(cases) && cases.every((one) => OUTCOMES.includes(one?.expect));
  if (isValid) return cases;
  const message = `${file} must be a list of calls, each with user, server, tool and expect: allow, deny, approve or approve-admin.`;
  throw new OperatorError("usage", message);
}

function toRequest(given: PolicyCase): AccessRequest {
  const { user = "", server, tool, caller = "model" } = given;
  const slash = user.indexOf("/");
  if (slash < 1 || server === undefined || tool === undefined) {
    const message =
      "Name a user with its tenant, a server and a tool: --user acme/ann --server files --tool read";
    throw new OperatorError("usage", message);
  }
  if (caller !== "model" && caller !== "view") {
    throw new OperatorError("usage", `caller "${caller}" is neither model nor view.`);
  }
  const hints = listOf(given.hints).map((hint) => [`${hint}Hint`, true]);
  return {
    caller: {
      ...{ tenant: user.slice(0, slash), user: user.slice(slash + 1), party: caller },
      groups: listOf(given.groups),
    },
    server,
    target: {
      action: "call",
      tool: { name: tool, annotations: Object.fromEntries(hints) },
      arguments: argumentsOf(given.arguments),
      isApproved: () => given.approved !== false,
    },
  };
}

function argumentsOf(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    throw new OperatorError("usage", `--arguments must be JSON, such as '{"path":"/a"}'.`);
  }
}

function listOf(given: string | readonly string[] | undefined): string[] {
  const names = typeof given === "string" ? given.split(",") : (given ?? []);
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

async function open(folder: string): Promise<OpenedPolicies> {
  const cedar = await loadEngine();
  const policies = await readPolicies(cedar, folder).catch((error: unknown) => {
    throw error instanceof PolicyError ? new OperatorError("policy", error.message) : error;
  });
  return { policies, authorizer: createAuthorizer(cedar, policies) };
}
