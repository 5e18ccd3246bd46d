import { fromJsonSchema, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { PIXEL, pause, SILENCE, text } from "./contents.ts";

/** Tells everybody who listens that a list changed. */
export interface Changes {
  tools(): void;
  prompts(): void;
}

type Arguments = Record<string, unknown>;
type Schema = Parameters<typeof fromJsonSchema>[0];

const NOTHING: Schema = { type: "object", properties: {} };

/** As the scenario about JSON Schema 2020-12 wants to find it again. */
const SCHEMA_2020: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** An argument that has to come as a header too. */
const MIRRORED = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
} as Schema;

/** Tools that answer at once or on the way, without a question to the client. */
export function registerTools(server: McpServer, changes: Changes): void {
  const add = (
    name: string,
    handler: (given: Arguments, context: ServerContext) => object | Promise<object>,
    schema: Schema = NOTHING,
  ): void => {
    const inputSchema = fromJsonSchema<Arguments>(schema);
    const config = { description: `Of the conformance tool: ${name}`, inputSchema };
    server.registerTool(name, config, handler as never);
  };
  const image = { type: "image", data: PIXEL, mimeType: "image/png" };

  add("test_simple_text", () => text("This is a simple text response for testing."));
  add("test_image_content", () => ({ content: [image] }));
  add("test_audio_content", () => ({
    content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  }));
  add("test_embedded_resource", () => ({
    content: [
      embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  }));
  add("test_multiple_content_types", () => ({
    content: [
      ...text("Multiple content types test:").content,
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  add("test_tool_with_logging", log);
  add("test_logging_tool", log);
  add("test_tool_with_progress", async (_given, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      if (progress < 100) await pause();
    }
    return text("Progress was sent.");
  });
  add("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  add("test_reconnection", async (_given, { http }) => {
    // Only of a session with an event store; others have nothing to come back to.
    http?.closeSSE?.();
    await pause(100);
    return text("Said after the stream was closed.");
  });
  add("json_schema_2020_12_tool", (given) => text(JSON.stringify(given)), SCHEMA_2020);
  add("test_mirrored_header", ({ region }) => text(`region ${region}`), MIRRORED);
  add("test_trigger_tool_change", () => {
    changes.tools();
    return text("told");
  });
  add("test_trigger_prompt_change", () => {
    changes.prompts();
    return text("told");
  });
}

async function log(_given: Arguments, { mcpReq }: ServerContext): Promise<object> {
  await mcpReq.log("info", "Tool execution started");
  await pause();
  await mcpReq.log("info", "Tool processing data");
  await pause();
  await mcpReq.log("info", "Tool execution completed");
  return text("Three lines were logged.");
}

function embedded(uri: string, mimeType: string, text: string): object {
  return { type: "resource", resource: { uri, mimeType, text } };
}
