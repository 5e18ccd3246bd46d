// Where a view can be asked about in the page: its own area, which the host draws.

import type { AskingView, ConsentRequest } from "./consent.ts";
import { viewKeyOf } from "./subject-key.ts";

/** The frame of a view that is loaded, inside its area in the page. */
export interface QuestionPlace {
  readonly frame: HTMLIFrameElement;
  readonly server: string;
  /** Changes the area, and swallows presses on it for a moment. */
  shield(change: () => void): void;
}

/** All places of the page. */
const places = new Set<QuestionPlace>();
export const PLACES: ReadonlySet<QuestionPlace> = places;
const byHost = new WeakMap<object, Map<string, QuestionPlace>>();

/** Announces a view's frame. Returns a function that removes it. */
export function addPlace(
  options: object,
  view: AskingView,
  area: Pick<QuestionPlace, "frame" | "shield">,
): () => void {
  const own = byHost.get(options) ?? new Map<string, QuestionPlace>();
  byHost.set(options, own);
  const key = viewKeyOf({ view });
  const place = { ...area, server: view.server };
  own.set(key, place);
  places.add(place);
  return () => {
    places.delete(place);
    // The next document of the same view may be there already.
    if (own.get(key) === place) own.delete(key);
  };
}

/** The place of the view that asks, if the user can see it now. */
export function findPlace(options: object, request: ConsentRequest): QuestionPlace | undefined {
  const place = byHost.get(options)?.get(viewKeyOf(request));
  const area = place?.frame.parentElement;
  if (!area?.checkVisibility() || area.inert) return undefined;
  const { top, bottom, left, right, width } = area.getBoundingClientRect();
  const isInWindow = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return isInWindow && width >= NARROWEST ? place : undefined;
}

// Pixels. A question in less space isn't readable.
const NARROWEST = 240;
