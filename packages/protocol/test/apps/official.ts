import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as apps from "ext-apps-v2";
import type { z } from "zod";

/** As much of a JSON schema as the tests look at. */
export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema & { const?: string }>;
  required?: string[];
};

/** An official run-time parser; object parsers show their fields. */
export interface Parser {
  safeParse(value: unknown): { success: boolean; error?: z.ZodError };
  shape: Record<string, Parser>;
}

/** The published definitions, by name. */
export const published: Record<string, Schema> = JSON.parse(
  readFileSync("node_modules/ext-apps-v2/dist/src/generated/schema.json", "utf8"),
).$defs;

/** The official run-time parsers, by the name of their type. */
export function parserOf(name: string): Parser | undefined {
  return (apps as unknown as Record<string, Parser>)[`${name}Schema`];
}

// Formats come with a pattern in this schema; the pattern is what counts.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** A judge made from a JSON schema. */
export function judgeOf(schema: object): (value: unknown) => boolean {
  return ajv.compile(schema);
}
