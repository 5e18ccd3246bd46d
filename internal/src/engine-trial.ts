import type { Engine, EngineError } from "@vitrine/gateway/engine";

/** An engine to be tried, and what is left to clean up. */
export interface OpenEngine<Kind extends Engine = Engine> {
  engine: Kind;
  /** What another process sees of the same state, where the engine is shared. */
  peer?: Kind;
  /** Closes the engine and opens it again, where something outlives that. */
  reopen?(): Promise<Kind>;
  dispose?(): unknown;
}

/** An engine under test; `peer` is the engine itself where nobody shares it. */
export type Trial<Kind extends Engine = Engine> = Required<
  Pick<OpenEngine<Kind>, "engine" | "peer">
> &
  Pick<OpenEngine<Kind>, "reopen">;

/** Opens an engine for one test, and closes it. */
export type WithEngine<Kind extends Engine = Engine> = (
  body: (trial: Trial<Kind>) => Promise<void>,
) => () => Promise<void>;

/** How to open an engine for each test. */
export function opener<Kind extends Engine>(
  open: () => Promise<OpenEngine<Kind>> | OpenEngine<Kind>,
): WithEngine<Kind> {
  return (body) => async () => {
    const { engine, peer = engine, reopen, dispose } = await open();
    try {
      await body({ engine, peer, ...(reopen && { reopen }) });
    } finally {
      await engine.close();
      await dispose?.();
    }
  };
}

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
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It did not become true within twenty seconds.");
}
