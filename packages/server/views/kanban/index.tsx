import "./kanban.css";
import type { KanbanConfig } from "../../src/templates/kanban.ts";
import { type Board, readBoard } from "../../src/templates/kanban-data.ts";
import type { Block } from "../shell/shell.tsx";
import { Kanban } from "./kanban.tsx";

export const block: Block<KanbanConfig, Board> = {
  name: "kanban",
  labels: {
    empty: "There are no cards on this board.",
    board: "Board",
    noColumn: "No column",
    noCards: "No cards",
    cards: "{count} cards",
    moreCards: "Show {count} more",
    move: "Move {title}",
    how: "Press Space to pick up the card, the arrow keys to move it, Space to put it down, Escape to cancel.",
    picked: "{title} picked up in {column}",
    pickedAt: "{title} picked up in {column}, {at} of {count}",
    carried: "{column}",
    carriedAt: "{column}, {at} of {count}",
    putBack: "{title} put back to {column}",
    putBackAt: "{title} put back to {column}, {at} of {count}",
    moving: "Moving {title} to {column}…",
    moved: "{title} moved to {column}",
    notMoved: "“{title}” could not be moved to {column}",
    opening: "Opening {title}…",
    notOpened: "“{title}” could not be opened",
    retry: "Try again",
    dismiss: "Dismiss",
    priority: "Priority",
    assignee: "Assigned to",
    tags: "Tags",
  },
  read: (value, { columns }) => readBoard(value, columns),
  isEmpty: ({ cards }, { columns }) => cards.length === 0 && !columns?.length,
  Body: Kanban,
};
