// The view of "trips": a form that fills while the model writes, and a button for each request that a
// view can make. Tests find its parts by their ids.

import type { AppOf } from "@vitrine/server";
import {
  App,
  applyDocumentTheme,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "@vitrine/view";
import type { defineTrips } from "./trips.ts";

type Trips = AppOf<ReturnType<typeof defineTrips>>;

interface Trip {
  destination: string;
  days: number;
  notes: string;
  result: string;
  /** The day that the model chose with `select_day`. */
  day: number;
}

const empty: Trip = { destination: "", days: 1, notes: "", result: "", day: 0 };
let trip = empty;

const part = <E extends HTMLElement>(id: string): E =>
  document.querySelector<E>(`#${id}`) ?? fail(id);
const fail = (id: string): never => {
  throw new Error(`The page has no #${id}.`);
};
const destination = part<HTMLInputElement>("destination");
const days = part<HTMLInputElement>("days");
const notes = part<HTMLTextAreaElement>("notes");
const status = (text: string): void => {
  part("status").textContent = text;
};

const app = new App<Trips>(
  { name: "trips", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);

/** Shows a change. It is also kept, unless it came from the model or from a reload. */
function show(change: Partial<Trip>, { isKept = false } = {}): void {
  trip = { ...trip, ...change };
  destination.value = trip.destination;
  days.value = `${trip.days}`;
  notes.value = trip.notes;
  part("result").textContent = trip.result;
  part("day").textContent = trip.day ? `Day ${trip.day}` : "";
  if (isKept) app.state.set(trip);
}

const textOf = ({ content = [] }: { content?: readonly object[] }): string =>
  content.map((block) => ("text" in block ? `${block.text}` : "")).join("");
const booking = () => ({ destination: destination.value, days: Number(days.value) || 1 });

/** Runs a request when a button is clicked, and shows its outcome. */
function onClick(id: string, request: () => Promise<string>): void {
  part(id).onclick = async () => {
    status("Working…");
    try {
      status(await request());
    } catch (error) {
      status(`Failed: ${(error as Error).message}`);
    }
  };
}

app.ontoolinputpartial = ({ arguments: given = {} }) => {
  status("The model is writing…");
  show(given as Partial<Trip>);
};
app.ontoolinput = ({ arguments: given = {} }) => {
  if (app.state.get()) return;
  status("Waiting for the server…");
  show(given as Partial<Trip>);
};
app.ontoolresult = (result) => {
  // After a reload the host sends the first result again; what the user did since then comes first.
  const kept = app.state.get<Trip>();
  if (kept) {
    show(kept);
    status("Restored");
    return;
  }
  show({ ...(result.structuredContent as Partial<Trip>), result: textOf(result) });
  status(result.isError ? "Failed" : "Ready");
};
app.ontoolcancelled = () => status("Cancelled");

onClick("book", async () => {
  const result = await app.callServerTool({ name: "book_trip", arguments: booking() });
  if (result.isError) return `Failed: ${textOf(result)}`;
  show({ result: textOf(result) }, { isKept: true });
  return "Booked";
});
onClick("refresh", async () => {
  const { structuredContent } = await app.callServerTool({
    name: "refresh_prices",
    arguments: booking(),
  });
  show({ result: `Now ${structuredContent?.price} euros` }, { isKept: true });
  return "Refreshed";
});
onClick("forbidden", async () => {
  const result = await app.callServerTool({ name: "cancel_all_trips", arguments: {} });
  return result.isError ? `Failed: ${textOf(result)}` : "Cancelled all trips";
});
onClick("message", async () => {
  const text = "Show me the weather there";
  const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
  return isError ? "Declined" : "Sent";
});
onClick("context", async () => {
  const text = `The user is looking at ${destination.value} for ${days.value} days.`;
  await app.updateModelContext({ content: [{ type: "text", text }] });
  return "The model knows";
});
onClick("sample", async () => {
  const question = `Write one sentence about ${destination.value}.`;
  const { content } = await app.createSamplingMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 200,
  });
  part("sampled").textContent = textOf({ content: [content].flat() });
  return "Sampled";
});
onClick("fullscreen", async () => {
  const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
  return `Shown as ${mode}`;
});
onClick("link", async () => {
  const { isError } = await app.openLink({ url: "https://example.com/trips" });
  return isError ? "Declined" : "Opened";
});
for (const field of [destination, days, notes]) {
  field.oninput = () => show({ ...booking(), notes: notes.value }, { isKept: true });
}

const daySchema = {
  "~standard": {
    version: 1 as const,
    vendor: "trips",
    types: undefined as { input: { day: number }; output: { day: number } } | undefined,
    validate: (value: unknown) => {
      const day = (value as { day?: unknown })?.day;
      return typeof day === "number" && day >= 1 && day <= 60
        ? { value: { day } }
        : { issues: [{ message: "day must be a number from 1 to 60", path: ["day"] }] };
    },
    jsonSchema: {
      input: () => ({
        type: "object",
        properties: { day: { type: "integer", minimum: 1, maximum: 60 } },
        required: ["day"],
      }),
      output: () => ({ type: "object" }),
    },
  },
};
app.registerTool(
  "select_day",
  { description: "Selects a day of the trip that the user sees.", inputSchema: daySchema },
  ({ day }) => {
    show({ day }, { isKept: true });
    status(`Selected day ${day}`);
    return { content: [{ type: "text", text: `Day ${day} is selected.` }] };
  },
);

function applyLook({ theme, styles, displayMode }: McpUiHostContext): void {
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (displayMode) document.body.dataset.mode = displayMode;
}
app.onhostcontextchanged = applyLook;
await app.connect();
applyLook(app.getHostContext() ?? {});
const kept = app.state.get<Trip>();
if (kept) {
  show(kept);
  status("Restored");
}
