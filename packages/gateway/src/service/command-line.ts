// The command `vitrine-gateway`. An operator's mistake is one message and exit code 2; a stack trace is a bug
// in the gateway.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { printable, printableLines } from "@vitrine/protocol/printable";
import { ArchiveError } from "../audit/archive/index.ts";
import { AuditError } from "../audit/index.ts";
import { isSharedGateway } from "../config/config.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { ConfigError } from "../config/problem.ts";
import { EngineError } from "../engine/index.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { createScrubber } from "../observability/scrubber.ts";
import { FairSlots } from "../upstreams/index.ts";
import { exportCommand, type Print, tailCommand, verifyCommand } from "./audit-command.ts";
import {
  type AuditSource,
  openArchiveSource,
  openConfiguredSource,
  openFolderSource,
  readAnchor,
} from "./audit-source.ts";
import { backupCommand, restoreCommand } from "./backup-command.ts";
import { banner, summary } from "./banner.ts";
import { healthCommand } from "./health-command.ts";
import { createKeyFiles } from "./key-files.ts";
import { keyFolder, ownKeyFolder, readAuditKey } from "./keyring.ts";
import { OperatorError } from "./operator-error.ts";
import { policyCheck, policyExplain, policyTest } from "./policy-command.ts";
import { prepareSandbox } from "./sandbox.ts";
import { createServerSet } from "./server-set.ts";
import { type Service, startService } from "./service.ts";

/** The environment of a command. */
export interface CommandContext {
  environment: Readonly<Record<string, string | undefined>>;
  out: Print;
  err: Print;
  /** Receives the log of the running gateway line by line. Defaults to standard output. */
  log?: { write(line: string): void };
  /** Aborted to end `audit tail --follow`. */
  signal: AbortSignal;
  /**
   * Called after all secrets were read and before anything is started. Returns whether the process memory is
   * private.
   */
  seal?(): boolean;
  /** Called with the gateway that was started. It runs until it is closed. */
  onStart(service: Service): void;
}

