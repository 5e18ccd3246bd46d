// `vitrine sandbox`: parses the command line, verifies a deployment, prints the report.

import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import type { Terminal } from "../terminal.ts";
import { renderReport } from "./report-text.ts";
import { verifySandbox } from "./verify.ts";

const USAGE = helpText({
  summary: "Find out what is wrong with a deployed sandbox.",
  usage: ["sandbox verify <address> [options]"],
  about: [
    "Opens the sandbox's pages as a browser would in a frame of your host: names, certificates, headers, caches, proxies that change responses, registration, and whether several instances share one key and one store.",
  ],
  groups: {
    Arguments: [
      ["<address>", "the sandbox's domain or entrance, such as https://usercontent.example"],
    ],
    Options: [
      ["--host <origin>", "your host's page, such as https://chat.example"],
      [
        "--key <file>",
        "the file with the sandbox's key, to register views where credentials are needed; the key isn't sent",
      ],
      [
        "--connections <number>",
        "how many connections to try, to meet several instances; default 6",
      ],
      ["--json <file>", "also write the report to a file"],
    ],
  },
  notes: [
    "Exit codes: 0 success, 1 problems found, 2 could not run. Warnings and notes don't count as problems.",
  ],
  examples: [
    "sandbox verify https://ui.example --host https://chat.example",
    "sandbox verify http://localhost:8081 --host http://app.localhost:8080",
    "sandbox verify https://ui.example --key sandbox.key",
  ],
});

const OPTIONS = {
  host: { type: "string" },
  key: { type: "string" },
  connections: { type: "string" },
  json: { type: "string" },
} as const;

const MOST_CONNECTIONS = 100;

/** `vitrine sandbox`. */
export const command: Command = { usage: USAGE, run };

async function run([name = "", ...line]: readonly string[], terminal: Terminal): Promise<number> {
  if (name !== "verify") {
    const unknown = `Unknown command "${name}" of the sandbox. Choose from: verify.`;
    throw new Failure("usage", name ? unknown : USAGE);
  }
  const { values, positionals } = parseArgs({
    args: line,
    options: OPTIONS,
    allowPositionals: true,
  });
  const [address, ...rest] = positionals;
  if (address === undefined || rest.length > 0) {
    throw new Failure(
      "usage",
      `Name one sandbox, as in vitrine sandbox verify https://usercontent.example. Given: ${positionals.length}.`,
    );
  }
  const { host, key, connections, json } = values;
  const report = await verifySandbox(address, {
    host,
    key: key === undefined ? undefined : await readKey(key),
    connections: readConnections(connections),
  });
  terminal.print(renderReport(report, terminal));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  return report.problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

async function readKey(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new Failure("unreadable", `--key: ${path} can't be read.`, { cause });
  }
  if (Buffer.byteLength(text) >= 32) return text;
  throw new Failure("usage", `--key: ${path} has fewer than 32 bytes. Use the sandbox's own key.`);
}

function readConnections(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_CONNECTIONS) return count;
  throw new Failure(
    "usage",
    `--connections is "${text}". Use a number from 1 to ${MOST_CONNECTIONS}.`,
  );
}
