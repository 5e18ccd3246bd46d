// What the model is told of the Views on a page: one place for each View instance, the last word of
// each (HST-78 to HST-80). The Host takes a snapshot when a turn of the model begins.

import { REFUSED, RpcError } from "@vitrine/protocol";
import type { McpUiUpdateModelContextRequest } from "@vitrine/protocol/apps";
import type { AskingView } from "../consent/consent.ts";

/** What a View says of itself to the model. */
export type ModelContextUpdate = McpUiUpdateModelContextRequest["params"];

/** The last word of one View, and whose it is: not the user's, and not the Host's. */
export interface ModelContextEntry extends ModelContextUpdate {
  /** The Host's name for the View instance. */
  readonly key: string;
  readonly from?: Omit<AskingView, "key"> | undefined;
}

/** The places of all Views. */
export interface ModelContext {
  /** Replaces what a View said before; `{}` clears it. Throws the answer for a View that says too much. */
  set(key: string, update: ModelContextUpdate, from?: Omit<AskingView, "key">): void;
  /** Takes a View's words away, for it is gone. */
  delete(key: string): void;
  /** What the next turn of the model should know, the latest word last. */
  snapshot(): ModelContextEntry[];
  /** Calls back when a snapshot would be another; returns the undo. */
  onChange(listener: () => void): () => void;
}

/** Upper bounds, in bytes of JSON. */
export interface ModelContextLimits {
  /** For each View; 32 KiB. */
  perView?: number;
  /** For all Views together; 128 KiB. */
  total?: number;
}

interface Place {
  text: string;
  size: number;
  from: Omit<AskingView, "key"> | undefined;
}

/** Makes the places, all empty. */
export function createModelContext({
  perView = 32 * 1024,
  total = 128 * 1024,
}: ModelContextLimits = {}): ModelContext {
  const places = new Map<string, Place>();
  const listeners = new Set<() => void>();
  const announce = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const remove = (key: string): void => {
    if (places.delete(key)) announce();
  };

  return {
    delete: remove,
    set: (key, update, from) => {
      const { content, structuredContent } = update;
      // An empty list and an empty object say as little as nothing.
      const said = {
        ...(content?.length && { content }),
        ...(structuredContent &&
          Object.keys(structuredContent).length > 0 && { structuredContent }),
      };
      if (Object.keys(said).length === 0) return remove(key);
      const text = JSON.stringify(said);
      const before = places.get(key);
      if (before?.text === text) return;
      const { length: size } = new TextEncoder().encode(text);
      let others = -(before?.size ?? 0);
      for (const place of places.values()) others += place.size;
      if (size > perView || others + size > total) {
        const limit =
          size > perView ? `${perView} for one View` : `${total} for all Views together`;
        throw new RpcError(REFUSED, `The context has ${size} bytes; at most ${limit}. Say less.`);
      }
      places.delete(key);
      places.set(key, { text, size, from });
      announce();
    },
    // Parsed anew: nobody can change what a View has said.
    snapshot: () =>
      [...places].map(([key, { text, from }]) => ({
        key,
        ...(from && { from }),
        ...JSON.parse(text),
      })),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
