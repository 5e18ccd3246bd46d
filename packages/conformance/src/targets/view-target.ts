import { readFile } from "node:fs/promises";
import { asRecord, type Json } from "../json.ts";
import { metadataOf } from "../server/metadata.ts";
import { callTools } from "../server/tool-calls.ts";
import { documentOf } from "../server/view-document.ts";
import { type BrowserLease, type BrowserOptions, leaseBrowser } from "./browser.ts";
import type { HostScript } from "./host-page.ts";
import { sampleArguments } from "./sample.ts";
import { ServerTarget, type ServerTargetOptions } from "./server-target.ts";
import { ViewSession } from "./view-session.ts";

/** A view to test: a document, or a server's view at an address. */
export interface ViewTargetOptions extends BrowserOptions {
  /** The file of a document. */
  file?: string;
  /** The document itself. */
  html?: string;
  /** The view's address on `server`; by default the first view that a tool names. */
  uri?: string;
  server?: ServerTargetOptions;
  /** The view's declarations; by default the server's own. */
  csp?: Json;
  /** The data of the tool call; by default from the server's tool. */
  tool?: Json;
  input?: Json;
  result?: Json;
  /** Time limit in milliseconds until a view sends `ui/initialize`; default 10 s. */
  patience?: number;
}

/** A view, its data, and the browser it is shown in. */
export class ViewTarget {
  readonly subject: string;
  readonly patience: number;
  /** The host's data about the tool call. */
  tool: Json;
  input: Json;
  result: Json;
  readonly #options: ViewTargetOptions;
  #html = "";
  #csp: unknown;
  #lease: BrowserLease | undefined;

  constructor(options: ViewTargetOptions) {
    const { file, html, uri, server } = options;
    if ([file, html, server].filter((one) => one !== undefined).length !== 1) {
      throw new TypeError("Pass `file`, `html`, or `server` with its `uri`.");
    }
    this.#options = options;
    this.#csp = options.csp;
    this.subject = file ?? (server ? nameOf(server, uri) : "the given document");
    this.patience = options.patience ?? 10_000;
    this.tool = options.tool ?? { name: "conformance", inputSchema: { type: "object" } };
    this.input = options.input ?? { text: "first", query: "first", name: "first", value: 1 };
    this.result = options.result ?? {
      content: [{ type: "text", text: "A result of the conformance suite." }],
      structuredContent: { text: "first", value: 1 },
    };
  }

  async start(): Promise<void> {
    const { file, html, server } = this.#options;
    if (server) await this.#readFrom(new ServerTarget(server));
    else this.#html = html ?? (await readFile(file as string, "utf8"));
    this.#lease = await leaseBrowser(this.#options);
  }

  /** Shows the view in its own browser context, in a host that behaves like this. */
  open(script: HostScript = {}): Promise<ViewSession> {
    if (!this.#lease) throw new Error("The target has not been started.");
    return ViewSession.open(this.#lease.browser, {
      html: this.#html,
      csp: this.#csp,
      patience: this.patience,
      script: { ...script, hostContext: { toolInfo: { tool: this.tool }, ...script.hostContext } },
    });
  }

  async close(): Promise<void> {
    await this.#lease?.close();
    this.#lease = undefined;
  }

  async #readFrom(server: ServerTarget): Promise<void> {
    try {
      await server.start();
      const [era = "2025-11-25"] = server.eras;
      const survey = await server.survey(era);
      const { uri = survey.uiTools[0]?.nested } = this.#options;
      const view = survey.resources.find((resource) => resource.uri === uri);
      const { html, problem = view?.problem ?? "no tool names it" } = documentOf(
        view?.content ?? {},
      );
      if (!view || html === undefined) throw new Error(`${uri} is not a view: ${problem}.`);
      this.#html = html;
      this.#csp ??= metadataOf(view).csp;
      const uiTool = survey.uiTools.find(({ name }) => view.tools.includes(name));
      if (!uiTool) return;
      this.tool = this.#options.tool ?? uiTool.tool;
      this.input =
        this.#options.input ??
        server.options.calls?.[uiTool.name] ??
        sampleArguments(uiTool.tool.inputSchema);
      if (this.#options.result) return;
      const { calls } = await callTools(survey.session, [uiTool], server);
      this.result = asRecord(calls[0]?.result ?? this.result);
    } finally {
      await server.close();
    }
  }
}

function nameOf(server: ServerTargetOptions, uri = "the first view"): string {
  return `${uri} of ${new ServerTarget(server).subject}`;
}
