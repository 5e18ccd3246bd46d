import { openGatewayUpstream } from "@vitrine/host/gateway";
import type { CallResult } from "./load.ts";
import { TOKEN } from "./site.ts";

/** How many views, and how often they call. */
export interface ViewLoadOptions {
  /** The address of all gateways. */
  gateway: string;
  /** Views for each server. */
  views: number;
  /** Milliseconds between two calls of a View. */
  pause: number;
}

const SERVERS = ["recorder", "modern"];
/** Milliseconds for the last calls to finish after the fault is healed. */
const LAST = 60_000;
let loads = 0;

/** Views as in a host's page, which repeat their calls and reconnect to any gateway that admits them. */
export class ViewLoad {
  readonly results: CallResult[] = [];
  readonly #options: ViewLoadOptions;
  readonly #running: Promise<void>[] = [];
  readonly #waiting = new Set<string>();
  #isOver = false;

  constructor(options: ViewLoadOptions) {
    this.#options = options;
  }

  /** Resolves when all Views are open. */
  async open(): Promise<void> {
    const load = ++loads;
    const { views } = this.#options;
    // With colons, because the audit log redacts other long texts of letters and digits as secrets.
    for (const server of SERVERS) {
      for (let n = 0; n < views; n++) await this.#open(server, `v${load}:${server}:${n}`);
    }
  }

  /** Waits for the calls under way; fails if one doesn't finish. */
  async end(): Promise<void> {
    this.#isOver = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = (): void =>
        reject(new Error(`Nothing became of ${[...this.#waiting].slice(0, 10).join(", ")}.`));
      timer = setTimeout(fail, LAST);
    });
    await Promise.race([Promise.all(this.#running), late]);
    clearTimeout(timer);
  }

  async #open(server: string, name: string): Promise<void> {
    const { gateway, pause } = this.#options;
    const resource = `ui://${server}/view.html`;
    const view = await openGatewayUpstream({ gateway, server, resource, token: () => TOKEN });
    const run = async (): Promise<void> => {
      for (let n = 0; !this.#isOver; n++) {
        const call = `${name}:${n}`;
        this.#waiting.add(call);
        const before = performance.now();
        const given = { call, ...(server === "recorder" && { wait: 10 }) };
        const outcome = await view
          .request("tools/call", { name: "count", arguments: given })
          .then(() => "answered", outcomeOf);
        const time = performance.now() - before;
        this.#waiting.delete(call);
        this.results.push({ where: -1, server, call, at: Date.now(), outcome, time });
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      view.close();
    };
    this.#running.push(run());
  }
}

function outcomeOf(error: { code?: unknown; data?: { reason?: string } }): string {
  return error.data?.reason ?? `${error.code ?? error}`;
}
