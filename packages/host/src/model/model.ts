// `@vitrine/host/model`: text of servers and views on its way to a model. Runs anywhere. Adding a name
// here makes it public.

export { cleanText, cutText, forModel } from "./model-text.ts";
export { readPartialJson } from "./partial-json.ts";
