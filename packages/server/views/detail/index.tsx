import "./detail.css";
import type { DetailConfig } from "../../src/templates/detail.ts";
import { type Block, type Fields, isRecord } from "../shell/shell.tsx";
import { Detail } from "./detail.tsx";

export const block: Block<DetailConfig, Fields> = {
  name: "detail",
  labels: {
    empty: "There are no details to show.",
    table: "Table",
    moreOf: "Show more ({shown} of {count})",
  },
  // A list is an object whose properties are its places.
  read: (value) => (isRecord(value) ? value : Array.isArray(value) ? { items: value } : undefined),
  isEmpty: (record) => Object.keys(record).length === 0,
  Body: Detail,
};
