import type {
  createMemoryStore,
  createSandbox,
  RegisteredView,
  RequestClient,
  ViewIdentity,
} from "@vitrine/sandbox";
import { LISTED_DOMAIN } from "../lab/dns-server.ts";
import type { Prepared, Stage, StagedView } from "./deployment.ts";
import { hostPage, type MountedView } from "./host-page.ts";
import { loadSandbox } from "./source-edits.ts";
import { type Weakening, weaken } from "./weakening.ts";

/** How the test's host page differs from a careful one. */
export interface PrepareOptions {
  /** Flags of the host's own frames. */
  readonly outerSandbox?: string;
}

export interface SandboxPrepared extends Prepared {
  readonly registered: Readonly<Record<string, RegisteredView>>;
}

/** One tier of the real sandbox behind a host page. */
export interface SandboxStage extends Stage {
  readonly hostOrigin: string;
  /** Where a host without a server of its own brings its views in. */
  readonly entrance: string;
  /** What its sandbox and its host are built without. */
  readonly weakening: Weakening;
  /** Serves something more on the host's origin; the address. */
  serve(path: string, body: string, headers: Record<string, string>): string;
  prepare(views: readonly StagedView[], options?: PrepareOptions): Promise<SandboxPrepared>;
  /** Answers requests for the host page and the sandbox; nothing for other names. */
  answer(request: Request): Promise<Response | undefined>;
  /** The sandbox itself, as it is deployed here. */
  fetch(request: Request, client?: RequestClient): Promise<Response>;
  /** What the host's server issues for one view. */
  credential(identity: ViewIdentity): Promise<string>;
  close(): void;
}

/** `1-listed` is tier 1 below a name of the Public Suffix List. */
export type Tier = 1 | "1-listed" | 2 | 3;

type OriginsConfig = Parameters<typeof createSandbox>[0]["origins"];

/** Views that one address may register without a credential: few, so that a check can try more. */
export const ADDRESS_VIEWS = 150;

/** Where the host's page gets credentials for its views. */
const CREDENTIAL_PATH = "/host/credential";
const KEY = "a key for the red team, never used elsewhere";

export async function createSandboxStage(
  tier: Tier,
  port: number,
  weakening: Weakening = {},
): Promise<SandboxStage> {
  const { hostOrigin, origins } = layout(tier, port);
  const { createMemoryStore, createSandbox } = await loadSandbox(weakening.sandbox);
  const memory = createMemoryStore();
  const store = { ...bound(memory), ...(weakening.reusable && { take: memory.get.bind(memory) }) };
  // One permission is there to be had, so that checks can tell a grant from a wish.
  const sandbox = createSandbox({
    origins,
    store,
    policy: { permissions: ["clipboardWrite"] },
    limits: { addressViews: ADDRESS_VIEWS },
  });
  const fetch = await weaken(sandbox.fetch, weakening);
  const flags =
    tier === 3 ? "allow-scripts allow-forms" : "allow-scripts allow-same-origin allow-forms";
  const pages = new Map<string, string>();
  const others = new Map<string, { body: string; headers: Record<string, string> }>();

  const mount = (name: string, view: RegisteredView, outer: string | undefined): MountedView => {
    const sandboxFlags =
      outer ?? (weakening.outerSandbox === undefined ? flags : weakening.outerSandbox);
    return {
      name,
      url: view.proxyUrl,
      origin: view.proxyOrigin,
      allow: view.allow,
      sandbox: sandboxFlags ?? undefined,
    };
  };

  return {
    name: `tier-${tier}`,
    secure: hostOrigin.startsWith("https:"),
    hostOrigin,
    entrance: `${sandbox.origins.proxy}${sandbox.origins.prefix}/`,
    weakening,
    fetch,
    credential: sandbox.issueCredential,
    serve(path, body, headers) {
      others.set(path, { body, headers });
      return hostOrigin + path;
    },
    async prepare(views, options = {}) {
      const registered: Record<string, RegisteredView> = {};
      for (const view of views) registered[view.name] = await sandbox.register(registration(view));
      const mounted = Object.entries(registered).map(([name, view]) =>
        mount(name, view, options.outerSandbox),
      );
      const path = `/h/${pages.size}`;
      pages.set(path, hostPage(mounted));
      const marks = Object.entries(registered).map(([name, view]) => [name, view.viewId]);
      return { url: hostOrigin + path, marks: Object.fromEntries(marks), registered };
    },
    async answer(request) {
      const { host, pathname } = new URL(request.url);
      const isHost = hostOrigin.endsWith(`//${host}`);
      // The host's server would know its user by a session; the test's page says who it is.
      if (isHost && pathname === CREDENTIAL_PATH && request.method === "POST") {
        return new Response(await sandbox.issueCredential(await request.json()));
      }
      const page = isHost ? pages.get(pathname) : undefined;
      if (page !== undefined) return hostAnswer(page, sandbox.origins.proxy);
      const other = isHost ? others.get(pathname) : undefined;
      if (other) return new Response(other.body, { headers: other.headers });
      return sandbox.handles(request) ? fetch(request) : undefined;
    },
    close: () => sandbox.close(),
  };
}

function layout(tier: Tier, port: number): { hostOrigin: string; origins: OriginsConfig } {
  if (tier === 1 || tier === "1-listed") {
    const name = tier === 1 ? "sbx.test" : LISTED_DOMAIN;
    const hostOrigin = `https://${tier === 1 ? "host" : "listed"}.corp.test:${port}`;
    const domain = `https://${name}:${port}`;
    return { hostOrigin, origins: { tier: "domain", hosts: [hostOrigin], domain, key: KEY } };
  }
  if (tier === 2) {
    const hostOrigin = `http://app.localhost:${port}`;
    return { hostOrigin, origins: { tier: "localhost", hosts: [hostOrigin], port, key: KEY } };
  }
  const hostOrigin = `http://one.localhost:${port}`;
  return { hostOrigin, origins: { tier: "single-origin", hosts: [hostOrigin], key: KEY } };
}

function registration({ html, server, user, csp, permissions, approved }: StagedView) {
  return {
    html,
    server,
    resource: "ui://redteam/view",
    meta: { csp, permissions },
    ...(user !== undefined && { user }),
    ...(approved && { policy: { approved } }),
  };
}

function hostAnswer(page: string, proxy: string): Response {
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-src ${proxy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "cross-origin-opener-policy": "same-origin",
    },
  });
}

/** The methods of a store as own properties, so that one of them can be replaced. */
function bound(store: ReturnType<typeof createMemoryStore>) {
  return {
    put: store.put.bind(store),
    get: store.get.bind(store),
    take: store.take.bind(store),
    add: store.add.bind(store),
    close: store.close.bind(store),
  };
}
