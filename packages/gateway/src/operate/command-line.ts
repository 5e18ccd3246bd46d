// `vitrine-gateway`. What an operator did wrong is one sentence and an exit code of 2; a stack trace is a
// bug of ours.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { printable, printableLines } from "@vitrine/protocol/printable";
import { ArchiveError } from "../audit/archive/index.ts";
import { AuditError } from "../audit/index.ts";
import { isSharedGateway } from "../config/config.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { ConfigError } from "../config/problem.ts";
import { EngineError } from "../engine/index.ts";
import { FairSlots } from "../upstreams/index.ts";
import { exportCommand, type Print, tailCommand, verifyCommand } from "./audit-command.ts";
import {
  type AuditSource,
  openArchiveSource,
  openConfiguredSource,
  openFolderSource,
  readAnchor,
} from "./audit-source.ts";
import { greeting, summary } from "./greeting.ts";
import { createKeyFiles } from "./key-files.ts";
import { keyFolder, ownKeyFolder, readAuditKey } from "./keyring.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { OperatorError } from "./operator-error.ts";
import { prepareSandbox } from "./sandbox.ts";
import { createScrubber } from "./scrubber.ts";
import { createServerSet } from "./server-set.ts";
import { type Service, startService } from "./service.ts";

/** What a command runs in. */
export interface CommandContext {
  environment: Readonly<Record<string, string | undefined>>;
  out: Print;
  err: Print;
  /** Where the running gateway's log goes, line by line; standard output by default. */
  log?: { write(line: string): void };
  /** Aborted when `audit tail --follow` is to end. */
  signal: AbortSignal;
  /** Called once all secrets were read, before anything is started; returns whether the memory is private. */
  seal?(): boolean;
  /** Hears of the gateway that was started; it runs until somebody closes it. */
  onStart(service: Service): void;
}

const USAGE = `vitrine-gateway: browsers on one side, MCP servers on the other.

  vitrine-gateway start --config gateway.yaml
  vitrine-gateway check --config gateway.yaml

  vitrine-gateway keys create FOLDER

  vitrine-gateway audit verify --config gateway.yaml [--anchor FILE]
  vitrine-gateway audit tail   --config gateway.yaml [--last 10] [--follow] [--json]
  vitrine-gateway audit export --config gateway.yaml
      [--denied] [--server NAME] [--user NAME] [--tool NAME]

--roles edge,runner,archiver names what a process does where several share an engine.
keys create makes the key files that are missing in a folder: one folder for all gateways that share NATS.
--folder DATA reads the audit log of a folder without a configuration.
--anchor FILE compares the audit log with heads that were kept elsewhere (audit.anchor).
--archive FOLDER reads an archive instead; to verify it takes the key of --config (or of --folder).
SIGHUP reads the configuration again; so does a change of the file. SIGTERM lets calls end, then stops.
`;

const OPTIONS = {
  config: { type: "string" },
  roles: { type: "string" },
  folder: { type: "string" },
  archive: { type: "string" },
  anchor: { type: "string" },
  last: { type: "string", default: "10" },
  follow: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  denied: { type: "boolean", default: false },
  server: { type: "string" },
  user: { type: "string" },
  tool: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

interface Given {
  config?: string | undefined;
  roles?: string | undefined;
  folder?: string | undefined;
  archive?: string | undefined;
  anchor?: string | undefined;
  last: string;
  follow: boolean;
  json: boolean;
  denied: boolean;
  server?: string | undefined;
  user?: string | undefined;
  tool?: string | undefined;
}

/** Runs a command; resolves to its exit code, or to nothing while the gateway runs. */
export async function runCommand(
  argv: readonly string[],
  given: CommandContext,
): Promise<number | undefined> {
  // The last step before a terminal: names of servers, users and files may hold anything.
  const context: CommandContext = {
    ...given,
    out: (text) => given.out(printableLines(text)),
    err: (text) => given.err(printableLines(text)),
  };
  try {
    const { values, positionals } = readArguments(argv);
    if (values.help || positionals.length === 0) {
      context.out(USAGE);
      return values.help ? 0 : 2;
    }
    return await dispatch(positionals, values, withRoles(values.roles, context));
  } catch (error) {
    if (!isMistake(error)) throw error;
    context.err(`${error.message}\n`);
    return 2;
  }
}

/** A flag is a variable that is seen. */
function withRoles(roles: string | undefined, context: CommandContext): CommandContext {
  if (roles === undefined) return context;
  return { ...context, environment: { ...context.environment, VITRINE_CLUSTER_ROLES: roles } };
}

function isMistake(error: unknown): error is Error {
  const kinds = [ConfigError, OperatorError, ArchiveError, AuditError, EngineError];
  return kinds.some((kind) => error instanceof kind);
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new OperatorError("usage", `${(error as Error).message} See --help.`);
  }
}

