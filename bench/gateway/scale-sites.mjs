// Clusters of some gateways on the same NATS, each the gateway's own program with its audit log
// at the level `full`. They know nothing of each other: each has names of its own.

import { join } from "node:path";
import { createKeyFiles } from "../../packages/gateway/src/service/key-files.ts";
import { makeFolder, startGateway } from "./bench-processes.mjs";
import { openViews } from "./view-load.mjs";

const ECHO = new URL("./echo-server.mjs", import.meta.url).pathname;
const VIEWS = 32;

/** Starts one cluster, with Views at each of its gateways for each of its servers. */
export async function openSite(nats, { name: site, size, modern }) {
  const folder = makeFolder();
  await createKeyFiles(join(folder, "keys"));
  const prefix = `scale-${site}`;
  const gateways = [];
  for (let place = 0; place < size; place++) {
    const name = `g${place + 1}`;
    const servers = [...nats.urls.slice(place), ...nats.urls.slice(0, place)];
    const config = {
      keys: { folder: "keys" },
      engine: { driver: "nats", servers, node: name, prefix, folder: name },
      audit: { level: "full", mode: "spool" },
      servers: {
        modern: { url: modern, private: true, consent: "host", era: "modern", atOnce: 1_000 },
        program: {
          command: [process.execPath, ECHO],
          sharing: "all",
          consent: "host",
          atOnce: 1_000,
        },
      },
    };
    gateways.push(await startGateway(config, { folder, name }));
  }
  const views = { modern: [], program: [] };
  // The first call makes the first gateway the owner of the program.
  for (const server of Object.keys(views)) {
    for (const gateway of gateways) {
      views[server].push(await openViews({ ...gateway, server }, VIEWS));
    }
  }
  return { size, prefix, gateways, views, pids: gateways.map(({ pid }) => pid) };
}
