// A Sandbox behind something that alters its responses, as a proxy in a deployment does.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox, type Sandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";

/** A running Sandbox. */
export interface AlteredSandbox {
  sandbox: Sandbox;
  entrance: string;
  close(): void;
}

const KEY = "another key of this stage, of at least 32 bytes";

/** Starts a Sandbox for these hosts; `alter` changes each response. */
export async function openAlteredSandbox(
  hosts: string[],
  alter: (response: Response) => void = () => {},
): Promise<AlteredSandbox> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sandbox = createSandbox({ origins: { tier: "localhost", port, hosts, key: KEY } });
  const fetch: Sandbox["fetch"] = async (...request) => {
    const response = await sandbox.fetch(...request);
    alter(response);
    return response;
  };
  server.on("request", createNodeListener({ ...sandbox, fetch }));
  return {
    sandbox,
    entrance: `${sandbox.origins.proxy}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
      sandbox.close();
    },
  };
}
