// The model context of the views on a page: one entry per view instance, the last update of each
// (HST-78 to HST-80). The host takes a snapshot when a turn of the model begins.

import { REFUSED, RpcError } from "@vitrine/protocol";
import type { McpUiUpdateModelContextRequest } from "@vitrine/protocol/apps";
import type { AskingView } from "../consent/consent.ts";
import { appInfoForModel, cutText, forModel } from "./model-text.ts";

/** A view's model context. */
export type ModelContextUpdate = McpUiUpdateModelContextRequest["params"];

/** The last update of one view, attributed to the view rather than the user or the host. */
export interface ModelContextEntry extends ModelContextUpdate {
  /** The host's name for the view instance. */
  readonly key: string;
  readonly from?: Omit<AskingView, "key"> | undefined;
}

/** The entries of all views. */
export interface ModelContext {
  /**
   * Replaces the view's entry; `{}` clears it. Throws the error response for a view that sends too
   * much.
   */
  set(key: string, update: ModelContextUpdate, from?: Omit<AskingView, "key">): void;
  /** Removes a view's entry, because the view is gone. */
  delete(key: string): void;
  /** The context for the model's next turn, the latest update last. */
  snapshot(): ModelContextEntry[];
  /** Calls `listener` whenever the snapshot changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/** Limits, in bytes of JSON. */
export interface ModelContextLimits {
  /** Per view; 32 KiB. */
  perView?: number;
  /** For all views together; 128 KiB. */
  total?: number;
  /**
   * Whether an entry may be dropped, the oldest first, to make room for a new one. Without it a new
   * entry that doesn't fit is rejected.
   */
  isDroppable?(key: string): boolean;
}

interface Place {
  /** The whole entry except its key, as JSON. */
  text: string;
  size: number;
}

const ADDRESS = 2048;

/** Creates an empty model context. */
export function createModelContext({
  perView = 32 * 1024,
  total = 128 * 1024,
  isDroppable = () => false,
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
      const said = describeUpdate(update);
      if (Object.keys(said).length === 0) return remove(key);
      const text = JSON.stringify({ ...(from && { from: describeView(from) }), ...said });
      const before = places.get(key);
      if (before?.text === text) return;
      const { length: size } = new TextEncoder().encode(text);
      const free = total - sizeOf(places) + (before?.size ?? 0);
      const dropped =
        size > perView
          ? undefined
          : oldest(places, size - free, (other) => other !== key && isDroppable(other));
      if (!dropped) {
        const limit =
          size > perView ? `${perView} for one view` : `${total} for all views together`;
        throw new RpcError(
          REFUSED,
          `The context has ${size} bytes; the limit is ${limit}. Send less.`,
        );
      }
      for (const other of dropped) places.delete(other);
      places.delete(key);
      places.set(key, { text, size });
      announce();
    },
    // Parsed again, so that callers can't change the stored entry.
    snapshot: () => [...places].map(([key, { text }]) => ({ key, ...JSON.parse(text) })),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function sizeOf(places: ReadonlyMap<string, Place>): number {
  let sum = 0;
  for (const { size } of places.values()) sum += size;
  return sum;
}

/** The oldest entries that may be dropped and together free `needed` bytes, if there are enough. */
function oldest(
  places: ReadonlyMap<string, Place>,
  needed: number,
  isDroppable: (key: string) => boolean,
): string[] | undefined {
  const found: string[] = [];
  let missing = needed;
  for (const [key, { size }] of places) {
    if (missing <= 0) break;
    if (!isDroppable(key)) continue;
    found.push(key);
    missing -= size;
  }
  return missing <= 0 ? found : undefined;
}

/** A view's update, cleaned. Empty lists and objects count as nothing. */
function describeUpdate(update: ModelContextUpdate): ModelContextUpdate {
  const { content, structuredContent } = forModel(update);
  const hasData = structuredContent && Object.keys(structuredContent).length > 0;
  return { ...(content?.length && { content }), ...(hasData && { structuredContent }) };
}

/**
 * Where the entry comes from. Names and addresses come from the server and the view, so they are
 * cleaned too.
 */
function describeView({
  server,
  resourceUri,
  appInfo,
}: Omit<AskingView, "key">): Omit<AskingView, "key"> {
  return {
    server: cutText(server, ADDRESS),
    ...(resourceUri !== undefined && { resourceUri: cutText(resourceUri, ADDRESS) }),
    ...(appInfo && { appInfo: appInfoForModel(appInfo) }),
  };
}
