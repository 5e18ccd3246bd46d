// The console's static files. They contain no data and no secret, so the admin server serves them before
// anyone signs in; everything else comes from the API.

import { createHash } from "node:crypto";

/** A file of the console, ready to send. */
export interface ConsoleFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

// Text from servers and users ends up in this page. Nothing runs but the console's own script, nothing is
// sent but to the admin API, no other page can frame it, and no string can become markup.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Headers of every response of the console. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
  // Asks again each time, so that an upgraded gateway never gets an old page.
  "cache-control": "no-cache",
};

/** Loads the console, and returns a function that finds the file for a path. */
export async function openConsole(): Promise<(path: string) => ConsoleFile | undefined> {
  // Loaded here, because from the sources this loads a bundler, and most gateways have no admin port.
  const { consoleFiles } = await import("#console");
  const files = new Map<string, ConsoleFile>();
  for (const [name, body] of await consoleFiles()) {
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    const headers = { ...HEADERS, "content-type": type, etag };
    files.set(name === "index.html" ? "/" : `/${name}`, { headers, body });
  }
  return (path) => files.get(path);
}
