// The parts that a Host needs before any View runs, in a separate entry to keep pages small: which tools
// have a View, who may use them, what a UI resource looks like. Adding a name here makes it public.

export {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
  UI_SCHEME,
} from "./constants.ts";
export { isAppMimeType } from "./mime-type.ts";
export { STYLE_VARIABLES } from "./style-variables.ts";
export { isVisibleTo, toolResourceUri } from "./tool-policy.ts";
