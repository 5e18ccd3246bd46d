import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { ClientSocket } from "./client-socket.ts";

/** What an HTTP request came to. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

/** Where a client connects to, and as whom. */
export interface ClientOptions {
  readonly port: number;
  readonly token: string;
  /** Address of this end, where it matters; any of 127.0.0.0/8. */
  readonly from?: string;
}

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "redteam", version: "1" },
};
const MOST_SOCKETS = 400;
const PATIENCE = 60_000;

/** One user of a gateway, on the bare wire: it sends any text, valid or not. */
export class GatewayClient {
  readonly token: string;
  readonly #port: number;
  readonly #from: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });

  constructor({ port, token, from = "127.0.0.1" }: ClientOptions) {
    this.#port = port;
    this.token = token;
    this.#from = from;
  }

  /** Sends a request of the user's own page, or any other. */
  post(path: string, body: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.#request("POST", path, body, {
      authorization: `Bearer ${this.token}`,
      ...headers,
    });
  }

  delete(path: string): Promise<HttpAnswer> {
    return this.#request("DELETE", path, "", { authorization: `Bearer ${this.token}` });
  }

  /** Sends an MCP message as it is written. */
  send(server: string, text: string, method: string, name?: string): Promise<HttpAnswer> {
    return this.post(`/servers/${server}/mcp`, text, modernHeaders(method, name));
  }

  /** Calls a tool as the model does. */
  call(server: string, tool: string, given: object = {}, id = 1): Promise<HttpAnswer> {
    return this.send(server, callText(tool, given, id), "tools/call", tool);
  }

  /** Calls a tool as a view does. */
  callAsView(server: string, ticket: string, tool: string, given: object): Promise<HttpAnswer> {
    const headers = { ...modernHeaders("tools/call", tool), "vitrine-view": ticket };
    return this.#request("POST", `/servers/${server}/mcp`, callText(tool, given, 1), headers);
  }

  openView(server: string, resource: string): Promise<HttpAnswer> {
    return this.post(`/servers/${server}/views`, JSON.stringify({ resource }));
  }

  /** The ticket of a new view. */
  async ticket(server: string, resource: string): Promise<string> {
    const { status, text } = await this.openView(server, resource);
    if (status !== 200) throw new Error(`No ticket: HTTP ${status} ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { ticket: string }).ticket;
  }

  /** Opens a WebSocket; rejects where the gateway refuses it. */
  socket(server: string, credential = `token.${this.token}`): Promise<ClientSocket> {
    return ClientSocket.open(`ws://127.0.0.1:${this.#port}/servers/${server}/mcp`, credential);
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    method: string,
    path: string,
    body: string,
    headers: OutgoingHttpHeaders,
  ): Promise<HttpAnswer> {
    const before = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port: this.#port,
        localAddress: this.#from,
        method,
        path,
        headers: { "content-type": "application/json", ...headers },
        agent: this.#agent,
        timeout: PATIENCE,
      });
      sent.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (data: string) => {
          text += data;
        });
        response.on("error", reject);
        response.on("end", () => {
          const milliseconds = performance.now() - before;
          resolve({ status: response.statusCode ?? 0, text, milliseconds });
        });
      });
      sent.on("timeout", () => sent.destroy(new Error(`No answer within ${PATIENCE} ms.`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

/** A tool call of 2026-07-28 as JSON. */
export function callText(tool: string, given: object, id: number | string): string {
  const params = { name: tool, arguments: given, _meta: META };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

function modernHeaders(method: string, name?: string): OutgoingHttpHeaders {
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}
