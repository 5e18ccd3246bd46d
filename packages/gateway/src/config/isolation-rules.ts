import { type GatewayConfig, isSharedGateway, type ServerConfig } from "./config.ts";
import { isolationOf, runnerOf } from "./isolation.ts";
import type { IsolationConfig } from "./isolation-config.ts";
import type { Path } from "./schema.ts";

type Report = (at: Path, message: string) => void;

// The settings that a runner can't apply, with the reason.
const WITHOUT_EFFECT: Record<string, Partial<Record<keyof IsolationConfig, string>>> = {
  bubblewrap: {
    image: "The runner bubblewrap uses the programs of this machine.",
    networkName: "The runner bubblewrap has no named networks. List hosts in network.",
  },
  container: {
    network: "The runner container can't limit hosts. Name a network of the engine in networkName.",
    privateNetwork: "The runner container can't limit hosts. Name a network in networkName.",
  },
  kubernetes: {
    network:
      "Pods are limited by the cluster's network policies. Set networkName, which they select.",
    privateNetwork: "Pods are limited by the cluster's network policies. Set networkName.",
    readOnly: "A pod can't see this machine's folders. Put the files into the image.",
    writable: "A pod can't see this machine's folders. Put the data behind a network service.",
  },
};

/** Checks the isolation of a server with a command. */
export function checkProgram(
  id: string,
  server: ServerConfig,
  config: GatewayConfig,
  report: Report,
): void {
  const at: Path = ["servers", id, "isolation"];
  const runner = runnerOf(server, config);
  const own = server.isolation ?? {};
  for (const name of ["engine", "namespace"] as const) {
    if (own[name] === undefined) continue;
    report([...at, name], `It's the same for all servers. Move it to isolation.${name}.`);
  }
  for (const [name, why] of Object.entries(WITHOUT_EFFECT[runner] ?? {})) {
    if (own[name as keyof IsolationConfig] !== undefined) report([...at, name], why);
  }
  const { image } = isolationOf(server, config).limits;
  if ((runner === "container" || runner === "kubernetes") && image === undefined) {
    report([...at, "image"], `It's missing. The runner ${runner} needs the image of the program.`);
  }
  // Servers don't run as the gateway's user if that would let them act as any of its users (S19).
  if (runner !== "none" || server.user !== undefined || !isSharedGateway(config)) return;
  const example = `mcp-${id.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.slice(0, 32);
  report(
    ["servers", id, "user"],
    `It's missing. Several users share this gateway (auth.mode ${config.auth.mode}), and a process that runs as the gateway's own user could read its keys. Set isolation.runner to auto, or create a user for this server (useradd --system ${example}) and write "user: ${example}".`,
  );
}
