import type { Code } from "../../src/check/codes.ts";
import type { ProjectView } from "../broken-views/project.ts";

/** A view with a bad state, and the finding that names it. */
export interface BadState extends ProjectView {
  code: Code;
  /** A word of the finding, where one code stands for several states. */
  cause: RegExp;
}

export const STYLE = `
html { color-scheme: light dark; }
body { margin: 0; padding: 16px; font: 14px/1.45 sans-serif; color: var(--color-text-primary, CanvasText); background: var(--color-background-primary, Canvas); }
table { border-spacing: 0; width: 100%; } td, th { padding: 4px 8px; text-align: start; overflow-wrap: break-word; }
`;

/** What all of them show. */
export const RESULT = {
  content: [{ type: "text", text: "Three orders" }],
  structuredContent: {
    orders: [
      { id: 1, customer: "Marguerite", article: "Bookshelf", status: "Delivered", total: 129.5 },
      { id: 2, customer: "Constantin", article: "Floor lamp", status: "Processing", total: 39 },
      { id: 3, customer: "Annabelle", article: "Armchair", status: "Cancelled", total: 349 },
    ],
  },
};
