/** Core MCP as shapes, closed or open exactly as in the schemas the official packages publish. */

import {
  any,
  array,
  between,
  boolean,
  closed,
  defaulting,
  extend,
  type Fields,
  literal,
  number,
  open,
  record,
  type Shape,
  string,
  tagged,
  text,
  tolerant,
  union,
} from "./shape.ts";

const meta: Shape = record(any);
const integer: Shape = { is: "number", integer: true };
const role: Shape = literal("user", "assistant");
const share: Shape = between(0, 1);

/** A JSON-RPC id or progress token; fractions are not allowed. */
export const requestId: Shape = union("a string or an integer", string, integer);

const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](\d\d):[0-5]\d)$/;

/** RFC 3339 with seconds and an offset; days must exist in their month. */
function isDateTime(value: string): boolean {
  const [year, month, day, hour, offset] = (dateTime.exec(value)?.slice(1) ?? []).map(Number);
  if (year === undefined || !month || !day || hour === undefined || month > 12) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? 28 + Number(leap) : 30 + ((month + Math.floor(month / 8)) % 2);
  return day <= days && hour < 24 && (Number.isNaN(offset) || Number(offset) < 24);
}

const icon: Shape = closed(
  { src: string },
  { mimeType: string, sizes: array(string), theme: literal("light", "dark") },
);
const listed: Fields = { title: string, icons: array(icon) };

/** Name and version of a program. */
export const implementation: Shape = closed(
  { name: string, version: string },
  { ...listed, websiteUrl: string, description: string },
);

// Content

const annotations: Shape = closed(
  {},
  {
    audience: array(role),
    priority: share,
    lastModified: text("a date and time such as 2026-01-26T12:00:00Z", isDateTime),
  },
);
const annotated: Fields = { annotations, _meta: meta };
const binary: Fields = { data: string, mimeType: string };
const resourceContents: Shape = union(
  "resource contents with `uri` and either `text` or `blob`",
  closed({ uri: string, text: string }, { mimeType: string, _meta: meta }),
  closed({ uri: string, blob: string }, { mimeType: string, _meta: meta }),
);
const resourceFields: Fields = { ...listed, description: string, mimeType: string, ...annotated };
const resource: Shape = closed({ name: string, uri: string }, { ...resourceFields, size: number });

const media: Fields = {
  text: closed({ type: literal("text"), text: string }, annotated),
  image: closed({ type: literal("image"), ...binary }, annotated),
  audio: closed({ type: literal("audio"), ...binary }, annotated),
};
const resources: Fields = {
  resource_link: extend(resource, { type: literal("resource_link") }),
  resource: closed({ type: literal("resource"), resource: resourceContents }, annotated),
};

/** Contents of messages, results and model contexts. */
export const contentBlock: Shape = tagged("type", { ...media, ...resources });
/** Contents of a download. */
export const downloadable: Shape = tagged("type", resources);

// Tools

const hints: Fields = {
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
};
const toolFields: Fields = {
  ...listed,
  description: string,
  outputSchema: open({}, { $schema: string }),
  annotations: closed({}, { title: string, ...hints }),
  execution: closed({}, { taskSupport: literal("required", "optional", "forbidden") }),
  _meta: meta,
};
const inputSchema: Shape = open(
  { type: literal("object") },
  { properties: record(any), required: array(string) },
);

/** A tool definition. */
export const tool: Shape = closed({ name: string, inputSchema }, toolFields);
/** A tool definition as some Hosts put it in `toolInfo`, with little more than a name. */
export const bareTool: Shape = closed({}, { name: string, inputSchema, ...toolFields });

// Params

const requestMeta: Shape = open(
  {},
  { progressToken: requestId, "io.modelcontextprotocol/related-task": closed({ taskId: string }) },
);
const task: Shape = closed({}, { ttl: number });

