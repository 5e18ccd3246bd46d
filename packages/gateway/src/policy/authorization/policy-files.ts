// Reads the policies of a folder, and checks them against the schema of `policy.cedarschema`.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cedar, PolicyJson } from "./cedar.ts";

/** One policy of a file. */
export interface Policy {
  /** Its `@id`, or its file and number. */
  id: string;
  file: string;
  line: number;
  json: PolicyJson;
  /** The person who has to approve a call that it permits. */
  approval: Approver | undefined;
}

/** The approver of exact calls: the user who makes them, or an administrator. */
export type Approver = (typeof APPROVERS)[number];

/** A folder of policies can't be used. The message lists every problem. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly problems: readonly string[];
  constructor(folder: string, problems: readonly string[]) {
    super(`The policies in ${folder} can't be used:\n${problems.join("\n")}`);
    this.problems = problems;
  }
}

const SCHEMA = new URL("../../../schema/policy.cedarschema", import.meta.url);
const APPROVERS = ["user", "admin"] as const;
const LARGEST = 2 ** 22;
const MOST = 20_000;

/** Reads all `*.cedar` files of a folder. Throws a `PolicyError` if there is any problem. */
export async function readPolicies(cedar: Cedar, folder: string): Promise<Policy[]> {
  const names = await readdir(folder).catch((cause: Error) => {
    throw new PolicyError(folder, [`The folder can't be read: ${cause.message}`]);
  });
  const files = names.filter((name) => name.endsWith(".cedar")).sort();
  // An empty folder would deny everything, which is hardly what was meant.
  if (files.length === 0) throw new PolicyError(folder, ["It has no file that ends in .cedar."]);
  const policies: Policy[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8");
    if (text.length > LARGEST) problems.push(`${file}: It's larger than ${LARGEST} characters.`);
    else readFileText(cedar, { file, text }, { policies, problems });
  }
  if (policies.length > MOST) problems.push(`There are more than ${MOST} policies.`);
  problems.push(...repeatedIds(policies));
  if (problems.length === 0) problems.push(...(await validatePolicies(cedar, policies)));
  if (problems.length > 0) throw new PolicyError(folder, problems);
  return policies;
}

function readFileText(
  cedar: Cedar,
  { file, text }: { file: string; text: string },
  { policies, problems }: { policies: Policy[]; problems: string[] },
): void {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === "failure") {
    problems.push(...parts.errors.map(({ message }) => `${file}: ${message}`));
    return;
  }
  if (parts.policy_templates.length > 0) {
    problems.push(`${file}: Templates (?principal, ?resource) aren't supported. Write policies.`);
  }
  let from = 0;
  for (const [place, part] of parts.policies.entries()) {
    const read = cedar.policyToJson(part);
    if (read.type === "failure") {
      problems.push(...read.errors.map(({ message }) => `${file}: ${message}`));
      continue;
    }
    const at = Math.max(text.indexOf(part, from), 0);
    from = at + part.length;
    const { annotations = {} } = read.json;
    const approval = APPROVERS.find((name) => name === annotations.approve);
    if (annotations.approve !== undefined && !approval) {
      const message = `@approve("${annotations.approve}") isn't supported. Write @approve("user") or @approve("admin").`;
      problems.push(`${file}: ${message}`);
    }
    if (approval && read.json.effect === "forbid") {
      problems.push(`${file}: @approve has no effect on a forbid. Write it before a permit.`);
    }
    policies.push({
      id: annotations.id ?? `${file}#${place + 1}`,
      file,
      line: text.slice(0, at).split("\n").length,
      json: read.json,
      approval,
    });
  }
}

function repeatedIds(policies: readonly Policy[]): string[] {
  const ids = policies.map(({ id }) => id);
  const repeated = ids.filter((id, place) => ids.indexOf(id) !== place);
  return [...new Set(repeated)].map((id) => `Two policies have the id "${id}". Use different ids.`);
}

async function validatePolicies(cedar: Cedar, policies: readonly Policy[]): Promise<string[]> {
  const schema = await readFile(SCHEMA, "utf8");
  const staticPolicies = Object.fromEntries(policies.map(({ id, json }) => [id, json]));
  const answer = cedar.validate({ schema, policies: { staticPolicies } });
  if (answer.type === "failure") return answer.errors.map(({ message }) => message);
  return (
    answer.validationErrors
      // Tools have any arguments; a policy that reads a missing one is handled when it is evaluated.
      .filter(({ error }) => !error.message.includes("attribute `input."))
      .map(({ policyId, error }) => {
        const { file, line } = policies.find(({ id }) => id === policyId) ?? {};
        const help = error.help ? ` ${error.help}` : "";
        return `${file}:${line}: ${error.message}${help}`;
      })
  );
}
