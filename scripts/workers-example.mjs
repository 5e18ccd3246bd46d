// Runs the server half of a host in workerd, the runtime of Workers: a page opens a view there, calls a
// tool that needs consent, and gets progress.

import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ADDRESS, freePort, run, startServer } from "./server-process.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WORKERD = "1.20261110.1";

/** Checks it with the packed packages. Returns what it took. */
export async function checkWorkers(app, { temporary, registry }) {
  const cwd = join(temporary, app);
  await mkdir(cwd, { recursive: true });
  await cp(join(ROOT, "scripts/workers"), cwd, { recursive: true });
  const dependencies = { "@vitrine/host": "0.1.0", workerd: WORKERD };
  await writeFile(join(cwd, "package.json"), JSON.stringify({ type: "module", dependencies }));
  const env = {
    ...process.env,
    PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`,
    npm_config_registry: registry.address,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
  };
  const began = performance.now();
  await run(["npm", "install"], { cwd, env });
  await build({
    entryPoints: [join(cwd, "worker.js")],
    outfile: join(cwd, "bundle.js"),
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  const port = await freePort();
  const url = `http://${ADDRESS}:${port}/`;
  const command = ["workerd", "serve", "config.capnp", "-s", `http=${ADDRESS}:${port}`];
  // It answers a GET with 405, which shows that it is there.
  const server = await startServer(command, { cwd, env, url, accepts: (status) => status === 405 });
  try {
    await buy(url);
  } catch (error) {
    throw new Error(`${error.message}\nworkerd printed:\n${server.output()}`);
  } finally {
    await server.stop();
  }
  return `installed and used in ${((performance.now() - began) / 1000).toFixed(1)} s`;
}

async function buy(url) {
  // The packed one can't be imported here; it is the same code.
  const { createRemoteServers } = await import("@vitrine/host/remote");
  const servers = createRemoteServers({ url });
  const upstream = servers.upstream({ server: "shop", tool: "show_cart" });
  const { contents } = await upstream.request("resources/read", { uri: "ui://shop/cart" });
  if (contents[0].text !== "<p>Cart</p>") throw new Error("The Worker doesn't send the view.");
  const seen = [];
  const { content } = await upstream.request(
    "tools/call",
    { name: "buy", arguments: { item: "tea" } },
    { onprogress: (progress) => seen.push(progress) },
  );
  servers.close();
  if (content[0].text !== "Bought tea" || seen.length !== 1) {
    throw new Error(`The Worker answers ${JSON.stringify({ content, seen })}.`);
  }
}
