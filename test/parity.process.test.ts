import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { App } from "@vitrine/view";
import { App as OfficialApp } from "ext-apps-v2";
import { describe, expect, onTestFinished, test } from "vitest";
import { compare } from "./parity/comparison.mjs";
import { type Declarations, exportsOf, membersOf } from "./parity/declarations.mjs";
import { registerAlike } from "./parity/signatures.ts";

const root = new URL("../", import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, root));
const run = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, args, { cwd: path(".") });

describe("docs/parity.md", () => {
  test("names every member of the official SDK, and is up to date", async () => {
    const check = run("scripts/parity.mjs", "--check");
    await expect(check).resolves.toMatchObject({ stderr: "" });
  }, 30_000);
});

test("a tool registered with either App validates and answers alike", async () => {
  const info = { name: "view", version: "1.0.0" };
  const tools = registerAlike(new OfficialApp(info), new App(info));
  const extra = { mcpReq: { signal: new AbortController().signal } } as never;
  for (const tool of tools) {
    expect(tool).toMatchObject({ title: "Add", enabled: true });
    const good = tool.handler({ a: 2 }, extra);
    await expect(good).resolves.toMatchObject({ structuredContent: { sum: 2 } });
    await expect(tool.handler({ a: "two" }, extra)).rejects.toThrow("number");
  }
});

describe("a ported page", () => {
  // Against ours they are compiled where they stand.
  test("compiles against the official SDK with only its import changed", async () => {
    // Inside the repository, so that packages are found.
    await mkdir(path("node_modules/.cache"), { recursive: true });
    const folder = await mkdtemp(path("node_modules/.cache/ported-pages-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const page of ["ported-vanilla/src/page.ts", "ported-react/src/page.tsx"]) {
      const source = await readFile(path(`examples/${page}`), "utf8");
      const parts = source.split('"@vitrine/view');
      expect(parts).toHaveLength(2);
      await writeFile(`${folder}/${page.replaceAll("/", "-")}`, parts.join('"ext-apps-v2'));
    }
    const config = { extends: path("tsconfig.test.json"), include: ["./*.ts", "./*.tsx"] };
    await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config));
    const compile = run("node_modules/typescript/bin/tsc", "-p", folder);
    await expect(compile).resolves.toMatchObject({ stdout: "" });
  }, 30_000);
});

describe("the comparison", () => {
  const names = (...list: string[]): Map<string, string> => new Map(list.map((name) => [name, ""]));

  test("complains of a name that is missing without a reason", () => {
    const { complaints } = compare("App", [names("close", "open"), names("close")]);
    expect(complaints).toEqual(["App: open is missing, and no reason is given."]);
  });

  test("complains of a name that is listed as absent and is there", () => {
    const { complaints } = compare("App", [names("open"), names("open")], {
      absent: { open: "why" },
    });
    expect(complaints).toEqual(["App: open is listed as absent, and it is there."]);
  });

  test("complains of a reason for a name that the official SDK does not have", () => {
    const { complaints } = compare("App", [names("open"), names("open")], {
      wider: { opn: "why" },
    });
    expect(complaints).toHaveLength(1);
  });

  test("complains of a type in the place of a value, and not of the reverse", () => {
    const kinds: [Map<string, boolean>, Map<string, boolean>] = [
      new Map([["App", false]]),
      new Map([["App", true]]),
    ];
    expect(compare("exports", kinds).complaints).toHaveLength(1);
    expect(compare("exports", [kinds[1], kinds[0]]).complaints).toEqual([]);
  });

  test("gives names that share a pattern one row, which counts them", () => {
    const { rows, complaints } = compare(
      "exports",
      [names("ASchema", "BSchema", "C"), names("C")],
      {
        absent: { "*Schema": "zod" },
      },
    );
    expect(complaints).toEqual([]);
    expect(rows).toEqual([
      { name: "*Schema", status: "absent", reason: "zod", count: 2 },
      { name: "C", status: "same", reason: "", count: 1 },
    ]);
  });
});

describe("the reader of declarations", () => {
  const files: Declarations = new Map([
    [
      "base.d.ts",
      `export declare abstract class Base<T extends { a: string; }> {
        private hidden;
        protected half(): void;
        onclose?: () => void;
        get transport(): T | undefined;
        request<M extends "a;b">(request: { method: M; }, options?: Options): Promise<void>;
        request(request: string): Promise<void>;
      }
      `,
    ],
    [
      "app.d.ts",
      `import { type Options } from "pkg";
export type Options = Omit<Wide, "b" | "c"> & { own?: (value: number) => void; };
interface Wide { a: string; b: number; c: boolean }
export declare class App extends Base<Wide> {
    #private;
    static create(): App;
    readonly state: Map<string, () => void>;
}
export { Base as Root, type Wide } from "./base.js";
`,
    ],
  ]);

  test("finds own and inherited members, without what is private or protected", () => {
    expect([...membersOf(files, "App").keys()]).toEqual([
      "onclose",
      "transport",
      "request",
      "create",
      "state",
    ]);
  });

  test("resolves Omit and intersections", () => {
    expect([...membersOf(files, "Options").keys()]).toEqual(["a", "own"]);
  });

  test("reports for each export whether it is a type only", () => {
    const app = new Map([["app.d.ts", (files.get("app.d.ts") ?? "").replace("./base.js", "pkg")]]);
    expect(Object.fromEntries(exportsOf(app, "app.d.ts"))).toEqual({
      App: false,
      Options: true,
      Root: false,
      Wide: true,
    });
  });

  test("throws on what it cannot read, instead of finding nothing", () => {
    expect(() => membersOf(files, "Missing")).toThrow("Missing");
    const odd = new Map([["odd.d.ts", "export type Odd = Record<string, number>;"]]);
    expect(() => membersOf(odd, "Odd")).toThrow("Record");
  });
});
