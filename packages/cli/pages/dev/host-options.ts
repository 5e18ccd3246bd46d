import type { Consent, HostOptions, RegisteredViewLike, ViewToRegister } from "@vitrine/host";
import type { CreateMessageResult } from "@vitrine/protocol/apps";
import { type DevState, type LogEntry, profileOf } from "./dev-state.ts";
import { contextOf } from "./settings.ts";

// Milliseconds: a developer wants to know soon, and a late view is still shown.
const TIMES = { resource: 10_000, sandbox: 8000, document: 5000, initialize: 5000 };

// A replay has nobody who could answer. It returns a placeholder instead of an error, so that the
// view's reaction can be seen.
const STAND_IN: CreateMessageResult = {
  role: "assistant",
  model: "vitrine-dev",
  stopReason: "endTurn",
  content: { type: "text", text: "This is a placeholder. A replay doesn't run a model." },
} as CreateMessageResult;

/** The parts of the dev page that the host uses. */
export interface PageBindings {
  /** Address of the sandbox. */
  entrance: string;
  /** Through the process, which runs the sandbox: one page less to load than through its entrance. */
  register(view: ViewToRegister): Promise<RegisteredViewLike>;
  /** Reviews each view before it is registered. */
  review: NonNullable<HostOptions["review"]>;
  /** Answers a view's request to a model; without it, views get a placeholder. */
  sample: HostOptions["oncreatesamplingmessage"];
  /** Answers the host's questions in place of the author. */
  consent: Consent | undefined;
  onLog(entry: LogEntry): void;
}

/** A host with production's defaults, which asks with its own dialog and reports problems sooner. */
export function strictHostOptions(
  state: Pick<DevState, "settings" | "profiles">,
  { entrance, register, review, sample, consent, onLog }: PageBindings,
): HostOptions {
  const profile = profileOf(state);
  return {
    sandbox: { entrance, register },
    // Full screen is the view's part of the page, so that the tools around it stay usable.
    regions: { area: () => document.querySelector(".floor") },
    review,
    context: contextOf(state.settings, profile),
    ...(profile && { hostInfo: profile.hostInfo, displayModes: profile.displayModes }),
    times: TIMES,
    onmessage: async () => ({}),
    // The author agrees by answering, or declines there.
    ...(sample && { consent: { rule: ({ kind }) => (kind === "sampling" ? "allow" : undefined) } }),
    ...(consent && { consent }),
    oncreatesamplingmessage: sample ?? (async () => STAND_IN),
    onloggingmessage: ({ level, data }) =>
      onLog({ level, text: typeof data === "string" ? data : JSON.stringify(data) }),
  };
}
