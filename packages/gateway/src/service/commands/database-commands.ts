import { backupCommand, restoreCommand } from "../backup-command.ts";
import { keyFolder, ownKeyFolder } from "../keyring.ts";
import { OperatorError } from "../operator-error.ts";
import { type Command, type CommandContext, defineCommand, loadGiven } from "./command.ts";

const FOLDER = { folder: { type: "string" } } as const;

/** `backup`, `restore` */
export const databaseCommands: readonly Command[] = [
  defineCommand({
    name: "backup",
    usage: ["backup FILE --config gateway.yaml"],
    notes: ["backup copies the database of the engine sqlite, also while the gateway runs."],
    options: FOLDER,
    words: 1,
    run: async (given, context, words) =>
      backupCommand(await databaseOf("backup", words, given, context)),
  }),
  defineCommand({
    name: "restore",
    usage: ["restore FILE --config gateway.yaml [--force]"],
    notes: [
      "restore checks a backup and puts it in place of the database, which it keeps. Stop the gateway first. --force accepts findings in the audit log.",
    ],
    options: { ...FOLDER, force: { type: "boolean", default: false } },
    words: 1,
    run: async (given, context, words) => {
      const options = await databaseOf("restore", words, given, context);
      return restoreCommand({ ...options, force: given.force });
    },
  }),
];

async function databaseOf(
  name: "backup" | "restore",
  [file]: readonly string[],
  given: { config?: string | undefined; folder?: string | undefined },
  context: CommandContext,
): Promise<Parameters<typeof backupCommand>[0]> {
  if (file === undefined) {
    throw new OperatorError("usage", `Name one file: ${name} /backups/gateway.db`);
  }
  const config = given.folder === undefined ? (await loadGiven(given, context)).config : undefined;
  const folder = given.folder ?? config?.engine.folder;
  if (folder === undefined || (config && config.engine.driver !== "sqlite")) {
    const text = `The engine is ${config?.engine.driver}; ${name} is for the engine sqlite. Set engine.folder.`;
    throw new OperatorError("usage", text);
  }
  const keys = (config && keyFolder(config)) ?? ownKeyFolder(folder);
  return { folder, keys, file, print: context.out };
}
