import { openGatewayUpstream } from "@vitrine/host/gateway";
import type { Told } from "./load.ts";
import { TOKEN } from "./site.ts";

/** How hard to press. */
export interface ViewLoadOptions {
  /** Where all gateways are reached. */
  gateway: string;
  /** For each server. */
  views: number;
  /** Milliseconds between two calls of a View. */
  pause: number;
}

const SERVERS = ["witness", "modern"];
/** Milliseconds that the last calls have to come to an end when all is well again. */
const LAST = 60_000;
let loads = 0;

/** Views as a Host's page has them, which call again and again and come back wherever they are let in. */
export class ViewLoad {
  readonly told: Told[] = [];
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
    // By colons: what else has letters and digits and is that long is a secret to the audit log.
    for (const server of SERVERS) {
      for (let n = 0; n < views; n++) await this.#open(server, `v${load}:${server}:${n}`);
    }
  }

  /** Lets what is under way come to its end; fails where something does not. */
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
        const given = { call, ...(server === "witness" && { wait: 10 }) };
        const outcome = await view
          .request("tools/call", { name: "count", arguments: given })
          .then(() => "answered", outcomeOf);
        const time = performance.now() - before;
        this.#waiting.delete(call);
        this.told.push({ where: -1, server, call, at: Date.now(), outcome, time });
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
