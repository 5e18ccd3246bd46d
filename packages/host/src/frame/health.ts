import { RpcError } from "@vitrine/protocol";

/** How a view's health is checked. */
export interface HealthOptions {
  /** Sends a ping to the view. */
  ping(): Promise<unknown>;
  /** Whether the sandbox responds, if that can be checked: no browser reports that a process died. */
  isRelayAlive?(): Promise<boolean>;
  /**
   * Called each time the view stops responding, and again if it is gone: the relay is gone too, or
   * the view used to respond and hasn't for long.
   */
  onSilent(code: "unresponsive" | "gone"): void;
  /** Called when a view that had stopped responding responds again. */
  onResponding?(): void;
  /** Seconds without a message before a ping is sent; default 5. */
  silence?: number;
  /** Seconds to wait for the response; default 5. */
  patience?: number;
  /** Seconds after which a view that used to respond counts as gone; default 30. */
  end?: number;
}

/** Checks the health of one view. */
export interface Health {
  /** Call it with each message of the view. */
  received(): void;
  /** The browser throttles views that are off screen, so they aren't checked. */
  setVisible(isVisible: boolean): void;
  close(): void;
}

/**
 * Pings a view that sends nothing. A view's process may crash without the relay's, and no browser
 * reports it, so missing responses are the only sign. Hand-written views may never respond, so only a
 * view that did before is given up.
 */
export function watchHealth(options: HealthOptions): Health {
  const { ping, isRelayAlive, onSilent, onResponding } = options;
  const { silence = 5, patience = 5, end = 30 } = options;
  let isVisible = true;
  // Counted instead of measured: a computer that slept has not waited.
  let seconds = 0;
  let hasAnswered = false;
  const received = (): void => {
    const wasSilent = seconds >= silence + patience;
    seconds = 0;
    if (wasSilent) onResponding?.();
  };
  const answered = (): void => {
    hasAnswered = true;
    received();
  };
  const isAlive = async (): Promise<boolean> => (await isRelayAlive?.()) !== false;
  const timer = setInterval(() => {
    if (!isVisible || document.hidden) return received();
    seconds += 1;
    if (seconds === silence) {
      // A view that doesn't support "ping" returns an error, which is enough.
      ping().then(answered, (error) => error instanceof RpcError && answered());
    }
    if (seconds === silence + patience) {
      void isAlive().then((isAlive) => onSilent(isAlive ? "unresponsive" : "gone"));
    }
    if (seconds === end && hasAnswered) onSilent("gone");
  }, 1000);
  return {
    received,
    setVisible: (next) => {
      isVisible = next;
    },
    close: () => clearInterval(timer),
  };
}
