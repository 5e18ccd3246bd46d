import type { BrowserContext, Frame } from "playwright-core";
import type { Json } from "../json.ts";
import type { ProbeLine } from "./probe-view.ts";

/** All messages of the probes of a context, including those whose frames are gone. */
export class ProbeLog {
  readonly #lines: ProbeLine[] = [];
  readonly #frames = new Map<string, Frame>();
  readonly #seen = new Set<string>();

  /** Records every probe that will be in the context. */
  static async open(context: BrowserContext): Promise<ProbeLog> {
    const log = new ProbeLog();
    await context.exposeBinding("conformanceLine", ({ frame }, line: ProbeLine) => {
      log.#take(frame, line);
    });
    return log;
  }

  /** Frames in which probes run, the oldest first. */
  get frames(): Frame[] {
    return [...this.#frames.values()].filter((frame) => !frame.isDetached());
  }

  get lines(): readonly ProbeLine[] {
    return this.#lines;
  }

  /** Messages that probes got or sent, newest last. */
  messages(way: ProbeLine["way"], method?: string): Json[] {
    return this.#lines
      .filter((line) => line.way === way && (!method || line.message.method === method))
      .map(({ message }) => message);
  }

  #take(frame: Frame, line: ProbeLine): void {
    const { probe, number } = line;
    const key = `${probe} ${number}`;
    // A probe repeats its first lines until they are acknowledged.
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (!this.#frames.has(probe)) this.#frames.set(probe, frame);
    this.#lines.push(line);
    this.#lines.sort((one, other) => one.at - other.at || one.number - other.number);
  }
}
