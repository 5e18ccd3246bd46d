// Where users of a gateway log in. The browser sends the token once, and gets the address of the user's chat.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../../failure.ts";
import type { GatewayChats } from "./gateway-chats.ts";
import { LOGIN_POLICY, loginPage } from "./login-page.ts";

/** A page where users log in. */
export interface LoginSite {
  readonly url: string;
  close(): Promise<void>;
}

const LONGEST_BODY = 20_000;

/** Serves the log-in page on loopback. */
export async function serveLogin(chats: GatewayChats, port: number): Promise<LoginSite> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      const reason = error instanceof Failure ? error.message : "The chat couldn't be opened.";
      send(response, 502, loginPage(reason));
    });
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    // A name that an attacker's DNS points to this machine isn't ours.
    if (headers.host !== new URL(origin).host) return send(response, 421, "");
    if (method === "GET" && url === "/") return send(response, 200, loginPage());
    if (method !== "POST" || url !== "/login") return send(response, 404, "");
    // Another site could otherwise log users in to a chat of its own.
    if (headers.origin !== origin) return send(response, 403, loginPage("Open this page itself."));
    const token = new URLSearchParams(await readBody(request)).get("token")?.trim() ?? "";
    const session = token === "" ? undefined : await chats.open(token);
    if (!session) return send(response, 401, loginPage("The gateway doesn't accept this token."));
    response.writeHead(303, { location: session.url, "cache-control": "no-store" }).end();
  };
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    throw new Failure(
      "port-taken",
      `Port ${port} can't be used: ${(error as Error).message}. Choose another one with --port.`,
      { cause: error },
    );
  }
  const origin = `http://vitrine.localhost:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": LOGIN_POLICY,
      "cache-control": "no-store",
      // Without a referrer, browsers send the form with the origin "null".
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .end(html);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LONGEST_BODY) throw new Failure("usage", "The token is too long.");
  }
  return text;
}
