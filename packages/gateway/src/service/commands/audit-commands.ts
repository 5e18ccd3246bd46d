import { exportCommand, readFilter, tailCommand, verifyCommand } from "../audit-command.ts";
import {
  type AuditSource,
  openArchiveSource,
  openConfiguredSource,
  openFolderSource,
  readAnchor,
} from "../audit-source.ts";
import { checkpointCommand } from "../checkpoint-command.ts";
import { keyFolder, ownKeyFolder, readAuditKeys } from "../keyring.ts";
import { OperatorError } from "../operator-error.ts";
import {
  type Command,
  type CommandContext,
  defineCommand,
  type Given,
  loadGiven,
} from "./command.ts";

const SOURCE = { folder: { type: "string" }, archive: { type: "string" } } as const;

const QUERY = {
  ...SOURCE,
  last: { type: "string", default: "10" },
  follow: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  denied: { type: "boolean", default: false },
  server: { type: "string" },
  user: { type: "string" },
  tool: { type: "string" },
  tenant: { type: "string" },
  view: { type: "string" },
  since: { type: "string" },
  until: { type: "string" },
} as const;

/** `audit verify`, `audit tail`, `audit export` */
export const auditCommands: readonly Command[] = [
  defineCommand({
    name: "audit verify",
    usage: [
      "audit verify --config gateway.yaml [--anchor FILE]",
      "audit verify --archive FOLDER --checkpoints FILE --public-key FILE",
    ],
    notes: [
      "--folder DATA uses the audit log or the database in a folder, without a configuration.",
      "--anchor FILE compares the audit log with heads that are stored elsewhere (audit.anchor).",
      "--archive FOLDER reads an archive instead. To verify it, also pass --config or --folder for the key.",
      "--checkpoints FILE --public-key FILE compares the log with signed checkpoints (audit.anchor), without the audit key. keys public prints the public key.",
    ],
    options: {
      ...SOURCE,
      anchor: { type: "string" },
      checkpoints: { type: "string" },
      "public-key": { type: "string" },
    },
    run: async (given, context) => {
      const { checkpoints, "public-key": publicKey } = given;
      if (checkpoints !== undefined || publicKey !== undefined) {
        const source = await openRead(given, context);
        const files = { checkpoints, publicKey };
        return checkpointCommand(source, files, context.out).finally(() => source.close());
      }
      const source = await openVerified(given, context);
      try {
        const anchor = await anchorOf(given, context);
        const isWhole = await verifyCommand({ ...source, ...(anchor && { anchor }) }, context.out);
        return isWhole ? 0 : 1;
      } finally {
        await source.close();
      }
    },
  }),
  defineCommand({
    name: "audit tail",
    usage: ["audit tail --config gateway.yaml [--last 10] [--follow] [--json]"],
    options: QUERY,
    run: (given, context) => query(tailCommand, given, context),
  }),
  defineCommand({
    name: "audit export",
    usage: [
      "audit export --config gateway.yaml",
      "    [--since 2h] [--until TIME] [--tenant NAME] [--user NAME] [--server NAME] [--tool NAME]",
      "    [--view ID] [--denied]",
    ],
    notes: [
      "--since and --until take 2026-03-01T12:00:00Z, or how long ago: 90s, 30m, 2h, 7d. --user also takes TENANT/NAME.",
    ],
    options: QUERY,
    run: (given, context) => query(exportCommand, given, context),
  }),
];

async function query(
  print: typeof tailCommand,
  given: Given<typeof QUERY>,
  context: CommandContext,
): Promise<number> {
  const { last, follow, json } = given;
  if (!/^\d{1,6}$/.test(last)) {
    throw new OperatorError("usage", `--last "${last}" isn't a number of records.`);
  }
  const filter = readFilter(given);
  const source = await openRead(given, context);
  try {
    const following = follow ? { follow: context.signal } : {};
    await print({ ...filter, ...following, source, json, last: Number(last) }, context.out);
    return 0;
  } finally {
    await source.close();
  }
}

/** The lines of the given anchor, or of the file that the gateway writes. */
async function anchorOf(
  given: { config?: string | undefined; anchor?: string | undefined },
  context: CommandContext,
): Promise<string[] | undefined> {
  if (given.anchor !== undefined) return readAnchor(given.anchor);
  if (given.config === undefined) return undefined;
  const { audit } = (await loadGiven(given, context)).config;
  return audit.anchor?.file === undefined ? undefined : readAnchor(audit.anchor.file);
}

async function openRead(
  given: Given<typeof SOURCE>,
  context: CommandContext,
): Promise<AuditSource> {
  if (given.archive !== undefined) return openArchiveSource(given.archive, undefined);
  if (given.folder !== undefined) return openFolderSource(given.folder);
  return openConfiguredSource(await loadGiven(given, context));
}

async function openVerified(
  given: Given<typeof SOURCE>,
  context: CommandContext,
): Promise<AuditSource> {
  const { archive, folder, config } = given;
  if (archive === undefined) return openRead(given, context);
  if (folder === undefined && config === undefined) {
    const text = `Verifying ${archive} needs the audit key, which isn't in the archive. Pass --config gateway.yaml.`;
    throw new OperatorError("usage", text);
  }
  const keys =
    folder === undefined
      ? keyFolder((await loadGiven(given, context)).config)
      : ownKeyFolder(folder);
  return openArchiveSource(archive, keys === undefined ? undefined : readAuditKeys(keys));
}
