import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { printable, printableLines, shellQuoted } from "@vitrine/protocol/printable";
import { HEADER_OPTION, withHeaders } from "../auth/header-option.ts";
import { openBrowser, opensBrowser } from "../browser/open-browser.ts";
import { readServerFile } from "../chat/servers/server-list.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import { untilInterrupted } from "../interrupt.ts";
import { readTarget, SERVER_ARGUMENT } from "../target/target.ts";
import type { Terminal } from "../terminal.ts";
import { startDevServer } from "./dev-server.ts";
import type { DevEvent, DevSession, DevSessionOptions } from "./dev-session.ts";
import { openDevSessions, type StartServer, startersOf } from "./dev-sessions.ts";
import { readGrants } from "./grants.ts";
import { parseRecording, type Recording } from "./recording.ts";
import { checkReplay } from "./replay-check.ts";
import { replayServer, replayTools } from "./replayed-server.ts";

const PORT = 5280;

const USAGE = helpText({
  summary:
    "Open a server in a strict local host: run its tools, see its views, read every message.",
  usage: [
    "dev <server> [options]",
    "dev --servers mcp.json [options]",
    "dev --replay <file> [--check]",
  ],
  about: [
    "The first tool with a view runs by itself if it needs no input and doesn't declare to change something. A view that changed is reloaded with its input, its result and its state. A program that changed is restarted.",
  ],
  groups: {
    Arguments: [SERVER_ARGUMENT],
    Options: [
      [
        "--servers <file>",
        'several servers, in the format of Claude and Cursor ({"mcpServers": {…}}). Each has a page of its own; a menu in the page leads to the others',
      ],
      [
        "--model <model>",
        "a chat with a model in the page, named as in vitrine chat: anthropic:<model>, openai:<model>, http://localhost:11434/v1, script:<file> or local. The model can also answer servers and views that ask for one",
      ],
      ["--model-name <name>", "the model of an endpoint; the first one that it lists by default"],
      ["--port <number>", `port of the page; ${PORT}, or any free port if that is in use`],
      ["--open", "open the page in the browser, as in a terminal outside CI"],
      ["--no-open", "don't; BROWSER=none does the same"],
      ["--watch <path>", "file or folder to watch; repeatable; default: the current folder"],
      [
        "--views <path>",
        "file or folder of views that the server reads for each request; repeatable. A change there reloads the view but doesn't restart the server. Servers with @vitrine/server read views that way when VITRINE_DEV=1, which this command sets",
      ],
      ["--no-watch", "watch nothing"],
      HEADER_OPTION,
      [
        "--record <file>",
        "write all messages, and your clicks and inputs in views, to a file while you work",
      ],
      [
        "--grant <what>",
        'allow something that a host\'s operator may allow; repeatable: unsafe-eval, microphone, camera, geolocation, clipboardWrite, or a domain such as "https://*.example.com"',
      ],
      [
        "--replay <file>",
        "replay a recording; with a server, show its views with the recorded tool results",
      ],
      ["--check", "with --replay: run headless and exit with 1 if the messages differ"],
    ],
  },
  notes: ["Put the server's own options after --."],
  examples: [
    "dev server.mjs",
    "dev --servers mcp.json --model anthropic:claude-opus-4-6",
    "dev --record session.json -- node server.mjs --verbose",
    "dev --replay session.json --check",
  ],
});

interface Options {
  servers?: string;
  model?: string;
  "model-name"?: string;
  port?: string;
  open?: boolean;
  "no-open"?: boolean;
  watch?: string[];
  views?: string[];
  "no-watch"?: boolean;
  record?: string;
  replay?: string;
  grant?: string[];
  header?: string[];
  check?: boolean;
}

