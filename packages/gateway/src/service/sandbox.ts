import { createServer } from "node:http";
import { createSandbox, type OriginsConfig, type Sandbox } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import type { GatewayConfig, SandboxSettings } from "../config/config.ts";
import { timeouts } from "../edge/connection-guard.ts";
import type { SandboxCredentials } from "../edge/http-endpoint.ts";
import type { Log } from "../observability/log.ts";
import { OperatorError } from "./operator-error.ts";
import { listen } from "./operator-server.ts";

/** The Sandbox in the same process. */
export interface OpenedSandbox {
  /** The address for the Hosts' iframes. */
  url: string;
  close(): Promise<void>;
}

/** Creates a Sandbox. Throws if it wouldn't be safe. */
export function prepareSandbox(
  config: Pick<GatewayConfig, "origins">,
  settings: SandboxSettings,
  key: Uint8Array,
): Sandbox {
  const { tier, port, domain = "", registration } = settings;
  const shared = { hosts: config.origins, key };
  const origins: OriginsConfig =
    tier === "localhost" ? { tier, port, ...shared } : { tier, domain, ...shared };
  try {
    return createSandbox({ origins, ...(registration && { registration }) });
  } catch (error) {
    throw new OperatorError("sandbox", `sandbox: ${(error as Error).message}`);
  }
}

/** A Sandbox that isn't served yet, though pages can already get credentials for it. */
export interface PreparedSandbox {
  credentials: SandboxCredentials;
  open(log: Log): Promise<OpenedSandbox>;
}

/** The Sandbox of a process that serves pages, if one is configured. */
export function sandboxOf(config: GatewayConfig, key: Uint8Array): PreparedSandbox | undefined {
  const { sandbox: settings, cluster } = config;
  if (!settings || !cluster.roles.includes("edge")) return undefined;
  const sandbox = prepareSandbox(config, settings, key);
  return {
    credentials: { entrance: `${sandbox.origins.proxy}/`, issue: sandbox.issueCredential },
    open: (log) => openSandbox(sandbox, settings, log),
  };
}

/** Serves the Sandbox on a separate port, because it needs a separate origin. */
async function openSandbox(
  sandbox: Sandbox,
  { host, port }: SandboxSettings,
  log: Log,
): Promise<OpenedSandbox> {
  for (const { code, message } of sandbox.warnings) log.warn({ code }, message);
  sandbox.onDiagnostic(({ server, resource, code, message, fix }) =>
    log.info({ server, resource, code, fix }, message),
  );
  sandbox.onError((error) => log.error({ cause: `${error}` }, "sandbox failed"));
  const server = createServer(
    { ...timeouts(), ...SANDBOX_SERVER_OPTIONS },
    createNodeListener(sandbox),
  );
  const { close } = await listen(server, { host, port, what: "sandbox.port" });
  return {
    url: `${sandbox.origins.proxy}/`,
    close: async () => {
      sandbox.close();
      await close();
    },
  };
}
