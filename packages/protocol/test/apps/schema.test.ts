import * as core from "@modelcontextprotocol/core/internal";
import { fuzzRuns } from "@vitrine/internal/fuzz-runs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mcp from "../../src/apps/mcp-shapes.ts";
import { PARAMS, RESULTS } from "../../src/apps/method-shapes.ts";
import { literal, type Shape } from "../../src/apps/shape.ts";
import * as ui from "../../src/apps/shapes.ts";
import { STYLE_VARIABLES } from "../../src/apps/style-variables.ts";
import { validateShape } from "../../src/apps/validate.ts";
import { arbitraryOf, mutationOf } from "./arbitraries.ts";
import { judgeOf, type Parser, parserOf, published, type Schema } from "./official.ts";

// Two judges. The published JSON schema is the judge of strict reading: what we may send. The
// official run-time parsers are the judge of lenient reading: what we must understand.

const runs = { numRuns: fuzzRuns(100), seed: 1865 };

/** Results and nouns by the name of their definition; messages are found by their method. */
const shapes: Record<string, Shape> = {
  McpUiAppCapabilities: ui.appCapabilities,
  McpUiClientCapabilities: ui.clientCapabilities,
  McpUiDisplayMode: ui.displayMode,
  McpUiDownloadFileResult: resultOf("ui/download-file"),
  McpUiHostCapabilities: ui.hostCapabilities,
  McpUiHostContext: ui.hostContext,
  McpUiHostCss: ui.hostCss,
  McpUiHostStyles: ui.hostStyles,
  McpUiInitializeResult: resultOf("ui/initialize"),
  McpUiMessageResult: resultOf("ui/message"),
  McpUiOpenLinkResult: resultOf("ui/open-link"),
  McpUiRequestDisplayModeResult: resultOf("ui/request-display-mode"),
  McpUiResourceCsp: ui.resourceCsp,
  McpUiResourceMeta: ui.resourceMeta,
  McpUiResourcePermissions: ui.resourcePermissions,
  McpUiResourceTeardownResult: resultOf("ui/resource-teardown"),
  McpUiStyleVariableKey: literal(...STYLE_VARIABLES),
  McpUiStyles: ui.styleVariables,
  McpUiSupportedContentBlockModalities: ui.modalities,
  McpUiTheme: ui.theme,
  McpUiToolMeta: ui.toolMeta,
  McpUiToolVisibility: literal("model", "app"),
};

const coreParams: Record<string, z.ZodType> = {
  "tools/call": core.CallToolRequestSchema,
  "tools/list": core.ListToolsRequestSchema,
  "resources/read": core.ReadResourceRequestSchema,
  "resources/list": core.ListResourcesRequestSchema,
  "resources/templates/list": core.ListResourceTemplatesRequestSchema,
  "prompts/list": core.ListPromptsRequestSchema,
  "sampling/createMessage": core.CreateMessageRequestSchema,
  ping: core.PingRequestSchema,
  "notifications/message": core.LoggingMessageNotificationSchema,
  "notifications/progress": core.ProgressNotificationSchema,
  "notifications/cancelled": core.CancelledNotificationSchema,
  "notifications/tools/list_changed": core.ToolListChangedNotificationSchema,
  "notifications/resources/list_changed": core.ResourceListChangedNotificationSchema,
  "notifications/prompts/list_changed": core.PromptListChangedNotificationSchema,
};

const coreResults: Record<string, [Shape, z.ZodType]> = {
  ContentBlock: [mcp.contentBlock, core.ContentBlockSchema],
  Implementation: [mcp.implementation, core.ImplementationSchema],
  Tool: [mcp.tool, core.ToolSchema],
  "tools/call": [resultOf("tools/call"), core.CallToolResultSchema],
  "tools/list": [resultOf("tools/list"), core.ListToolsResultSchema],
  "resources/read": [resultOf("resources/read"), core.ReadResourceResultSchema],
  "resources/list": [resultOf("resources/list"), core.ListResourcesResultSchema],
  "resources/templates/list": [
    resultOf("resources/templates/list"),
    core.ListResourceTemplatesResultSchema,
  ],
  "prompts/list": [resultOf("prompts/list"), core.ListPromptsResultSchema],
  "sampling/createMessage": [
    resultOf("sampling/createMessage"),
    core.CreateMessageResultWithToolsSchema,
  ],
  ping: [resultOf("ping"), core.EmptyResultSchema],
};

function paramsOf(method: string): Shape {
  return PARAMS.get(method)?.shape as Shape;
}

function resultOf(method: string): Shape {
  return RESULTS.get(method) as Shape;
}

const strictly = (shape: Shape, value: unknown) =>
  validateShape(shape, "value", value, { strict: true }).ok;

/** A valid value and the same value with one mistake. */
const pairs = (shape: Shape) =>
  arbitraryOf(shape).chain((value) => fc.tuple(fc.constant(value), mutationOf(value)));

function judge(shape: Shape, verdict: (value: unknown) => boolean): void {
  fc.assert(
    fc.property(pairs(shape), (values) => {
      for (const value of values) {
        if (strictly(shape, value) !== verdict(value)) {
          throw new Error(`we say ${strictly(shape, value)} to ${JSON.stringify(value)}`);
        }
      }
    }),
    runs,
  );
}

// The table of differences. Everything not in it must agree.

/**
 * Corrections to the published schema, which was generated from TypeScript types and requires things
 * that neither the specification nor the official parsers do.
 */
