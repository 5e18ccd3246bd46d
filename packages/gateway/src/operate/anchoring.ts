// Copies the head of the audit chain to a place that whoever can write to the log can't write to. With it
// `audit verify --anchor` notices that the end of the log was cut, even if the heads were removed as well.

import { open } from "node:fs/promises";
import type { Audit } from "../audit/index.ts";
import type { AnchorConfig } from "../config/config.ts";
import type { Log } from "./log.ts";

/** Writes anchors from time to time. */
export interface Anchoring {
  /** Writes the last anchor; to be called after the audit log was closed. Idempotent. */
  close(): Promise<void>;
}

export interface AnchoringOptions extends AnchorConfig {
  audit: Pick<Audit, "anchor" | "state">;
  log: Pick<Log, "info" | "error">;
}

/** Milliseconds that a request may take. */
const DEADLINE = 10_000;
const CLOSE_DEADLINE = 3_000;

/** Starts it, with a first anchor at once: a life that ends soon is anchored too. */
export function startAnchoring(options: AnchoringOptions): Anchoring {
  const { audit, log, seconds } = options;
  let isFailing = false;
  let anchored = 0;
  let running: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  const write = async (deadline: number): Promise<void> => {
    const { step } = audit.state.head;
    if (step === anchored) return;
    try {
      await writeAnchor(audit, options, deadline);
      anchored = step;
      if (isFailing) log.info("audit anchor is written again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) {
        const where = options.file ?? options.url;
        log.error({ where, cause: causeOf(error) }, "audit anchor can't be written; it is retried");
      }
      isFailing = true;
    }
  };
  const run = (): Promise<void> => {
    running ??= write(DEADLINE).finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void run(), seconds * 1000).unref();
  void run();
  return {
    close: () => {
      clearInterval(timer);
      closing ??= (running ?? Promise.resolve()).then(() => write(CLOSE_DEADLINE));
      return closing;
    },
  };
}

async function writeAnchor(
  audit: AnchoringOptions["audit"],
  { file, url, token }: AnchorConfig,
  deadline: number,
): Promise<void> {
  const line = `${audit.anchor()}\n`;
  if (file !== undefined) {
    const handle = await open(file, "a", 0o600);
    try {
      await handle.write(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  if (url === undefined) return;
  const { node, epoch, step } = audit.state.head;
  // A name for each head: a store that doesn't let objects be replaced keeps all of them.
  const response = await fetch(`${url.replace(/\/$/, "")}/${node}-${epoch}-${step}.json`, {
    method: "PUT",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: line,
    redirect: "error",
    signal: AbortSignal.timeout(deadline),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The anchor's address answered ${response.status}.`);
}

function causeOf(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown };
  return cause === undefined ? `${error}` : `${error} (${cause})`;
}
