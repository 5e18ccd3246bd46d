// What the process behind the page tells it: the server's messages, its status, what it asks.

import type { Peer } from "@vitrine/protocol";
import type {
  BlockedReport,
  ServerChoice,
  ServerLoginState,
  ServerStatus,
} from "../../src/dev/page-protocol.ts";
import type { RecordedFrame } from "../../src/dev/recording.ts";
import type { Question } from "../../src/questions/question.ts";
import type { Store } from "../store.ts";
import type { DevState } from "./dev-state.ts";
import { serverLogOf } from "./server-log.ts";
import type { TimelineStore } from "./timeline-store.ts";

/** The parts of the page that change. */
export interface ProcessEventsOptions {
  state: Store<DevState>;
  timeline: TimelineStore;
  /** The messages before this page was opened. */
  frames: readonly RecordedFrame[];
}

const MOST = 500;
const STDERR_KEPT = 8000;

/** Follows the process. */
export function followProcess(
  peer: Peer,
  { state, timeline, frames: before }: ProcessEventsOptions,
): void {
  const addFrames = (frames: readonly RecordedFrame[]): void => {
    for (const frame of frames) {
      timeline.add(frame);
      const entry = serverLogOf(frame);
      if (entry) state.set({ serverLog: [...state.get().serverLog, entry].slice(-MOST) });
    }
  };
  addFrames(before);
  peer.on("dev/frames", (params) => addFrames((params as { frames: RecordedFrame[] }).frames));
  peer.on("dev/status", (params) => state.set({ status: params as ServerStatus }));
  peer.on("dev/questions", (params) =>
    state.set({ questions: (params as { questions: Question[] }).questions }),
  );
  peer.on("dev/logins", (params) =>
    state.set({ logins: (params as { logins: ServerLoginState[] }).logins }),
  );
  peer.on("dev/servers", (params) =>
    state.set({ servers: (params as { servers: ServerChoice[] }).servers }),
  );
  peer.on("dev/build", (params) =>
    state.set({ buildErrors: (params as { errors: string[] }).errors }),
  );
  peer.on("dev/blocked", (params) =>
    state.set({ blocked: [...state.get().blocked, params as BlockedReport].slice(-MOST) }),
  );
  peer.on("dev/stderr", (params) => {
    const { text } = params as { text: string };
    state.set({ stderr: (state.get().stderr + text).slice(-STDERR_KEPT) });
  });
}
