import { INVALID_PARAMS, LocalError, RpcError } from "@vitrine/protocol";
import type { CallToolResult, Tool, ToolAnnotations } from "@vitrine/protocol/apps";
import type { Handler, RequestHandlerExtra } from "./handlers.ts";
import {
  type InferOutput,
  type StandardSchemaV1,
  standardSchemaToJsonSchema,
  validateStandardSchema,
} from "./standard-schema.ts";

/** What a tool's callback returns; with an output schema, `structuredContent` must fit it. */
export type AppToolResult<Out extends StandardSchemaV1 | undefined = undefined> =
  Out extends StandardSchemaV1
    ?
        | (CallToolResult & { structuredContent: InferOutput<Out>; isError?: false })
        | (CallToolResult & { isError: true })
    : CallToolResult;

/** A tool's callback; without an input schema it gets only the request's context. */
export type AppToolCallback<
  In extends StandardSchemaV1 | undefined = undefined,
  Out extends StandardSchemaV1 | undefined = undefined,
> = In extends StandardSchemaV1
  ? (
      args: InferOutput<In>,
      extra: RequestHandlerExtra,
    ) => AppToolResult<Out> | Promise<AppToolResult<Out>>
  : (extra: RequestHandlerExtra) => AppToolResult<Out> | Promise<AppToolResult<Out>>;

/** How a tool presents itself to the Host. */
export interface AppToolConfig<
  In extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Out extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
> {
  title?: string;
  description?: string;
  inputSchema?: In;
  outputSchema?: Out;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

/** A registered tool. Changing it notifies the Host, if `listChanged` was declared (VEW-23). */
export interface RegisteredAppTool extends AppToolConfig {
  enabled: boolean;
  enable(): void;
  disable(): void;
  remove(): void;
  update(updates: Partial<Omit<RegisteredAppTool, "update">>): void;
  handler: (args: unknown, extra: RequestHandlerExtra) => Promise<CallToolResult>;
}

type AnyCallback = (...args: unknown[]) => CallToolResult | Promise<CallToolResult>;

/** The tools a View offers its Host. */
export interface AppTools {
  register(name: string, config: AppToolConfig, callback: AnyCallback): RegisteredAppTool;
  list: Handler<"tools/list">;
  call: Handler<"tools/call">;
}

/** Creates an empty registry; `onChange` is called whenever the result of `list` changes. */
export function createTools(onChange: () => void): AppTools {
  const tools = new Map<string, RegisteredAppTool>();
  return {
    register(name, config, callback) {
      if (tools.has(name)) throw new LocalError("tool-exists", name);
      const update = (updates: object): void => {
        Object.assign(tool, updates);
        onChange();
      };
      const tool: RegisteredAppTool = {
        ...config,
        enabled: true,
        update,
        enable: () => update({ enabled: true }),
        disable: () => update({ enabled: false }),
        remove: () => {
          if (tools.get(name) === tool) tools.delete(name);
          onChange();
        },
        handler: async (args = {}, extra) => {
          const { inputSchema, outputSchema } = tool;
          const input = inputSchema && (await validateStandardSchema(inputSchema, args));
          try {
            // Whether arguments come first depends on the input schema, as in the callback's signature.
            const result = await (config.inputSchema ? callback(input, extra) : callback(extra));
            const { structuredContent } = result;
            if (outputSchema && !result.isError) {
              result.structuredContent = await validateStandardSchema(
                outputSchema,
                structuredContent,
              );
            }
            return result;
          } catch (error) {
            // VEW-20: the model should read what went wrong; a JSON-RPC error would hide it.
            return { isError: true, content: [{ type: "text", text: `${error}` }] };
          }
        },
      };
      tools.set(name, tool);
      onChange();
      return tool;
    },
    list: () => ({
      tools: [...tools].flatMap(([name, tool]) => (tool.enabled ? describe(name, tool) : [])),
    }),
    call({ name, arguments: args }, extra) {
      const tool = tools.get(name);
      if (!tool?.enabled) throw new RpcError(INVALID_PARAMS, `There is no tool ${name}.`);
      return tool.handler(args, extra);
    },
  };
}

function describe(name: string, tool: RegisteredAppTool): Tool {
  const described = {
    ...tool,
    name,
    enabled: undefined,
    inputSchema: standardSchemaToJsonSchema(tool.inputSchema, "input") ?? { type: "object" },
    outputSchema: standardSchemaToJsonSchema(tool.outputSchema, "output"),
  };
  // Drops functions and undefined members, which can't be sent.
  return JSON.parse(JSON.stringify(described));
}
