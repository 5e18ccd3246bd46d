// Adding a name here makes it public.

export { autoViews, type Catalogue, type CatalogueWithViews } from "./auto-views.ts";
export type { AutoViewRule, ToolMatch, ToolRule } from "./rules.ts";
