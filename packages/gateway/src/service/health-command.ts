// `vitrine-gateway health`: asks the running gateway of a configuration, for container health checks.

import type { GatewayConfig } from "../config/config.ts";
import type { Print } from "./audit-command.ts";
import { OperatorError } from "./operator-error.ts";

// Less than the three seconds that orchestrators usually give a health check.
const TIMEOUT = 2_500;

/** Resolves to whether the gateway responds, or with `ready`, whether it also accepts work. */
export async function healthCommand(
  config: Pick<GatewayConfig, "listen" | "operator" | "cluster">,
  { ready, out, err }: { ready: boolean; out: Print; err: Print },
): Promise<boolean> {
  const url = `http://${addressOf(config)}/${ready ? "readyz" : "healthz"}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
    const text = await response.text();
    (response.ok ? out : err)(text);
    return response.ok;
  } catch (error) {
    const { message, cause } = error as Error;
    err(`No response from ${url}: ${cause instanceof Error ? cause.message : message}\n`);
    return false;
  }
}

/** The gateway's port, or the operator port if the process doesn't accept browsers. */
function addressOf({ listen, operator, cluster }: Parameters<typeof healthCommand>[0]): string {
  const address = cluster.roles.includes("edge") ? listen : operator;
  if (!address?.port) {
    throw new OperatorError(
      "usage",
      "This gateway has no fixed port to check. Set listen.port or operator.port.",
    );
  }
  const { host, port } = address;
  if (host === "0.0.0.0") return `127.0.0.1:${port}`;
  if (host === "::") return `[::1]:${port}`;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
