import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { spinner } from "@clack/prompts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { type Terminal, withoutControls } from "../terminal.ts";
import { loadGateway } from "./installed-gateway.ts";
import { readableLine, readableText } from "./readable-log.ts";

const USUAL_CONFIG = "gateway.yaml";
const ENGINES = ["memory", "file", "nats"];

const USAGE = `Runs the gateway, checks its configuration, reads its audit log.

Usage: vitrine gateway <command> [--config ${USUAL_CONFIG}] [options]

  start             runs until Ctrl-C; SIGHUP or a change of the file reads the configuration again
  config check      says what is wrong with the configuration, opens no port and no folder
  keys create       makes the gateway's key files in a folder, which all gateways on NATS share
  audit verify      says whether the audit log is as it was written
  audit tail        the newest records: --last 10, --follow, --json
  audit export      all records, as lines of JSON

  --config file     the configuration; ${USUAL_CONFIG} by default
  --engine name     memory, file or nats, where the configuration names none
  --folder data     the engine's folder; audit reads it without a configuration, too
  --anchor file     audit verify compares the log with heads that were kept elsewhere
  --archive folder  audit reads an archive instead; to verify it takes the configuration's key
  --roles a,b       what a process does where several share NATS: edge, runner, archiver
  --denied, --server name, --user name, --tool name    for audit tail and export: only these

An engine keeps grants and the audit log. memory is there without any, and forgets both when the process
ends; file needs a folder and is enough for one process; nats is for several, and needs a NATS server.

The gateway is a package of its own: npm install @vitrine/gateway

Examples:
  vitrine gateway config check
  vitrine gateway start --engine file --folder ./data
  vitrine gateway audit tail --denied --follow
  vitrine gateway audit verify --archive ./archive`;

/** The gateway's own word for each of ours. */
const COMMANDS: Record<string, string[]> = {
  start: ["start"],
  "config check": ["check"],
  "keys create": ["keys", "create"],
  "audit verify": ["audit", "verify"],
  "audit tail": ["audit", "tail"],
  "audit export": ["audit", "export"],
};

/** `vitrine gateway`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { name, argv, settings } = readLine(line);
    const { runProgram } = await loadGateway();
    const progress = showProgress(name, terminal);
    const code = await runProgram(argv, {
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
      // In a pipe it stays JSON, which is what collectors of logs read.
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
    // While the gateway runs, the process is its own and ends with it.
    return code ?? new Promise<number>(() => {});
  },
};

interface GatewayLine {
  name: string;
  argv: string[];
  /** Settings on top of the configuration's, by the variables that the gateway reads. */
  settings: Record<string, string>;
}

/** What the gateway is asked for, in its own words. */
function readLine(line: readonly string[]): GatewayLine {
  const [first = "", second = ""] = line;
  const name = ["config", "audit", "keys"].includes(first) ? `${first} ${second}`.trim() : first;
  const words = COMMANDS[name];
  if (!words) {
    const known = Object.keys(COMMANDS).join(", ");
    const unknown = `"${name}" is no command of the gateway. There are ${known}.`;
    throw new Failure("usage", first ? unknown : USAGE);
  }
  const rest = line.slice(name.split(" ").length);
  const { taken, left } = name.startsWith("audit")
    ? { taken: {}, left: rest }
    : take(rest, { "--engine": "VITRINE_ENGINE_DRIVER", "--folder": "VITRINE_ENGINE_FOLDER" });
  checkEngine(taken);
  const isNamed =
    name === "keys create" || left.some((word) => /^--(config|folder)(=|$)/.test(word));
  const config = !isNamed && existsSync(USUAL_CONFIG) ? ["--config", USUAL_CONFIG] : [];
  return { name, argv: [...words, ...left, ...config], settings: taken };
}

/** Takes options out of a line, as settings by the names of their variables. */
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
    throw new Failure("usage", `--engine is ${ENGINES.join(", ")}, not "${engine}".`);
  }
  // The configuration's folders are relative to its file; what is typed is relative to where it is typed.
  if (folder !== undefined) settings.VITRINE_ENGINE_FOLDER = resolve(folder);
}

/** Until the first word of the gateway, which of a long log may take a while. */
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
