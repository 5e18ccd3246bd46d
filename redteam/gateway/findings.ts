import { existsSync, readdirSync, readFileSync } from "node:fs";

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

const FOLDERS = ["packages/gateway/test/security", "packages/cli/test/security"];
const ROOT = new URL("../../", import.meta.url);

/** Test files whose titles name the finding, from the repository's root. */
export function findingTests(finding: string): string[] {
  return FOLDERS.flatMap((folder) => {
    const url = new URL(`${folder}/`, ROOT);
    if (!existsSync(url)) return [];
    const files = readdirSync(url).filter((file) => file.endsWith(".test.ts"));
    // In a title: `"S1: …"`, or `"S1, S3: …"` for one that shows several.
    const title = new RegExp(`["'\`](S\\d+, )*${finding}[:,]`);
    return files
      .filter((file) => title.test(readFileSync(new URL(file, url), "utf8")))
      .map((file) => `${folder}/${file}`);
  });
}
