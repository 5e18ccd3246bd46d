// The types of the hooks, for the entries of all frameworks.

export type { DisplayModeState } from "./display-mode.ts";
export type { ViewStateOptions } from "./kept-value.ts";
export type { ModelContextPart } from "./model-context.ts";
export type { PartialInput } from "./partial-input.ts";
export type { ToolCallActions, ToolCallState } from "./tool-call.ts";
export type { UploadActions, UploadOptions, UploadPart, UploadState } from "./upload.ts";
