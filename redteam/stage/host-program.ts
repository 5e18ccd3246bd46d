// The program of a page with the real host: servers whose answers a check writes, and a record of all
// that views made the host do.

import {
  callbacksUpstream,
  createAppTools,
  createConsent,
  createHost,
  type FrameIdentity,
  type Host,
  type HostedView,
  type HostOptions,
  type Upstream,
  webStore,
} from "@vitrine/host";

/** A tool of a server on the page. */
export interface SiteTool {
  readonly name: string;
  /** The document of its view. */
  readonly html?: string;
  /** `_meta.ui` of that document. */
  readonly meta?: object;
  /** More of its entry in the list. */
  readonly entry?: object;
  /** Milliseconds that a call takes. */
  readonly delay?: number;
}

export interface SiteServer {
  readonly name: string;
  readonly tools: readonly SiteTool[];
}

/** What a check chooses of the host. */
export interface SiteOptions
  extends Pick<
    HostOptions,
    | "context"
    | "links"
    | "liveViews"
    | "maxHeight"
    | "displayModes"
    | "callsPerMinute"
    | "tenant"
    | "user"
  > {
  readonly entrance: string;
  readonly servers: readonly SiteServer[];
  /** A user who gives the same answer to everything, or the host's own dialog. */
  readonly consent: "yes" | "no" | "dialog";
  /** What the host can do beyond showing views. */
  readonly takes: readonly ("message" | "sampling")[];
  /** Whether a view is closed when it asks for it. */
  readonly mayLeave: boolean;
  /** Whether views come back after a reload of the page, from `sessionStorage`. */
  readonly isKept?: boolean;
  /** Whether the host's review refuses every document. */
  readonly isRefused?: boolean;
  /** Pixels of each view's place; they stand side by side as far as they fit. */
  readonly width: number;
}

type Called = {
  server: string;
  name: string;
  arguments?: unknown;
  /** Other fields that the server was sent. */
  rest: object;
  at: number;
};

/** What views made the host do. */
export interface SiteRecord {
  readonly asked: ({ kind: string; view: { key: string } } & Record<string, unknown>)[];
  readonly calls: Called[];
  readonly reads: { server: string; uri: string }[];
  readonly opened: string[];
  readonly messages: unknown[];
  readonly samplings: unknown[];
  readonly said: { view: string; data: unknown }[];
  readonly diagnostics: { view: string; level: string; code: string; detail: string }[];
  /** Views that asked to be closed, once for each time. */
  readonly teardownRequests: string[];
  /** What the page's own policy stopped. */
  readonly violations: string[];
  /** When the host's dialog came up. */
  readonly dialogs: number[];
  /** When the user pressed the mouse on the host's page. */
  readonly presses: number[];
  /** Views that the user pressed the mouse on, once for each time. */
  readonly touches: string[];
}

interface Site {
  readonly record: SiteRecord;
  host: Host;
  open(options: SiteOptions): void;
  mount(key: string, server: string, tool: string, input?: Record<string, unknown>): HostedView;
  /** The closed shadow root of a view's place, or of the dialog. */
  root(key: string): ShadowRoot | undefined;
  createAppTools: typeof createAppTools;
  createConsent: typeof createConsent;
}

declare global {
  interface Window {
    site: Site;
  }
}

const roots = new WeakMap<Element, ShadowRoot>();
const { attachShadow } = Element.prototype;
// Drivers do not look into closed roots. Only views are kept out by them, and they still are.
Element.prototype.attachShadow = function (init) {
  const root = attachShadow.call(this, init);
  roots.set(this, root);
  return root;
};

const record: SiteRecord = {
  asked: [],
  calls: [],
  reads: [],
  opened: [],
  messages: [],
  samplings: [],
  said: [],
  diagnostics: [],
  teardownRequests: [],
  violations: [],
  dialogs: [],
  presses: [],
  touches: [],
};
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null));

const { open } = window;
window.open = (url, ...more) => {
  record.opened.push(String(url));
  // Nothing else is let through to the browser, even where the host would: it is the test's own.
  return /^https?:/.test(String(url)) ? open.call(window, url, ...more) : null;
};
addEventListener("securitypolicyviolation", ({ effectiveDirective, sample, blockedURI }) => {
  record.violations.push(`${effectiveDirective}: ${sample || blockedURI}`);
});

addEventListener("pointerdown", ({ timeStamp }) => record.presses.push(timeStamp), true);
new MutationObserver((changes) => {
  const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
  for (const node of added) {
    if (node instanceof HTMLElement && "vitrineConsent" in node.dataset) {
      record.dialogs.push(performance.now());
    }
  }
}).observe(document.body, { childList: true });

const uriOf = (...names: string[]) => `ui://${names.map(encodeURIComponent).join("/")}`;

