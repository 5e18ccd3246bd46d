import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../failure.ts";

/** What is used of `@vitrine/gateway`. */
export type GatewayProgram = typeof import("@vitrine/gateway/program");

const ENTRY = "@vitrine/gateway/program";

/** The gateway that is installed beside us, or else in the folder where the command was typed. */
export async function loadGateway(folder: string = process.cwd()): Promise<GatewayProgram> {
  try {
    return await import("@vitrine/gateway/program");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    // `npx` runs us from a folder of its own; the person's packages are in theirs.
    const path = createRequire(join(folder, "package.json")).resolve(ENTRY);
    return (await import(pathToFileURL(path).href)) as GatewayProgram;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Failure(
      "no-package",
      "The gateway is a package of its own, and it is not installed here. Run `npm install @vitrine/gateway`, then this again.",
      { cause: error },
    );
  }
}

/** Whether it is the gateway that is not there, and not something that it needs. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  const isUnknown = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  return isUnknown && message.includes("@vitrine/gateway");
}
