import { describe, expect, test } from "vitest";
import { kanban } from "../../src/templates/kanban.ts";
import { type Board, type KanbanColumn, readBoard } from "../../src/templates/kanban-data.ts";
import { isMove, moveCard, nextSpot, spotOf } from "../../views/kanban/lanes.ts";

const columns = [
  { id: "todo", title: "To do" },
  { id: "doing", title: "Doing" },
  { id: "done", title: "Done" },
];

/** `To do: a b | Doing: c` for a board. */
const written = (board: Board | undefined): string | undefined =>
  board?.lanes
    .map(({ title, cards }) =>
      [`${title}:`, ...cards.map((key) => board.cards[key]?.title)].join(" "),
    )
    .join(" | ");

const read = (data: unknown, given?: KanbanColumn[]): string | undefined =>
  written(readBoard(data, given));

describe("reading", () => {
  const cards = [
    { id: 1, title: "a", column: "todo" },
    { id: 2, title: "b", status: "Doing" },
    { id: 3, title: "c", column: "todo" },
  ];

  test("takes a list or an object with cards, by column or status", () => {
    const expected = "To do: a c | Doing: b | Done:";
    expect(read(cards, columns)).toBe(expected);
    expect(read({ cards }, columns)).toBe(expected);
    expect(read({ tasks: cards, total: 3 }, columns)).toBe(expected);
  });

  test("takes columns from the data, and columns that hold their cards", () => {
    expect(read({ columns: ["todo", "done"], cards: [{ title: "a", column: "done" }] })).toBe(
      "todo: | done: a",
    );
    const held = { columns: [{ title: "Now", cards: [{ title: "a" }] }, { title: "Later" }] };
    expect(read(held)).toBe("Now: a | Later:");
  });

  test("finds columns that cards name, or has the usual three", () => {
    expect(
      read([
        { title: "a", status: "Open" },
        { title: "b", status: "Shut" },
      ]),
    ).toBe("Open: a | Shut: b");
    expect(read({ cards: [] })).toBe("To Do: | In Progress: | Done:");
    expect(read([{ title: "a" }])).toBe(": a | To Do: | In Progress: | Done:");
  });

  test("takes different spellings of a column for the same, and loses no card", () => {
    const spelt = ["in progress", "IN_PROGRESS", "in-progress", "Blocked"];
    const given = [{ id: "in-progress", title: "In Progress" }];
    expect(
      read(
        spelt.map((status, at) => ({ title: `${at}`, status })),
        given,
      ),
    ).toBe("In Progress: 0 1 2 | Blocked: 3");
    expect(read([{ title: "a", column: "__proto__" }], given)).toBe("In Progress: | __proto__: a");
  });

  test("takes the fields of a card for what they are", () => {
    const card = {
      id: 7,
      title: "a",
      description: "text",
      priority: "High",
      tags: ["x", 2, { no: 1 }, null],
      assignee: { name: "Ada" },
    };
    expect(readBoard([card], undefined)?.cards[0]).toEqual({
      key: 0,
      id: "7",
      title: "a",
      description: "text",
      priority: "High",
      tags: ["x", "2"],
      assignee: "Ada",
    });
    expect(readBoard([{ title: "a", tags: "no list" }], undefined)?.cards[0]?.tags).toEqual([]);
  });

  test.each([[undefined], [null], ["text"], [{}], [{ cards: [{ nothing: 1 }] }], [{ query: "x" }]])(
    "finds no board in %j",
    (data) => {
      expect(readBoard(data, undefined)).toBeUndefined();
    },
  );

  test("a hundred columns and ten thousand cards have an end", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      title: `${at}`,
      column: `${at % 100}`,
    }));
    const board = readBoard(many, undefined);
    expect([board?.cards.length, board?.lanes.length]).toEqual([5000, 50]);
  });
});

describe("moving", () => {
  const board = readBoard(
    [
      { title: "a", column: "todo" },
      { title: "b", column: "todo" },
      { title: "c", column: "doing" },
      { title: "d" },
    ],
    columns,
  ) as Board;
  const { lanes } = board;

  test("puts a card at the given position, and doesn't change the old board", () => {
    const after = (card: number, lane: number, index: number): string | undefined =>
      written({ ...board, lanes: moveCard(lanes, card, { lane, index }) });
    expect(after(0, 1, 0)).toBe("To do: b | Doing: a c | Done: | : d");
    expect(after(0, 1, 99)).toBe("To do: b | Doing: c a | Done: | : d");
    expect(after(0, 0, 1)).toBe("To do: b a | Doing: c | Done: | : d");
    expect(written(board)).toBe("To do: a b | Doing: c | Done: | : d");
    expect(spotOf(lanes, 1)).toEqual({ lane: 0, index: 1 });
    expect(spotOf(lanes, 99)).toBeUndefined();
  });

  test("goes from column to column, at the ends no further, and into none that is none", () => {
    expect(nextSpot(lanes, 0, "on", false)).toEqual({ lane: 1, index: 1 });
    expect(nextSpot(lanes, 0, "back", false)).toEqual({ lane: 0, index: 0 });
    expect(nextSpot(lanes, 0, "down", false)).toEqual({ lane: 1, index: 1 });
    expect(nextSpot(lanes, 3, "back", false)).toEqual({ lane: 2, index: 0 });
    const last = moveCard(lanes, 0, { lane: 2, index: 0 });
    expect(nextSpot(last, 0, "on", false)).toEqual({ lane: 2, index: 0 });
  });

  test("goes up and down where the order counts", () => {
    expect(nextSpot(lanes, 0, "down", true)).toEqual({ lane: 0, index: 1 });
    expect(nextSpot(lanes, 1, "down", true)).toEqual({ lane: 0, index: 1 });
    expect(nextSpot(lanes, 1, "on", true)).toEqual({ lane: 1, index: 1 });
    const [from, to] = [
      { lane: 0, index: 0 },
      { lane: 0, index: 1 },
    ];
    expect([isMove(from, to, false), isMove(from, to, true)]).toEqual([false, true]);
  });
});

describe("without a View", () => {
  test("the model reads the columns, their cards and ids", () => {
    const text = kanban({ title: "Sprint", columns }).describe?.({
      cards: [
        { id: "A-1", title: "Write\n## forged", column: "todo", priority: "High", tags: ["x"] },
      ],
    });
    expect(text).toBe(
      "# Sprint\n\n## To do (1)\n- Write ## forged [A-1] (High, x)\n\n## Doing (0)\n\n## Done (0)",
    );
    const many = Array.from({ length: 300 }, (_, at) => ({ title: `${at}`, column: "todo" }));
    expect(kanban({ columns }).describe?.(many)).toContain("… 200 more cards");
    expect(kanban().describe?.({ other: "thing" })).toContain("thing");
  });
});

test("fits schemas of cards, and takes columns from what a status may be", () => {
  const schema = (status: object) => ({
    type: "object",
    properties: {
      cards: {
        type: "array",
        items: { type: "object", properties: { title: { type: "string" }, status } },
      },
    },
  });
  const chosen = schema({ enum: ["todo", "done"] });
  expect(kanban.fit(chosen)).toBeGreaterThan(0.9);
  expect(kanban.fit(schema({ type: "string" }))).toBeLessThan(0.9);
  expect(kanban.fit({ type: "object" })).toBe(0);
  expect(kanban.configFor(chosen)).toEqual({
    columns: [
      { id: "todo", title: "todo" },
      { id: "done", title: "done" },
    ],
  });
});
