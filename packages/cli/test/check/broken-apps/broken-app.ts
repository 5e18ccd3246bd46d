import type { RunName } from "../../../src/check/render/runs.ts";
import type { App } from "./app.ts";

/** An app with one fault, and the expected first three lines of its report. */
export interface BrokenApp {
  name: string;
  /** Where such an app was complained about. */
  after: string;
  app(): App;
  cause: RegExp;
  remedy: RegExp;
  /** The runs that show the fault, besides the normal one. */
  runs?: readonly RunName[];
}
