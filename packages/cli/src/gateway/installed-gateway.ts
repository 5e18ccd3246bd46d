import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../failure.ts";

/** The part of `@vitrine/gateway` that is used. */
export type GatewayProgram = typeof import("@vitrine/gateway/program");

const ENTRY = "@vitrine/gateway/program";

/** The gateway installed next to us, or else in the current folder. */
export async function loadGateway(folder: string = process.cwd()): Promise<GatewayProgram> {
  try {
    return await import("@vitrine/gateway/program");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    // `npx` runs us from its own folder; the user's packages are in theirs.
    const path = createRequire(join(folder, "package.json")).resolve(ENTRY);
    return (await import(pathToFileURL(path).href)) as GatewayProgram;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Failure(
      "no-package",
      "The gateway is a separate package and isn't installed here. Run `npm install @vitrine/gateway`, then try again.",
      { cause: error },
    );
  }
}

/** Whether the gateway itself is missing, rather than one of its dependencies. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  const isUnknown = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  return isUnknown && message.includes("@vitrine/gateway");
}
