// One format for the states of a view: stories, files that `vitrine dev` saves, and tests use it. It is
// plain JSON and has no dependency on Node, so that pages can read it too.

import type { CallToolResult, McpUiDisplayMode } from "@vitrine/protocol/apps";

/** The host that shows a view. */
export interface ScenarioHost {
  theme?: "light" | "dark";
  /** A language tag, such as `de-DE`. */
  locale?: string;
  /** Pixels. */
  width?: number;
  displayMode?: McpUiDisplayMode;
  /** The id of a host profile of `vitrine dev`, such as `chatgpt`. */
  profile?: string;
}

/** One state of a view: the messages that the host delivers to it, and the answers to its calls. */
export interface Scenario {
  /** The tool that opened the view. */
  tool: string;
  /** The tool's input. Without it, the input never arrives. */
  input?: Record<string, unknown>;
  /** Delivered before the input, in order. */
  partialInputs?: Record<string, unknown>[];
  /** The tool's result. Without it, the view keeps waiting. */
  result?: CallToolResult;
  /** The reason of a cancelled call, which has no result. */
  cancelled?: string;
  /** Answers to the view's calls, by tool. An array answers one after the other, then repeats its last. */
  tools?: Record<string, CallToolResult | CallToolResult[]>;
  host?: ScenarioHost;
}

/** A scenario with a name. */
export interface Story extends Scenario {
  name: string;
}
