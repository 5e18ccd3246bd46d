import { parseArgs } from "node:util";
import { printable } from "@vitrine/protocol/printable";
import { openBrowser } from "../browser/open-browser.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import { readTarget } from "../target/target.ts";
import type { Terminal } from "../terminal.ts";
import { HEADER_OPTION, readHeaders } from "./header-option.ts";
import { type LoginFile, openLoginFile, resourceOf } from "./login-file.ts";
import { openLoopbackCallback } from "./loopback-callback.ts";
import { createServerLogins } from "./server-logins.ts";

const USAGE = helpText({
  summary: "Log in to a server, for dev, check and chat.",
  usage: ["login <address> [options]", "login --list"],
  about: [
    "Opens the page of the server's authorization server. Tokens are stored in a file that only you can read. Remove them with vitrine logout.",
  ],
  groups: {
    Arguments: [["<address>", "the server, as in https://example.com/mcp"]],
    Options: [
      [
        "--client-id <id>",
        "a client that is registered already; by default one is registered for you",
      ],
      ["--client-secret <secret>", 'its secret, if it has one: "$VARIABLE" or "@file"'],
      ["--scope <scopes>", "ask for these scopes; by default those that the server wants"],
      ["--port <number>", "port to which the browser comes back; by default a free one"],
      HEADER_OPTION,
      ["--no-open", "print the address instead of opening the browser"],
      ["--list", "list your log-ins, without their tokens"],
    ],
  },
  notes: ["Set VITRINE_CONFIG to keep the file in another folder."],
  examples: [
    "login https://example.com/mcp",
    "login https://example.com/mcp --client-id my-app --port 7777",
  ],
});

// Long enough to find a password, and a forgotten command ends.
const PATIENCE = 10 * 60_000;

/** `vitrine login`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...line],
      allowPositionals: true,
      options: {
        "client-id": { type: "string" },
        "client-secret": { type: "string" },
        scope: { type: "string" },
        port: { type: "string" },
        header: { type: "string", multiple: true },
        "no-open": { type: "boolean" },
        list: { type: "boolean" },
      },
    });
    const file = openLoginFile();
    if (values.list) return list(file, terminal);
    const url = readAddress(positionals, "login");
    const secret = values["client-secret"];
    const client = values["client-id"] && {
      id: values["client-id"],
      // Read as a header is, so that it isn't in the shell's history.
      ...(secret && { secret: readHeaders([`Secret: ${secret}`]).get("secret") ?? "" }),
    };
    await logIn(url, {
      file,
      terminal,
      port: readPort(values.port),
      open: !values["no-open"],
      headers: values.header && readHeaders(values.header),
      begin: { ...(client && { client }), ...(values.scope && { scope: values.scope }) },
    });
    return 0;
  },
};

/** The address of the command line; programs don't need a log-in. */
export function readAddress(words: readonly string[], name: "login" | "logout"): URL {
  if (words.length === 0)
    throw new Failure(
      "usage",
      `The server is missing. Pass its address, as in \`vitrine ${name} https://example.com/mcp\`.`,
    );
  const target = readTarget(words);
  if (target.kind === "url") return target.url;
  throw new Failure(
    "usage",
    `"${words.join(" ")}" isn't an address. Only servers at an address need a log-in, as in \`vitrine ${name} https://example.com/mcp\`.`,
  );
}

async function logIn(
  url: URL,
  {
    file,
    terminal,
    port,
    open,
    headers,
    begin,
  }: {
    file: LoginFile;
    terminal: Terminal;
    port: number;
    open: boolean;
    headers: Headers | undefined;
    begin: NonNullable<Parameters<ReturnType<typeof createServerLogins>["begin"]>[1]>;
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Handled where it is awaited; a visit may come before that.
  promise.catch(() => {});
  const callback = await openLoopbackCallback(
    async (parameters) => {
      // Only a visit with the right state ends the command: any site can send the browser here.
      const isOurs = parameters.get("state") === state;
      try {
        await logins.finish(parameters);
        resolve();
        return `You are logged in to ${url.origin}${url.pathname}. You can close this page.`;
      } catch (error) {
        if (isOurs) reject(error);
        return `${(error as Error).message} Close this page and try again.`;
      }
    },
    { port },
  );
  const logins = createServerLogins({ file, redirectUrl: () => callback.address });
  let state: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  try {
    logins.connection(url, headers);
    const address = await logins.begin(url, begin);
    state = new URL(address).searchParams.get("state");
    const canOpen = open && terminal.isInteractive && !process.env.CI;
    terminal.print(
      `${canOpen ? "Your browser opens. If it doesn't, open" : "Open"} this address to log in:\n\n  ${address}\n`,
    );
    if (canOpen) openBrowser(address);
    timer = setTimeout(
      () => reject(new Failure("login-failed", "Nobody logged in within 10 minutes.")),
      PATIENCE,
    );
    await promise;
    terminal.print(describe(file, url, terminal));
  } finally {
    clearTimeout(timer);
    await callback.close();
  }
}

function describe(file: LoginFile, url: URL, { style }: Terminal): string {
  const { issuer = "", tokens, expires } = file.find(resourceOf(url)) ?? {};
  return [
    style("green", `You are logged in to ${url.href}`),
    `  Issuer   ${printable(issuer)}`,
    ...(tokens?.scope ? [`  Scope    ${printable(tokens.scope).slice(0, 200)}`] : []),
    ...(expires ? [`  Expires  ${expiryOf(expires, tokens?.refresh_token !== undefined)}`] : []),
    `  Stored   ${file.path}`,
  ].join("\n");
}

function expiryOf(expires: number, canRefresh: boolean): string {
  const when = new Date(expires).toISOString().slice(0, 16).replace("T", " ");
  return `${when} UTC${canRefresh ? ", renewed automatically" : ""}`;
}

function list(file: LoginFile, terminal: Terminal): number {
  const logins = file.list().filter(({ tokens }) => tokens !== undefined);
  const rows = logins.map(
    ({ resource, issuer, tokens, expires }) =>
      `${terminal.style("bold", printable(resource))}\n  Issuer   ${printable(issuer)}${
        expires ? `\n  Expires  ${expiryOf(expires, tokens?.refresh_token !== undefined)}` : ""
      }`,
  );
  terminal.print(
    rows.length > 0
      ? rows.join("\n")
      : "You aren't logged in to any server. Use vitrine login <address>.",
  );
  return 0;
}

function readPort(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Failure("usage", `--port is "${text}". Use a number from 0 to 65535.`);
}
