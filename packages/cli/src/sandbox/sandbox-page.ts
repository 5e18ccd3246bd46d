import { createHash } from "node:crypto";

/** The settings in a page of the sandbox. */
export interface SandboxPage {
  hosts: string[];
  /** Of the entrance: the proof for one registration. */
  token?: string;
  /** Of a relay page: the address of the view's document. */
  view?: string;
  /** The hash of its script, as a policy names it. */
  scriptHash: string;
  /** Whether nothing was added to the page or removed from it, as far as its form shows. */
  isWhole: boolean;
}

const WHOLE =
  /^<!doctype html><html lang="en" data-vitrine="[^"<>]*"><head><meta charset="utf-8"><title>App<\/title><\/head><body><script>((?:(?!<\/script)[\s\S])*)<\/script><\/body><\/html>$/;
const SETTINGS = /<html\b[^>]*\bdata-vitrine="([^"]*)"/;

/** Reads a page; `undefined` if it isn't a page of a sandbox. */
export function readSandboxPage(text: string): SandboxPage | undefined {
  const settings = readSettings(SETTINGS.exec(text)?.[1]);
  const { hosts, token, view } = settings ?? {};
  if (!Array.isArray(hosts) || !hosts.every((host) => typeof host === "string")) return undefined;
  const whole = WHOLE.exec(text);
  const script = whole?.[1] ?? /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? "";
  return {
    hosts,
    ...(typeof token === "string" && { token }),
    ...(typeof view === "string" && { view }),
    scriptHash: `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    isWhole: whole !== null,
  };
}

function readSettings(escaped: string | undefined): Record<string, unknown> | undefined {
  if (escaped === undefined) return undefined;
  const text = escaped
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
