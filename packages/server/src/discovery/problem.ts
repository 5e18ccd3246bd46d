/** What can be wrong with a View in a folder. */
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

/** What is wrong with a View, in words. */
export interface ViewProblem {
  code: ProblemCode;
  /** The file or folder, from the root. */
  file: string;
  message: string;
}
