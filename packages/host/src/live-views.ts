/** A view that can be suspended and resumed. */
export interface LiveView {
  /** Ends its document and keeps its space. */
  suspend(): unknown;
  /** It is on screen again. */
  resume(): unknown;
}

/**
 * Calls `listener` whenever an element enters or leaves the screen. Returns an unsubscribe function.
 */
export type Watch = (element: Element, listener: (isVisible: boolean) => void) => () => void;

/** How many views a page keeps alive. */
export interface LiveViewsOptions {
  limit?: number;
  watch?: Watch;
}

/** The views of a page, of which only some are alive at once. */
export interface LiveViews {
  /**
   * Adds a view whose document is alive now; call it again after each `resume`. The element shows
   * whether it is on screen. Returns a function that removes the view for good.
   */
  add(view: LiveView, element: Element): () => void;
}

interface Place {
  /** Unknown at first. */
  isVisible: boolean | undefined;
  isLive: boolean;
  /** When it was last known to be on screen, in turns. */
  seen: number;
  leave(): void;
}

/** Each view takes a process or two and megabytes: those off screen longest are suspended first. */
export function createLiveViews({
  limit = 8,
  watch = watchVisible,
}: LiveViewsOptions = {}): LiveViews {
  const places = new Map<LiveView, Place>();
  let turn = 0;

  const makeRoom = (newcomer: Place): void => {
    const live = [...places].filter(([, { isLive }]) => isLive);
    const order = live
      .filter(([, place]) => place !== newcomer)
      .sort(([, a], [, b]) => rank(a) - rank(b) || a.seen - b.seen);
    for (const [view, place] of order.slice(0, Math.max(live.length - limit, 0))) {
      place.isLive = false;
      view.suspend();
    }
  };

  const enter = (view: LiveView, element: Element): Place => {
    const place: Place = { isVisible: undefined, isLive: true, seen: 0, leave: () => {} };
    const unwatch = watch(element, (isVisible) => {
      // A view that was never on screen wasn't seen recently.
      if (isVisible || place.isVisible) place.seen = ++turn;
      place.isVisible = isVisible;
      if (isVisible && !place.isLive) view.resume();
    });
    place.leave = () => {
      unwatch();
      if (places.get(view) === place) places.delete(view);
    };
    places.set(view, place);
    return place;
  };

  return {
    add: (view, element) => {
      const place = places.get(view) ?? enter(view, element);
      place.isLive = true;
      place.seen = ++turn;
      makeRoom(place);
      return place.leave;
    },
  };
}

/** The page requested it, so it counts as on screen until the browser reports otherwise. */
const rank = ({ isVisible }: Place): number => (isVisible === false ? 0 : 1);

/** Whether any part of an element is on screen, including the top layer. */
export const watchVisible: Watch = (element, listener) => {
  const observer = new IntersectionObserver((entries) =>
    listener(entries.some(({ isIntersecting }) => isIntersecting)),
  );
  observer.observe(element);
  return () => observer.disconnect();
};
