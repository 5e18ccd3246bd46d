import { expect, test } from "vitest";
import { commandComplaints, compilerComplaints, dataComplaints } from "../check-docs.mjs";
import { codeBlocks, compilableFiles, shellCommands } from "../doc-blocks.mjs";

const document = `# Title

\`\`\`ts
const a = 1;
\`\`\`

<!-- docs: continues -->
\`\`\`ts run
console.log(a);
\`\`\`

<!-- docs: with
declare const b: number;
-->
\`\`\`ts
// sum.ts
export const sum = b;
\`\`\`

<!-- docs: fragment, because it shows two alternatives -->
\`\`\`ts
a | b
\`\`\`
`;

test("finds the blocks of a document with their marks and lines", () => {
  const blocks = codeBlocks("docs/a.md", document);
  expect(blocks.map(({ line, mark, isRun }) => [line, mark, isRun])).toEqual([
    [4, undefined, false],
    [9, "continues", true],
    [16, "with", false],
    [22, "fragment", false],
  ]);
});

test("compiles a block together with what it continues or declares, and skips fragments", () => {
  const files = compilableFiles(codeBlocks("docs/a.md", document));
  expect(files.map(({ file, text, offset }) => ({ file, text, offset }))).toEqual([
    { file: "docs_a_md/block-0.ts", text: "const a = 1;\n", offset: 0 },
    { file: "docs_a_md/block-1.ts", text: "const a = 1;\nconsole.log(a);\n", offset: 1 },
    {
      file: "docs_a_md/sum.ts",
      text: "declare const b: number;\n// sum.ts\nexport const sum = b;\n",
      offset: 1,
    },
  ]);
});

test("reports a compiler's message at the line of the document", () => {
  const files = compilableFiles(codeBlocks("docs/a.md", document));
  const output = [
    ".blocks/docs_a_md/block-1.ts(2,9): error TS1: Wrong.",
    "  Because.",
    "packages/a/src/b.ts(1,1): error TS2: Ours.",
  ].join("\n");
  expect(compilerComplaints(output, files, ".blocks")).toEqual([
    "docs/a.md:9: error TS1: Wrong.\n  Because.",
  ]);
});

test("reports JSON and YAML that can't be parsed, and settings that the schema rejects", () => {
  const block = (language: string, code: string) => ({ path: "a.md", line: 1, language, code });
  const accept = () => true;
  const reject = Object.assign(() => false, {
    errors: [{ instancePath: "/servers", message: "is wrong", params: {} }],
  });
  expect(dataComplaints(block("json", "{"), accept)).toHaveLength(1);
  expect(dataComplaints(block("yaml", "a: [1"), accept)).toHaveLength(1);
  expect(dataComplaints(block("yaml", "servers: 1"), reject)).toEqual([
    "a.md:1: /servers is wrong {}",
  ]);
  expect(dataComplaints(block("json", "{}"), accept)).toEqual([]);
});

test.each([
  ["npm run test", 0],
  ["npm run tset", 1],
  ["vitrine gateway audit tail --denied", 0],
  ["vitrine-gateway start --config gateway.yaml", 0],
  ["vitrine gateway stop", 1],
  ["vitrine gateway start --fast", 1],
  ["vitrine dve server.mjs", 1],
  ["curl -s http://localhost", 0],
])("checks the command %s: %i problems", (command, count) => {
  const helpOf = (name: string) =>
    name === "gateway" ? "start --config <file>\naudit tail --denied" : undefined;
  expect(commandComplaints(command, { scripts: ["test"], helpOf })).toHaveLength(count);
});

test("reads the commands of a shell block", () => {
  const code = "A=1 npx vitrine dev \\\n  server.mjs # opens a page\ncd a && npm run dev | cat\n";
  expect(shellCommands(code)).toEqual(["vitrine dev server.mjs", "cd a", "npm run dev", "cat"]);
});
