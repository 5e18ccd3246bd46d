// The shell of every block: connection, states, look, words, live region. A block brings what it reads
// and how that is drawn. It's a whole view on its own, or one of several on a page.
//
// To write a block, add views/<name>/index.tsx with its styles.
//
//   import "./<name>.css";                         // logical properties, the short names of shell.css
//   import { type Block, Text, useShell, useToolCall, Value } from "../shell/shell.tsx";
//   import type { BoardConfig } from "../../src/templates/board.ts";   // the Node side owns the type
//
//   export const block: Block<BoardConfig, Card[]> = {
//     name: "board",                               // also the words' fallback heading
//     labels: { move: "Move" },                    // English; config.labels replaces them by name
//     read: (value, config) => cardsIn(value),     // structuredContent, JSON in text, or partial input
//     isEmpty: (cards) => cards.length === 0,      // → the state "empty"; undefined from `read` too
//     Body: ({ data, config, isPartial }) => <ul>{data.map(…)}</ul>,
//   };
//
// The shell draws loading, error, cancelled and empty. `Body` is drawn for a result, and for the
// (partial) input of the tool while `read(input)` finds something in it (`isPartial`). A block that
// is worth seeing without data sets `isAlways`; `data` may then be undefined. A page may hold the same
// block several times: make ids with `useId`, and search within your own element, not the document.
// On a page, the styles of a block only apply inside it.
//
// `useShell()` has `app`, `context` (the Host's), `format` (locale), `label(name, values)`,
// `announce(text)` for screen readers, `tellModel(text)`. `useToolCall()` calls a tool of the Server
// and holds pending, failed and done. `<Text value>` for every text of the data, `<Value value as>` for
// any value, `<Name value>` for text in a heading, label or control: isolated, cut when long (the first
// two with a button to see more), never markup. `own(record, key)` reads data; never index it directly.
// Config booleans that default to true: `!== false`.
//
// On the Node side: src/templates/<name>.ts exports the config type and
// `export const board: Template<BoardConfig> = defineTemplate({ name, options, fit, describe })`
// (see data-table.ts), listed in src/templates/index.ts.

import "./shell.css";

export type { Block, BodyProps } from "./block.ts";
export { type Formatter, kindOf, toText } from "./format.ts";
export {
  CHECK,
  CROSS,
  DOWN,
  EXPAND,
  Icon,
  NEXT,
  PREVIOUS,
  SEARCH,
  UP,
} from "./icons.tsx";
export { KeyHint } from "./key-hint.tsx";
export {
  asText,
  dataOf,
  type Fields,
  humanise,
  isBlank,
  isRecord,
  own,
  textOf,
} from "./records.ts";
export { type Shell, useShell } from "./shell-context.ts";
export { Empty, Notice, Writing } from "./states.tsx";
export { cut, Link, Name, Text, Value } from "./text.tsx";
export { type CallProgress, useToolCall } from "./tool-call.ts";
