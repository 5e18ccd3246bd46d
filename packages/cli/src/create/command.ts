import { basename, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { spinner } from "@clack/prompts";
import { shellQuoted } from "@vitrine/protocol/printable";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { type Installed, install, type PackageManager, packageManager } from "./package-manager.ts";
import { checkFolder, dependenciesOf, writeProject } from "./project.ts";
import { nameProblem } from "./project-name.ts";
import { type Answers, askFor, USUAL_FOLDER } from "./questions.ts";
import { isTemplate, TEMPLATES, type TemplateName } from "./templates.ts";

const NAMES = Object.keys(TEMPLATES);
const LIST = Object.entries(TEMPLATES)
  .map(([name, { summary }]) => `    ${name.padEnd(15)}${summary}`)
  .join("\n");

/** `vitrine create`. */
export const command: Command = {
  usage: `Starts a new app: an MCP server with a View, and the scripts to see, check and build it.

Usage: vitrine create [folder] [--template name] [--yes] [--no-install]

  --template name   what the View is made of; asked for if it is left out
${LIST}
  --yes             ask nothing: what is left out is vanilla, in the folder ${USUAL_FOLDER}
  --no-install      write the files only

The folder's name becomes the package's. A folder with something in it is left as it is.

  vitrine create
  vitrine create weather --template react
  vitrine create . --template template-only --no-install`,
  run: async (line, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...line],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: "string", short: "t" },
        yes: { type: "boolean", short: "y", default: false },
        install: { type: "boolean", default: true },
      },
    });
    const given = readGiven(positionals, values.template);
    const chosen = await choose(given, { ...terminal, asks: !values.yes });
    if (!chosen) return 2;
    const folder = resolve(chosen.folder);
    const name = await checkedName(folder, chosen.template);
    await checkFolder(folder);
    const { version } = (await import("../../package.json", { with: { type: "json" } })).default;
    await writeProject({ folder, name, template: chosen.template, version });
    terminal.print(`Wrote ${terminal.style("bold", name)} (${chosen.template}) to ${folder}.`);
    const manager = packageManager();
    const installed = values.install ? await installIn(folder, manager, terminal) : undefined;
    if (installed && !installed.ok) {
      terminal.complain(
        `\`${manager} install\` failed; the files are there, and it can be run again. It said:\n${installed.words}`,
      );
    }
    terminal.print(nextSteps({ folder, manager, isInstalled: installed?.ok === true, terminal }));
    return installed && !installed.ok ? 1 : 0;
  },
};

function readGiven(positionals: string[], template: string | undefined): Partial<Answers> {
  const [folder, extra] = positionals;
  if (extra !== undefined) {
    throw new Failure("usage", `One folder is made at a time: "${extra}" is too much.`);
  }
  if (template !== undefined && !isTemplate(template)) {
    throw new Failure("usage", `"${template}" is no template. There are ${NAMES.join(", ")}.`);
  }
  return { ...(folder !== undefined && { folder }), ...(template !== undefined && { template }) };
}

/** Asks where somebody can be asked; else takes what was given, and with --yes the usual. */
async function choose(
  { folder, template }: Partial<Answers>,
  { isInteractive, asks }: Pick<Terminal, "isInteractive"> & { asks: boolean },
): Promise<Answers | undefined> {
  if (folder !== undefined && template !== undefined) return { folder, template };
  if (!asks) return { folder: folder ?? USUAL_FOLDER, template: template ?? "vanilla" };
  if (!isInteractive) {
    const missing = folder === undefined ? "folder" : "template";
    throw new Failure(
      "usage",
      `No ${missing} is named, and there is nobody to ask. Write \`vitrine create ${folder ?? USUAL_FOLDER} --template ${template ?? "vanilla"}\`, or --yes for just that.`,
    );
  }
  const known = { ...(folder !== undefined && { folder }), ...(template && { template }) };
  return askFor(known, { problemOf: (path) => nameProblem(basename(resolve(path))) });
}

async function checkedName(folder: string, template: TemplateName): Promise<string> {
  const name = basename(folder);
  const problem = nameProblem(name);
  if (problem) throw new Failure("usage", problem);
  // npm installs no package into one of the same name.
  if ((await dependenciesOf(template)).includes(name)) {
    throw new Failure(
      "usage",
      `The project will depend on "${name}", so it cannot have that name itself. Try "${name}-app".`,
    );
  }
  return name;
}

async function installIn(
  folder: string,
  manager: PackageManager,
  { isInteractive, print }: Terminal,
): Promise<Installed> {
  const words = `Installing packages with ${manager}`;
  if (!isInteractive) {
    print(`${words} …`);
    return install(manager, folder);
  }
  const progress = spinner();
  progress.start(words);
  const installed = await install(manager, folder);
  if (installed.ok) progress.stop("Packages are installed.");
  else progress.error("Packages are not installed.");
  return installed;
}

interface Steps {
  folder: string;
  manager: PackageManager;
  isInstalled: boolean;
  terminal: Terminal;
}

function nextSteps({ folder, manager, isInstalled, terminal }: Steps): string {
  const path = relative(process.cwd(), folder);
  const lines = [
    ...(path === "" ? [] : [`cd ${shellQuoted(path)}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ];
  return ["", "Next:", ...lines.map((each) => `  ${terminal.style("cyan", each)}`)].join("\n");
}
