import { writeFile } from "node:fs/promises";
import { mergeFills } from "./recorded-actions.ts";
import type { RecordedFrame, RecordedInput, RecordedServer, Recording } from "./recording.ts";

/** Records messages. */
export interface Recorder {
  readonly recording: Recording;
  /** When it started, in milliseconds since 1970. */
  readonly began: number;
  /** Adds a message; `at` is in milliseconds since 1970. */
  add(frame: RecordedFrame): RecordedFrame;
  /** Adds a user's action; `at` as above. */
  note(input: RecordedInput): void;
  clear(): void;
  /** Writes the rest, and stops. */
  close(): Promise<void>;
}

/** How a session is recorded. */
export interface RecorderOptions {
  server(): RecordedServer;
  /** Written every second if there are new messages. */
  file?: string | undefined;
}

// Enough for hours; then the oldest are dropped, for a page that is forgotten in a tab.
const MOST = 50_000;
// A view can forge actions; then the newest are dropped, because a replay starts with the oldest.
const MOST_INPUTS = 10_000;
const INTERVAL = 1000;

/** Starts a recording. */
export function createRecorder({ server, file }: RecorderOptions): Recorder {
  const frames: RecordedFrame[] = [];
  const inputs: RecordedInput[] = [];
  let began = Date.now();
  let isUnsaved = false;

  const since = (at: number): number => Math.round((at - began) * 10) / 10;
  const recording = (): Recording => ({
    vitrine: "recording",
    version: 1,
    server: server(),
    inputs: mergeFills(inputs, frames),
    // The page reports its view's messages later than this process sees the server's.
    frames: frames.toSorted((one, other) => one.at - other.at),
  });
  const save = async (): Promise<void> => {
    if (!file || !isUnsaved) return;
    isUnsaved = false;
    await writeFile(file, `${JSON.stringify(recording(), null, 1)}\n`);
  };
  const timer = setInterval(() => void save().catch(() => {}), INTERVAL);
  timer.unref();

  return {
    get recording() {
      return recording();
    },
    get began() {
      return began;
    },
    add: (frame) => {
      const kept = { ...frame, at: since(frame.at) };
      frames.push(kept);
      if (frames.length > MOST) frames.splice(0, frames.length - MOST);
      isUnsaved = true;
      return kept;
    },
    note: (input) => {
      if (inputs.length >= MOST_INPUTS) return;
      inputs.push({ ...input, at: since(input.at) });
      isUnsaved = true;
    },
    clear: () => {
      frames.length = 0;
      inputs.length = 0;
      began = Date.now();
      isUnsaved = true;
    },
    close: async () => {
      clearInterval(timer);
      await save();
    },
  };
}
