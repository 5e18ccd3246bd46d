/** How a value is written; `auto` goes by the value, everything by the Host's locale. */
export type ValueFormat =
  | "auto"
  | "text"
  | "number"
  | "integer"
  /** 0.25 is 25 %. */
  | "percent"
  | "bytes"
  /** ISO 8601, or milliseconds. */
  | "date"
  | "datetime"
  | "boolean"
  /** With a code of ISO 4217: `currency:EUR`. */
  | `currency:${string}`;
