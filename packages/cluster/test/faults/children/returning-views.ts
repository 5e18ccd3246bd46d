// A program: many views, each with its own ticket and WebSocket, connected as a host's page connects them.
// `returning-views.ts <gateway> <token> <how many>`; on the input "ask" all views send a request, which
// waits until they are connected again.

import { createInterface } from "node:readline";
import { type GatewayUpstream, openGatewayUpstream } from "@vitrine/host/gateway";

const [gateway = "", token = "", count = "0"] = process.argv.slice(2);
const AT_ONCE = 16;
const views: GatewayUpstream[] = [];
let begun = 0;

/** Sends a request until it is answered: a request that was sent during a disconnect has an unknown outcome. */
function ask(view: GatewayUpstream): Promise<unknown> {
  return view.request("ping" as never, {} as never).catch((error: { code?: unknown }) => {
    if (error.code !== "outcome-unknown") throw error;
    return ask(view);
  });
}

/** Reconnects if a gateway is too busy to admit it. */
async function comeIn(
  options: Parameters<typeof openGatewayUpstream>[0],
): Promise<GatewayUpstream> {
  for (let left = 20; ; left--) {
    try {
      return await openGatewayUpstream(options);
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function open(): Promise<void> {
  while (begun < Number(count)) {
    begun += 1;
    const resource = "ui://recorder/view.html";
    const options = { gateway, server: "recorder", resource, token: () => token };
    const view = await comeIn(options);
    await ask(view);
    views.push(view);
  }
}

createInterface(process.stdin).on("line", async () => {
  const before = performance.now();
  const times = await Promise.all(
    views.map((view) => ask(view).then(() => performance.now() - before)),
  );
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(`${JSON.stringify({ median, last: times.at(-1) ?? 0 })}\n`);
});
await Promise.all(Array.from({ length: AT_ONCE }, open));
process.stdout.write(`${JSON.stringify({ open: views.length })}\n`);
