import { Failure } from "../../failure.ts";

/** A user of a gateway. */
export interface GatewayUser {
  tenant: string;
  user: string;
  /** The gateway's names of the servers. */
  servers: readonly string[];
}

/** A gateway and the token of one of its users. The token stays in this process. */
export interface GatewayLogin {
  gateway: URL;
  token: string;
}

const TIMEOUT = 10_000;
const MOST_SERVERS = 64;
const LONGEST_NAME = 64;

/** Reads `--gateway`. */
export function readGatewayAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Failure(
    "usage",
    `--gateway is "${text}". Use the address of a gateway, such as http://localhost:8090.`,
  );
}

/** The owner of a token; `undefined` if the gateway doesn't accept it. */
export async function readGatewayUser({
  gateway,
  token,
}: GatewayLogin): Promise<GatewayUser | undefined> {
  let response: Response;
  try {
    response = await fetch(new URL("servers", withSlash(gateway)), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT),
      redirect: "error",
    });
  } catch (error) {
    throw new Failure(
      "server-unreachable",
      `The gateway at ${gateway.origin} doesn't answer: ${(error as Error).message}. Check that it runs.`,
      { cause: error },
    );
  }
  if (response.status === 401) return undefined;
  const body = response.ok ? ((await response.json()) as Record<string, unknown>) : {};
  const { tenant, user, servers } = body;
  if (typeof tenant !== "string" || typeof user !== "string" || !Array.isArray(servers)) {
    throw new Failure(
      "server-unreachable",
      `${gateway.origin} didn't list its servers (status ${response.status}). Check that it is a Vitrine gateway, and its version.`,
    );
  }
  const names = servers.map((server) => `${Object(server).id}`);
  const fitting = names.filter((name) => name.length <= LONGEST_NAME).slice(0, MOST_SERVERS);
  return { tenant, user, servers: fitting };
}

/** An address below that of a gateway, which may have a path of its own. */
export function withSlash(gateway: URL): URL {
  return gateway.href.endsWith("/") ? gateway : new URL(`${gateway.href}/`);
}
