import * as core from "@modelcontextprotocol/core/internal";
import { expect, test } from "vitest";
import { z } from "zod";
import { PARAMS, RESULTS } from "../../src/apps/method-shapes.ts";
import type { Shape } from "../../src/apps/shape.ts";
import * as ui from "../../src/apps/shapes.ts";
import { STYLE_VARIABLES } from "../../src/apps/style-variables.ts";
import { validateShape } from "../../src/apps/validate.ts";
import { judgeOf, type Parser, parserOf, published, type Schema } from "./official.ts";

/**
 * Every known difference between our two ways of reading and the two official ones. `schema.test.ts`
 * shows with random values that there are no others.
 */

/** yes and no, in the order: ours strict, published schema | ours lenient, official parser. */
type Verdicts = `${"y" | "n"}${"y" | "n"}|${"y" | "n"}${"y" | "n"}`;

interface Subject {
  shape: Shape;
  schema: object;
  parser: Parser;
}

function noun(name: string, shape: Shape): Subject {
  return { shape, schema: published[name] as Schema, parser: parserOf(name) as Parser };
}

function params(name: string): Subject {
  const { properties, $defs } = published[name] as Schema;
  return {
    shape: PARAMS.get(properties?.method?.const as string)?.shape as Shape,
    schema: { ...properties?.params, $defs },
    parser: parserOf(name)?.shape.params as Parser,
  };
}

function coreResult(method: string, schema: z.ZodType): Subject {
  return {
    shape: RESULTS.get(method) as Shape,
    schema: z.toJSONSchema(schema),
    parser: schema as unknown as Parser,
  };
}

const context = noun("McpUiHostContext", ui.hostContext);
const toolResult = params("McpUiToolResultNotification");
const everyVariable = Object.fromEntries(STYLE_VARIABLES.map((name) => [name, "1px"]));
const image = { type: "image", data: "no base64!", mimeType: "image/png" };

const differences: [why: string, Subject, value: unknown, Verdicts][] = [
  // Defects of the published schema; the official parsers do better and so do we.
  [
    "any subset of the style variables will do",
    context,
    { styles: { variables: { "--font-sans": "Inter" } } },
    "yn|yy",
  ],
  [
    "a style variable is a string",
    context,
    { styles: { variables: { ...everyVariable, "--font-sans": 7 } } },
    "ny|nn",
  ],
  [
    "a container has two axes",
    context,
    { containerDimensions: { height: 300, maxWidth: 400 } },
    "yn|yy",
  ],
  // What the specification lets us read although nobody may send it.
  [
    "the Host may offer display modes we do not know",
    context,
    { availableDisplayModes: ["inline", "split"] },
    "nn|yn",
  ],
  ["a missing safe area side is 0", context, { safeAreaInsets: { top: 20 } }, "nn|yn"],
  ["`toolInfo` may be empty", context, { toolInfo: {} }, "nn|yn"],
  ["`toolInfo` may lack the input schema", context, { toolInfo: { tool: { name: "t" } } }, "nn|yn"],
  [
    "a 77th style variable is kept",
    context,
    { styles: { variables: { "--spacing-lg": "1px" } } },
    "nn|yn",
  ],
  // Keys we do not know. Official parsers drop them; we keep them, so that nothing is lost on the way.
  [
    "unknown keys are kept",
    noun("McpUiHostCapabilities", ui.hostCapabilities),
    { vendor: {} },
    "nn|yy",
  ],
  [
    "a teardown may give its reason",
    params("McpUiResourceTeardownRequest"),
    { reason: "closed" },
    "nn|yy",
  ],
  ["an empty result may have keys", coreResult("ping", core.EmptyResultSchema), { at: 1 }, "nn|yn"],
  [
    "`csp` on a tool is ignored, not an error",
    noun("McpUiToolMeta", ui.toolMeta),
    { csp: {} },
    "nn|yn",
  ],
  // Results that should not be lost.
  ["a tool result without content is empty", toolResult, { isError: false }, "nn|yy"],
  [
    "a wrong signature does not cost the result",
    toolResult,
    { content: [], _meta: { "io.modelcontextprotocol/serverInfo": null } },
    "nn|yy",
  ],
  ["base64 is not decoded here", toolResult, { content: [image] }, "yy|yn"],
  // Where we are the strict ones.
  [
    "a size is a number even if another size makes it pointless",
    context,
    { containerDimensions: { height: null, maxHeight: 300 } },
    "nn|ny",
  ],
  [
    "an own `__proto__` key is dropped before anything is checked",
    params("McpUiOpenLinkRequest"),
    JSON.parse('{ "url": "https://example.com", "__proto__": { "isAdmin": true } }'),
    "yn|yy",
  ],
];

test.each(differences)("%s", (_, { shape, schema, parser }, value, verdicts) => {
  const strict = validateShape(shape, "value", value, { strict: true }).ok;
  const lenient = validateShape(shape, "value", value).ok;
  const say = (verdict: boolean) => (verdict ? "y" : "n");
  expect(
    `${say(strict)}${say(judgeOf(schema)(value))}|${say(lenient)}${say(parser.safeParse(value).success)}`,
  ).toBe(verdicts);
});
