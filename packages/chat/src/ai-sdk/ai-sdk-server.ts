// `@vitrine/chat/ai-sdk/server`: the server of a product that uses the AI SDK. Adding a name here makes
// it public.

export {
  type CallOptions,
  type ChatBody,
  type PreparedTurn,
  type PrepareTurnOptions,
  prepareTurn,
} from "./prepare-turn.ts";
export { createSampleHandler, type SampleHandlerOptions } from "./sample-handler.ts";
export { type WithViewsOptions, withViews } from "./view-stream.ts";