function upstreamOf({ name: server, tools }: SiteServer): Upstream {
  return callbacksUpstream({
    server,
    listTools: async () => ({ tools: tools.map((tool) => entryOf(server, tool)) }),
    readResource: async ({ uri }) => {
      record.reads.push({ server, uri });
      const found = tools.find(({ name }) => uri === uriOf(server, name));
      if (!found) return { contents: [{ uri, text: "a file of the server" }] };
      const _meta = { ui: found.meta };
      const mimeType = "text/html;profile=mcp-app";
      return { contents: [{ uri, mimeType, text: found.html ?? "", _meta }] };
    },
    callTool: async ({ name, arguments: args, ...rest }) => {
      record.calls.push(copy({ server, name, arguments: args, rest, at: performance.now() }));
      const { delay = 0 } = tools.find((one) => one.name === name) ?? {};
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      return { content: [{ type: "text", text: `${server} did ${name}` }] };
    },
  });
}

function entryOf(server: string, { name, html, entry }: SiteTool) {
  const { _meta, ...rest } = Object(entry);
  const ui = { ...(html !== undefined && { resourceUri: uriOf(server, name) }), ..._meta?.ui };
  return { name, inputSchema: { type: "object" as const }, ...rest, _meta: { ui } };
}

/** As a product's page does: its own server knows whose views these are. */
async function credential(view: FrameIdentity): Promise<string> {
  const answer = await fetch("/host/credential", { method: "POST", body: JSON.stringify(view) });
  return answer.text();
}

function optionsOf(options: SiteOptions): HostOptions {
  const { entrance, consent, takes, mayLeave, isKept, isRefused, ...more } = options;
  const { servers: _, width: __, ...rest } = more;
  return {
    ...rest,
    ...(isKept && { store: webStore() }),
    ...(isRefused && { review: () => false }),
    sandbox: { entrance, credential },
    // All views at once, wherever they are: that is the harder case.
    startOffScreen: true,
    hostInfo: { name: "redteam", version: "1.0.0" },
    ...(consent !== "dialog" && {
      consent: async ({ signal: _signal, ...question }) => {
        record.asked.push(copy(question));
        return consent === "yes";
      },
    }),
    ...(takes.includes("message") && {
      onmessage: async (params) => {
        record.messages.push(copy(params));
        return {};
      },
    }),
    ...(takes.includes("sampling") && {
      oncreatesamplingmessage: async (params) => {
        record.samplings.push(copy(params));
        return { model: "none", role: "assistant", content: { type: "text", text: "paid for" } };
      },
    }),
    onloggingmessage: ({ logger, data }, { key }) => {
      if (logger === "redteam") record.said.push({ view: key, data: copy(data) });
      if (logger === "redteam-touch") record.touches.push(key);
    },
    onrequestteardown: ({ key }) => {
      record.teardownRequests.push(key);
      return mayLeave;
    },
  };
}

/** A question in the area of a view. */
function findInline(): Element | undefined {
  for (const surface of document.querySelectorAll(".vitrine-surface")) {
    const question = roots.get(surface)?.querySelector("[data-vitrine-question]");
    if (question) return question;
  }
  return undefined;
}

/** A place in the page for a view. */
function placeOf(key: string): HTMLElement {
  const place = document.getElementById(key) ?? document.createElement("div");
  place.id = key;
  place.style.cssText = `display:inline-block;vertical-align:top;width:${width}px;margin:0 8px 8px 0`;
  if (!place.isConnected) document.body.append(place);
  return place;
}

const upstreams = new Map<string, Upstream>();
let servers: readonly SiteServer[] = [];
let width = 0;

window.site = {
  record,
  host: undefined as never,
  createAppTools,
  createConsent,
  open: (options) => {
    ({ servers, width } = options);
    for (const server of servers) upstreams.set(server.name, upstreamOf(server));
    window.site.host = createHost(optionsOf(options));
    window.site.host.onDiagnostic(({ view = "", level, code, detail = "" }) => {
      record.diagnostics.push({ view, level, code, detail });
    });
  },
  mount: (key, server, name, input = {}) => {
    const found = servers.find((one) => one.name === server)?.tools.find((t) => t.name === name);
    const upstream = upstreams.get(server);
    if (!found || !upstream) throw new Error(`There is no tool ${name} of ${server}.`);
    const tool = entryOf(server, found);
    return window.site.host.mount(placeOf(key), { key, upstream, tool, input });
  },
  root: (key) => {
    const selector = key === "dialog" ? "[data-vitrine-consent]" : `#${CSS.escape(key)} > *`;
    const element = document.querySelector(selector) ?? (key === "dialog" && findInline());
    return element ? roots.get(element) : undefined;
  },
};

// The page's own controls next to the views: a field to type in and a button.
document.body.style.margin = "16px";
const composer = document.createElement("textarea");
composer.id = "composer";
composer.rows = 2;
const control = document.createElement("button");
control.id = "control";
control.textContent = "the host's button";
document.body.append(composer, control);
