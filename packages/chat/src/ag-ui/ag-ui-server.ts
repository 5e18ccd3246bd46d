// `@vitrine/chat/ag-ui/server`: an agent for pages that use AG-UI. Adding a name here makes it public.

export { type AgentHandlerOptions, createAgentHandler } from "./agent-handler.ts";
