import { type Audit, AuditError } from "../audit/index.ts";
import type { TurnedAway } from "../pipeline/admission.ts";
import type { Log } from "./log.ts";

/** Records those who were not let in. */
export interface DoorBook {
  turnedAway(who: TurnedAway): void;
  /** Records what was only counted so far. */
  close(): void;
}

/** Written down one by one in a second. */
const EACH = 20;
const PERIOD = 1000;

/**
 * Opens the book. Whoever knocks without a key costs a line each: so that nobody fills the disk that way, a
 * few of a second are written down one by one and the others as a number.
 */
export function openDoorBook({ audit, log }: { audit: Audit; log: Log }): DoorBook {
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  const more = new Map<string, number>();

  const write = (decision: { code: string; carrier: string }, detail: object, server?: string) => {
    const { code, carrier } = decision;
    // Over HTTP the log has it with its path and status.
    if (carrier === "websocket") log.info({ carrier, code, server, ...detail }, "turned away");
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
    turnedAway: ({ carrier, refusal: { code }, server, remote }) => {
      timer ??= setTimeout(sum, PERIOD).unref();
      if (++written <= EACH) {
        write({ carrier, code }, { remote }, server || undefined);
        return;
      }
      const key = `${carrier} ${code}`;
      more.set(key, (more.get(key) ?? 0) + 1);
    },
    close: sum,
  };
}
