/** The kinds of problems with a view in a folder. */
export type ProblemCode =
  | "unreadable"
  | "outside"
  | "too-large"
  | "not-utf8"
  | "not-json"
  | "unknown-key"
  | "wrong-type"
  | "wrong-value"
  | "no-page"
  | "no-doctype"
  | "template"
  | "csp"
  | "duplicate";

/** A problem with a view, as a message. */
export interface ViewProblem {
  code: ProblemCode;
  /** The file or folder, relative to the root. */
  file: string;
  message: string;
}
