import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CHECKS } from "./checks/check-table.ts";
import { DEFENCES } from "./defences.ts";
import { GATEWAY_DEFENCES } from "./gateway/defences/index.ts";

/** The finding of the security review that an entry of the catalogue comes from. */
export const FINDINGS: Readonly<Record<number, string>> = {
  153: "S1",
  154: "S2",
  155: "S3",
  156: "S4",
  157: "S5",
  158: "S6",
  159: "S7",
  160: "S10",
  161: "S11",
  162: "S12",
  163: "S13",
  164: "S17",
  165: "S18",
  166: "S19",
  167: "S20",
  168: "S21",
  169: "S22",
  170: "S24",
  171: "S25",
  172: "S27",
  173: "S28",
  174: "S29",
  175: "S30",
  176: "S31",
};

/** Findings of the review about sandbox, host, server kit and dev server. */
export const BROWSER_FINDINGS: readonly string[] = [
  ...["S8", "S9", "S14", "S15", "S16", "S23", "S26", "S32", "S33", "S34", "S35", "S36", "S37"],
  ...["S38", "S39", "S40", "S41", "S42", "S43", "S44", "S45"],
];

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SECURITY_TESTS = [
  "packages/{gateway,cli}/test/security/*.test.ts",
  "packages/cluster/test/s[0-9]*.test.ts",
];
const PACKAGE_TESTS = ["packages/*/test/**/*.test.{ts,tsx}"];

/** Test files whose titles name the finding, from the repository's root. */
export function findingTests(finding: string, globs = SECURITY_TESTS): string[] {
  return globSync(globs, { cwd: ROOT })
    .filter((file) => {
      const titles = readFileSync(`${ROOT}${file}`, "utf8").match(/["'`]S\d+[,:][^"'`]*/g) ?? [];
      return titles.some((title) => names(title.slice(1), finding));
    })
    .sort();
}

/** True for a title such as `S1: …`, or `S1, S3: …` for one that shows several findings. */
function names(title: string, finding: string): boolean {
  const [numbers] = /^(S\d+)(, S\d+)*(?=:)/.exec(title) ?? [""];
  return numbers.split(", ").includes(finding);
}

/** The checks and tests that show a finding closed, and the mutations that they must notice. */
export function proofsOf(finding: string): { shownBy: string[]; mutations: string[] } {
  const checks = CHECKS.filter(({ title }) => names(title, finding)).map(({ id }) => id);
  const mutations = [
    ...DEFENCES.filter(({ noticedBy }) => noticedBy.some((id) => checks.includes(id))),
    ...GATEWAY_DEFENCES.filter(({ noticedBy }) =>
      noticedBy.some((one) => names(one.split("#")[1] ?? "", finding)),
    ),
  ];
  return {
    shownBy: [...checks, ...findingTests(finding, PACKAGE_TESTS)],
    mutations: mutations.map(({ name }) => name),
  };
}
