import type { Progress } from "@vitrine/protocol";
import type {
  CallToolRequest,
  CallToolResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  ReadResourceResult,
  Tool,
} from "@vitrine/protocol/apps";

/** A list that can change. */
export type StationList = "tools" | "resources" | "prompts";

/** The context of a running tool of the station. */
export interface CallContext {
  signal: AbortSignal;
  progress(progress: Progress): unknown;
  /** Tells all clients that a list changed. */
  change(list: StationList): unknown;
}

/** A JSON-RPC error, to be thrown in whatever class the server relays. */
export interface StationError {
  code: number;
  message: string;
  data?: unknown;
}

/** Where the station's View is. */
export const STATION_VIEW = "ui://station/map.html";

const tools: Tool[] = ["forecast", "slow", "aborted", "change", "refuse", "fail", "echo"].map(
  (name) => ({ name, inputSchema: { type: "object" }, _meta: { "station/unit": name } }),
);

/**
 * What a server does, without saying how it is served: the same for each generation of the SDK, each
 * transport, and for callbacks. Its own tools return what it received, so a test needs no other access.
 */
export class WeatherStation {
  readonly #fail: (error: StationError) => Error;
  readonly #aborted: string[] = [];
  /** Params of every call, as they arrived. */
  readonly calls: unknown[] = [];

  constructor(fail: (error: StationError) => Error) {
    this.#fail = fail;
  }

  async callTool(params: CallToolRequest["params"], context: CallContext): Promise<CallToolResult> {
    const { name, arguments: given = {} } = params;
    this.calls.push(params);
    const text = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
    switch (name) {
      case "forecast":
        return {
          content: [{ type: "text", text: `12 °C in ${given.city}`, _meta: { "station/line": 1 } }],
          structuredContent: { city: given.city, celsius: 12 },
          _meta: { "station/number": 7 },
          "station/extra": { kept: true },
        };
      case "slow":
        return this.#wait(`${given.id}`, context);
      case "aborted":
        return text(JSON.stringify(this.#aborted));
      case "change":
        await context.change(given.list as StationList);
        return text("told");
      case "refuse":
        throw this.#fail({ code: -31999, message: "Not in winter", data: { season: "winter" } });
      case "fail":
        return { ...text("The mast is down"), isError: true };
      case "echo":
        return { ...text("echo"), structuredContent: { params } };
      default:
        throw this.#fail({ code: -32602, message: `No tool ${name}` });
    }
  }

  async #wait(id: string, { signal, progress }: CallContext): Promise<CallToolResult> {
    await progress({ progress: 1, total: 3, message: "wind" });
    await progress({ progress: 2, total: 3 });
    if (id === "short") {
      // The official clients drop progress that they read together with the result.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { content: [] };
    }
    return new Promise((resolve) => {
      const stop = (): void => {
        this.#aborted.push(id);
        resolve({ content: [] });
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    });
  }

  listTools(params?: { cursor?: string | undefined }): ListToolsResult {
    return params?.cursor === "2"
      ? { tools: tools.slice(4) }
      : { tools: tools.slice(0, 4), nextCursor: "2", "station/extra": 1 };
  }

  readResource({ uri }: { uri: string }): ReadResourceResult {
    if (uri !== STATION_VIEW)
      throw this.#fail({ code: -32602, message: `No ${uri}`, data: { uri } });
    const text = "<!doctype html><title>Grüße</title>";
    const _meta = { ui: { csp: { connectDomains: ["https://api.example"] }, "x-own": [1] } };
    return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text, _meta }] };
  }

  listResources(): ListResourcesResult {
    return { resources: [{ uri: STATION_VIEW, name: "map", _meta: { ui: { domain: "a" } } }] };
  }

  listResourceTemplates(): ListResourceTemplatesResult {
    return { resourceTemplates: [{ uriTemplate: "station://{day}", name: "day" }] };
  }

  listPrompts(): ListPromptsResult {
    return { prompts: [{ name: "pack", description: "What to pack" }] };
  }
}
