import { expect } from "vitest";
import type { ViewPolicy } from "../src/csp.ts";

// An own description of what may stand in a View's headers, made without the builder's code: names
// in their order, and one pattern for every single token.

const SOURCE = String.raw`(?:https|wss)://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[1-9]\d{0,4})?`;
const token = (...keywords: string[]): RegExp =>
  new RegExp(`^(?:${keywords.join("|")}|${SOURCE})$`);
const NONE = /^'none'$/;

export const DIRECTIVES: readonly (readonly [name: string, token: RegExp])[] = [
  ["default-src", NONE],
  ["script-src", token("'unsafe-inline'", "'wasm-unsafe-eval'", "blob:", "data:")],
  ["style-src", token("'unsafe-inline'", "blob:", "data:")],
  ["img-src", token("data:", "blob:")],
  ["font-src", token("data:", "blob:")],
  ["media-src", token("data:", "blob:")],
  ["connect-src", token("data:", "blob:")],
  ["worker-src", /^(?:blob|data):$/],
  ["frame-src", token("'none'")],
  ["object-src", NONE],
  ["manifest-src", NONE],
  ["base-uri", token("'none'")],
  ["form-action", NONE],
];
const ALLOWLIST = new RegExp(`^\\((?:"${SOURCE}"(?: (?="))?)*\\);redirects=allow$`);
const PERMISSIONS = /^[a-z0-9-]+=\((?:self)?\)(?:, [a-z0-9-]+=\((?:self)?\))*$/;
const ALLOW = /^(?:(?:camera|microphone|geolocation|clipboard-write)(?:; (?=.))?)*$/;

// There are few of them and they are long.
const checked = new Set<string>();

/** Fails on any byte of a policy that is not part of the template or of a well-formed source. */
export function expectGrammar(policy: ViewPolicy): void {
  expect(policy.directives.map(([name]) => name)).toEqual(DIRECTIVES.map(([name]) => name));
  for (const [at, [name, value]] of policy.directives.entries()) {
    const pattern = DIRECTIVES[at]?.[1] ?? /^$/;
    for (const part of value.split(" ")) {
      if (!pattern.test(part)) expect.fail(`${name} has the token ${JSON.stringify(part)}`);
    }
  }
  if (!ALLOWLIST.test(policy.connectionAllowlist)) expect.fail(policy.connectionAllowlist);
  if (!checked.has(policy.permissionsPolicy)) {
    expect(policy.permissionsPolicy).toMatch(PERMISSIONS);
    checked.add(policy.permissionsPolicy);
  }
  if (!ALLOW.test(policy.allow)) expect.fail(policy.allow);
  const header = policy.directives.map((pair) => pair.join(" ")).join("; ");
  if (header.length > 8192 || policy.connectionAllowlist.length > 8192) expect.fail("too long");
}
