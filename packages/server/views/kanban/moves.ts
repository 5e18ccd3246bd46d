import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { KanbanConfig } from "../../src/templates/kanban.ts";
import {
  type Board,
  type KanbanCard,
  type Lane,
  readBoard,
} from "../../src/templates/kanban-data.ts";
import { inSentence } from "../../src/templates/plain-data.ts";
import { cut, dataOf, own, textOf, useShell } from "../shell/shell.tsx";
import { isMove, moveCard, type Spot, spotOf } from "./lanes.ts";

/** A move that the Server did not take. */
export interface FailedMove {
  card: KanbanCard;
  to: Spot;
  column: string;
  text: string;
}

export interface Moves {
  board: Board;
  /** Cards whose move the Server has not answered yet. */
  pending: ReadonlySet<number>;
  failed: FailedMove | undefined;
  move(card: number, to: Spot): void;
  retry(): void;
  dismiss(): void;
}

const REMEMBERED = 20;

/** Moves cards at once, tells the Server after, and undoes what it refuses. */
export function useMoves(data: Board, config: KanbanConfig): Moves {
  const { app, label, announce, tellModel } = useShell();
  const [board, setBoard] = useState(data);
  const [pending, setPending] = useState<ReadonlySet<number>>(new Set());
  const [failed, setFailed] = useState<FailedMove>();
  // Calls end long after they began, and on a board that has moved on.
  const now = useRef({ board, waiting: 0, told: [] as string[] });
  const { onMoveTool: tool, ordered: isOrdered = false } = config;

  const setLanes = useCallback((lanes: Lane[]) => {
    now.current.board = { ...now.current.board, lanes };
    setBoard(now.current.board);
  }, []);
  const replace = useCallback((next: Board) => {
    now.current.board = next;
    setBoard(next);
  }, []);
  useEffect(() => replace(data), [data, replace]);

  const mark = useCallback((card: number, isPending: boolean) => {
    now.current.waiting += isPending ? 1 : -1;
    setPending((cards) => {
      const next = new Set(cards);
      if (isPending) next.add(card);
      else next.delete(card);
      return next;
    });
  }, []);

  const move = useCallback(
    async (key: number, to: Spot) => {
      const plan = planMove(now.current.board, key, to, isOrdered);
      if (!plan) return;
      const { card, from } = plan;
      setLanes(moveCard(now.current.board.lanes, key, to));
      setFailed(undefined);
      const names = { title: cut(card.title, 80), column: cut(plan.target.title, 60) };
      const tellDone = (): void => {
        announce(label("moved", names));
        const told = `Moved “${names.title}” (${cut(card.id, 80)}) to ${names.column}`;
        now.current.told = [...now.current.told, told].slice(-REMEMBERED);
        tellModel(now.current.told.join("\n"));
      };
      if (tool === undefined) {
        tellDone();
        return;
      }
      mark(key, true);
      announce(label("moving", names));
      try {
        const result = await app.callServerTool({ name: tool, arguments: plan.args });
        if (result.isError) throw new Error(textOf(result));
        tellDone();
        mark(key, false);
        // The Server's board is correct, but not while other moves are still on their way to it.
        const next = adopt(dataOf(result), config);
        if (next && now.current.waiting === 0) replace(next);
      } catch (error) {
        mark(key, false);
        // If the board was replaced during the call, the new board decides where the card is.
        if (now.current.board.cards[key] === card) {
          setLanes(moveCard(now.current.board.lanes, key, from));
        }
        const text = (error as Error).message || label("failed");
        setFailed({ card, to, column: inSentence(plan.target.title, 60), text });
      }
    },
    [app, config, tool, isOrdered, label, announce, tellModel, setLanes, replace, mark],
  );
  return {
    board,
    pending,
    failed,
    move,
    retry: () => failed && move(failed.card.key, failed.to),
    dismiss: () => setFailed(undefined),
  };
}

/** A board in the answer of the tool, where it clearly is one. */
function adopt(data: unknown, { columns }: KanbanConfig): Board | undefined {
  return Array.isArray(own(data, "cards")) ? readBoard(data, columns) : undefined;
}

/** A move and the tool's arguments for it; undefined if it would change nothing. */
function planMove({ cards, lanes }: Board, key: number, to: Spot, isOrdered: boolean) {
  const card = cards[key];
  const from = spotOf(lanes, key);
  const [source, target] = [lanes[from?.lane ?? -1], lanes[to.lane]];
  if (!card || !from || !source || !target || !isMove(from, to, isOrdered)) return undefined;
  const ids = { cardId: card.id, fromColumn: source.id, toColumn: target.id };
  return { card, from, target, args: { ...ids, ...(isOrdered && { toIndex: to.index }) } };
}
