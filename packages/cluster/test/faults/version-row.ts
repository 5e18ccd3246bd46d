// A NATS server that is too old: it ignores the TTL of a key, so a lease would never end.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { freePort } from "../../../gateway/test/service/stage.ts";
import { greetAs, type OldServer, startDebianServer } from "../nats/old-server.ts";
import { GatewayChild } from "./gateway-child.ts";
import { Load } from "./load.ts";
import { type Row, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";

/** Starts another gateway on that server. Returns the milliseconds until it exited with an error. */
async function refusal(site: Site, { url, version, stop }: OldServer): Promise<number> {
  const config = parse(readFileSync(site.gateways[0]?.file as string, "utf8"));
  const [port, operatorPort] = [await freePort(), await freePort()];
  const file = join(site.folder, `on-${version}.yaml`);
  const engine = { ...config.engine, servers: [url], node: "old", folder: `on-${version}` };
  const own = { listen: { port }, operator: { port: operatorPort }, engine };
  await writeFile(file, stringify({ ...config, ...own }));
  const gateway = new GatewayChild(`a gateway on ${version}`, { port, operatorPort, file });
  const before = performance.now();
  try {
    await assert.rejects(gateway.start(), ({ message }: Error) => {
      assert.match(message, /ended with 2: /);
      assert.ok(message.includes(`nats-server ${version}`), message);
      assert.match(
        message,
        /is too old: older versions ignore the TTL of a key\. Upgrade to 2\.11\.0 or newer/,
      );
      return true;
    });
    return performance.now() - before;
  } finally {
    await gateway.end("SIGKILL");
    await stop();
  }
}

export const VERSION_ROW: Row = {
  number: 6,
  title: "NATS is too old: a gateway doesn't start, and reports why",
  run: (nats) =>
    withSite(nats, async (site) => {
      const load = new Load(site, { callers: 1 });
      const times: Record<string, number> = {};
      for (const version of ["2.9.10", "2.10.27"]) {
        const took = await refusal(site, await greetAs(version));
        times[`refuses what greets as ${version} after its start`] = took;
      }
      const notRun = [
        "whether NATS syncs its disks before it acknowledges: it does not tell its clients, so no gateway can refuse it; docs/cluster.md says what to set",
      ];
      const debian = await startDebianServer();
      if (debian) times[`refuses Debian's ${debian.version}`] = await refusal(site, debian);
      else notRun.unshift("Debian's nats-server 2.9: `apt-get download nats-server` gave none");
      await load.end();
      const notes = unaffected(site, load);
      return { ...(await judge(site, [load])), times, notes, notRun };
    }),
};
