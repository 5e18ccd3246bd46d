// The app "trips": its tools, and a view that uses everything a view can ask of a chat.

import { setTimeout as wait } from "node:timers/promises";
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { appTool, defineApp, registerAppTool } from "@vitrine/server";
import { z } from "zod";

const STEP = 250;
const STEPS = 240;
const KEPT_EVENTS = 100;

/** What happened on this server, newest last; `last_events` returns it. */
export class TripEvents {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.slice(0, 200));
    if (this.#lines.length > KEPT_EVENTS) this.#lines.shift();
  }

  list(): string[] {
    return [...this.#lines];
  }
}

const Plan = z.object({
  destination: z.string().max(100).describe("City or country"),
  days: z.number().int().min(1).max(60).describe("Length in days"),
  notes: z.string().max(2_000).optional().describe("Wishes, as a text of one to three sentences"),
});
const Booking = Plan.pick({ destination: true, days: true });

/** Prices change with each refresh, so that a view can show that it called the server. */
const priceOf = (destination: string, days: number, refreshes: number): number =>
  days * (80 + ((destination.length * 7) % 40)) + refreshes * 5;

/** Defines the app. `html` is the document of `view.ts`. */
export function defineTrips(html: string, events: TripEvents) {
  let refreshes = 0;
  return defineApp({
    name: "trips",
    description: "Plans a trip and shows it in a form.",
    tool: {
      name: "plan_trip",
      title: "Plan a trip",
      inputSchema: Plan,
      outputSchema: Plan.extend({ price: z.number() }),
      annotations: { readOnlyHint: true },
      handler: ({ destination, days, notes }) => {
        events.add(`planned ${destination}`);
        const price = priceOf(destination, days, refreshes);
        return {
          text: `${days} days in ${destination} cost ${price} euros.`,
          data: { destination, days, price, ...(notes !== undefined && { notes }) },
        };
      },
    },
    tools: {
      book_trip: appTool({
        title: "Book a trip",
        description: "Books a trip. It costs money.",
        inputSchema: Booking,
        visibility: ["model", "app"],
        annotations: { readOnlyHint: false, destructiveHint: false },
        handler: ({ destination, days }) => {
          events.add(`booked ${destination}`);
          return { text: `Booked ${days} days in ${destination}.` };
        },
      }),
      refresh_prices: appTool({
        title: "Refresh prices",
        description: "Returns the current price of a trip.",
        inputSchema: Booking,
        outputSchema: z.object({ price: z.number() }),
        annotations: { readOnlyHint: true },
        handler: ({ destination, days }) => {
          refreshes++;
          events.add(`refreshed ${destination}`);
          return { data: { price: priceOf(destination, days, refreshes) } };
        },
      }),
      cancel_all_trips: appTool({
        title: "Cancel all trips",
        description: "Cancels every trip of the user.",
        visibility: ["model"],
        annotations: { destructiveHint: true },
        handler: () => {
          events.add("cancelled all trips");
          return { text: "All trips are cancelled." };
        },
      }),
      last_events: appTool({
        title: "Last events",
        description: "Lists what happened on this server, one event a line, newest last.",
        visibility: ["model", "app"],
        annotations: { readOnlyHint: true },
        handler: () => ({ text: events.list().join("\n") || "Nothing happened." }),
      }),
    },
    view: html,
    prefersBorder: true,
  });
}

/** Waits for an offer for up to a minute, and records it if the call is cancelled. */
async function waitForOffer(
  { destination }: { destination: string },
  { mcpReq }: ServerContext,
  events: TripEvents,
) {
  const { signal, _meta } = mcpReq;
  const progressToken = _meta?.progressToken;
  events.add(`waiting for ${destination}`);
  // Set before the first wait: a client may cancel while the progress is being sent.
  signal.addEventListener("abort", () => events.add(`cancelled waiting for ${destination}`));
  for (let step = 1; step <= STEPS && !signal.aborted; step++) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress: step, total: STEPS, message: "Asking hotels" };
      await mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    }
    await wait(STEP, undefined, { signal }).catch(() => undefined);
  }
  if (!signal.aborted) events.add(`offer for ${destination}`);
  const text = signal.aborted
    ? `The search in ${destination} was cancelled.`
    : `Two hotels in ${destination}.`;
  return { content: [{ type: "text" as const, text }], structuredContent: { destination } };
}

/** A server with the app; one is built for each request or session, so state lives in `events`. */
export function buildTrips(app: ReturnType<typeof defineTrips>, events: TripEvents): McpServer {
  const server = app.register(new McpServer({ name: "trips", version: "1.0.0" }));
  registerAppTool(
    server,
    "wait_for_offer",
    {
      title: "Wait for an offer",
      description: "Waits for a hotel's offer, up to a minute. Can be cancelled.",
      inputSchema: Plan.pick({ destination: true }),
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: app.uri } },
    },
    (args: { destination: string }, sdk: ServerContext) => waitForOffer(args, sdk, events),
  );
  return server;
}
