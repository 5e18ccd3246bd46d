import type { HostOptions, RegisteredViewLike, ViewToRegister } from "@vitrine/host";
import type { CreateMessageResult } from "@vitrine/protocol/apps";
import { type DevState, type LogEntry, profileOf } from "./dev-state.ts";
import { contextOf } from "./settings.ts";

// Milliseconds: who develops wants to know soon, and a View that comes later is shown all the same.
const TIMES = { resource: 10_000, sandbox: 8000, document: 5000, initialize: 5000 };

// The Host has no model, and says so instead of failing: what a View does with an answer can be seen.
const STAND_IN: CreateMessageResult = {
  role: "assistant",
  model: "vitrine-dev",
  stopReason: "endTurn",
  content: { type: "text", text: "There is no model here. This answer stands in for one." },
} as CreateMessageResult;

/** What the Host needs of the page. */
export interface HostSurroundings {
  /** Address of the Sandbox. */
  entrance: string;
  /** By the process, which has the Sandbox: one page less to load than by its entrance. */
  register(view: ViewToRegister): Promise<RegisteredViewLike>;
  /** Looks at each View before it is registered. */
  review: NonNullable<HostOptions["review"]>;
  onLog(entry: LogEntry): void;
}

/** A Host with production's own defaults, which asks by its own dialog and says sooner what is wrong. */
export function strictHostOptions(
  state: Pick<DevState, "settings" | "profiles">,
  { entrance, register, review, onLog }: HostSurroundings,
): HostOptions {
  const profile = profileOf(state);
  return {
    sandbox: { entrance, register },
    review,
    context: contextOf(state.settings, profile),
    ...(profile && { hostInfo: profile.hostInfo, displayModes: profile.displayModes }),
    times: TIMES,
    onmessage: async () => ({}),
    oncreatesamplingmessage: async () => STAND_IN,
    onloggingmessage: ({ level, data }) =>
      onLog({ level, text: typeof data === "string" ? data : JSON.stringify(data) }),
  };
}
