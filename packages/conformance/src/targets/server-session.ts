import { Client, type StandardSchemaV1, type Transport } from "@modelcontextprotocol/client";
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Json } from "../json.ts";

/** The two eras of MCP: with a handshake, and with everything in each request. */
export type Era = "2025-11-25" | "2026-07-28";

// The server's raw response is judged, so nothing may parse it on the way.
const ANYTHING: StandardSchemaV1<unknown, Json> = {
  "~standard": { version: 1, vendor: "vitrine", validate: (value) => ({ value: value as Json }) },
};

/** One connection to a server, as a client that shows views or as one that doesn't. */
export class ServerSession {
  readonly era: Era;
  readonly #client: Client;
  readonly #timeout: number;

  private constructor(client: Client, era: Era, timeout: number) {
    this.#client = client;
    this.era = era;
    this.#timeout = timeout;
  }

  static async open(
    transport: Transport,
    { era, ui, timeout }: { era: Era; ui: boolean; timeout: number },
  ): Promise<ServerSession> {
    const extensions = ui ? { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } : {};
    const client = new Client(
      { name: "vitrine-conformance", version: "0.1.0" },
      {
        capabilities: { extensions },
        versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" },
      },
    );
    // Errors appear in the responses; a server's other output isn't printed.
    client.onerror = () => {};
    await client.connect(transport, { timeout });
    return new ServerSession(client, era, timeout);
  }

  /** The server's introduction: in `initialize`, or in `server/discover`. */
  get capabilities(): Json {
    return (this.#client.getServerCapabilities() ?? {}) as Json;
  }

  /** The raw result; rejects with the server's error. */
  request(method: string, params: Json = {}): Promise<Json> {
    return this.#client.request({ method, params }, ANYTHING, { timeout: this.#timeout });
  }

  /** All pages of a list; empty if the server doesn't support it. */
  async list(method: string, key: string): Promise<Json[]> {
    const entries: Json[] = [];
    let cursor: unknown;
    // Limits a server that returns pages without end.
    for (let page = 0; page < 50; page++) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      if (Array.isArray(result[key])) entries.push(...result[key]);
      cursor = result.nextCursor;
      if (typeof cursor !== "string") break;
    }
    return entries;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
