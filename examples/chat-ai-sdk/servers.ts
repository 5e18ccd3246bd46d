// What the chat needs besides itself: an MCP server with an app, a model that answers from a script, and
// a sandbox. Prints the environment of the chat as one line of JSON, and runs until it is ended.
//
//   node --experimental-strip-types --conditions=@vitrine/source examples/chat-ai-sdk/servers.ts <origin>

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { startScriptedModel } from "../../packages/cli/src/chat/scripted-model/scripted-model.ts";
import { buildTrips, defineTrips, TripEvents } from "../chat-servers/src/trips.ts";
import { serveTrips } from "../chat-servers/src/trips-site.ts";
import { buildViewPage } from "../chat-servers/src/view-page.ts";

const hosts = process.argv.slice(2);
const events = new TripEvents();
const app = defineTrips(await buildViewPage(), events);
const trips = await serveTrips(() => buildTrips(app, events), { port: 0 });
const model = await startScriptedModel({
  script: {
    turns: [
      {
        when: { user: "trip" },
        reply: [
          {
            call: "trips__plan_trip",
            arguments: { destination: "Oslo", days: 3, notes: "A quiet hotel near the water." },
            pace: 30,
            chunk: 4,
          },
        ],
      },
      { when: { after: "trips__plan_trip" }, reply: [{ text: "Here is your plan." }] },
    ],
  },
});
const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const key = "a key for development, of at least 32 bytes";
const sandbox = createSandbox({
  origins: {
    tier: "localhost",
    port,
    hosts: hosts.length > 0 ? hosts : ["http://localhost:3000"],
    key,
  },
});
server.on("request", createNodeListener(sandbox));
console.log(
  JSON.stringify({
    TRIPS_URL: trips.url,
    MODEL_URL: model.url,
    NEXT_PUBLIC_SANDBOX: `${sandbox.origins.proxy}/`,
  }),
);
