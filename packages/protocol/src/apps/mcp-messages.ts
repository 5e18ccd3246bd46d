/** The core MCP requests, results and notifications a View's channel carries. */

import type {
  BlobResourceContents,
  ContentBlock,
  Cursor,
  JSONValue,
  LoggingLevel,
  ModelPreferences,
  ProgressToken,
  Prompt,
  RequestId,
  RequestMeta,
  Resource,
  ResourceTemplate,
  ResultMeta,
  Role,
  SamplingContent,
  SamplingMessage,
  SamplingMessageContentBlock,
  TextResourceContents,
  Tool,
} from "./mcp-types.ts";

/** Asks for a request to run as a task. */
export interface TaskMetadata {
  ttl?: number | undefined;
}

/** Runs a tool. */
export interface CallToolRequest {
  method: "tools/call";
  params: {
    name: string;
    arguments?: { [key: string]: unknown } | undefined;
    task?: TaskMetadata | undefined;
    _meta?: RequestMeta | undefined;
  };
}

/** What a tool returned; a failed tool sets `isError` instead of a JSON-RPC error. */
export interface CallToolResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: ResultMeta | undefined;
}

// Lists and reads

/** Parameters of every paginated list. */
export interface PaginatedRequestParams {
  cursor?: Cursor | undefined;
  _meta?: RequestMeta | undefined;
}

/** Fields every paginated answer has; open to keys of newer protocol versions. */
export interface PaginatedResult {
  [key: string]: unknown;
  nextCursor?: Cursor | undefined;
  _meta?: ResultMeta | undefined;
}

/** Lists tools. */
export interface ListToolsRequest {
  method: "tools/list";
  params?: PaginatedRequestParams | undefined;
}

/** One page of tools. */
export interface ListToolsResult extends PaginatedResult {
  tools: Tool[];
}

/** Lists resources. */
export interface ListResourcesRequest {
  method: "resources/list";
  params?: PaginatedRequestParams | undefined;
}

/** One page of resources. */
export interface ListResourcesResult extends PaginatedResult {
  resources: Resource[];
}

/** Lists resource templates. */
export interface ListResourceTemplatesRequest {
  method: "resources/templates/list";
  params?: PaginatedRequestParams | undefined;
}

/** One page of resource templates. */
export interface ListResourceTemplatesResult extends PaginatedResult {
  resourceTemplates: ResourceTemplate[];
}

/** Reads one resource. */
export interface ReadResourceRequest {
  method: "resources/read";
  params: { uri: string; _meta?: RequestMeta | undefined };
}

/** The contents of one resource. */
export interface ReadResourceResult {
  [key: string]: unknown;
  contents: (TextResourceContents | BlobResourceContents)[];
  _meta?: ResultMeta | undefined;
}

/** Lists prompts. */
export interface ListPromptsRequest {
  method: "prompts/list";
  params?: PaginatedRequestParams | undefined;
}

/** One page of prompts. */
export interface ListPromptsResult extends PaginatedResult {
  prompts: Prompt[];
}

// Sampling, logging, ping, progress and cancellation

/** Parameters of a completion by the Host's model. */
export interface CreateMessageRequestParams {
  messages: SamplingMessage[];
  maxTokens: number;
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  includeContext?: "none" | "thisServer" | "allServers" | undefined;
  temperature?: number | undefined;
  stopSequences?: string[] | undefined;
  metadata?: { [key: string]: JSONValue } | undefined;
  tools?: Tool[] | undefined;
  toolChoice?: { mode?: "auto" | "none" | "required" | undefined } | undefined;
  task?: TaskMetadata | undefined;
  _meta?: RequestMeta | undefined;
}

/** Asks for a completion by the Host's model. */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/** The model's answer, one block. */
export interface CreateMessageResult {
  [key: string]: unknown;
  model: string;
  role: Role;
  content: SamplingContent;
  stopReason?: string | undefined;
  _meta?: ResultMeta | undefined;
}

/** The model's answer to a request that offered tools. */
export interface CreateMessageResultWithTools {
  [key: string]: unknown;
  model: string;
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  stopReason?: string | undefined;
  _meta?: ResultMeta | undefined;
}

/** Asks whether the other side is alive. */
export interface PingRequest {
  method: "ping";
  params?: { _meta?: RequestMeta | undefined } | undefined;
}

/** Success without data. */
export interface EmptyResult {
  _meta?: ResultMeta | undefined;
}

/** A line for the developer's log, never for the conversation. */
export interface LoggingMessageNotification {
  method: "notifications/message";
  params: {
    level: LoggingLevel;
    logger?: string | undefined;
    data: unknown;
    _meta?: RequestMeta | undefined;
  };
}

/** How far a request has come. */
export interface ProgressNotificationParams {
  progressToken: ProgressToken;
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
  _meta?: RequestMeta | undefined;
}

/** Reports progress of a request that asked for it. */
export interface ProgressNotification {
  method: "notifications/progress";
  params: ProgressNotificationParams;
}

/** Cancels a request that the other side is still answering. */
export interface CancelledNotification {
  method: "notifications/cancelled";
  params: {
    requestId?: RequestId | undefined;
    reason?: string | undefined;
    _meta?: RequestMeta | undefined;
  };
}

/** Parameters of notifications that carry no data. */
export interface NotificationParams {
  _meta?: RequestMeta | undefined;
}

/** The list of tools is different now. */
export interface ToolListChangedNotification {
  method: "notifications/tools/list_changed";
  params?: NotificationParams | undefined;
}

/** The list of resources is different now. */
export interface ResourceListChangedNotification {
  method: "notifications/resources/list_changed";
  params?: NotificationParams | undefined;
}

/** The list of prompts is different now. */
export interface PromptListChangedNotification {
  method: "notifications/prompts/list_changed";
  params?: NotificationParams | undefined;
}
