import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GatewayDefence } from "../defence.ts";
import { GATEWAY_DEFENCES } from "../defences/index.ts";

const PACKAGES = fileURLToPath(new URL("../../../packages/", import.meta.url));

/** The defence of that name; throws where there is none, or a typing error would look like a pass. */
export function findGatewayDefence(name: string): GatewayDefence {
  const found = GATEWAY_DEFENCES.find((defence) => defence.name === name);
  if (found) return found;
  const known = GATEWAY_DEFENCES.map((defence) => defence.name).join(", ");
  throw new Error(`There is no gateway defence "${name}". Known: ${known || "none yet"}.`);
}

/** A file's source without the defence, or nothing if the defence isn't in that file. */
export function editedSource(defence: GatewayDefence, path: string): string | undefined {
  if (!path.startsWith(PACKAGES)) return undefined;
  const edits = defence.edits.filter(({ file }) => path === PACKAGES + file);
  if (edits.length === 0) return undefined;
  return edits.reduce(
    (source, { file, from, to }) => {
      const parts = source.split(from);
      if (parts.length !== 2) {
        throw new Error(
          `The edit of ${defence.name} fits ${parts.length - 1} places of packages/${file}, not one.`,
        );
      }
      return parts.join(to);
    },
    readFileSync(path, "utf8"),
  );
}
