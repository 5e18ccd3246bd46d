import type { App, CallToolResult, McpUiHostContext } from "@vitrine/view";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Formatter } from "./format.ts";
import type { LabelName } from "./labels.ts";

/** The context of every part of a template. */
export interface Shell {
  app: App;
  /** The Host's context as it is now. */
  context: McpUiHostContext;
  format: Formatter;
  /** A word of the View, with `{name}` replaced; a template's own words come by the same function. */
  label(name: LabelName | (string & {}), values?: Record<string, string | number>): string;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** Tells the model what happened here, where the Host takes that. */
  tellModel(text: string): void;
  /** Shows another result of a tool in place of the one that the Host sent. */
  showResult(result: CallToolResult): void;
}

export const ShellContext: import("preact").Context<Shell> = createContext<Shell>(
  undefined as never,
);

/** The shell around this part. */
export function useShell(): Shell {
  return useContext(ShellContext);
}