async function dispatch(
  [command, what, ...rest]: string[],
  given: Given,
  context: CommandContext,
): Promise<number | undefined> {
  const isPair = command === "audit" || command === "keys";
  const name = [command, ...(isPair ? [what] : [])].join(" ");
  if (name === "keys create") return createKeys(rest, context);
  const extra = isPair ? rest : [what, ...rest].filter((word) => word !== undefined);
  if (extra.length > 0) throw new OperatorError("usage", `"${extra[0]}" is too much. See --help.`);
  switch (name) {
    case "start":
      return start(given, context);
    case "check":
      return check(given, context);
    case "audit verify":
    case "audit tail":
    case "audit export":
      return audit(`${what}`, given, context);
    default:
      throw new OperatorError("usage", `"${name.trim()}" is no command. See --help.`);
  }
}

async function createKeys(folders: readonly string[], { out }: CommandContext): Promise<number> {
  const [folder, ...extra] = folders;
  if (folder === undefined || extra.length > 0) {
    throw new OperatorError("usage", "Name one folder: keys create /etc/vitrine-gateway/keys");
  }
  const created = await createKeyFiles(folder);
  for (const name of created) out(`Created    ${join(folder, name)}.key\n`);
  if (created.length === 0) out(`${folder} already has every key.\n`);
  return 0;
}

async function start(given: Given, context: CommandContext): Promise<undefined> {
  const loaded = await load(given, context);
  let scrubber = createScrubber(loaded.secrets);
  const log = createLog({
    level: loaded.config.telemetry.log,
    scrubber: () => scrubber,
    ...(context.log && { destination: context.log }),
  });
  for (const warning of loaded.warnings) log.warn(warning);
  if (context.seal?.() === false && isSharedGateway(loaded.config)) {
    log.warn(
      "other processes of this user can read the gateway's memory; see docs/operate.md, Servers that are programs",
    );
  }
  const service = await startService(loaded, {
    log,
    environment: context.environment,
    onScrubber: (next) => {
      scrubber = next;
    },
  });
  for (const line of greeting(service, loaded)) context.out(`${printable(line)}\n`);
  context.onStart(service);
  return undefined;
}

/** Everything that can be found out without opening a port or a folder. */
async function check(given: Given, context: CommandContext): Promise<number> {
  const { config, warnings, file } = await load(given, context);
  for (const warning of warnings) context.err(`${warning}\n`);
  const metrics = createMetrics();
  const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
  const spawns = new FairSlots({ limit: 1, queue: 1 });
  const parts = { metrics, log, credentials: undefined, spawns };
  const servers = createServerSet(config.servers, parts);
  await Promise.all(Object.values(servers.opened).map(({ upstream }) => upstream.close()));
  metrics.close();
  if (config.sandbox) prepareSandbox(config, config.sandbox, new Uint8Array(32)).close();
  for (const line of summary(config)) context.out(`${printable(line)}\n`);
  context.out(`${file} can be used.\n`);
  return 0;
}

async function load(given: Given, { environment }: CommandContext): Promise<LoadedConfig> {
  if (given.config === undefined) {
    throw new OperatorError("usage", "Which configuration? Name it with --config gateway.yaml.");
  }
  return loadConfig(given.config, environment);
}

async function audit(what: string, given: Given, context: CommandContext): Promise<number> {
  const { last, follow, json, denied, server, user, tool } = given;
  if (!/^\d{1,6}$/.test(last)) {
    throw new OperatorError("usage", `--last "${last}" is no number of records.`);
  }
  if (given.anchor !== undefined && what !== "verify") {
    throw new OperatorError("usage", `--anchor belongs to audit verify, not to audit ${what}.`);
  }
  const source = await openSource(what, given, context);
  const query = {
    ...{ source, json, denied, last: Number(last) },
    ...(follow && { follow: context.signal }),
    ...(server !== undefined && { server }),
    ...(user !== undefined && { user }),
    ...(tool !== undefined && { tool }),
  };
  try {
    if (what === "verify") {
      const anchor = await anchorOf(given, context);
      const isWhole = await verifyCommand({ ...source, ...(anchor && { anchor }) }, context.out);
      return isWhole ? 0 : 1;
    }
    await (what === "tail" ? tailCommand : exportCommand)(query, context.out);
    return 0;
  } finally {
    await source.close();
  }
}

/** The anchor that is named, or that the gateway itself writes to a file. */
async function anchorOf(given: Given, context: CommandContext): Promise<string[] | undefined> {
  if (given.anchor !== undefined) return readAnchor(given.anchor);
  if (given.config === undefined) return undefined;
  const { audit } = (await load(given, context)).config;
  return audit.anchor?.file === undefined ? undefined : readAnchor(audit.anchor.file);
}

async function openSource(
  what: string,
  given: Given,
  context: CommandContext,
): Promise<AuditSource> {
  const { archive, folder, config } = given;
  if (archive === undefined) {
    if (folder !== undefined) return openFolderSource(folder);
    return openConfiguredSource(await load(given, context));
  }
  if (what !== "verify") return openArchiveSource(archive, undefined);
  if (folder === undefined && config === undefined) {
    const text = `To verify ${archive} takes the key of its hashes, which is not in it: name the configuration with --config gateway.yaml.`;
    throw new OperatorError("usage", text);
  }
  const keys =
    folder === undefined ? keyFolder((await load(given, context)).config) : ownKeyFolder(folder);
  return openArchiveSource(archive, keys === undefined ? undefined : readAuditKey(keys));
}
