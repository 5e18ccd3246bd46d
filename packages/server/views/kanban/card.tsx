import type { KanbanCard } from "../../src/templates/kanban-data.ts";
import { cut, Icon, Text, useShell } from "../shell/shell.tsx";
import { handleId } from "./carry.ts";
import type { Drag } from "./drag.ts";

const GRIP = "M6 3.5v0M10 3.5v0M6 8v0M10 8v0M6 12.5v0M10 12.5v0";

export const titleId = (card: number): string => `open-${card}`;

interface CardProps {
  card: KanbanCard;
  isPending: boolean;
  isCarried: boolean;
  drag: Drag | undefined;
  describedBy: string;
  onOpen: (() => void) | undefined;
  /** Without these three the card stays where it is. */
  onKeyDown?: (event: KeyboardEvent) => void;
  onPointerDown?: (event: PointerEvent) => void;
  onClickCapture?: (event: MouseEvent) => void;
}

/** A card: what it says, a handle to move it, its title to open it. */
export function Card(props: CardProps) {
  const { card, isPending, isCarried, drag, onOpen, onKeyDown, onPointerDown } = props;
  const { label } = useShell();
  const title = <Text value={card.title} short={160} />;
  const isFree = onPointerDown !== undefined && !isPending;
  const classes = ["card", isCarried && "carried", drag && "dragged", isFree && "free"];
  return (
    // The handle does the same by keyboard.
    <li
      class={classes.filter(Boolean).join(" ")}
      data-card={card.key}
      aria-busy={isPending}
      style={drag && { transform: `translate(${drag.x}px, ${drag.y}px)` }}
      {...(isFree && { onPointerDown, onClickCapture: props.onClickCapture })}
    >
      <div class="top">
        {onOpen ? (
          <button type="button" class="title" id={titleId(card.key)} onClick={onOpen}>
            <bdi>{cut(card.title, 160)}</bdi>
          </button>
        ) : (
          <span class="title">{title}</span>
        )}
        {isPending && <span class="spinner" aria-hidden="true" />}
        {onKeyDown && (
          <button
            type="button"
            class="handle"
            id={handleId(card.key)}
            aria-label={label("move", { title: cut(card.title, 80) })}
            aria-describedby={props.describedBy}
            aria-disabled={isPending}
            onKeyDown={(event) => !isPending && onKeyDown(event)}
          >
            <Icon path={GRIP} />
          </button>
        )}
      </div>
      {card.description !== undefined && (
        <p class="soft">
          <Text value={card.description} short={180} />
        </p>
      )}
      <Facts card={card} />
    </li>
  );
}

/** Priority, tags and assignee, each with its name for screen readers. */
function Facts({ card: { priority, tags, assignee } }: { card: KanbanCard }) {
  const { label } = useShell();
  if (priority === undefined && assignee === undefined && tags.length === 0) return null;
  return (
    <dl class="facts">
      {priority !== undefined && (
        <div>
          <dt class="hidden">{label("priority")}</dt>
          <dd class={`priority ${urgency(priority)}`}>
            <bdi>{cut(priority, 24)}</bdi>
          </dd>
        </div>
      )}
      {tags.length > 0 && (
        <div>
          <dt class="hidden">{label("tags")}</dt>
          {tags.map((tag, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a tag may be there twice.
            <dd key={at} class="tag">
              <bdi>{cut(tag, 24)}</bdi>
            </dd>
          ))}
        </div>
      )}
      {assignee !== undefined && (
        <div class="assignee">
          <dt class="hidden">{label("assignee")}</dt>
          <dd>
            <bdi>{cut(assignee, 40)}</bdi>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** How a priority looks; its word is shown in any case. */
function urgency(priority: string): string {
  if (/^(high|highest|urgent|critical|blocker|p0|p1)$/i.test(priority)) return "high";
  if (/^(medium|normal|p2)$/i.test(priority)) return "medium";
  return /^(low|lowest|minor|p3|p4)$/i.test(priority) ? "low" : "";
}
