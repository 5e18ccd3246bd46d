// Views that an operator ended. Their tickets are refused by every gateway, and the View can't be opened again
// for a minute, because a Host gets a new ticket for a refused one by itself.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/engine.ts";
import { jsonBytes, watchBucket } from "../engine/watched-bucket.ts";
import { type Refusal, refuse } from "../errors/refusal.ts";
import type { TicketClaims } from "../identity/view-ticket.ts";

/** A View that was ended. */
interface EndedView {
  /** The id of its ticket. */
  view: string;
  /** Hash of user, server and resource. */
  opening?: string;
  /** Milliseconds since 1970. */
  at: number;
}

type Opening = Pick<TicketClaims, "tenant" | "user" | "server" | "resource">;

/** The Views that operators ended. */
export interface EndedViews {
  end(view: string, opening?: Opening): Promise<void>;
  /** Why a ticket isn't accepted any more. */
  refusal(claims: TicketClaims): Refusal | undefined;
  /** Why a View can't be opened at the moment. */
  openingRefusal(opening: Opening): Refusal | undefined;
  onEnded(fn: (view: string) => void): () => void;
  readonly isReady: Promise<void>;
  close(): void;
}

/** Longer than any ticket lives. */
const KEPT = 24 * 3_600_000;
const WAIT = 60_000;

/** Opens the ended Views in an engine. */
export function createEndedViews(engine: Engine): EndedViews {
  const kv = engine.kv("ended-views", { ttl: KEPT, durable: true });
  const ended = watchBucket<EndedView>(kv);
  const recent = new Map<string, number>();
  const listeners = new Set<(view: string) => void>();
  ended.onChange((_key, value) => {
    if (!value) return;
    const now = Date.now();
    for (const [opening, at] of recent) if (at + WAIT < now) recent.delete(opening);
    if (value.opening !== undefined && value.at + WAIT > now) recent.set(value.opening, value.at);
    for (const fn of listeners) fn(value.view);
  });
  return {
    isReady: ended.isReady,
    end: async (view, opening) => {
      const key = hashOf(view);
      const value = { view, at: Date.now(), ...(opening && { opening: openingKey(opening) }) };
      await kv.put(key, jsonBytes(value));
      await ended.until(key, (known) => known !== undefined);
    },
    refusal: ({ jti }) =>
      ended.get(hashOf(jti)) &&
      refuse("ticket-expired", "An operator ended this view. Open it again later."),
    openingRefusal: (opening) => {
      const at = recent.size === 0 ? undefined : recent.get(openingKey(opening));
      if (at === undefined || at + WAIT < Date.now()) return undefined;
      const retryAfter = Math.ceil((at + WAIT - Date.now()) / 1000);
      return refuse("paused", "An operator ended this view. Try again in a minute.", {
        retryAfter,
      });
    },
    onEnded: (fn) => {
      listeners.add(fn);
      return () => void listeners.delete(fn);
    },
    close: () => {
      listeners.clear();
      ended.close();
    },
  };
}

function openingKey({ tenant, user, server, resource }: Opening): string {
  return hashOf([tenant, user, server, resource]);
}
