// An answer may get lost with the node it went over: an owner that does not know the call any more has given it.
// One timer looks after all calls; one for each would cost more than the rest of the waiting.

import type { ClusterParts } from "./cluster.ts";
import type { Claim } from "./directory.ts";
import type { Reply } from "./owner-desk.ts";
import { pack, unpack } from "./parcel.ts";

/** A call that somebody waits for. */
export interface Probed {
  call: number;
  owner: Claim;
  key: string;
}

const PROBE_TIME = 3000;
const TICK = 250;
const LATE = 500;

/** The calls of one server that others answer. */
export class Probes {
  readonly #server: string;
  readonly #parts: ClusterParts;
  /** Also those that are over, until somebody looks. */
  #waiting: (Probed & { at: number })[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(server: string, parts: ClusterParts) {
    this.#server = server;
    this.#parts = parts;
  }

  add({ call, owner, key }: Probed): void {
    this.#waiting.push({ call, owner, key, at: performance.now() + PROBE_TIME });
    this.#timer ??= setInterval(() => this.#look(), TICK);
  }

  #look(): void {
    const { courier } = this.#parts;
    this.#waiting = this.#waiting.filter(({ call }) => courier.isWaiting(call));
    if (this.#waiting.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const now = performance.now();
    for (const probed of this.#waiting) {
      if (probed.at > now) continue;
      probed.at = now + PROBE_TIME;
      // Whether the owner is there at all its lease tells.
      void this.#ask(probed).catch(() => {});
    }
  }

  async #ask({ call, owner, key }: Probed): Promise<void> {
    const server = this.#server;
    const head = { op: "running", server, key, revision: owner.revision, deadline: PROBE_TIME };
    const { courier } = this.#parts;
    const answer = await courier.request(owner, { ...head, body: pack({ call }) });
    const { facts, text } = unpack<Reply>(answer);
    if (facts.kind !== undefined || text === "true") return;
    // It may be on its way all the same.
    await new Promise((resolve) => setTimeout(resolve, LATE));
    if (courier.isWaiting(call)) courier.lose(call);
  }
}
