import { type JsonSchema, readSchema, type SchemaNode } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { type KanbanColumn, readBoard } from "./kanban-data.ts";
import { flag, list, object, required, text, tool } from "./option.ts";
import { cutText } from "./plain-data.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";

/** A board of cards in columns, moved by pointer or keyboard. */
export interface KanbanConfig extends TemplateConfig {
  /** Columns in their order; by default those of the data, else to do, in progress and done. */
  columns?: KanbanColumn[];
  /** Whether cards can be moved; true by default. */
  draggable?: boolean;
  /**
   * Tool that is called for a move, with `{ cardId, fromColumn, toColumn }`. A move it refuses is undone; if
   * its result has `cards`, the board takes them. Without a tool, only the model is notified of moves.
   */
  onMoveTool?: string;
  /** Tool that is called for a click on a card, with `{ cardId }`; the text of its result is shown. */
  onCardClickTool?: string;
  /**
   * Whether the order within a column counts: cards can then be put between others, and the tool also
   * gets `toIndex`. False by default.
   */
  ordered?: boolean;
}

const MOST_CARDS = 100;

/** Shows cards `{id, title, description, column or status, priority, tags, assignee}` as a board. */
export const kanban: Template<KanbanConfig> = defineTemplate<KanbanConfig>({
  name: "kanban",
  options: {
    columns: list(
      object<KanbanColumn>(
        {
          id: required(text("The value of column or status in cards; the tool gets it too.")),
          title: text("Its heading; by default the id."),
        },
        "A column.",
      ),
      "Columns in their order; by default those of the data, else to do, in progress and done.",
    ),
    draggable: flag("Whether cards can be moved; true by default."),
    onMoveTool: tool("Tool that is called for a move, with cardId, fromColumn and toColumn."),
    onCardClickTool: tool("Tool that is called for a click on a card, with cardId."),
    ordered: flag("Whether the order within a column counts; false by default."),
  },
  fit: (schema) => {
    const card = cardIn(schema);
    const column = card && (card.property("column") ?? card.property("status"));
    if (!card?.property("title") || !column) return 0;
    // A status of any text is more often a column of a table.
    return column.choices || card.property("column") ? 0.95 : 0.6;
  },
  configFor: (schema) => {
    const card = cardIn(schema);
    const choices = (card?.property("column") ?? card?.property("status"))?.choices ?? [];
    const columns = choices.flatMap(({ value, label }) =>
      typeof value === "string" ? { id: value, title: label } : [],
    );
    return columns.length > 0 ? { columns } : {};
  },
  describe: (structuredContent, { title, columns }) => {
    const board = readBoard(structuredContent, columns);
    if (!board) return textFallback(structuredContent, { title });
    const lines: string[] = title ? [`# ${oneLine(title)}`] : [];
    let left = MOST_CARDS;
    for (const lane of board.lanes) {
      lines.push("", `## ${oneLine(lane.title || "No column")} (${lane.cards.length})`);
      for (const key of lane.cards.slice(0, left)) {
        const card = board.cards[key];
        if (!card) continue;
        const notes = [card.priority, card.assignee, ...card.tags].filter(Boolean).join(", ");
        const note = notes && ` (${oneLine(notes)})`;
        lines.push(`- ${oneLine(card.title)} [${oneLine(card.id)}]${note}`);
      }
      const more = lane.cards.length - left;
      if (more > 0) lines.push(`… ${more} more cards`);
      left = Math.max(0, left - lane.cards.length);
    }
    return lines.join("\n").trim();
  },
});

/** The schema of a card: an item of the only list of objects. */
function cardIn(schema: JsonSchema): SchemaNode | undefined {
  const root = readSchema(schema);
  if (root.type === "array") return root.items();
  const lists = root.properties().flatMap(({ node }) => node.items() ?? []);
  return lists.find((item) => item.property("title"));
}

/** A title must not be able to write headings of its own. */
function oneLine(text: string): string {
  return cutText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " "), 160);
}
