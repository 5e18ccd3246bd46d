import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { spinner } from "@clack/prompts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import { type Terminal, withoutControls } from "../terminal.ts";
import { loadGateway } from "./installed-gateway.ts";
import { readableLine, readableText } from "./readable-log.ts";

const USUAL_CONFIG = "gateway.yaml";
const ENGINES = ["memory", "sqlite", "nats"];

const USAGE = helpText({
  summary: "Run the gateway, check its configuration, read its audit log.",
  usage: [`gateway <command> [--config ${USUAL_CONFIG}] [options]`],
  about: [
    "The engine stores grants and the audit log. memory loses both when the process ends. sqlite needs a folder and serves one process. nats serves several processes and needs a NATS server.",
    "The gateway is a separate package: npm install @vitrine/gateway",
  ],
  groups: {
    Commands: [
      ["start", "run until Ctrl-C; SIGHUP or a change of the file reloads the configuration"],
      ["config check", "report problems in the configuration, without opening ports or folders"],
      ["health", "check that the configured gateway responds; --ready: that it accepts work"],
      [
        "keys create",
        "create the gateway's key files in a folder; all gateways on NATS share them",
      ],
      ["keys public", "print the public keys of audit checkpoints"],
      ["policy check", "report problems of the access policies"],
      [
        "policy explain",
        "print what the policies decide about a call: --user tenant/name, --server, --tool, --groups a,b, --arguments json, --caller view, --hints readOnly",
      ],
      ["policy test <file>", "run the calls of a file and compare their outcomes"],
      ["backup <file>", "copy the database, also while the gateway runs"],
      [
        "restore <file>",
        "check a backup and put it in place of the database; stop the gateway first",
      ],
      ["audit verify", "check that the audit log is unchanged"],
      ["audit tail", "print the newest records: --last 10, --follow, --json"],
      ["audit export", "print all records as lines of JSON"],
      ["servers", "list, pause, resume, check, tools, approve: of a running gateway"],
      ["views, calls", "list the live ones; views end, calls cancel"],
      ["grants", "list, revoke: the consent of users"],
      ["users", "list, revoke, off-board, restore"],
      ["registry", "search, show, import: servers of the official MCP registry"],
      ["approvals", "list, approve, reject: calls that wait for an administrator"],
    ],
    Options: [
      ["--version", "print the gateway's version"],
      ["--config <file>", `the configuration; default ${USUAL_CONFIG}`],
      ["--engine <name>", "memory, sqlite or nats; default sqlite with a folder, otherwise memory"],
      [
        "--folder <folder>",
        "the engine's folder; audit, backup and restore can use it without a configuration",
      ],
      ["--force", "for restore: accept findings in the audit log of the backup"],
      [
        "--anchor <file>",
        "for audit verify: compare the log with chain heads that you stored elsewhere",
      ],
      [
        "--checkpoints <file>, --public-key <file>",
        "for audit verify: compare the log with signed checkpoints, without the audit key",
      ],
      [
        "--archive <folder>",
        "for audit commands: read an archive; verifying it needs the configuration's key",
      ],
      ["--roles <a,b>", "this process's roles if several share NATS: edge, runner, archiver"],
      [
        "--admin <url>, --token-file <file>",
        "for servers, views, calls, grants, users, approvals: the admin port; default that of the configuration",
      ],
      ["--reason <text>", "for servers pause and users off-board: shown to users and recorded"],
      ["--all", "for servers approve: every new or changed tool"],
      ["--registry <url>, --version <version>", "for registry: another registry, one version"],
      [
        "--denied, --server <name>, --user <name>, --tool <name>",
        "filters for audit tail and export",
      ],
    ],
  },
  examples: [
    "gateway config check",
    "gateway start --folder ./data",
    "gateway audit tail --denied --follow",
    "gateway audit verify --archive ./archive",
  ],
});

/** `vitrine gateway`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { name, argv, settings } = readLine(line);
    const { runProgram } = await loadGateway();
    const progress = showProgress(name, terminal);
    const code = await runProgram(argv, {
      program: "vitrine gateway",
      environment: { ...process.env, ...settings },
      out: (text) => {
        progress.end();
        const shown = withoutControls(text);
        process.stdout.write(terminal.isInteractive ? readableText(shown, terminal) : shown);
      },
      err: (text) => {
        progress.end();
        process.stderr.write(withoutControls(text));
      },
      // In a pipe it stays JSON, which log collectors read.
      ...(terminal.isInteractive && {
        log: {
          write: (entry: string) => {
            progress.end();
            terminal.print(readableLine(entry, terminal));
          },
        },
      }),
    });
    progress.end();
    // While the gateway runs, the process belongs to it and ends with it.
    return code ?? new Promise<number>(() => {});
  },
};

interface GatewayLine {
  name: string;
  argv: string[];
  /** Settings that override the configuration, through the variables that the gateway reads. */
  settings: Record<string, string>;
}

/** The gateway's own arguments. */
function readLine(line: readonly string[]): GatewayLine {
  const [first = "", second = ""] = line;
  if (first === "--version") return { name: first, argv: [first], settings: {} };
  if (first === "" || first.startsWith("-")) throw new Failure("usage", USAGE);
  const name = second === "" || second.startsWith("-") ? first : `${first} ${second}`;
  const { taken, left } = /^(?:audit|backup|restore)$/.test(first)
    ? { taken: {}, left: [...line] }
    : take(line, { "--engine": "VITRINE_ENGINE_DRIVER", "--folder": "VITRINE_ENGINE_FOLDER" });
  checkEngine(taken);
  const isNamed =
    name === "keys create" || left.some((word) => /^--(config|folder)(=|$)/.test(word));
  const config = !isNamed && existsSync(USUAL_CONFIG) ? ["--config", USUAL_CONFIG] : [];
  return { name, argv: [...left, ...config], settings: taken };
}

/** Removes options from a command line, as settings by the names of their variables. */
function take(
  line: readonly string[],
  options: Record<string, string>,
): { taken: Record<string, string>; left: string[] } {
  const taken: Record<string, string> = {};
  const left: string[] = [];
  for (let at = 0; at < line.length; at++) {
    const [option = "", joined] = (line[at] ?? "").split(/=(.*)/s);
    const variable = options[option];
    if (variable) taken[variable] = joined ?? line[++at] ?? "";
    else left.push(line[at] ?? "");
  }
  return { taken, left };
}

function checkEngine(settings: Record<string, string>): void {
  const { VITRINE_ENGINE_DRIVER: engine, VITRINE_ENGINE_FOLDER: folder } = settings;
  if (engine !== undefined && !ENGINES.includes(engine)) {
    throw new Failure("usage", `--engine is "${engine}". Use one of: ${ENGINES.join(", ")}.`);
  }
  // Folders in the configuration are relative to its file; typed ones are relative to the current
  // folder.
  if (folder !== undefined) settings.VITRINE_ENGINE_FOLDER = resolve(folder);
}

/** Shown until the gateway's first output, which may take a while for a long log. */
function showProgress(name: string, { isInteractive }: Terminal): { end(): void } {
  const words: Record<string, string> = {
    start: "Starting the gateway",
    "audit verify": "Reading the whole audit log",
  };
  const sentence = words[name];
  if (!isInteractive || sentence === undefined) return { end: () => {} };
  const progress = spinner({ indicator: "timer" });
  progress.start(sentence);
  let isOver = false;
  return {
    end: () => {
      if (!isOver) progress.clear();
      isOver = true;
    },
  };
}
