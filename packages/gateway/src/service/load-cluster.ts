import type { ClusterModule } from "./cluster-port.ts";
import { OperatorError } from "./operator-error.ts";

const PACKAGE = "@vitrine/cluster";

/** Loads `@vitrine/cluster`, which is installed only where several processes run as one. */
export async function loadCluster(): Promise<ClusterModule> {
  // A variable, because a literal would make the package a dependency of the types.
  const name: string = PACKAGE;
  try {
    return (await import(name)) as ClusterModule;
  } catch (error) {
    if (!isMissing(error)) throw error;
    const text = `The nats engine needs ${PACKAGE}. Run \`npm install ${PACKAGE}\`.`;
    throw new OperatorError("engine", text);
  }
}

function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${PACKAGE}'`);
}