/** `vitrine dev`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...line],
      allowPositionals: true,
      options: {
        servers: { type: "string" },
        model: { type: "string" },
        "model-name": { type: "string" },
        port: { type: "string" },
        open: { type: "boolean" },
        "no-open": { type: "boolean" },
        watch: { type: "string", multiple: true },
        views: { type: "string", multiple: true },
        "no-watch": { type: "boolean" },
        record: { type: "string" },
        replay: { type: "string" },
        grant: { type: "string", multiple: true },
        header: { type: "string", multiple: true },
        check: { type: "boolean" },
      },
    });
    const replay = values.replay === undefined ? undefined : await readReplay(values.replay);
    if (values.check && !replay)
      throw new Failure(
        "usage",
        "--check compares with a recording. Pass it with --replay <file>.",
      );
    const options = sessionOptions(values, { replay, terminal });
    if (values.check && replay) {
      const start = readServer(values, { positionals, replay });
      return checkReplay({ ...options, start, port: 0, watch: [], views: [] }, terminal);
    }
    const servers = await readServers(values, { positionals, replay });
    // Set up first: an interrupt while the server starts must not leave it running.
    const interrupted = untilInterrupted();
    // Only with a model: the libraries of models take a moment to load.
    const chatting = values.model === undefined ? undefined : await import("./dev-chat.ts");
    const asked = await chatting?.openDevModel(values.model ?? "", values["model-name"]);
    const opened = await openDevSessions(servers, {
      ...options,
      ...(asked && { questions: asked.questions }),
      anyPort: values.port === undefined,
      onFailure: (name, reason) =>
        terminal.complain(
          `${terminal.style("red", `${printable(name)}:`)} ${printableLines(reason.trim())}\nThe other servers run. Fix this one, and start again.`,
        ),
    }).catch(async (error: unknown) => {
      await asked?.model.close();
      throw error;
    });
    const chat = asked && (await chatting?.openDevChat({ ...asked, sessions: opened.sessions }));
    for (const session of opened.sessions.values())
      greet(session, { terminal, options, replay, grants: values.grant ?? [] });
    const isAsked = values["no-open"] ? false : values.open;
    if (opensBrowser({ asked: isAsked, isInteractive: terminal.isInteractive }))
      openBrowser(opened.first.url);
    await interrupted;
    terminal.complain("\nStopping the server and closing the page.");
    asked?.questions.close();
    await chat?.close();
    await opened.close();
    return 0;
  },
};

function sessionOptions(
  values: Options,
  { replay, terminal }: { replay: Recording | undefined; terminal: Terminal },
): Omit<DevSessionOptions, "start"> {
  const isWatching = !values["no-watch"] && !replay;
  return {
    port: readPort(values.port),
    watch: isWatching ? (values.watch ?? ["."]).map((path) => resolve(path)) : [],
    views: isWatching ? (values.views ?? []).map((path) => resolve(path)) : [],
    record: values.record === undefined ? undefined : resolve(values.record),
    replay,
    policy: readGrants(values.grant ?? []),
    runsFirstTool: !replay,
    onEvent: (event: DevEvent) => report(event, terminal),
  };
}

/** The server of the command line, or those of a file. */
async function readServers(
  values: Options,
  { positionals, replay }: { positionals: string[]; replay: Recording | undefined },
): Promise<ReadonlyMap<string, StartServer>> {
  if (values.servers !== undefined) {
    if (positionals.length > 0 || values.record !== undefined || replay || values.header)
      throw new Failure(
        "usage",
        "--servers is for several servers. Leave out the server, --header, --record and --replay.",
      );
    const servers = startersOf(await readServerFile(values.servers));
    if (servers.size > 0) return servers;
    throw new Failure("unreadable", `${values.servers} has no server. Add one to "mcpServers".`);
  }
  return new Map([["", readServer(values, { positionals, replay })]]);
}

function readServer(
  values: Options,
  { positionals, replay }: { positionals: string[]; replay: Recording | undefined },
): StartServer {
  if (replay && positionals.length === 0)
    return async (callbacks) => replayServer(replay, callbacks);
  const target = withHeaders(readTarget(positionals), values.header);
  if (!replay) return (callbacks) => startDevServer(target, callbacks);
  return async (callbacks) =>
    replayTools(await startDevServer(target, callbacks), replay, callbacks);
}

function readPort(text: string | undefined): number {
  if (text === undefined) return PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Failure("usage", `--port is "${text}". Use a number from 0 to 65535.`);
}

async function readReplay(file: string): Promise<Recording> {
  try {
    return parseRecording(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(
      "unreadable",
      `${file} can't be replayed: ${reason}. Create a recording with \`vitrine dev <server> --record ${shellQuoted(file)}\`.`,
      { cause: error },
    );
  }
}

function greet(
  { url, server }: DevSession,
  {
    terminal,
    options,
    replay,
    grants,
  }: {
    terminal: Terminal;
    options: Omit<DevSessionOptions, "start">;
    replay: Recording | undefined;
    grants: readonly string[];
  },
): void {
  const { style } = terminal;
  const { name, version, era, state } = server.status;
  const protocol = era === "modern" ? "2026-07-28 or later" : "before 2026-07-28";
  const watched = [...options.watch, ...(options.views ?? [])].map(
    (path) => relative(process.cwd(), path) || "this folder",
  );
  const rows = [
    [
      "Server",
      state === "login"
        ? `${style("bold", printable(name))} · ${style("yellow", "wants you to log in; use the page")}`
        : `${style("bold", printable(name))}${version ? ` ${printable(version)}` : ""} · MCP ${protocol}`,
    ],
    ["Page", style("cyan", url)],
    ...(watched.length > 0 ? [["Watching", watched.join(", ")]] : []),
    ...(options.record ? [["Recording", relative(process.cwd(), options.record)]] : []),
    ...(grants.length > 0 ? [["Granted", grants.join(", ")]] : []),
    ...(replay
      ? [["Playing", `${replay.inputs.length} inputs, ${replay.frames.length} messages`]]
      : []),
  ];
  const lines = rows.map(
    ([label = "", text = ""]) => `  ${style("dim", label.padEnd(10))} ${text}`,
  );
  terminal.print(
    `\n${lines.join("\n")}\n\n  ${style("dim", "The address contains a secret; don't share it. Press Ctrl+C to stop.")}\n`,
  );
}

function report(event: DevEvent, { complain, print, style }: Terminal): void {
  switch (event.kind) {
    case "stderr":
      complain(style("dim", printableLines(event.text.trimEnd())));
      break;
    case "failed":
      complain(
        `${style("red", "Server:")} ${printableLines(event.reason.trim())}\nThe last working server keeps running, if there is one. Save a file to try again.`,
      );
      break;
    case "replayed":
      print(
        event.verdict.same
          ? style("green", `Replay matches the recording: ${event.verdict.messages} messages.`)
          : `${style("red", "Replay differs from the recording.")} ${printableLines(event.verdict.words ?? "")}`,
      );
      break;
    default: {
      const [first = "", ...rest] = event.paths.map((path) => relative(process.cwd(), path));
      const files = rest.length > 0 ? `${first} and ${rest.length} more` : first;
      const what = event.kind === "reloaded" ? "View reloaded" : "Server reconnected";
      print(`${style("green", what)} ${style("dim", `${files}, ${event.milliseconds} ms`)}`);
    }
  }
}
