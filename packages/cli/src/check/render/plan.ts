// The messages between the program and the page of `pages/render`.

import type { Json } from "../json.ts";

/** How one run starts. */
export interface RenderPlan {
  tool: Json;
  /** A plan without a theme has no styles either. */
  theme?: "light" | "dark";
  context: Json;
  offersTools: boolean;
  /** The data that the view gets as soon as it may receive any. */
  first: readonly Json[];
  /** Milliseconds that a view may stay in a stage. */
  times: { document: number; initialize: number };
}

/** An event in the page, and its time. */
export type RenderEvent = { at: number } & (
  | { kind: "stage"; stage: string }
  | { kind: "diagnostic"; level: string; stage: string; code: string; detail?: string }
  | { kind: "size"; width?: number; height?: number; frame: number }
  | { kind: "call"; name: string; outcome: string; hosts?: readonly string[] }
  | { kind: "consent"; about: string; allow: boolean }
  | { kind: "log"; level: string; text: string }
);

/** What the page offers to the program. */
export interface RenderStage {
  open(plan: RenderPlan): Promise<void>;
  events(): RenderEvent[];
  stage(): string;
  /** Input, result or the end of the call; in the order of the specification. */
  tell(data: Json): void;
  /** A notification, unchanged. */
  send(method: string, params: Json): void;
}
