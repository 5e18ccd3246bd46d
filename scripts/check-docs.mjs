// Checks the code blocks of READMEs and docs: TypeScript and JavaScript compile against the sources, blocks
// marked `run` run, JSON and YAML parse, gateway configurations fit their schema, and commands exist.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse, parseAllDocuments } from "yaml";
import { codeBlocks, compilableFiles, shellCommands } from "./doc-blocks.mjs";
import { listFiles } from "./tracked-files.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ON_SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
/** Scripts of the projects that `vitrine create` makes; the docs name them too. */
const PROJECT_SCRIPTS = ["build", "check", "dev", "start", "test"];

/** Runs a program and returns its exit code and output, whatever the code is. */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: ROOT, timeout: 60_000, ...options }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? 1) : 0, output: `${stdout}${stderr}` });
    });
  });
}

/** The complaints of the compiler about the blocks, with the places in the documents. */
async function compile(files, folder) {
  for (const { file, text } of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  // Our own setting for optional properties is stricter than most projects' and hides errors that they have.
  const options = {
    moduleDetection: "force",
    allowJs: true,
    checkJs: true,
    exactOptionalPropertyTypes: false,
  };
  const config = { extends: "../tsconfig.test.json", compilerOptions: options, include: ["**/*"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { code, output } = await run(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    timeout: 300_000,
  });
  return code === 0 ? [] : compilerComplaints(output, files, basename(folder));
}

/** Keeps the messages about blocks: our sources are checked elsewhere, with our own settings. */
export function compilerComplaints(output, files, folder) {
  const complaints = [];
  let isOurs = false;
  for (const line of output.split("\n").filter((it) => it.trim() !== "")) {
    const [, path, at, message] = /^(\S+?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (path === undefined && /^\s/.test(line)) {
      if (isOurs) complaints[complaints.length - 1] += `\n${line}`;
      continue;
    }
    const block = files.find(({ file }) => path?.endsWith(`${folder}/${file}`));
    isOurs = block !== undefined || path === undefined;
    if (block)
      complaints.push(`${block.path}:${block.line + Number(at) - 1 - block.offset}: ${message}`);
    else if (path === undefined) complaints.push(line);
  }
  return complaints;
}

async function runBlocks(files, folder) {
  const complaints = [];
  for (const { file, path, line } of files.filter(({ isRun }) => isRun)) {
    const { code, output } = await run(process.execPath, [...ON_SOURCES, join(folder, file)]);
    if (code !== 0) complaints.push(`${path}:${line}: the block fails with ${code}:\n${output}`);
  }
  return complaints;
}

/** Checks JSON and YAML; a YAML block with settings of the gateway has to fit the gateway's schema. */
export function dataComplaints({ path, line, language, code, mark }, validate) {
  if (mark === "fragment" || !/^(?:json|ya?ml)$/.test(language)) return [];
  try {
    if (language === "json") {
      JSON.parse(code);
      return [];
    }
    const problems = parseAllDocuments(code).flatMap(({ errors }) => errors);
    if (problems.length > 0) return [`${path}:${line}: ${problems[0].message}`];
    // Stands for the content of a secret file.
    const known = code.replaceAll(/\$\{file:[^}]+\}/g, "s".repeat(64));
    return configComplaints(parse(known), validate).map((words) => `${path}:${line}: ${words}`);
  } catch (error) {
    return [`${path}:${line}: ${error.message}`];
  }
}

function configComplaints(value, validate) {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
  );
}

/** The gateway's schema for parts of a configuration: a block in the docs shows a few settings. */
async function configValidator() {
  const path = join(ROOT, "packages/gateway/schema/config.schema.json");
  const { required: _, ...schema } = JSON.parse(await readFile(path, "utf8"));
  return new Ajv2020({ strict: false, allErrors: true }).compile(schema);
}

/** `helpOf(command)` is the help text of a command of `vitrine`, or undefined if there is none. */
export function commandComplaints(command, { scripts, helpOf }) {
  const [, script] = /^npm run (?:--?\w+ )*([\w:-]+)/.exec(command) ?? [];
  if (script && !scripts.includes(script)) return [`package.json has no script "${script}"`];
  const [, gateway, words] = /^vitrine(-gateway)?\s+(.*)$/.exec(command) ?? [];
  if (words === undefined) return [];
  const [name, ...line] = `${gateway ? "gateway " : ""}${words}`.split(/\s+/);
  if (name.startsWith("-") || name.startsWith("<")) return [];
  const help = helpOf(name);
  if (help === undefined) return [`vitrine has no command "${name}"`];
  // What follows `--` or a server's own command isn't ours; options come before it.
  const options = line.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split("=")[0]);
  const unknown = options.filter((option) => !help.includes(option));
  const complaints = unknown.map((option) => `vitrine ${name} has no option ${option}`);
  const [first] = line;
  if (
    name === "gateway" &&
    /^[a-z]+$/.test(first ?? "") &&
    !new RegExp(`\\b${first}\\b`).test(help)
  ) {
    complaints.push(`vitrine gateway has no command "${first}"`);
  }
  return complaints;
}

/** The help texts of all commands of `vitrine`, read once. */
async function readHelp() {
  const vitrine = (...words) =>
    run(process.execPath, [
      ...ON_SOURCES,
      join(ROOT, "packages/cli/src/main.ts"),
      ...words,
      "--help",
    ]);
  const { output: overview } = await vitrine();
  const names = [...overview.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
  const texts = await Promise.all(names.map(async (name) => [name, (await vitrine(name)).output]));
  return new Map(texts);
}

async function shellComplaints(documents, blocks) {
  const help = await readHelp();
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const scripts = [...Object.keys(manifest.scripts), ...PROJECT_SCRIPTS];
  const known = { scripts, helpOf: (name) => help.get(name) };
  const complaints = [];
  for (const { path, line, language, code, mark } of blocks) {
    if (mark === "fragment" || !/^(?:sh|bash)$/.test(language)) continue;
    for (const command of shellCommands(code)) {
      for (const words of commandComplaints(command, known))
        complaints.push(`${path}:${line}: ${words}`);
    }
  }
  for (const [path, source] of documents) {
    for (const [, command] of source.matchAll(/`(npm run [\w:-]+)/g)) {
      for (const words of commandComplaints(command, known)) complaints.push(`${path}: ${words}`);
    }
  }
  return complaints;
}

async function main() {
  const documents = [];
  for (const path of await listFiles(/\.md$/)) {
    if (!/^(?:spec|\.changeset)\//.test(path)) documents.push([path, await readFile(path, "utf8")]);
  }
  const blocks = documents.flatMap(([path, source]) => codeBlocks(path, source));
  const files = documents.flatMap(([path]) =>
    compilableFiles(blocks.filter((it) => it.path === path)),
  );
  const validate = await configValidator();
  // Below the root, so that the blocks find the packages that are installed there.
  const folder = await mkdtemp(join(ROOT, ".doc-blocks-"));
  const complaints = [];
  try {
    complaints.push(...blocks.flatMap((block) => dataComplaints(block, validate)));
    complaints.push(...(await compile(files, folder)));
    complaints.push(...(await runBlocks(files, folder)));
    complaints.push(...(await shellComplaints(documents, blocks)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const complaint of complaints) console.log(complaint);
  const skipped = blocks.filter(({ mark }) => mark === "fragment").length;
  const ran = files.filter(({ isRun }) => isRun).length;
  console.log(
    `check:docs: ${blocks.length} code blocks, ${files.length} compiled, ${ran} run, ${skipped} skipped; ${complaints.length} problems.`,
  );
  if (complaints.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
