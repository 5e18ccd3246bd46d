import type { McpUiToolMeta, McpUiToolVisibility } from "@vitrine/protocol/apps";
import type { FileReading } from "./file-reading.ts";
import type { MetaFault } from "./ui-meta.ts";

/** The parts of a tool.meta.json that concern its view; the rest isn't checked. */
export interface ToolMeta {
  toolName?: string;
  ui?: McpUiToolMeta;
  faults: MetaFault[];
}

/** Reads a tool.meta.json: the tool's name, and its author's `_meta.ui`. */
export function readToolMeta(read: FileReading): ToolMeta {
  if ("missing" in read) return { faults: [] };
  if ("code" in read)
    return { faults: [{ code: read.code, message: `tool.meta.json ${read.message}` }] };
  let value: unknown;
  try {
    value = JSON.parse(read.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const message = `tool.meta.json is invalid JSON: ${(error as Error).message}`;
    return { faults: [{ code: "not-json", message }] };
  }
  const name = own(value, "name");
  const faults: MetaFault[] = [];
  const ui = readUi(own(own(value, "_meta"), "ui"), faults);
  return {
    ...(typeof name === "string" && name !== "" && { toolName: name }),
    ...(ui && { ui }),
    faults,
  };
}

function readUi(value: unknown, faults: MetaFault[]): McpUiToolMeta | undefined {
  if (value === undefined) return undefined;
  const say = (message: string): void => {
    faults.push({ code: "wrong-value", message: `tool.meta.json: ${message}` });
  };
  const resourceUri = own(value, "resourceUri");
  const visibility = own(value, "visibility");
  if (typeof value !== "object" || value === null)
    say("_meta.ui is not an object, so it is ignored.");
  const isUri = typeof resourceUri === "string" && resourceUri.startsWith("ui://");
  if (resourceUri !== undefined && !isUri) {
    say(
      `_meta.ui.resourceUri is ${JSON.stringify(resourceUri)} instead of a ui:// URI, so it is ignored.`,
    );
  }
  const isVisibility =
    Array.isArray(visibility) && visibility.every((who) => who === "model" || who === "app");
  if (visibility !== undefined && !isVisibility) {
    say('_meta.ui.visibility must be a list of "model" and "app"; it is ignored.');
  }
  return {
    ...(isUri && { resourceUri: resourceUri as string }),
    ...(isVisibility && { visibility: visibility as McpUiToolVisibility[] }),
  };
}

function own(record: unknown, key: string): unknown {
  return typeof record === "object" && record !== null && Object.hasOwn(record, key)
    ? (record as Record<string, unknown>)[key]
    : undefined;
}
