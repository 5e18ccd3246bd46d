import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { coverage, namedRules } from "../rules.mjs";

const register = JSON.parse(await readFile("spec/rules.json", "utf8")) as Array<{
  id: string;
  role: string;
  force: string;
  rule: string;
}>;

test("the register holds all 147 rules, each with role, force and one line", () => {
  expect(register).toHaveLength(147);
  const count = (role: string): number => register.filter((rule) => rule.role === role).length;
  expect({
    view: count("view"),
    sandbox: count("sandbox"),
    host: count("host"),
    server: count("server"),
  }).toEqual({ view: 28, sandbox: 15, host: 84, server: 20 });
  expect(new Set(register.map(({ id }) => id)).size).toBe(147);
  for (const { id, role, force, rule } of register) {
    expect(id).toMatch(/^(VEW|SBX|HST|SRV)-\d{2,3}$/);
    expect({ VEW: "view", SBX: "sandbox", HST: "host", SRV: "server" }[id.slice(0, 3)]).toBe(role);
    expect(["must", "must-not", "should", "should-not", "may", "described"]).toContain(force);
    expect(rule).toMatch(/^[^\n]{5,300}$/);
  }
});

test("an id counts where a title names it, in any kind of quotes, and not in a comment", () => {
  const id = (n: number): string => `VEW-${String(n).padStart(2, "0")}`;
  const source = [
    `// ${id(1)} is only remarked on`,
    `test("does it (${id(2)}, ${id(3)})", () => {});`,
    `describe('part ${id(4)}', () => {});`,
    `test(\`templated ${id(5)}\`, () => {}); // ${id(6)}`,
  ].join("\n");
  expect(namedRules(source)).toEqual([id(2), id(3), id(4), id(5)]);
});

test("an id that nobody registered is reported with its file", () => {
  const unregistered = ["VEW", "99"].join("-");
  const files = [{ path: "a.test.ts", source: `test("${unregistered}", () => {});` }];
  expect(coverage(register, files).unknown).toEqual([{ id: unregistered, path: "a.test.ts" }]);
});
