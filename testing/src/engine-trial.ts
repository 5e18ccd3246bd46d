import type { Engine, EngineError } from "@vitrine/gateway/engine";

/** An engine to be tried, and what is left to clean up. */
export interface OpenEngine {
  engine: Engine;
  /** What another process sees of the same state, where the engine is shared. */
  peer?: Engine;
  /** Closes the engine and opens it again, where something outlives that. */
  reopen?(): Promise<Engine>;
  dispose?(): unknown;
}

/** An engine under test; `peer` is the engine itself where nobody shares it. */
export type Trial = Required<Pick<OpenEngine, "engine" | "peer">> & Pick<OpenEngine, "reopen">;

/** Opens an engine for one test, and closes it. */
export type WithEngine = (body: (trial: Trial) => Promise<void>) => () => Promise<void>;

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);

let names = 0;
/** A name nobody has used: the state of a broker outlives a test. */
export const fresh = (what: string): string => `${what}-${process.pid}-${Date.now()}-${++names}`;

/** The code with which something failed. */
export async function codeOf(doing: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof doing === "function" ? doing() : doing);
  } catch (error) {
    const { name, code } = error as EngineError;
    return name === "EngineError" ? code : `not an EngineError: ${error}`;
  }
  return "it succeeded";
}

/** Waits for what comes in its own time. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It did not become true within ten seconds.");
}
