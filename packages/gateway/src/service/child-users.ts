import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { runnerOf } from "../config/isolation.ts";
import { type ChildUser, findObstacle, findUser } from "../upstreams/index.ts";
import { OperatorError } from "./operator-error.ts";

const REMEDY =
  "Start the gateway with the capabilities SETUID, SETGID and KILL (docs/operate.md, Servers that are programs), or run the server behind a url.";

/**
 * Finds the users of servers' processes. A gateway without the role runner starts no processes, so it needs
 * none.
 */
export function childUserFinder(config: GatewayConfig): UserFinder {
  if (!config.cluster.roles.includes("runner")) return () => undefined;
  // A container engine or a cluster changes the user itself.
  return (id, server) =>
    findChildUser(id, server, {
      isLocal: ["none", "bubblewrap"].includes(runnerOf(server, config)),
    });
}

type UserFinder = (id: string, server: ServerConfig) => ChildUser | undefined;

/** Throws if a process can't be started as that user. It is never started as another one. */
function findChildUser(
  id: string,
  { user: text }: ServerConfig,
  { isLocal }: { isLocal: boolean },
): ChildUser | undefined {
  if (text === undefined) return undefined;
  const fail = (message: string, cause?: unknown): never => {
    throw new OperatorError("server", `servers.${id}.user: ${message}`, { cause });
  };
  let user: ChildUser;
  try {
    user = findUser(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return fail(error.message, error);
  }
  const obstacle = isLocal ? findObstacle(user) : undefined;
  if (obstacle === undefined) return user;
  return fail(`Servers can't run as "${text}": ${obstacle}. ${REMEDY}`);
}