function corrected(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(corrected);
  if (typeof schema !== "object" || schema === null) return schema;
  const { required, ...rest } = schema as Schema;
  if (JSON.stringify(rest.propertyNames ?? "").includes("--font-sans")) {
    // It requires all 76 variables and lets each be anything; any subset of strings is meant.
    return { ...rest, additionalProperties: { type: "string" } };
  }
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [key, corrected(item)]),
  );
  const properties = copy.properties as Schema["properties"];
  if (properties?.containerDimensions) {
    // It is an `allOf` of closed objects that forbid each other's keys: only `{}` would pass.
    const number = { type: "number" };
    properties.containerDimensions = {
      type: "object",
      properties: {
        height: number,
        maxHeight: number,
        width: number,
        maxWidth: number,
      } as Record<string, Schema>,
      additionalProperties: false,
    };
  }
  return required ? { ...copy, required } : copy;
}

/** Where lenient reading takes what the official parsers refuse; code and path as they report them. */
const wider: Record<string, RegExp> = {
  "any string as an available display mode of the Host":
    /^invalid_union (.*\.)?availableDisplayModes\.\d+$/,
  "style variables beyond the 76": /^unrecognized_keys (.*\.)?(variables)?$/,
  "safe area insets with sides left out, read as 0":
    /^invalid_type (.*\.)?safeAreaInsets\.(top|right|bottom|left)$/,
  "a tool in `toolInfo` that is missing or lacks name or input schema":
    /^invalid_type (.*\.)?toolInfo\.tool(\.name|\.inputSchema)?$/,
  "unknown keys in an empty result": /^unrecognized_keys $/,
  "`csp` and `permissions` on a tool, which are ignored": /^invalid_type (csp|permissions)$/,
  "data that isn't base64, which is found when it is decoded": /^custom (.*\.)?(data|blob)$/,
};

/** Where lenient reading refuses what the official parsers take; paths as we report them. */
const narrower: Record<string, RegExp> = {
  "a container size that isn't a number on an axis that has another, which they drop":
    /\.containerDimensions\.(height|maxHeight|width|maxWidth)$/,
};

function unexplained(paths: readonly string[], table: Record<string, RegExp>): string[] {
  return paths.filter((path) => !Object.values(table).some((known) => known.test(path)));
}

function judgeLenient(shape: Shape, parser: Parser): void {
  fc.assert(
    fc.property(pairs(shape), (values) => {
      for (const value of values) {
        const theirs = parser.safeParse(value);
        const ours = validateShape(shape, "value", value);
        const issues =
          theirs.error?.issues.map((issue) => `${issue.code} ${issue.path.join(".")}`) ?? [];
        const why = JSON.stringify(value);
        if (ours.ok) expect(unexplained(issues, wider), why).toEqual([]);
        else if (theirs.success) expect(unexplained([ours.path], narrower), why).toEqual([]);
      }
    }),
    runs,
  );
}

describe("strict reading agrees with the published schema", () => {
  const messages = Object.entries(published).filter(([, def]) => def.properties?.method);
  const others = Object.entries(published).filter(([, def]) => !def.properties?.method);

  test("which has no definition that we do not check", () => {
    expect(others.map(([name]) => name).sort()).toEqual(Object.keys(shapes).sort());
    expect(
      messages.map(([, def]) => PARAMS.has(def.properties?.method?.const ?? "")),
    ).not.toContain(false);
  });

  test.each(others)("about %s", (name, def) => {
    judge(shapes[name] as Shape, judgeOf(corrected(def) as object));
  });

  test.each(messages)("about the params of %s", (_, def) => {
    const { method, params } = def.properties as Record<"method" | "params", Schema>;
    const shape = paramsOf(method.const as string);
    judge(shape, judgeOf({ ...(corrected(params) as object), $defs: def.$defs }));
  });

  test.each(messages)("about whether %s may lack params", (_, def) => {
    const optional = !def.required?.includes("params");
    const method = def.properties?.method?.const as string;
    expect(PARAMS.get(method)?.absent === "always").toBe(optional);
  });
});

describe("strict reading agrees with the schemas of core MCP", () => {
  test.each(Object.entries(coreParams))("about the params of %s", (method, schema) => {
    const { properties, $defs } = z.toJSONSchema(schema) as Schema;
    judge(paramsOf(method), judgeOf({ ...properties?.params, $defs }));
  });

  test.each(Object.entries(coreResults))("about the result of %s", (_, [shape, schema]) => {
    judge(shape, judgeOf(z.toJSONSchema(schema)));
  });
});

describe("lenient reading takes all that the official parsers take", () => {
  test.each(Object.entries(shapes))("of %s", (name, shape) => {
    const parser = parserOf(name);
    // A few types don't have a parser.
    if (parser) judgeLenient(shape, parser);
  });

  const messages = Object.entries(published).filter(([, def]) => def.properties?.method);
  test.each(messages)("of the params of %s", (name, def) => {
    const shape = paramsOf(def.properties?.method?.const as string);
    judgeLenient(shape, parserOf(name)?.shape.params as Parser);
  });

  test.each(Object.entries(coreParams))("of the params of %s", (method, schema) => {
    judgeLenient(paramsOf(method), (schema as unknown as Parser).shape.params as Parser);
  });

  test.each(Object.entries(coreResults))("of the result of %s", (_, [shape, schema]) => {
    judgeLenient(shape, schema as unknown as Parser);
  });
});
