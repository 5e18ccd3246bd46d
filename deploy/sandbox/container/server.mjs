// A sandbox in a container. With REDIS_URL several containers are one sandbox.

import { createServer } from "node:http";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { redisStore } from "@vitrine/sandbox/stores";

const {
  PORT = "8081",
  REDIS_URL,
  SANDBOX_DOMAIN,
  SANDBOX_HOSTS = "",
  SANDBOX_KEY = "",
  TRUSTED_ADDRESS_HEADER,
} = process.env;

async function openStore() {
  if (!REDIS_URL) return undefined;
  const { createClient } = await import("redis");
  const client = createClient({ url: REDIS_URL });
  client.on("error", (error) => console.error(error));
  await client.connect();
  return redisStore((command) => client.sendCommand(command));
}

const shared = { hosts: SANDBOX_HOSTS.split(" "), key: SANDBOX_KEY };
const store = await openStore();
const sandbox = createSandbox({
  // Without a domain it is a sandbox for development, on this machine.
  origins: SANDBOX_DOMAIN
    ? { tier: "domain", domain: SANDBOX_DOMAIN, ...shared }
    : { tier: "localhost", port: Number(PORT), ...shared },
  ...(store && { store }),
});
for (const { message } of sandbox.warnings) console.warn(message);
sandbox.onError((error) => console.error(error));
sandbox.onDiagnostic(({ server, message }) => console.info(server, message));

const listener = createNodeListener(sandbox, {
  // Only if your proxy replaces what a client sends in this header.
  ...(TRUSTED_ADDRESS_HEADER && {
    addressOf: ({ headers }) => String(headers[TRUSTED_ADDRESS_HEADER.toLowerCase()] ?? ""),
  }),
});
const server = createServer(SANDBOX_SERVER_OPTIONS, listener);
server.listen(Number(PORT), () => console.info(`Sandbox  ${sandbox.origins.proxy}/`));
process.once("SIGTERM", () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
