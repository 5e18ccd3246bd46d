// `@vitrine/chat/ag-ui`: the page of a chat whose agent is reached over AG-UI. Adding a name here makes
// it public.

export type { AgUiAgent } from "./agent.ts";
export { AgentApps, type AgentAppsOptions, connectAgent } from "./agent-apps.ts";
export { RESULT_EVENT } from "./tool-calls.ts";
