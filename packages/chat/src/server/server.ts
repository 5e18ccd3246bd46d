// `@vitrine/chat/server`: the product's server, for any agent library. Adding a name here makes it
// public.

export { modelToolName } from "../tool-name.ts";
export { type ModelContent, type ModelResult, modelResult, modelText } from "./model-result.ts";
export { type ListModelToolsOptions, listModelTools, type ModelTool } from "./model-tools.ts";
export { describeModelContext, readTurn } from "./turn.ts";
