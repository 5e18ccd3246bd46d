import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { wordsOf } from "../deadline.ts";
import type { Json } from "../json.ts";
import { splitCommand } from "./command-words.ts";
import { type Era, ServerSession } from "./server-session.ts";
import { type Survey, surveyServer } from "./server-survey.ts";

/** A server to test: a command that uses stdio, or an address. */
export interface ServerTargetOptions {
  /** A command line, or a program with its arguments. */
  command?: string | readonly string[];
  /** Where the command runs. */
  cwd?: string;
  /** Its environment in addition to the SDK's defaults. */
  env?: Record<string, string>;
  /** The address of an endpoint of Streamable HTTP. */
  url?: string | URL;
  /** Headers for the address; not sent to another origin after a redirect. */
  headers?: Headers;
  /** Arguments by tool name; others are generated from schemas. */
  calls?: Record<string, Json>;
  /**
   * Which tools are called: `safe` skips those that declare that they write or destroy, `none` only
   * calls those in `calls`. Default `safe`.
   */
  calling?: "safe" | "all" | "none";
  /** Time limit of one request; default 15 s. */
  requestTimeout?: number;
}

const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

/** A server, connected once for every era and type of client that a scenario needs. */
export class ServerTarget {
  readonly subject: string;
  readonly options: ServerTargetOptions;
  /** Why an era is missing, for those that are. */
  readonly missing: Map<Era, string> = new Map();
  readonly #sessions = new Map<string, Promise<ServerSession>>();
  readonly #surveys = new Map<Era, Promise<Survey>>();

  constructor(options: ServerTargetOptions) {
    if ((options.command === undefined) === (options.url === undefined)) {
      throw new TypeError("Pass exactly one of `command` and `url`.");
    }
    this.options = options;
    const { command, url } = options;
    this.subject = url
      ? String(url)
      : typeof command === "string"
        ? command
        : (command?.join(" ") ?? "");
  }

  /** Detects the eras that the server supports; throws if there is none. */
  async start(): Promise<void> {
    for (const era of ERAS) {
      await this.session(era).catch((error) => this.missing.set(era, wordsOf(error)));
    }
    if (this.missing.size === ERAS.length) {
      const [reason] = this.missing.values();
      throw new Error(`${this.subject} could not be reached as an MCP server: ${reason}`);
    }
  }

  get eras(): readonly Era[] {
    return ERAS.filter((era) => !this.missing.has(era));
  }

  /** The connection of a client that shows views, or of one that doesn't. */
  session(era: Era, { ui = true }: { ui?: boolean } = {}): Promise<ServerSession> {
    const key = `${era} ${ui}`;
    let session = this.#sessions.get(key);
    if (!session) {
      const timeout = this.options.requestTimeout ?? 15_000;
      session = ServerSession.open(this.#transport(), { era, ui, timeout });
      this.#sessions.set(key, session);
    }
    return session;
  }

  /** Everything that the server shows in this era to a client that shows views. */
  survey(era: Era): Promise<Survey> {
    let survey = this.#surveys.get(era);
    if (!survey) {
      survey = this.session(era).then(surveyServer);
      this.#surveys.set(era, survey);
    }
    return survey;
  }

  /** The surveys of every era that the server supports. */
  surveys(): Promise<Survey[]> {
    return Promise.all(this.eras.map((era) => this.survey(era)));
  }

  async close(): Promise<void> {
    const sessions = await Promise.allSettled(this.#sessions.values());
    this.#sessions.clear();
    await Promise.allSettled(
      sessions.map((session) => session.status === "fulfilled" && session.value.close()),
    );
  }

  #transport(): Transport {
    const { command, url, headers, cwd, env } = this.options;
    if (url)
      return new StreamableHTTPClientTransport(
        new URL(url),
        headers && { requestInit: { headers: Object.fromEntries(headers) } },
      );
    const [program = "", ...args] =
      typeof command === "string" ? splitCommand(command) : (command ?? []);
    return new StdioClientTransport({
      command: program,
      args,
      stderr: "ignore",
      ...(cwd !== undefined && { cwd }),
      ...(env && { env: { ...inherited(), ...env } }),
    });
  }
}

function inherited(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}
