// Where cards are, and where a card may go. No DOM; every function leaves what it is given as it was.

import type { Lane } from "../../src/templates/kanban-data.ts";

/** A place on the board: a lane, and a place in it. */
export interface Spot {
  lane: number;
  index: number;
}

/** Where a card is. */
export function spotOf(lanes: readonly Lane[], card: number): Spot | undefined {
  const lane = lanes.findIndex(({ cards }) => cards.includes(card));
  return lane < 0 ? undefined : { lane, index: lanes[lane]?.cards.indexOf(card) ?? 0 };
}

/** Moves a card; an index beyond the end is the end, counted without the card itself. */
export function moveCard(lanes: readonly Lane[], card: number, to: Spot): Lane[] {
  return lanes.map((lane, at) => {
    const cards = lane.cards.filter((key) => key !== card);
    if (at === to.lane) cards.splice(Math.max(0, to.index), 0, card);
    return at === to.lane || cards.length < lane.cards.length ? { ...lane, cards } : lane;
  });
}

/** The keys that carry a card, already turned for right-to-left. */
export type Direction = "back" | "on" | "up" | "down";

/** Where a carried card goes next; where there is nothing, it stays. */
export function nextSpot(
  lanes: readonly Lane[],
  card: number,
  direction: Direction,
  isOrdered: boolean,
): Spot | undefined {
  const spot = spotOf(lanes, card);
  if (!spot) return undefined;
  if (isOrdered && (direction === "up" || direction === "down")) {
    const last = (lanes[spot.lane]?.cards.length ?? 1) - 1;
    const index = spot.index + (direction === "up" ? -1 : 1);
    return { lane: spot.lane, index: Math.min(Math.max(index, 0), last) };
  }
  const step = direction === "back" || direction === "up" ? -1 : 1;
  for (let lane = spot.lane + step; lanes[lane]; lane += step) {
    if (!lanes[lane]?.isColumn) continue;
    const end = lanes[lane]?.cards.length ?? 0;
    return { lane, index: isOrdered ? Math.min(spot.index, end) : end };
  }
  return spot;
}

/** Whether two spots differ in a way that counts. */
export function isMove(from: Spot, to: Spot, isOrdered: boolean): boolean {
  return from.lane !== to.lane || (isOrdered && from.index !== to.index);
}
