// Copies the head of the audit chain to storage that an attacker with write access to the log can't write to.
// With it, `audit verify --anchor` detects a truncated log, even if the heads were removed as well.

import { appendFile } from "node:fs/promises";
import type { Audit } from "../audit/index.ts";
import type { AnchorConfig } from "../config/config.ts";
import type { Log } from "../observability/log.ts";

/** Writes anchors periodically. */
export interface Anchoring {
  /** Writes the last anchor. Call it after the audit log was closed. Idempotent. */
  close(): Promise<void>;
}

export interface AnchoringOptions extends Omit<AnchorConfig, "token"> {
  /** The current token of the address. */
  token?(): string | undefined;
  audit: Pick<Audit, "anchor" | "state">;
  log: Pick<Log, "info" | "error">;
}

/** Milliseconds after which a request times out. */
const DEADLINE = 10_000;
const CLOSE_DEADLINE = 3_000;

/** Starts anchoring with an immediate first anchor, so that short runs are anchored too. */
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
      if (isFailing) log.info("audit anchor can be written again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) {
        const where = options.file ?? options.url;
        log.error(
          { where, cause: causeOf(error) },
          "audit anchor can't be written and will be retried",
        );
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
  { file, url, token }: Omit<AnchoringOptions, "audit" | "log">,
  deadline: number,
): Promise<void> {
  const line = `${audit.anchor()}\n`;
  if (file !== undefined) await appendFile(file, line, { mode: 0o600, flush: true });
  if (url === undefined) return;
  const { node, epoch, step } = audit.state.head;
  const bearer = token?.();
  // A unique name per head, so that storage which doesn't allow replacing objects keeps all of them.
  const response = await fetch(`${url.replace(/\/$/, "")}/${node}-${epoch}-${step}.json`, {
    method: "PUT",
    headers: {
      "content-type": "application/json",
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    body: line,
    redirect: "error",
    signal: AbortSignal.timeout(deadline),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The anchor's address responded with ${response.status}.`);
}

function causeOf(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown };
  return cause === undefined ? `${error}` : `${error} (${cause})`;
}
