// Reads the official MCP registry's API, version 0.1. Everything that it answers was written by third parties: it is
// bounded, checked and only ever shown as text.

import { isSafeAddress } from "../../config/safe-address.ts";
import { AdminError } from "../admin-error.ts";
import { type RegistryServer, readEntry } from "./registry-server.ts";

/** The official registry. */
export const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io";

/** A page of the registry. */
export interface RegistryPage {
  items: RegistryServer[];
  /** Where the next page starts. */
  next?: string;
  /** Entries that can't be used. */
  skipped: number;
}

/** Reads a registry. */
export interface Registry {
  /** The newest version of each server whose name contains a text. */
  search(text: string, cursor?: string): Promise<RegistryPage>;
  /** One version of a server, the newest by default. */
  read(name: string, version?: string): Promise<RegistryServer>;
}

const DEADLINE = 10_000;
const LARGEST = 2 * 2 ** 20;
const PAGE = 50;
const LONGEST_CURSOR = 500;

/** Opens a registry. Throws if its address isn't encrypted. */
export function createRegistry(url: string = OFFICIAL_REGISTRY): Registry {
  if (!URL.canParse(url) || !isSafeAddress(url)) {
    throw new AdminError("malformed", `The registry "${url}" isn't encrypted. Use https.`);
  }
  const base = url.endsWith("/") ? url : `${url}/`;
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(new URL(path, base), {
      headers: { accept: "application/json" },
      // The address was checked; another one wasn't.
      redirect: "error",
      signal: AbortSignal.timeout(DEADLINE),
    }).catch((cause: unknown) => {
      throw new AdminError("unavailable", `The registry ${url} doesn't answer.`, { cause });
    });
    if (response.status === 404) {
      await response.body?.cancel();
      throw new AdminError("not-found", "The registry has no such server or version.");
    }
    const text = await readBounded(response);
    const value = response.ok ? parsed(text) : undefined;
    if (value) return value;
    const reason = `answered ${response.status}, without the JSON of a registry`;
    throw new AdminError("unavailable", `The registry ${url} ${reason}.`);
  };
  return {
    search: async (text, cursor) => {
      const query = new URLSearchParams({
        ...{ search: text, version: "latest", limit: `${PAGE}` },
        ...(cursor !== undefined && { cursor }),
      });
      const { servers, metadata } = await get(`v0.1/servers?${query}`);
      const entries = (Array.isArray(servers) ? servers : []).slice(0, PAGE);
      const items = entries.flatMap((entry) => {
        const found = readEntry(entry);
        return "problem" in found || found.status === "deleted" ? [] : [found];
      });
      const { nextCursor } = Object(metadata) as { nextCursor?: unknown };
      const hasNext = typeof nextCursor === "string" && nextCursor.length <= LONGEST_CURSOR;
      const skipped = entries.length - items.length;
      return { items, skipped, ...(hasNext && nextCursor !== "" && { next: nextCursor }) };
    },
    read: async (name, version = "latest") => {
      const path = `v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
      const found = readEntry(await get(path));
      if ("problem" in found) {
        throw new AdminError("conflict", `The registry's entry can't be used: ${found.problem}`);
      }
      if (found.name !== name) {
        throw new AdminError("conflict", "The registry answered with another server.");
      }
      return found;
    },
  };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST)
      throw new AdminError("unavailable", "The registry's response is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
