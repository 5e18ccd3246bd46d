import { printable } from "@vitrine/protocol/printable";
import { checkCheckpoints, readPublicKeys } from "../audit/index.ts";
import type { Print } from "./audit-command.ts";
import { type AuditSource, readAnchor } from "./audit-source.ts";
import { OperatorError } from "./operator-error.ts";

/** Compares a log with checkpoints that were stored elsewhere. Returns the exit code. */
export async function checkpointCommand(
  { log }: Pick<AuditSource, "log">,
  files: { checkpoints?: string | undefined; publicKey?: string | undefined },
  print: Print,
): Promise<number> {
  const { checkpoints, publicKey } = files;
  if (checkpoints === undefined || publicKey === undefined) {
    throw new OperatorError("usage", "Pass both --checkpoints FILE and --public-key FILE.");
  }
  const publicKeys = readPublicKeys((await readAnchor(publicKey)).join("\n"));
  if (publicKeys.length === 0) {
    const text = `${publicKey} has no Ed25519 public key in PEM. Print it with: keys public FOLDER`;
    throw new OperatorError("keys", text);
  }
  const lines = await readAnchor(checkpoints);
  const { ok, matches, records, covered, problems } = await checkCheckpoints({
    ...{ log, lines, publicKeys },
  });
  print(`${matches} checkpoints match. They cover ${covered} of ${records} records.\n`);
  for (const problem of problems) print(`WRONG   ${printable(problem)}\n`);
  print(ok ? "The log agrees with the checkpoints.\n" : "The log was MODIFIED or damaged.\n");
  return ok ? 0 : 1;
}
