import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { KanbanCard, Lane } from "../../src/templates/kanban-data.ts";
import { cut, useShell } from "../shell/shell.tsx";
import { type Direction, moveCard, nextSpot, type Spot, spotOf } from "./lanes.ts";

/** A card that the keyboard carries: it is drawn where it would be put down. */
export interface Carry {
  /** The board as it would be. */
  lanes: Lane[];
  carried: number | undefined;
  /** For the handle of a card. */
  onKeyDown(event: KeyboardEvent, card: KanbanCard): void;
}

export const handleId = (card: number): string => `move-${card}`;

/** Space takes a card, arrows carry it, Space puts it down, Escape or going elsewhere puts it back. */
export function useCarry(
  lanes: Lane[],
  cards: readonly KanbanCard[],
  isOrdered: boolean,
  onDrop: (card: number, to: Spot) => void,
): Carry {
  const { label, announce, format } = useShell();
  const [hand, setHand] = useState<{ card: number; to: Spot }>();
  const shown = hand ? moveCard(lanes, hand.card, hand.to) : lanes;
  const dropped = useRef<number>(undefined);

  // A card that changes its column is rendered again, and must not lose the focus.
  const at = hand && `${hand.card} ${hand.to.lane} ${hand.to.index}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the card has moved.
  useLayoutEffect(() => {
    const card = hand?.card ?? dropped.current;
    dropped.current = undefined;
    if (card !== undefined) document.getElementById(handleId(card))?.focus();
  }, [at]);

  const say = (name: string, card: number, board: readonly Lane[]): void => {
    const spot = spotOf(board, card);
    const lane = board[spot?.lane ?? -1];
    announce(
      label(isOrdered ? `${name}At` : name, {
        title: cut(cards[card]?.title ?? "", 80),
        column: cut(lane?.title ?? "", 60),
        at: format.number((spot?.index ?? 0) + 1),
        count: format.number(lane?.cards.length ?? 0),
      }),
    );
  };
  const putBack = (card: number): void => {
    dropped.current = card;
    setHand(undefined);
    say("putBack", card, lanes);
  };

  useEffect(() => {
    if (!hand) return undefined;
    const onFocus = ({ target }: FocusEvent): void => {
      const isHandle = target instanceof Element && target.id === handleId(hand.card);
      if (isHandle) return;
      setHand(undefined);
      say("putBack", hand.card, lanes);
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  });

  const pick = (card: number, from: Spot | undefined): void => {
    if (!from) return;
    setHand({ card, to: from });
    say("picked", card, lanes);
  };
  const carry = (card: number, direction: Direction): void => {
    const to = nextSpot(shown, card, direction, isOrdered);
    if (!to) return;
    setHand({ card, to });
    say("carried", card, moveCard(lanes, card, to));
  };
  const drop = (card: number, to: Spot): void => {
    dropped.current = card;
    setHand(undefined);
    onDrop(card, to);
  };
  const onKeyDown = (event: KeyboardEvent, { key: card }: KanbanCard): void => {
    const { key } = event;
    const isButton = key === " " || key === "Enter";
    const direction = hand && directionOf(key);
    if (!isButton && !direction && !(hand && key === "Escape")) return;
    event.preventDefault();
    if (direction) carry(card, direction);
    else if (!hand) pick(card, spotOf(lanes, card));
    else if (isButton) drop(card, hand.to);
    else putBack(card);
  };
  return { lanes: shown, carried: hand?.card, onKeyDown };
}

function directionOf(key: string): Direction | undefined {
  const isRtl = document.documentElement.dir === "rtl";
  const directions: Record<string, Direction> = {
    ArrowLeft: isRtl ? "on" : "back",
    ArrowRight: isRtl ? "back" : "on",
    ArrowUp: "up",
    ArrowDown: "down",
  };
  return Object.hasOwn(directions, key) ? directions[key] : undefined;
}
