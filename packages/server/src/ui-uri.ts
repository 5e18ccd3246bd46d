// Addresses of Views. Versions have an address of their own, made of the content, so that a host may
// keep what it read for ever and a conversation of last month finds the View it was shown with.

import { UI_SCHEME } from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";

const longestUri = 1_024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * The address, if it is one of a View (SRV-01). It must be spelt as `URL` would spell it: the SDK
 * looks resources up by that spelling, and one that differs is listed but can never be read.
 */
export function checkUiUri(uri: unknown): string {
  const shown = typeof uri === "string" ? JSON.stringify(uri.slice(0, longestUri)) : String(uri);
  if (
    typeof uri !== "string" ||
    uri.length > longestUri ||
    !uri.startsWith(UI_SCHEME) ||
    URL.parse(uri)?.host === "" ||
    URL.parse(uri)?.href !== uri
  ) {
    throw serverError("not-ui-uri", shown);
  }
  return uri;
}

/** The addresses of one app's View. */
export interface ViewAddresses {
  /** Always the newest version. */
  readonly alias: string;
  /** RFC 6570; without a version it is the alias. */
  readonly template: string;
  /** One version for good. */
  version(hash: string): string;
  /** The version of an address: its hash, "newest" for the alias, `undefined` if it isn't one of this app. */
  read(uri: string): string | undefined;
}

/** Addresses of the View of an app; throws if its name cannot stand in one. */
export function viewAddresses(app: unknown): ViewAddresses {
  if (typeof app !== "string" || !NAME.test(app)) {
    throw serverError("bad-app-name", JSON.stringify(app) ?? String(app));
  }
  const base = `${UI_SCHEME}${app}/view`;
  const pattern = /^(?:\.([0-9a-f]{16}))?\.html$/;
  return {
    alias: `${base}.html`,
    template: `${base}{.version}.html`,
    version: (hash) => `${base}.${hash}.html`,
    read: (uri) => {
      const match = uri.startsWith(base) ? pattern.exec(uri.slice(base.length)) : null;
      return match ? (match[1] ?? "newest") : undefined;
    },
  };
}
