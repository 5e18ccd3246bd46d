// The compiler on real views: each compiles as it stands, and not with one wrong word in it.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, root));
const fixtures = new URL("./types/", import.meta.url);

interface Mistake {
  /** The fixture. */
  file: string;
  what: string;
  from: string;
  to: string;
  error: RegExp;
}

const wrongField = (file: string): Mistake => ({
  file,
  what: "a field that the output does not have",
  from: "structuredContent?.celsius",
  to: "structuredContent?.celcius",
  error: /Property 'celcius' does not exist/,
});
const wrongInput = (file: string): Mistake => ({
  file,
  what: "an argument that the input does not have",
  from: "arguments?.city",
  to: "arguments?.town",
  error: /Property 'town' does not exist/,
});
const wrongTool = (file: string): Mistake => ({
  file,
  what: "a tool that there is not",
  from: 'name: "set-unit"',
  to: 'name: "set-units"',
  error: /"set-units"' is not assignable to/,
});
const wrongArgument = (file: string, unit = "C"): Mistake => ({
  file,
  what: "an argument of another type",
  from: `arguments: { unit: "${unit}" }`,
  to: 'arguments: { unit: "K" }',
  error: /"K"' is not assignable to/,
});

const MISTAKES: readonly Mistake[] = [
  {
    ...wrongField("vanilla.ts"),
    from: "structuredContent.celsius",
    to: "structuredContent.celcius",
  },
  { ...wrongInput("vanilla.ts"), from: "args?.city", to: "args?.town" },
  {
    ...wrongField("vanilla.ts"),
    what: "a field of a nested object",
    from: "first?.high",
    to: "first?.height",
    error: /Property 'height' does not exist/,
  },
  {
    ...wrongField("vanilla.ts"),
    what: "a field of a called tool's result",
    from: "structuredContent?.saved",
    to: "structuredContent?.safed",
    error: /Property 'safed' does not exist/,
  },
  {
    ...wrongTool("vanilla.ts"),
    what: "a call without its arguments",
    from: '{ name: "weather", arguments: { city: "Bern" } }',
    to: '{ name: "weather" }',
    error: /'arguments' is missing/,
  },
  {
    ...wrongTool("vanilla.ts"),
    from: 'name: "refresh"',
    to: 'name: "refreshed"',
    error: /"refreshed"' is not assignable to/,
  },
  wrongArgument("vanilla.ts", "F"),
  ...["react.tsx", "vue.ts", "svelte.ts"].flatMap((file) => [
    wrongField(file),
    wrongInput(file),
    wrongTool(file),
    wrongArgument(file),
    { ...wrongArgument(file), what: "a wrong argument of run", from: 'unit: "F"', to: 'unit: "K"' },
    {
      ...wrongField(file),
      what: "a field of a run's result",
      from: "structuredContent?.saved",
      to: "structuredContent?.safed",
      error: /Property 'safed' does not exist/,
    },
    {
      ...wrongField(file),
      what: "a field of the latest data",
      from: "data?.saved",
      to: "data?.safed",
      error: /Property 'safed' does not exist/,
    },
    {
      ...wrongInput(file),
      what: "a field of the partial input",
      from: "?.city?.trim()",
      to: "?.town?.trim()",
    },
    {
      ...wrongTool(file),
      what: "an upload to a tool that there is not",
      from: 'tool: "refresh"',
      to: 'tool: "refreshed"',
      error: /"refreshed"' is not assignable to/,
    },
  ]),
  {
    file: "cart.ts",
    what: "a result of a tool that doesn't open the view",
    from: "document.title = shown.item;",
    to: "document.title = shown.total;",
    error: /Property 'total' does not exist/,
  },
  {
    file: "cart.ts",
    what: "a field of another opening tool's result",
    from: "document.title = shown.item;",
    to: "document.title = shown.items.join();",
    error: /Property 'items' does not exist/,
  },
  {
    file: "weather.ts",
    what: "data that the schema does not have",
    from: "celsius: 21",
    to: 'celsius: "21"',
    error: /'string' is not assignable to type 'number'/,
  },
  {
    file: "weather.ts",
    what: "a result without its data",
    from: 'data: { saved: unit === "C" }',
    to: 'text: "saved"',
    error: /'data' is missing/,
  },
  {
    file: "official.ts",
    what: "csp on a tool (SRV-17)",
    from: 'visibility: ["model"]',
    to: "csp: {}",
    error: /'\{\}' is not assignable to type 'undefined'/,
  },
];

let folder: string;
let errors: Map<string, string[]>;

beforeAll(async () => {
  // Inside the repository, so that packages are found.
  await mkdir(path("node_modules/.cache"), { recursive: true });
  folder = await mkdtemp(path("node_modules/.cache/typed-views-"));
  for (const name of await readdir(fixtures)) {
    await writeFile(`${folder}/${name}`, await readFile(new URL(name, fixtures)));
  }
  for (const [at, { file, from, to }] of MISTAKES.entries()) {
    const source = await readFile(new URL(file, fixtures), "utf8");
    if (!source.includes(from)) throw new Error(`${file} has no ${from}`);
    await writeFile(`${folder}/wrong-${at}-${file}`, source.replace(from, to));
  }
  const config = { extends: path("tsconfig.test.json"), include: ["./*.ts", "./*.tsx"] };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config));
  const tsc = path("node_modules/typescript/bin/tsc");
  const compile = promisify(execFile)(process.execPath, [tsc, "--pretty", "false", "-p", folder]);
  const { stdout } = await compile.catch((failure: { stdout: string }) => failure);
  errors = new Map();
  for (const block of stdout.split(/^(?=\S+\(\d+,\d+\): error)/m).filter(Boolean)) {
    const name = /([^/]+)\((\d+),\d+\)/.exec(block)?.[1] ?? "elsewhere";
    errors.set(name, [...(errors.get(name) ?? []), block]);
  }
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("as they stand", () => {
  test.each(["weather.ts", "vanilla.ts", "react.tsx", "vue.ts", "svelte.ts", "official.ts"])(
    "%s compiles",
    (file) => {
      expect(errors.get(file)).toBeUndefined();
      expect(errors.get("elsewhere")).toBeUndefined();
    },
  );
});

describe("with one wrong word", () => {
  test.each(MISTAKES.map((mistake, at) => ({ ...mistake, at })))(
    "$file does not compile: $what",
    async ({ file, at, from, error }) => {
      const found = errors.get(`wrong-${at}-${file}`) ?? [];
      expect(found[0]).toMatch(error);
      const source = await readFile(new URL(file, fixtures), "utf8");
      const line = source.slice(0, source.indexOf(from)).split("\n").length;
      expect(found.map((block) => Number(/\((\d+),/.exec(block)?.[1]))).toEqual([line]);
    },
  );
});
