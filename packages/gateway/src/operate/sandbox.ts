import { createServer } from "node:http";
import { createSandbox, type OriginsConfig, type Sandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { timeouts } from "../carriers/connection-guard.ts";
import type { GatewayConfig, SandboxSettings } from "../config/config.ts";
import type { Log } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { listen } from "./operator-server.ts";

/** The Sandbox in the same process. */
export interface OpenedSandbox {
  /** Where Hosts point their frames. */
  url: string;
  close(): Promise<void>;
}

/** Makes a Sandbox; throws where it would not be safe. */
export function prepareSandbox(
  config: Pick<GatewayConfig, "origins">,
  settings: SandboxSettings,
  key: Uint8Array,
): Sandbox {
  const { tier, port, domain = "" } = settings;
  const shared = { hosts: config.origins, key };
  const origins: OriginsConfig =
    tier === "localhost" ? { tier, port, ...shared } : { tier, domain, ...shared };
  try {
    return createSandbox({ origins });
  } catch (error) {
    throw new OperatorError("sandbox", `sandbox: ${(error as Error).message}`);
  }
}

/** Serves it on a port of its own: another origin is what it is for. */
export async function openSandbox(
  sandbox: Sandbox,
  { host, port }: SandboxSettings,
  log: Log,
): Promise<OpenedSandbox> {
  sandbox.onDiagnostic(({ server, resource, code, message, fix }) =>
    log.info({ server, resource, code, fix }, message),
  );
  sandbox.onError((error) => log.error({ cause: `${error}` }, "sandbox failed"));
  const server = createServer(timeouts(), createNodeListener(sandbox));
  const { close } = await listen(server, { host, port, what: "sandbox.port" });
  return {
    url: `${sandbox.origins.proxy}/`,
    close: async () => {
      sandbox.close();
      await close();
    },
  };
}
