// The server's prompts and resources for the page. Everything is the server's text: it is bounded
// here, and shown as text.

import type { Upstream } from "@vitrine/host";
import type { Peer } from "@vitrine/protocol";

/** A prompt of the server. */
export interface PromptEntry {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments: { name: string; description?: string | undefined; isRequired: boolean }[];
}

/** A resource or a template of resources. */
export interface ResourceEntry {
  name: string;
  /** An address, or for a template an address with variables. */
  uri: string;
  isTemplate: boolean;
  description?: string | undefined;
  mimeType?: string | undefined;
}

/** All lists; `problems` has the lists that could not be read. */
export interface ServerLists {
  prompts: PromptEntry[];
  resources: ResourceEntry[];
  problems: string[];
}

/** A piece of text of the server; `facts` describes it. */
export interface ServerText {
  facts: string;
  text: string;
}

/** Reads from the server. */
export interface ServerExplorer {
  list(): Promise<ServerLists>;
  getPrompt(name: string, args: Record<string, string>): Promise<ServerText[]>;
  readResource(uri: string): Promise<ServerText[]>;
}

const PAGES = 20;
const MOST = 500;
const MOST_PIECES = 50;
const LONGEST_LABEL = 300;
const LONGEST = 100_000;
// A server may ask its user first.
const FOREVER = 2 ** 31 - 1;

/** Creates the reader. */
export function createServerExplorer(peer: Peer, upstream: Upstream): ServerExplorer {
  return {
    list: async () => {
      const problems: string[] = [];
      const all = async (
        method: "prompts/list" | "resources/list" | "resources/templates/list",
        field: string,
      ): Promise<Record<string, unknown>[]> => {
        try {
          return await allOf(upstream, method, field);
        } catch (error) {
          problems.push(`${method}: ${(error as Error).message.slice(0, LONGEST_LABEL)}`);
          return [];
        }
      };
      const { prompts, resources } = upstream.capabilities;
      const [listed, read, templates] = await Promise.all([
        prompts ? all("prompts/list", "prompts") : [],
        resources ? all("resources/list", "resources") : [],
        // Many servers with resources have no templates, and answer with an error.
        resources
          ? allOf(upstream, "resources/templates/list", "resourceTemplates").catch(() => [])
          : [],
      ]);
      return {
        prompts: listed.map(readPromptEntry),
        resources: [
          ...read.map((entry) => readResourceEntry(entry, entry.uri, false)),
          ...templates.map((entry) => readResourceEntry(entry, entry.uriTemplate, true)),
        ],
        problems,
      };
    },
    getPrompt: async (name, args) => {
      const asked = { name, arguments: args };
      const answer: unknown = await peer.request("dev/prompt", asked, { timeout: FOREVER });
      return piecesOf(Object(answer).messages).map((message) => {
        const { role, content } = message as { role?: unknown; content?: unknown };
        return { facts: labelOf(role) ?? "message", text: cut(contentText(content)) };
      });
    },
    readResource: async (uri) => {
      const answer: unknown = await upstream.request("resources/read", { uri });
      return piecesOf(Object(answer).contents).map(readContents);
    },
  };
}

async function allOf(
  upstream: Upstream,
  method: "prompts/list" | "resources/list" | "resources/templates/list",
  field: string,
): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && found.length < MOST; page++) {
    const answer = await upstream.request(method, cursor === undefined ? {} : { cursor });
    found.push(...piecesOf(Object(answer)[field], MOST).map((entry) => Object(entry)));
    cursor = Object(answer).nextCursor;
    if (cursor === undefined) break;
  }
  return found.slice(0, MOST);
}

function readPromptEntry(entry: Record<string, unknown>): PromptEntry {
  return {
    // Whole: it is sent back to the server.
    name: String(entry.name),
    title: labelOf(entry.title),
    description: labelOf(entry.description),
    arguments: piecesOf(entry.arguments).map((value) => {
      const { name, description, required } = Object(value) as Record<string, unknown>;
      return {
        name: String(name),
        description: labelOf(description),
        isRequired: required === true,
      };
    }),
  };
}

function readResourceEntry(
  { name, title, description, mimeType }: Record<string, unknown>,
  uri: unknown,
  isTemplate: boolean,
): ResourceEntry {
  return {
    name: labelOf(title) ?? labelOf(name) ?? String(uri).slice(0, LONGEST_LABEL),
    uri: String(uri),
    isTemplate,
    description: labelOf(description),
    mimeType: labelOf(mimeType),
  };
}

function readContents(value: unknown): ServerText {
  const { uri, mimeType, text, blob } = Object(value) as Record<string, unknown>;
  const about = [labelOf(uri), labelOf(mimeType)].filter((part) => part !== undefined);
  if (typeof text === "string")
    return { facts: [...about, `${text.length} characters`].join(" · "), text: cut(text) };
  // Four characters of Base64 are three bytes.
  const bytes = typeof blob === "string" ? Math.floor((blob.length * 3) / 4) : 0;
  return { facts: [...about, `${bytes} bytes`].join(" · "), text: "Binary data isn't shown." };
}

function contentText(content: unknown): string {
  const { type, text, resource } = Object(content) as Record<string, unknown>;
  if (typeof text === "string") return text;
  const { text: embedded } = Object(resource) as { text?: unknown };
  return typeof embedded === "string" ? embedded : `[${String(type).slice(0, 40)}]`;
}

function piecesOf(value: unknown, most: number = MOST_PIECES): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function labelOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, LONGEST_LABEL) : undefined;
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`;
}