/** Params of ping and of notifications without data. */
export const noParams: Shape = closed({}, { _meta: requestMeta });
/** Params of every list. */
export const pageParams: Shape = closed({}, { cursor: string, _meta: requestMeta });
/** Params of `resources/read`. */
export const readParams: Shape = closed({ uri: string }, { _meta: requestMeta });
/** Params of `tools/call`. */
export const callToolParams: Shape = closed(
  { name: string },
  { arguments: record(any), task, _meta: requestMeta },
);
/** Params of `notifications/message`. */
export const logParams: Shape = closed(
  {
    level: literal("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"),
    data: any,
  },
  { logger: string, _meta: requestMeta },
);
/** Params of `notifications/progress`. */
export const progressParams: Shape = closed(
  { progressToken: requestId, progress: number },
  { total: number, message: string, _meta: requestMeta },
);
/** Params of `notifications/cancelled`. */
export const cancelledParams: Shape = closed({}, { requestId, reason: string, _meta: requestMeta });

// Results

// A Server that signs its results wrongly must not lose them.
const serverInfo: Shape = tolerant(implementation, any);
const resultMeta: Shape = open({}, { "io.modelcontextprotocol/serverInfo": serverInfo });
const page: Fields = { nextCursor: string, _meta: resultMeta };

/** A tool's answer; without `content` it is read as empty, as official Views do. */
export const callToolResult: Shape = open(
  { content: defaulting(array(contentBlock), () => []) },
  { structuredContent: any, isError: boolean, _meta: resultMeta },
);
/** Result of `tools/list`. */
export const listToolsResult: Shape = open({ tools: array(tool) }, page);
/** Result of `resources/read`. */
export const readResult: Shape = open({ contents: array(resourceContents) }, { _meta: resultMeta });
/** Result of `resources/list`. */
export const listResourcesResult: Shape = open({ resources: array(resource) }, page);
/** Result of `resources/templates/list`. */
export const listResourceTemplatesResult: Shape = open(
  { resourceTemplates: array(closed({ name: string, uriTemplate: string }, resourceFields)) },
  page,
);
/** Result of `prompts/list`. */
export const listPromptsResult: Shape = open(
  {
    prompts: array(
      closed(
        { name: string },
        {
          ...listed,
          description: string,
          arguments: array(closed({ name: string }, { description: string, required: boolean })),
          _meta: meta,
        },
      ),
    ),
  },
  page,
);
/** Success without data. */
export const emptyResult: Shape = closed({}, { _meta: resultMeta });

// Sampling

const samplingBlock: Shape = tagged("type", {
  ...media,
  tool_use: closed(
    { type: literal("tool_use"), id: string, name: string, input: record(any) },
    { _meta: meta },
  ),
  tool_result: closed(
    { type: literal("tool_result"), toolUseId: string, content: array(contentBlock) },
    { structuredContent: any, isError: boolean, _meta: meta },
  ),
});
const samplingContent: Shape = union(
  "a content block or an array of them",
  samplingBlock,
  array(samplingBlock),
);

/** Params of `sampling/createMessage`. */
export const createMessageParams: Shape = closed(
  {
    messages: array(closed({ role, content: samplingContent }, { _meta: meta })),
    maxTokens: integer,
  },
  {
    modelPreferences: closed(
      {},
      {
        hints: array(closed({}, { name: string })),
        costPriority: share,
        speedPriority: share,
        intelligencePriority: share,
      },
    ),
    systemPrompt: string,
    includeContext: literal("none", "thisServer", "allServers"),
    temperature: number,
    stopSequences: array(string),
    metadata: record(any),
    tools: array(tool),
    toolChoice: closed({}, { mode: literal("auto", "required", "none") }),
    task,
    _meta: requestMeta,
  },
);
/** Result of `sampling/createMessage`, with or without tools. */
export const createMessageResult: Shape = open(
  { model: string, role, content: samplingContent },
  { stopReason: string, _meta: resultMeta },
);
