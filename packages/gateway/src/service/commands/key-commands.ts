import { join } from "node:path";
import { publicKeysOf } from "../../audit/index.ts";
import { createKeyFiles } from "../key-files.ts";
import { keyFolder, readAuditKeys } from "../keyring.ts";
import { OperatorError } from "../operator-error.ts";
import { type Command, defineCommand, loadGiven } from "./command.ts";

/** `keys create`, `keys public` */
export const keyCommands: readonly Command[] = [
  defineCommand({
    name: "keys create",
    usage: ["keys create FOLDER"],
    notes: [
      "keys create FOLDER creates the missing key files. Gateways that share NATS must share this folder.",
    ],
    words: 1,
    run: async (_given, { out }, [folder]) => {
      if (folder === undefined) {
        throw new OperatorError("usage", "Pass one folder: keys create /etc/vitrine-gateway/keys");
      }
      const created = await createKeyFiles(folder);
      for (const name of created) out(`Created    ${join(folder, name)}.key\n`);
      if (created.length === 0) out(`${folder} already has every key.\n`);
      return 0;
    },
  }),
  defineCommand({
    name: "keys public",
    usage: ["keys public FOLDER"],
    notes: [
      "keys public FOLDER prints the public keys of audit checkpoints, the current one first. Without a folder it uses that of --config.",
    ],
    words: 1,
    run: async (given, context, [folderGiven]) => {
      const folder = folderGiven ?? keyFolder((await loadGiven(given, context)).config);
      if (folder === undefined) {
        throw new OperatorError("keys", "The engine memory has no key files. Pass a folder.");
      }
      const keys = readAuditKeys(folder);
      for (const [at, key] of publicKeysOf(keys).entries()) {
        context.out(`# ${keys[at]?.id}\n${key.export({ type: "spki", format: "pem" })}`);
      }
      return 0;
    },
  }),
];
