// Adding a name here makes it public.

export { type AdornedCatalogue, adorn, type Catalogue } from "./adorn.ts";
export type { AdornRule, ToolMatch, ToolRule } from "./rules.ts";
