// Rewrites what a server sends to the names and addresses of the combined endpoint. A hostile server may send
// any shape: members that don't have the expected type pass unchanged, as they would at the server's endpoint.

import { combinedUri } from "./addresses.ts";
import { combinedName } from "./combined-names.ts";

type Fields = Record<string, unknown>;

/** The key in `_meta` of a tool, prompt or resource that names its server and its name there. */
export const SOURCE_KEY = "vitrine/source";

const WEB = /^https?:/i;

/** A tool as the combined endpoint lists it. */
export function combinedTool(server: string, tool: Fields): Fields {
  const { name } = tool;
  const meta = fieldsOf(tool._meta);
  const resource = fieldsOf(meta.ui).resourceUri ?? meta["ui/resourceUri"];
  // Last, so that a server can't name another one.
  const source = { server, name, ...(typeof resource === "string" && { resource }) };
  return {
    ...tool,
    name: combinedName(server, `${name}`),
    _meta: { ...withView(server, meta), [SOURCE_KEY]: source },
  };
}

/** A prompt as the combined endpoint lists it. */
export function combinedPrompt(server: string, prompt: Fields): Fields {
  const { name, _meta } = prompt;
  const source = { server, name };
  return {
    ...prompt,
    name: combinedName(server, `${name}`),
    _meta: { ...fieldsOf(_meta), [SOURCE_KEY]: source },
  };
}

/** A resource, its contents or a link to it. */
export function combinedResource(server: string, resource: Fields): Fields {
  const { uri } = resource;
  return typeof uri === "string" ? { ...resource, uri: combinedUri(server, uri) } : resource;
}

/** A template: the client fills it in after the prefix. */
export function combinedTemplate(server: string, template: Fields): Fields {
  const { uriTemplate } = template;
  if (typeof uriTemplate !== "string") return template;
  return { ...template, uriTemplate: combinedUri(server, uriTemplate) };
}

/** The result of a call, of a prompt or of a read. */
export function combinedResult(server: string, method: string, result: unknown): unknown {
  if (!isFields(result)) return result;
  if (method === "resources/read" && Array.isArray(result.contents)) {
    return { ...result, contents: result.contents.map((one) => resourceOf(server, one)) };
  }
  if (method === "prompts/get" && Array.isArray(result.messages)) {
    return { ...result, messages: result.messages.map((one) => messageOf(server, one)) };
  }
  if (method !== "tools/call") return result;
  const { content, _meta } = result;
  return {
    ...result,
    ...(Array.isArray(content) && { content: content.map((one) => blockOf(server, one)) }),
    ...(isFields(_meta) && { _meta: withView(server, _meta) }),
  };
}

function withView(server: string, meta: Fields): Fields {
  const { ui, "ui/resourceUri": flat } = meta;
  const nested = isFields(ui) ? ui.resourceUri : undefined;
  return {
    ...meta,
    ...(typeof nested === "string" && {
      ui: { ...fieldsOf(ui), resourceUri: combinedUri(server, nested) },
    }),
    ...(typeof flat === "string" && { "ui/resourceUri": combinedUri(server, flat) }),
  };
}

function messageOf(server: string, message: unknown): unknown {
  if (!isFields(message)) return message;
  const { content } = message;
  const rewritten = Array.isArray(content)
    ? content.map((one) => blockOf(server, one))
    : blockOf(server, content);
  return { ...message, content: rewritten };
}

/** A block of content. Links to web pages stay as they are: clients open them without the server. */
function blockOf(server: string, block: unknown): unknown {
  if (!isFields(block)) return block;
  if (block.type === "resource_link" && !WEB.test(`${block.uri}`)) {
    return combinedResource(server, block);
  }
  if (block.type === "resource") return { ...block, resource: resourceOf(server, block.resource) };
  return block;
}

function resourceOf(server: string, resource: unknown): unknown {
  return isFields(resource) ? combinedResource(server, resource) : resource;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
