import { firstText, isRecord, listOf, textOf } from "./plain-data.ts";

/** A column of a board. */
export interface KanbanColumn {
  /** The value of `column` or `status` in cards; the tool gets it too. */
  id: string;
  /** Its heading; by default the id. */
  title?: string;
}

/** A card as a board reads it. */
export interface KanbanCard {
  /** Its place in the data: ids of a Server may be missing, or there twice. */
  key: number;
  id: string;
  title: string;
  description: string | undefined;
  priority: string | undefined;
  tags: string[];
  assignee: string | undefined;
}

/** A column with the keys of its cards, in their order. */
export interface Lane {
  id: string;
  title: string;
  /** False for cards without a column: they can leave it, and none can enter. */
  isColumn: boolean;
  cards: number[];
}

export interface Board {
  cards: KanbanCard[];
  lanes: Lane[];
}

const USUAL: readonly KanbanColumn[] = [
  { id: "todo", title: "To Do" },
  { id: "in-progress", title: "In Progress" },
  { id: "done", title: "Done" },
];
const MOST_CARDS = 5000;
const MOST_TAGS = 12;
const MOST_LANES = 50;

/**
 * Reads `[card, …]`, `{cards, columns?}`, or columns that hold their cards. Columns are those of the
 * config, else of the data, else those that cards name; a card of yet another column adds it.
 */
export function readBoard(
  data: unknown,
  columns: readonly KanbanColumn[] | undefined,
): Board | undefined {
  const given = isRecord(data) ? columnsOf(data.columns) : undefined;
  const nodes = cardNodes(data);
  if (!nodes) return undefined;
  const lanes = new Lanes(columns?.length ? columns : (given ?? []));
  const cards: KanbanCard[] = [];
  for (const { node, column } of nodes.slice(0, MOST_CARDS)) {
    const card = cardOf(node, cards.length);
    if (!card) continue;
    lanes.put(card.key, column ?? firstText(node, ["column", "status", "columnId", "state"]));
    cards.push(card);
  }
  if (nodes.length > 0 && cards.length === 0) return undefined;
  return { cards, lanes: lanes.all() };
}

interface CardNode {
  node: Record<string, unknown>;
  column: string | undefined;
}

function cardNodes(data: unknown): CardNode[] | undefined {
  const free = (list: unknown[]): CardNode[] =>
    list.filter(isRecord).map((node) => ({ node, column: undefined }));
  if (isRecord(data) && Array.isArray(data.columns) && !Array.isArray(data.cards)) {
    const holders = data.columns.filter(isRecord);
    const held = holders.flatMap((holder) =>
      (listOf(holder, ["cards", "items", "tasks"]) ?? [])
        .filter(isRecord)
        .map((node) => ({ node, column: columnOf(holder)?.id })),
    );
    if (held.length > 0 || holders.some(({ cards }) => Array.isArray(cards))) return held;
  }
  const list = listOf(withoutColumns(data), ["cards", "items", "tasks", "issues", "rows"]);
  return list && free(list);
}

function withoutColumns(data: unknown): unknown {
  if (!isRecord(data)) return data;
  const { columns: _, ...rest } = data;
  return rest;
}

function columnsOf(list: unknown): KanbanColumn[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const columns = list.flatMap((item) => columnOf(item) ?? []);
  return columns.length > 0 ? columns : undefined;
}

function columnOf(item: unknown): Required<KanbanColumn> | undefined {
  const name = textOf(item);
  if (name !== undefined) return { id: name, title: name };
  if (!isRecord(item)) return undefined;
  const title = firstText(item, ["title", "name", "label"]);
  const id = firstText(item, ["id", "key"]) ?? title;
  return id === undefined ? undefined : { id, title: title ?? id };
}

function cardOf(node: Record<string, unknown>, key: number): KanbanCard | undefined {
  const title = firstText(node, ["title", "name", "label", "summary", "id"]);
  if (title === undefined) return undefined;
  const tags = listOf(node.tags ?? node.labels ?? [], ["names"]) ?? [];
  return {
    key,
    id: firstText(node, ["id", "key"]) ?? title,
    title,
    description: firstText(node, ["description"]),
    priority: firstText(node, ["priority"]),
    tags: tags.flatMap((tag) => textOf(tag) ?? []).slice(0, MOST_TAGS),
    assignee: isRecord(node.assignee)
      ? firstText(node.assignee, ["name", "login", "id"])
      : firstText(node, ["assignee"]),
  };
}

/** Columns by name. Servers write "In Progress" and `in_progress` for the same thing. */
class Lanes {
  readonly #byName = new Map<string, Lane>();
  readonly #lanes: Lane[] = [];
  readonly #wereGiven: boolean;

  constructor(columns: readonly KanbanColumn[]) {
    this.#wereGiven = columns.length > 0;
    for (const column of columns) this.#add(columnOf(column));
  }

  put(card: number, name: string | undefined): void {
    const lane =
      this.#byName.get(plain(name ?? "")) ??
      this.#add({ id: name ?? "", title: name ?? "" }, name !== undefined);
    lane?.cards.push(card);
  }

  all(): Lane[] {
    const lanes = this.#lanes;
    if (this.#wereGiven || lanes.some(({ isColumn }) => isColumn)) return lanes;
    // No card names a column: the usual ones, so that there is somewhere to move to.
    const usual = USUAL.map(({ id, title = id }) => ({ id, title, isColumn: true, cards: [] }));
    return [...lanes, ...usual];
  }

  #add(column: Required<KanbanColumn> | undefined, isColumn = true): Lane | undefined {
    if (!column) return undefined;
    if (this.#lanes.length >= MOST_LANES) return this.#lanes.at(-1);
    const lane: Lane = { ...column, isColumn, cards: [] };
    this.#lanes.push(lane);
    for (const name of [column.id, column.title]) {
      if (!this.#byName.has(plain(name))) this.#byName.set(plain(name), lane);
    }
    return lane;
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "-");
}
