import { Failure } from "../../failure.ts";
import type { ChatSession } from "../chat-session.ts";
import { createGatewayChats, type GatewayChatsOptions } from "./gateway-chats.ts";
import { serveLogin } from "./login-site.ts";

/** Where the page is. */
export interface PageAddress {
  port: number;
  /** Takes any free port if that one is in use. */
  anyPort: boolean;
}

/** Opens the chat of the user whose token is in the environment, or else a page where users log in. */
export async function openGatewaySession(
  options: GatewayChatsOptions,
  address: PageAddress,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Pick<ChatSession, "url" | "close">> {
  const chats = createGatewayChats(options);
  const token = env.VITRINE_GATEWAY_TOKEN;
  try {
    if (token === undefined || token === "") {
      const site = await serveLogin(chats, address.port).catch((error: unknown) => {
        if (!address.anyPort) throw error;
        return serveLogin(chats, 0);
      });
      return {
        url: site.url,
        close: async () => {
          await site.close();
          await chats.close();
        },
      };
    }
    const session = await chats.open(token, address);
    if (session) return { url: session.url, close: () => chats.close() };
    throw new Failure(
      "usage",
      `The gateway at ${options.gateway.origin} doesn't accept the token in VITRINE_GATEWAY_TOKEN. Set another one, or leave it out and log in on the page.`,
    );
  } catch (error) {
    await chats.close();
    throw error;
  }
}