const USAGE = `vitrine-gateway: connects browsers to MCP servers.

  vitrine-gateway start --config gateway.yaml
  vitrine-gateway check --config gateway.yaml
  vitrine-gateway health --config gateway.yaml [--ready]

  vitrine-gateway keys create FOLDER

  vitrine-gateway policy check   --config gateway.yaml
  vitrine-gateway policy explain --config gateway.yaml --user TENANT/NAME --server NAME --tool NAME
      [--groups A,B] [--arguments JSON] [--caller view] [--hints readOnly]
  vitrine-gateway policy test FILE --config gateway.yaml

  vitrine-gateway backup FILE --config gateway.yaml
  vitrine-gateway restore FILE --config gateway.yaml [--force]

  vitrine-gateway audit verify --config gateway.yaml [--anchor FILE]
  vitrine-gateway audit tail   --config gateway.yaml [--last 10] [--follow] [--json]
  vitrine-gateway audit export --config gateway.yaml
      [--denied] [--server NAME] [--user NAME] [--tool NAME]

health checks the running gateway: exit code 0 if it responds, 1 if it doesn't. With --ready, it must also accept requests.
--roles edge,runner,archiver sets the tasks of this process in a cluster.
keys create FOLDER creates the missing key files. Gateways that share NATS must share this folder.
policy explain prints what the policies decide about a call, and which of them. policy test runs the calls of a file.
--policies FOLDER uses another folder of policies.
backup copies the database of the engine sqlite, also while the gateway runs. restore checks a backup and puts it in
place of the database, which it keeps. Stop the gateway first. --force accepts findings in the audit log.
--folder DATA uses the audit log or the database in a folder, without a configuration.
--anchor FILE compares the audit log with heads that are stored elsewhere (audit.anchor).
--archive FOLDER reads an archive instead. To verify it, also pass --config or --folder for the key.
SIGHUP reloads the configuration, and so does a change of the file. SIGTERM waits for running calls, then stops.
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
  ready: { type: "boolean", default: false },
  denied: { type: "boolean", default: false },
  server: { type: "string" },
  user: { type: "string" },
  tool: { type: "string" },
  groups: { type: "string" },
  arguments: { type: "string" },
  caller: { type: "string" },
  hints: { type: "string" },
  policies: { type: "string" },
  force: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Given = ReturnType<typeof readArguments>["values"];

/** Runs a command. Resolves to its exit code, or to undefined if the gateway keeps running. */
export async function runCommand(
  argv: readonly string[],
  given: CommandContext,
): Promise<number | undefined> {
  // The last step before a terminal: names of servers, users and files may contain control characters.
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

/** `--roles` sets the environment variable of that setting. */
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
  if (command === "policy") return policy([`${what}`, ...rest], given, context);
  const isPair = command === "audit" || command === "keys";
  const name = [command, ...(isPair ? [what] : [])].join(" ");
  if (name === "keys create") return createKeys(rest, context);
  if (name === "backup" || name === "restore") {
    return copyDatabase(name, [what, ...rest], given, context);
  }
  const extra = isPair ? rest : [what, ...rest].filter((argument) => argument !== undefined);
  if (extra.length > 0)
    throw new OperatorError("usage", `Unexpected argument "${extra[0]}". See --help.`);
  switch (name) {
    case "start":
      return start(given, context);
    case "check":
      return check(given, context);
    case "health":
      return health(given, context);
    case "audit verify":
    case "audit tail":
    case "audit export":
      return audit(`${what}`, given, context);
    default:
      throw new OperatorError("usage", `Unknown command "${name.trim()}". See --help.`);
  }
}

async function policy(
  [what, ...files]: string[],
  given: Given,
  context: CommandContext,
): Promise<number> {
  const folder = given.policies ?? (await load(given, context)).config.policy?.folder;
  if (folder === undefined) {
    throw new OperatorError("usage", "The configuration has no policy.folder. Pass --policies.");
  }
  const [file, ...extra] = files;
  if (what === "test" && file !== undefined && extra.length === 0) {
    return policyTest(folder, file, context.out);
  }
  if (file === undefined && what === "check") return policyCheck(folder, context.out);
  if (file === undefined && what === "explain") return policyExplain(folder, given, context.out);
  const message = `Unknown command "policy ${[what, ...files].join(" ")}". See --help.`;
  throw new OperatorError("usage", message);
}

async function createKeys(folders: readonly string[], { out }: CommandContext): Promise<number> {
  const [folder, ...extra] = folders;
  if (folder === undefined || extra.length > 0) {
    throw new OperatorError("usage", "Pass one folder: keys create /etc/vitrine-gateway/keys");
  }
  const created = await createKeyFiles(folder);
  for (const name of created) out(`Created    ${join(folder, name)}.key\n`);
  if (created.length === 0) out(`${folder} already has every key.\n`);
  return 0;
}

async function copyDatabase(
  name: "backup" | "restore",
  files: readonly (string | undefined)[],
  given: Given,
  context: CommandContext,
): Promise<number> {
  const [file, ...extra] = files;
  if (file === undefined || extra.length > 0) {
    throw new OperatorError("usage", `Name one file: ${name} /backups/gateway.db`);
  }
  const config = given.folder === undefined ? (await load(given, context)).config : undefined;
  const folder = given.folder ?? config?.engine.folder;
  if (folder === undefined || (config && config.engine.driver !== "sqlite")) {
    const text = `The engine is ${config?.engine.driver}; ${name} is for the engine sqlite. Set engine.folder.`;
    throw new OperatorError("usage", text);
  }
  const keys = (config && keyFolder(config)) ?? ownKeyFolder(folder);
  const options = { folder, keys, file, print: context.out };
  if (name === "backup") return backupCommand(options);
  return restoreCommand({ ...options, force: given.force });
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
      "other processes of this user can read the gateway's memory. See docs/operate.md, Servers that are programs",
    );
  }
  const service = await startService(loaded, {
    log,
    environment: context.environment,
    onScrubber: (next) => {
      scrubber = next;
    },
  });
  for (const line of banner(service, loaded)) context.out(`${printable(line)}\n`);
  context.onStart(service);
  return undefined;
}

/** Checks everything that doesn't need an open port or folder. */
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
  if (config.policy) await policyCheck(config.policy.folder, context.out);
  if (config.sandbox) {
    const sandbox = prepareSandbox(config, config.sandbox, new Uint8Array(32));
    for (const { message } of sandbox.warnings) context.err(`${message}\n`);
    sandbox.close();
  }
  for (const line of summary(config)) context.out(`${printable(line)}\n`);
  context.out(`${file} is valid.\n`);
  return 0;
}

async function health(given: Given, context: CommandContext): Promise<number> {
  const { config } = await load(given, context);
  return (await healthCommand(config, { ...context, ready: given.ready })) ? 0 : 1;
}

async function load(given: Given, { environment }: CommandContext): Promise<LoadedConfig> {
  if (given.config === undefined) {
    throw new OperatorError("usage", "The configuration is missing. Pass --config gateway.yaml.");
  }
  return loadConfig(given.config, environment);
}

async function audit(what: string, given: Given, context: CommandContext): Promise<number> {
  const { last, follow, json, denied, server, user, tool } = given;
  if (!/^\d{1,6}$/.test(last)) {
    throw new OperatorError("usage", `--last "${last}" isn't a number of records.`);
  }
  if (given.anchor !== undefined && what !== "verify") {
    throw new OperatorError(
      "usage",
      `--anchor only works with audit verify, not with audit ${what}.`,
    );
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

/** The lines of the given anchor, or of the file that the gateway writes. */
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
    const text = `Verifying ${archive} needs the audit key, which isn't in the archive. Pass --config gateway.yaml.`;
    throw new OperatorError("usage", text);
  }
  const keys =
    folder === undefined ? keyFolder((await load(given, context)).config) : ownKeyFolder(folder);
  return openArchiveSource(archive, keys === undefined ? undefined : readAuditKey(keys));
}
