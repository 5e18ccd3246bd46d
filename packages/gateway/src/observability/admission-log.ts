import { type Audit, AuditError } from "../audit/index.ts";
import { statusOf } from "../errors/refusal.ts";
import type { RejectedAttempt } from "../policy/admission.ts";
import { LineSampler } from "./line-sampler.ts";
import type { Log } from "./log.ts";

/** Records rejected connection attempts. */
export interface AdmissionLog {
  recordRejection(who: RejectedAttempt): void;
  /** Records the attempts that were only counted so far. */
  close(): void;
}

/** Attempts per second that are recorded one by one. */
const EACH = 20;
const PERIOD = 1000;

/**
 * Opens the log of rejected connection attempts. Attempts without a credential cost their sender nothing, so
 * only a few per second are recorded individually and the rest as a count. Otherwise anyone could fill the
 * disk.
 */
export function openAdmissionLog({ audit, log }: { audit: Audit; log: Log }): AdmissionLog {
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  const more = new Map<string, number>();

  const sampler = new LineSampler({
    onMore: (kind, count) => {
      const [carrier, code] = kind.split(" ");
      log.info({ carrier, code, more: count }, "rejections that aren't logged one by one");
    },
  });

  const write = (
    { code, carrier }: { code: string; carrier: string },
    detail: object,
    server?: string,
  ) => {
    try {
      audit.record({
        event: "request",
        ...(server !== undefined && { server }),
        decision: { verdict: "deny", link: "admission", code },
        detail: { carrier, ...detail },
      });
    } catch (error) {
      if (!(error instanceof AuditError)) throw error;
    }
  };

  const sum = (): void => {
    clearTimeout(timer);
    timer = undefined;
    written = 0;
    for (const [key, count] of more) {
      const [carrier = "", code = ""] = key.split(" ");
      write({ carrier, code }, { more: count });
    }
    more.clear();
  };

  return {
    recordRejection: ({ carrier, refusal: { code }, server: named, remote, cause }) => {
      const server = named || undefined;
      if (sampler.take(`${carrier} ${code}`)) {
        const text = carrier === "websocket" ? "connection rejected" : "request rejected";
        log.info({ carrier, status: statusOf(code), code, server, cause, remote }, text);
      }
      timer ??= setTimeout(sum, PERIOD).unref();
      if (++written <= EACH) {
        write({ carrier, code }, { remote }, server);
        return;
      }
      const key = `${carrier} ${code}`;
      more.set(key, (more.get(key) ?? 0) + 1);
    },
    close: () => {
      sum();
      sampler.flush();
    },
  };
}
