// Validates a ui.meta.json, as `schema/ui-meta.schema.json` describes it for editors; a test compares
// the two. A misspelt key would be a missing policy, so it is rejected rather than ignored.

import type { McpUiResourceCsp, McpUiResourcePermissions } from "@vitrine/protocol/apps";
import { isRecord } from "../json-schema.ts";
import { nearest } from "../nearest.ts";
import { TEMPLATES } from "../templates/index.ts";
import { checkOption } from "../templates/option-check.ts";
import type { TemplateName } from "../templates/template-page.ts";
import type { ProblemCode } from "./problem.ts";

/** The content of a ui.meta.json. */
export interface UiMeta {
  name?: string;
  description?: string;
  template?: string;
  config?: Record<string, unknown>;
  entrypoint?: string;
  meta?: {
    csp?: McpUiResourceCsp;
    permissions?: McpUiResourcePermissions;
    prefersBorder?: boolean;
    domain?: string;
    sandboxDomain?: string | null;
    preferredFrameSize?: [number | string, number | string];
  };
}

/** One problem and its location. */
export interface MetaFault {
  code: ProblemCode;
  message: string;
}

/** Reports what is wrong with a value, or nothing. */
type Check = (value: unknown, at: string) => Iterable<MetaFault>;

const NAMES: readonly string[] = [...TEMPLATES.keys()];
const SIZE = /^[0-9]{1,6}(?:\.[0-9]+)?(?:px|rem|em|%|vw|vh)$/;
const DOMAIN = /^(?:https|wss):\/\/[^\s;,'"]+$/;
// The file system checks too whether it leaves the folder; this is for the message.
const WITHIN = /^(?![/\\])(?![A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))/;

const domains = list(32, (value, at) =>
  text(300, DOMAIN, 'an origin with its scheme, such as "https://api.example.com"')(value, at),
);
const anyObject = record();

const checkMeta = record({
  $schema: text(Number.POSITIVE_INFINITY),
  name: text(200, /./s, "a non-empty name"),
  description: text(2000),
  template: function* (value, at) {
    if (NAMES.includes(value as string)) return;
    const meant = typeof value === "string" ? nearest(value, NAMES) : undefined;
    const hint = meant ? ` Did you mean "${meant}"?` : "";
    yield wrongValue(
      `${at} is ${show(value)}, which is not a template.${hint} Choose from: ${NAMES.join(", ")}.`,
    );
  },
  config: anyObject,
  entrypoint: text(400, WITHIN, "a path inside the folder", 1),
  meta: record({
    csp: record({
      connectDomains: domains,
      resourceDomains: domains,
      frameDomains: domains,
      baseUriDomains: domains,
    }),
    permissions: record({
      camera: anyObject,
      microphone: anyObject,
      geolocation: anyObject,
      clipboardWrite: anyObject,
    }),
    prefersBorder: function* (value, at) {
      if (typeof value !== "boolean") yield wrongType(at, value, "true or false");
    },
    domain: text(300, /./s, "a non-empty domain"),
    sandboxDomain: function* (value, at) {
      if (value !== null) yield* text(300)(value, at);
    },
    preferredFrameSize: function* (value, at) {
      if (!Array.isArray(value) || value.length !== 2 || !value.every(isSize)) {
        yield wrongValue(
          `${at} is ${show(value)} instead of width and height, such as [800, 600] or ["100%", "20rem"].`,
        );
      }
    },
  }),
});

/** Validates a file's content; without faults the value has its declared type. */
export function readUiMeta(value: unknown): { meta: UiMeta; faults: MetaFault[] } {
  const faults = [...checkMeta(value, ""), ...configFaults(value)];
  return { meta: faults.length === 0 ? (value as UiMeta) : {}, faults };
}

/** Problems of the template's options. */
function* configFaults(value: unknown): Iterable<MetaFault> {
  if (!isRecord(value) || !isRecord(value.config)) return;
  const known = TEMPLATES.get(value.template as TemplateName);
  if (!known) return;
  const scope = { defs: known.definitions };
  for (const { code, at, problem } of checkOption(value.config, known.schema, "config", scope)) {
    const kind = code === "unknown-option" ? "unknown-key" : "wrong-value";
    yield { code: kind, message: `${at} ${problem}.` };
  }
}

/** An object; with `keys`, it may have no others. */
function record(keys?: Record<string, Check>): Check {
  return function* (value, at) {
    if (!isRecord(value)) yield wrongType(at || "the file", value, "an object");
    else if (keys) yield* fieldFaults(value, keys, at);
  };
}

function* fieldFaults(
  value: Record<string, unknown>,
  keys: Record<string, Check>,
  at: string,
): Iterable<MetaFault> {
  for (const key of Object.keys(value)) {
    const check = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (check) yield* check(value[key], at ? `${at}.${key}` : key);
    else yield unknownKey(key, at, Object.keys(keys));
  }
}

function list(longest: number, check: Check): Check {
  return function* (value, at) {
    if (!Array.isArray(value)) {
      yield wrongType(at, value, "a list");
      return;
    }
    if (value.length > longest) {
      yield wrongValue(`${at} has ${value.length} entries, but the limit is ${longest}.`);
    }
    for (const [index, item] of value.slice(0, longest).entries())
      yield* check(item, `${at}[${index}]`);
  };
}

function text(longest: number, pattern?: RegExp, wanted = "text", shortest = 0): Check {
  return function* (value, at) {
    if (typeof value !== "string") yield wrongType(at, value, wanted);
    else if ([...value].length > longest)
      yield wrongValue(`${at} is longer than ${longest} characters.`);
    else if ((pattern && !pattern.test(value)) || value.length < shortest) {
      yield wrongValue(`${at} is ${show(value)} instead of ${wanted}.`);
    }
  };
}

function isSize(value: unknown): boolean {
  return typeof value === "number"
    ? value > 0 && value <= 100_000
    : typeof value === "string" && SIZE.test(value);
}

function unknownKey(key: string, at: string, known: readonly string[]): MetaFault {
  const meant = nearest(key, known);
  const hint = meant ? ` Did you mean "${meant}"?` : "";
  return {
    code: "unknown-key",
    message: `${show(key)} is not a key${at ? ` of ${at}` : ""}.${hint} Choose from: ${known.join(", ")}.`,
  };
}

function wrongType(at: string, value: unknown, wanted: string): MetaFault {
  return { code: "wrong-type", message: `${at} is ${show(value)} instead of ${wanted}.` };
}

function wrongValue(message: string): MetaFault {
  return { code: "wrong-value", message };
}

/** A value in a message: short, and on one line. */
function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 79).replace(/[\uD800-\uDBFF]$/, "")}…` : json;
}
