import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { printable } from "@vitrine/protocol/printable";
import { openBrowser } from "../browser/open-browser.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Terminal } from "../terminal.ts";
import { type ChatSession, openChatSession } from "./chat-session.ts";
import { openGatewaySession } from "./gateway/gateway-session.ts";
import { readGatewayAddress } from "./gateway/gateway-user.ts";
import { openModel } from "./model/chat-model.ts";
import { readModelName } from "./model/model-name.ts";
import { startServers } from "./servers/chat-servers.ts";
import { readServerFile, type ServerList } from "./servers/server-list.ts";
import { defaultDataFolder } from "./store/data-folder.ts";

const PORT = 5290;

const USAGE = helpText({
  summary: "Open a chat with a model and the views of your servers.",
  usage: [
    "chat --model <model> [--servers mcp.json] [options]",
    "chat --model <model> --gateway <address> [options]",
  ],
  groups: {
    Options: [
      [
        "--servers <file>",
        'the servers, in the format of Claude and Cursor ({"mcpServers": {…}}), with their headers and variables of the environment',
      ],
      [
        "--gateway <address>",
        "the servers of a gateway instead, with its users and its audit log. Users log in with a token; with VITRINE_GATEWAY_TOKEN the chat is its owner's",
      ],
      ["--model <model>", "one of the models below"],
      [
        "--model-name <name>",
        "the model of an endpoint; the first one that it lists by default. The endpoint's key is VITRINE_MODEL_KEY, if it needs one",
      ],
      ["--data <folder>", "where conversations are kept; a folder of your user by default"],
      ["--port <number>", `port of the page; ${PORT}, or any free port if that is in use`],
      ["--open", "open the page in the browser"],
    ],
    Models: [
      ["http://localhost:11434/v1", "an endpoint that is compatible with OpenAI"],
      ["anthropic:<model>", "with the key ANTHROPIC_API_KEY"],
      ["openai:<model>", "with the key OPENAI_API_KEY"],
      ["script:<file>", "answers from a file, for demos and tests"],
      ["local", "a small model on this machine, if it is installed"],
    ],
  },
  notes: ["Keys stay in this process: neither the page nor a server receives them."],
  examples: [
    "chat --servers mcp.json --model anthropic:claude-opus-4-6 --open",
    "chat --servers mcp.json --model http://localhost:11434/v1",
    "chat --gateway http://localhost:8090 --model openai:gpt-5.2",
  ],
});

/** `vitrine chat`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { values } = parseArgs({
      args: [...line],
      options: {
        servers: { type: "string" },
        gateway: { type: "string" },
        model: { type: "string" },
        "model-name": { type: "string" },
        data: { type: "string" },
        port: { type: "string" },
        open: { type: "boolean" },
      },
    });
    const name = readModelName(values.model, values["model-name"]);
    if (values.gateway !== undefined && values.servers !== undefined)
      throw new Failure("usage", "--servers and --gateway are both set. Keep one of them.");
    const gateway = values.gateway === undefined ? undefined : readGatewayAddress(values.gateway);
    const list: ServerList = values.servers ? await readServerFile(values.servers) : new Map();
    const port = readPort(values.port);
    const data = resolve(values.data ?? defaultDataFolder());
    const interrupted = untilInterrupted();
    const model = await openModel(name);
    const address = { port, anyPort: values.port === undefined };
    const session = gateway
      ? await openGatewaySession({ gateway, model, data }, address)
      : await openChatSession({
          model,
          data,
          ...address,
          servers: (context) => startServers(list, context),
        });
    const servers = gateway ? [`of the gateway ${gateway.origin}`] : [...list.keys()];
    greet(session, { terminal, model: model.name, servers, data });
    if (values.open) openBrowser(session.url);
    await interrupted;
    terminal.complain("\nStopping the servers and closing the page.");
    await session.close();
    return 0;
  },
};

function readPort(text: string | undefined): number {
  if (text === undefined) return PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Failure("usage", `--port is "${text}". Use a number from 0 to 65535.`);
}

function greet(
  { url }: Pick<ChatSession, "url">,
  {
    terminal: { print, style },
    model,
    servers,
    data,
  }: { terminal: Terminal; model: string; servers: readonly string[]; data: string },
): void {
  const rows = [
    ["Model", style("bold", printable(model))],
    [
      "Servers",
      servers.length > 0 ? servers.map(printable).join(", ") : "none; add --servers mcp.json",
    ],
    ["Data", data],
    ["Page", style("cyan", url)],
  ];
  const lines = rows.map(([label = "", text = ""]) => `  ${style("dim", label.padEnd(8))} ${text}`);
  print(
    `\n${lines.join("\n")}\n\n  ${style("dim", "The address contains a secret; don't share it. Press Ctrl+C to stop.")}\n`,
  );
}
