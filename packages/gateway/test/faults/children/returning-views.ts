// A program: many Views, each with a ticket and a WebSocket of its own, over the way that a Host's page has.
// `returning-views.ts <gateway> <token> <how many> <of them with a call under way>`; told "call" on its
// input, those make a slow call; told "ask", all ask for something, which waits until they are back.

import { createInterface } from "node:readline";
import { type GatewayUpstream, openGatewayUpstream } from "@vitrine/host/gateway";

const [gateway = "", token = "", count = "0", slow = "0"] = process.argv.slice(2);
const VIEWS = Number(count);
const AT_ONCE = 32;
const views: GatewayUpstream[] = [];

function say(what: string, facts: object): void {
  process.stdout.write(`${what} ${JSON.stringify(facts)}\n`);
}

async function open(): Promise<void> {
  while (views.length < VIEWS) {
    const options = { gateway, server: "counter", resource: "ui://counter/view.html" };
    const opening = openGatewayUpstream({ ...options, token: () => token });
    // Before it is there: the others count it already.
    const place = views.push(undefined as never) - 1;
    views[place] = await opening;
  }
}

/** What became of requests: how many were answered, why not, and when the last was. */
async function settle(requests: Promise<unknown>[], since: number): Promise<object> {
  const reasons: Record<string, number> = {};
  const times: number[] = [];
  await Promise.all(
    requests.map((request) =>
      request.then(
        () => times.push(performance.now() - since),
        ({ code, message }) => {
          const reason = `${code} ${message}`;
          reasons[reason] = (reasons[reason] ?? 0) + 1;
        },
      ),
    ),
  );
  times.sort((one, other) => one - other);
  const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? 0);
  return { answered: times.length, reasons, median: at(0.5), last: Math.round(times.at(-1) ?? 0) };
}

/** Asks until it is answered: what was sent in the moment of a break is of unknown outcome, and asked again. */
function ask(view: GatewayUpstream): Promise<unknown> {
  return view.request("ping" as never, {} as never).catch((error: { code?: unknown }) => {
    if (error.code !== "outcome-unknown") throw error;
    return ask(view);
  });
}

const commands: Record<string, () => Promise<void>> = {
  call: async () => {
    const called = views.slice(0, Number(slow)).map((view, n) => {
      const given = { call: `waiting-${n}`, wait: 4000 };
      return view.request("tools/call", { name: "look", arguments: given });
    });
    say("called", { count: called.length });
    say("waiting", await settle(called, performance.now()));
  },
  ask: async () => {
    const since = performance.now();
    say("back", await settle(views.map(ask), since));
  },
  exit: async () => {
    for (const view of views) view.close();
    process.exit();
  },
};
createInterface(process.stdin).on("line", (line) => void commands[line]?.());

await Promise.all(Array.from({ length: AT_ONCE }, open));
// A socket is open when it has answered.
say("open", await settle(views.map(ask), performance.now()));
