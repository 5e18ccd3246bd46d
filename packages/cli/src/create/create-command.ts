import { basename, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { spinner } from "@clack/prompts";
import { shellQuoted } from "@vitrine/protocol/printable";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import type { Terminal } from "../terminal.ts";
import { type Installed, install, type PackageManager, packageManager } from "./package-manager.ts";
import { checkFolder, dependenciesOf, writeProject } from "./project.ts";
import { nameProblem } from "./project-name.ts";
import { type Answers, askFor, USUAL_FOLDER } from "./questions.ts";
import { isTemplate, TEMPLATES, type TemplateName } from "./templates.ts";

const NAMES = Object.keys(TEMPLATES);

/** `vitrine create`. */
export const command: Command = {
  usage: helpText({
    summary: "Create a new app: an MCP server with a view, and scripts to run, check and build it.",
    usage: ["create [folder] [options]"],
    about: [
      "The folder's name becomes the package name. A folder that isn't empty is left unchanged.",
    ],
    groups: {
      Options: [
        ["--template <name>", "the view's framework; you are asked if you leave it out"],
        ["--yes", `ask no questions; defaults: template vanilla, folder ${USUAL_FOLDER}`],
        ["--no-install", "only write the files"],
      ],
      Templates: Object.entries(TEMPLATES).map(([name, { summary }]) => [name, summary] as const),
    },
    examples: [
      "create",
      "create weather --template react",
      "create . --template template-only --no-install",
    ],
  }),
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
    terminal.print(`Created ${terminal.style("bold", name)} (${chosen.template}) in ${folder}.`);
    const manager = packageManager();
    const installed = values.install ? await installIn(folder, manager, terminal) : undefined;
    if (installed && !installed.ok) {
      terminal.complain(
        `\`${manager} install\` failed. The files are complete, so you can run it again. Its output:\n${installed.words}`,
      );
    }
    terminal.print(nextSteps({ folder, manager, isInstalled: installed?.ok === true, terminal }));
    return installed && !installed.ok ? 1 : 0;
  },
};

function readGiven(positionals: string[], template: string | undefined): Partial<Answers> {
  const [folder, extra] = positionals;
  if (extra !== undefined) {
    throw new Failure("usage", `Pass one folder only; "${extra}" is too much.`);
  }
  if (template !== undefined && !isTemplate(template)) {
    throw new Failure("usage", `Unknown template "${template}". Choose from: ${NAMES.join(", ")}.`);
  }
  return { ...(folder !== undefined && { folder }), ...(template !== undefined && { template }) };
}

/** Asks in a terminal; otherwise uses the given values, and with --yes the defaults. */
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
      `The ${missing} is missing, and this isn't a terminal that could ask for it. Run \`vitrine create ${folder ?? USUAL_FOLDER} --template ${template ?? "vanilla"}\`, or pass --yes for the defaults.`,
    );
  }
  const known = { ...(folder !== undefined && { folder }), ...(template && { template }) };
  return askFor(known, { problemOf: (path) => nameProblem(basename(resolve(path))) });
}

async function checkedName(folder: string, template: TemplateName): Promise<string> {
  const name = basename(folder);
  const problem = nameProblem(name);
  if (problem) throw new Failure("usage", problem);
  // npm can't install a package into one of the same name.
  if ((await dependenciesOf(template)).includes(name)) {
    throw new Failure(
      "usage",
      `The project will depend on "${name}", so it can't have the same name. Try "${name}-app".`,
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

/** With these, one command starts a project in another folder. */
const FOLDER_OPTIONS: Partial<Record<PackageManager, string>> = { npm: "--prefix", pnpm: "--dir" };

interface Steps {
  folder: string;
  manager: PackageManager;
  isInstalled: boolean;
  terminal: Terminal;
}

function nextSteps({ folder, manager, isInstalled, terminal }: Steps): string {
  const path = relative(process.cwd(), folder);
  const option = path !== "" && isInstalled && FOLDER_OPTIONS[manager];
  const lines = option
    ? [`${manager} ${option} ${shellQuoted(path)} run dev`]
    : [
        ...(path === "" ? [] : [`cd ${shellQuoted(path)}`]),
        ...(isInstalled ? [] : [`${manager} install`]),
        `${manager} run dev`,
      ];
  return ["", "Next:", ...lines.map((each) => `  ${terminal.style("cyan", each)}`)].join("\n");
}
