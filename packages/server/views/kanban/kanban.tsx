import { useId, useState } from "preact/hooks";
import type { KanbanConfig } from "../../src/templates/kanban.ts";
import type { Board, KanbanCard, Lane } from "../../src/templates/kanban-data.ts";
import { inSentence } from "../../src/templates/plain-data.ts";
import { useOverflow } from "../shell/overflow.ts";
import {
  type BodyProps,
  CROSS,
  cut,
  Empty,
  Icon,
  KeyHint,
  Notice,
  Text,
  textOf,
  useShell,
  useToolCall,
} from "../shell/shell.tsx";
import { Card, titleId } from "./card.tsx";
import { handleId, useCarry } from "./carry.ts";
import { useDrag } from "./drag.ts";
import { type Moves, useMoves } from "./moves.ts";

const MOST_CARDS = 50;

/** The board. */
export function Kanban({ config, data, isPartial }: BodyProps<KanbanConfig, Board>) {
  const { label } = useShell();
  const moves = useMoves(data, config);
  const { board, pending } = moves;
  const isOrdered = config.ordered === true;
  const carry = useCarry(board.lanes, board.cards, isOrdered, moves.move);
  const { drag, onPointerDown, onClickCapture } = useDrag(board.lanes, moves.move);
  const opening = useOpening(config.onCardClickTool);
  const how = useId();
  const { frame, scrolls } = useOverflow();
  const isEmpty = board.cards.length === 0;
  // What the model is still writing is to be looked at.
  const isDraggable = config.draggable !== false && !isPartial;
  const reachable = scrolls && {
    tabIndex: 0,
    role: "region" as const,
    "aria-label": label("board"),
  };
  return (
    <>
      <Failure moves={moves} />
      {opening.notice}
      <div class={drag ? "board dragging" : "board"} ref={frame} {...reachable}>
        {carry.lanes.map((lane, at) => (
          <Column
            key={lane.id}
            lane={lane}
            at={at}
            mark={drag?.to?.lane === at ? (isOrdered ? drag.to.index : -1) : undefined}
            dragged={drag?.card}
            isBare={isEmpty}
          >
            {(key) => {
              const card = board.cards[key] as KanbanCard;
              return (
                <Card
                  key={key}
                  card={card}
                  isPending={pending.has(key)}
                  isCarried={carry.carried === key}
                  drag={drag?.card === key ? drag : undefined}
                  describedBy={how}
                  onOpen={
                    config.onCardClickTool !== undefined && !isPartial
                      ? () => opening.open(card)
                      : undefined
                  }
                  {...(isDraggable && {
                    onKeyDown: (event: KeyboardEvent) => carry.onKeyDown(event, card),
                    onPointerDown: (event: PointerEvent) => onPointerDown(event, key),
                    onClickCapture,
                  })}
                />
              );
            }}
          </Column>
        ))}
      </div>
      {isEmpty && <Empty />}
      {isDraggable && <KeyHint id={how} text={label("how")} frame={frame} />}
    </>
  );
}

function Column({
  lane,
  at,
  mark,
  dragged,
  isBare,
  children,
}: {
  lane: Lane;
  at: number;
  /** Index before which a dragged card would stand; -1 for the column as a whole. */
  mark: number | undefined;
  dragged: number | undefined;
  /** The board as a whole is empty, and shows that once. */
  isBare: boolean;
  children: (card: number) => preact.ComponentChildren;
}) {
  const { label, format } = useShell();
  const [most, setMost] = useState(MOST_CARDS);
  const id = useId();
  const count = format.number(lane.cards.length);
  const hidden = lane.cards.length - most;
  const others = lane.cards.filter((card) => card !== dragged);
  const before = mark === undefined || mark < 0 ? undefined : others[mark];
  const line = <li class="mark" aria-hidden="true" />;
  return (
    <section class={mark === undefined ? "lane" : "lane over"} data-lane={at} aria-labelledby={id}>
      <header>
        <h2 id={id}>
          <Text value={lane.title || label("noColumn")} short={60} />
        </h2>
        <span class="count">
          <span aria-hidden="true">{count}</span>
          <span class="hidden">{label("cards", { count })}</span>
        </span>
      </header>
      <ul>
        {lane.cards
          .slice(0, most)
          .flatMap((card) => [...(card === before ? [line] : []), children(card)])}
        {mark !== undefined && mark >= others.length && line}
      </ul>
      {lane.cards.length === 0 && !isBare && <p class="none">{label("noCards")}</p>}
      {hidden > 0 && (
        <button type="button" class="button plain" onClick={() => setMost(most + MOST_CARDS)}>
          {label("moreCards", { count: format.number(Math.min(hidden, MOST_CARDS)) })}
        </button>
      )}
    </section>
  );
}

/** A move that was undone, and a way to try it again. */
function Failure({ moves: { failed, retry, dismiss } }: { moves: Moves }) {
  const { label } = useShell();
  if (!failed) return null;
  const { card, column, text } = failed;
  // The button that was pressed goes away: its card is where the user will want to be.
  const leave = (act: () => void) => (): void => {
    act();
    document.getElementById(handleId(card.key))?.focus();
  };
  return (
    <Notice
      tone="danger"
      title={label("notMoved", { title: inSentence(card.title, 80), column })}
      text={text}
    >
      <div class="answers">
        <button type="button" class="button" onClick={leave(retry)}>
          {label("retry")}
        </button>
        <button type="button" class="button plain" onClick={leave(dismiss)}>
          {label("dismiss")}
        </button>
      </div>
    </Notice>
  );
}

/** A click on a card, and the tool's response. */
function useOpening(tool: string | undefined) {
  const { label, announce } = useShell();
  const { state, call, reset } = useToolCall();
  const [card, setCard] = useState<KanbanCard>();
  const open = (card: KanbanCard): void => {
    if (tool === undefined || state.status === "pending") return;
    setCard(card);
    announce(label("opening", { title: cut(card.title, 80) }));
    call(tool, { cardId: card.id });
  };
  const title = inSentence(card?.title ?? "", 80);
  const close = (): void => {
    reset();
    if (card) document.getElementById(titleId(card.key))?.focus();
  };
  const dismiss = (
    <button
      type="button"
      class="button plain icon"
      aria-label={label("dismiss")}
      title={label("dismiss")}
      onClick={close}
    >
      <Icon path={CROSS} />
    </button>
  );
  if (state.status === "failed") {
    const notice = (
      <Notice tone="danger" title={label("notOpened", { title })} text={state.text}>
        <div class="dismiss">{dismiss}</div>
      </Notice>
    );
    return { open, notice };
  }
  const answer = state.status === "done" ? textOf(state.result) : "";
  const notice = answer && (
    <section class="answer" role="status">
      <h2>{title}</h2>
      {dismiss}
      <p>
        <Text value={answer} short={2000} />
      </p>
    </section>
  );
  return { open, notice };
}
