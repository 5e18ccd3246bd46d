import { RULES_TABLE } from "./rules-table.ts";

/** The roles whose rules this package tests. */
export type Role = "server" | "host" | "sandbox" | "view";

/** The strength of the requirement; `described` is wording without capitals. */
export type Force = "must" | "must-not" | "should" | "should-not" | "may" | "described";

/** One rule of the specification. */
export interface Rule {
  /** `SRV-01`, `VEW-28`, … */
  id: string;
  role: Role;
  force: Force;
  /** `stable`, `draft`, `sdk` or `derived`. */
  source: string;
  rule: string;
}

const ROLES: Record<string, Role> = {
  SRV: "server",
  HST: "host",
  SBX: "sandbox",
  VEW: "view",
};
const LINE = /^(([A-Z]{3})-\d+) ([\w-]+) (\w+): (.+)$/;

/** Every rule of these roles, in the order of its id. */
export const RULES: readonly Rule[] = RULES_TABLE.trim()
  .split("\n")
  .map((line) => {
    const [, id = "", prefix = "", force, source = "", rule = ""] = LINE.exec(line) ?? [];
    return { id, role: ROLES[prefix] as Role, force: force as Force, source, rule };
  });

/** The rules of a role. */
export function rulesOf(role: Role): readonly Rule[] {
  return RULES.filter((rule) => rule.role === role);
}
