import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright";
import { launchChromium } from "../../../internal/src/chromium.ts";
import { freePort } from "./gateway-process.ts";
import { AUDIENCE } from "./issuer.ts";
import { type GatewayStage, hostileServer, type StagedGateway } from "./stage.ts";

/** A gateway with an admin port, a browser that is signed in there, and a site of the attacker's. */
export interface AdminPort {
  readonly gateway: StagedGateway;
  /** Origin of the console. */
  readonly url: string;
  readonly port: number;
  readonly context: BrowserContext;
  /** The console's page, signed in as an operator. */
  readonly page: Page;
  /** A token for the admin port with these groups. */
  token(user: string, groups: readonly string[]): string;
  /** Calls the API with a token. */
  api(path: string, options?: ApiOptions): Promise<{ status: number; text: string }>;
  /** Whether the server is paused, which attacks try to reach. */
  isPaused(): Promise<boolean>;
  /** Opens a page of another origin with this script in it. */
  openAttacker(host: string, script: string): Promise<Page>;
  close(): Promise<void>;
}

export interface ApiOptions {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export const SECRET = "redteam-admin-token-0123456789abcdef";

/** Starts it. `server` is the environment of the hostile server. */
export async function openAdminPort(
  stage: GatewayStage,
  server: Readonly<Record<string, string>> = {},
): Promise<AdminPort> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { url: issuer, jwks } = stage.issuer;
  const gateway = await stage.start({
    config: {
      auth: {
        ...{ mode: "jwt", issuer, audience: AUDIENCE, jwks },
        ...{ tenantClaim: "tid", groupsClaim: "groups" },
      },
      servers: { js: hostileServer(server) },
      admin: { port, publicUrl: url, token: SECRET, roles: { viewer: ["group:acme/auditors"] } },
    },
  });
  const api: AdminPort["api"] = async (path, { method = "GET", headers = {}, token } = {}) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(method === "POST" && { "vitrine-admin": "1", "content-type": "application/json" }),
        ...headers,
      },
      ...(method === "POST" && { body: "{}" }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const attacker = await startAttacker();
  const chromium = await launchChromium({ viewport: { width: 1200, height: 800 } });
  const { context } = chromium;
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel("Admin token").fill(SECRET);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return {
    ...{ gateway, url, port, context, page, api },
    token: (user, groups) => stage.issuer.token("acme", user, 3600, { aud: url, groups }),
    isPaused: async () => {
      const { text } = await api("/servers", { token: SECRET });
      return /"state":"paused"/.test(text);
    },
    openAttacker: async (host, script) => {
      attacker.script = script;
      const opened = await context.newPage();
      await opened.goto(`http://${host}:${attacker.port}/`);
      await opened.waitForFunction(() => (window as { isDone?: boolean }).isDone === true);
      return opened;
    },
    close: async () => {
      await chromium.close();
      await attacker.close();
      await gateway.process.stop();
    },
  };
}

/** A site with one page that runs a script. */
async function startAttacker(): Promise<{ port: number; script: string; close(): Promise<void> }> {
  const site = { script: "" };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><title>attacker</title><body><script type="module">${site.script};window.isDone=true</script>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return Object.assign(site, {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
