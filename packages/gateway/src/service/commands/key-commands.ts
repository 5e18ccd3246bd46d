import { join } from "node:path";
import { createKeyFiles } from "../key-files.ts";
import { OperatorError } from "../operator-error.ts";
import { type Command, defineCommand } from "./command.ts";

/** `keys create` */
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
];
