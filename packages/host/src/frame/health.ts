import { RpcError } from "@vitrine/protocol";

/** How a View is watched. */
export interface HealthOptions {
  /** Asks the View for a sign of life. */
  ping(): Promise<unknown>;
  /** Whether the Sandbox answers, where that can be asked: no browser tells that a process died. */
  isRelayAlive?(): Promise<boolean>;
  /** Told once for each time that the View, or the relay with it, fell silent. */
  onSilent(code: "unresponsive" | "gone"): void;
  /** Seconds of silence after which it is asked; default 30. */
  silence?: number;
  /** Seconds that it has for the answer; default 10. */
  patience?: number;
}

/** Watches over one View. */
export interface Health {
  /** To be called with each message of the View. */
  heard(): void;
  /** Views off screen are slowed down by the browser, so they are not asked. */
  setVisible(isVisible: boolean): void;
  close(): void;
}

/** Asks a View that says nothing whether it still lives. */
export function watchHealth(options: HealthOptions): Health {
  const { ping, isRelayAlive, onSilent, silence = 30, patience = 10 } = options;
  let isVisible = true;
  // Counted and not measured: a computer that slept has not waited.
  let seconds = 0;
  const heard = (): void => {
    seconds = 0;
  };
  const isAlive = async (): Promise<boolean> => (await isRelayAlive?.()) !== false;
  const timer = setInterval(() => {
    if (!isVisible || document.hidden) return heard();
    seconds += 1;
    if (seconds === silence) {
      // A View that does not know "ping" says so, which will do.
      ping().then(heard, (error) => error instanceof RpcError && heard());
    }
    if (seconds === silence + patience) {
      void isAlive().then((isAlive) => onSilent(isAlive ? "unresponsive" : "gone"));
    }
  }, 1000);
  return {
    heard,
    setVisible: (next) => {
      isVisible = next;
    },
    close: () => clearInterval(timer),
  };
}
