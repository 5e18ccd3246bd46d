// What the program and the page of `pages/render` say to each other.

import type { Json } from "../json.ts";

/** How one run begins. */
export interface RenderPlan {
  tool: Json;
  /** No theme means no styles either. */
  theme?: "light" | "dark";
  context: Json;
  offersTools: boolean;
  /** What the View is told in the moment in which it may be told anything. */
  first: readonly Json[];
  /** Milliseconds that a View may stay in a stage. */
  times: { document: number; initialize: number };
}

/** What happened in the page, and when. */
export type RenderEvent = { at: number } & (
  | { kind: "stage"; stage: string }
  | { kind: "diagnostic"; level: string; stage: string; code: string; detail?: string }
  | { kind: "size"; width?: number; height?: number; frame: number }
  | { kind: "call"; name: string; outcome: string }
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
  /** A notification as it is given. */
  send(method: string, params: Json): void;
}
