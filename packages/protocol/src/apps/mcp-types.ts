/**
 * The core MCP shapes that travel on a View's channel, so that no package needs the SDK for types.
 * Optional fields say `| undefined` because the SDK's inferred types do; without it the two would
 * not be assignable to each other under `exactOptionalPropertyTypes`.
 */

/** Identifies a request within one connection. */
export type RequestId = string | number;
/** Chosen by a requester that wants progress reports. */
export type ProgressToken = string | number;
/** Opaque position in a paginated list. */
export type Cursor = string;
/** The audience of a message or an annotation. */
export type Role = "user" | "assistant";
/** Severity of a log message, after RFC 5424. */
export type LoggingLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";

/** Any value JSON can carry. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | JSONValue[]
  | { [key: string]: JSONValue };
/** An open bag of metadata. */
export type MetaObject = { [key: string]: unknown };

/** Metadata on request and notification parameters. */
export type RequestMeta = {
  [key: string]: unknown;
  progressToken?: ProgressToken | undefined;
  "io.modelcontextprotocol/related-task"?: { taskId: string } | undefined;
};

/** Metadata on results. */
export type ResultMeta = {
  [key: string]: unknown;
  "io.modelcontextprotocol/serverInfo"?: Implementation | undefined;
};

/** An image that stands for a tool, resource or implementation. */
export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: "light" | "dark" | undefined;
}

/** Machine name and display name, shared by everything that can be listed. */
export interface BaseMetadata {
  name: string;
  title?: string | undefined;
}

/** Name and version of a program that implements the protocol. */
export interface Implementation extends BaseMetadata {
  version: string;
  websiteUrl?: string | undefined;
  description?: string | undefined;
  icons?: Icon[] | undefined;
}

/** Hints about how content should be used. */
export interface Annotations {
  audience?: Role[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

// Content blocks

/** Plain text. */
export interface TextContent {
  type: "text";
  text: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** A base64 image. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** Base64 sound. */
export interface AudioContent {
  type: "audio";
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** A resource as text. */
export interface TextResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: MetaObject | undefined;
}

/** A resource as base64 bytes. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string | undefined;
  blob: string;
  _meta?: MetaObject | undefined;
}

/** A resource carried inside a message. */
export interface EmbeddedResource {
  type: "resource";
  resource: TextResourceContents | BlobResourceContents;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** A resource a Server offers. */
export interface Resource extends BaseMetadata {
  uri: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

/** A pointer to a resource, to be read on demand. */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/** Anything a tool result, a message or a model context may contain. */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;

// Tools

/** Untrusted hints about what a tool does. */
export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** A tool definition as `tools/list` gives it. */
export interface Tool extends BaseMetadata {
  description?: string | undefined;
  inputSchema: {
    [key: string]: unknown;
    type: "object";
    properties?: { [key: string]: JSONValue } | undefined;
    required?: string[] | undefined;
  };
  outputSchema?: { [key: string]: unknown; $schema?: string | undefined } | undefined;
  annotations?: ToolAnnotations | undefined;
  execution?: { taskSupport?: "forbidden" | "optional" | "required" | undefined } | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

// Resource templates and prompts

/** A family of resources with a URI pattern. */
export interface ResourceTemplate extends BaseMetadata {
  uriTemplate: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

/** A prompt a Server offers. */
export interface Prompt extends BaseMetadata {
  description?: string | undefined;
  arguments?:
    | { name: string; description?: string | undefined; required?: boolean | undefined }[]
    | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

// Sampling

/** A model's request to run a tool. */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: { [key: string]: unknown };
  _meta?: MetaObject | undefined;
}

/** The outcome of a tool a model asked for. */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: MetaObject | undefined;
}

/** What a model can return without tools. */
export type SamplingContent = TextContent | ImageContent | AudioContent;
/** What a sampling message may contain. */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;

/** One turn given to a model. */
export interface SamplingMessage {
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  _meta?: MetaObject | undefined;
}

/** Preferences for the model; the Host decides. */
export interface ModelPreferences {
  hints?: { name?: string | undefined }[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}
