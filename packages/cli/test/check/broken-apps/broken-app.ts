import type { RunName } from "../../../src/check/render/runs.ts";
import type { App } from "./app.ts";

/** An app with one fault, and what is to be said of it in the first three lines. */
export interface BrokenApp {
  name: string;
  /** Where such an app was complained about. */
  after: string;
  app(): App;
  cause: RegExp;
  remedy: RegExp;
  /** The runs that show it, beside the one as it should be. */
  runs?: readonly RunName[];
}
