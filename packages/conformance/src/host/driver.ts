// How a host's page is operated. Leave out what a host doesn't offer; the rules that need it aren't
// run.

import type { Page } from "playwright-core";
import type { Json } from "../json.ts";

/** A tool call whose view the host should show. */
export interface HostCall {
  /** The MCP endpoint of the suite's server. */
  server: string;
  /** The same server as a command over stdio, for hosts that start their servers. */
  command?: readonly string[];
  tool: string;
  arguments: Json;
}

/** A view's tool, as the host would describe it to its model. */
export interface OfferedTool {
  name: string;
  description?: string;
}

/**
 * The operations on a host. Only `open` is required. A page can offer all others itself, as functions
 * of `window.conformance` with the same names and without their first parameter.
 */
export interface HostDriver {
  /** Shows the view of a tool call, next to those already shown if the host can. */
  open(page: Page, call: HostCall): Promise<void>;
  /** Accepts a question to the user; false if there is none. */
  approve?(page: Page): Promise<boolean>;
  deny?(page: Page): Promise<boolean>;
  /** Closes the view, as a user would. */
  close?(page: Page): Promise<void>;
  reload?(page: Page): Promise<void>;
  /** Cancels the running tool call. */
  cancel?(page: Page): Promise<void>;
  setTheme?(page: Page, theme: "light" | "dark"): Promise<void>;
  /** Requests a display mode as the host's own button does. */
  setDisplayMode?(page: Page, mode: string): Promise<void>;
  /** Like `open`, while a model writes the arguments: JSON that grows, the last one complete. */
  stream?(page: Page, call: HostCall, texts: readonly string[]): Promise<void>;
  /** Names of the server's tools that the model is offered. */
  modelTools?(page: Page): Promise<string[]>;
  /** The messages of views in the conversation. */
  conversation?(page: Page): Promise<{ role: string; text: string }[]>;
  /** The model context of views for the next turn, as text. */
  modelContext?(page: Page): Promise<string[]>;
  /** The view's tools. */
  appTools?(page: Page): Promise<OfferedTool[]>;
  /** Calls one of them by its name there; rejects if the host rejects it. */
  callAppTool?(page: Page, name: string, args: Json): Promise<Json>;
  /** Forwards a request such as `tasks/get`. */
  appTask?(page: Page, method: string, params: Json): Promise<Json>;
  /** The host's log, for reviews. */
  log?(page: Page): Promise<string[]>;
  /** Which of these the page really has; all that are defined by default. */
  available?(page: Page): Promise<readonly HostHook[]>;
}

/** The optional operations on a host. */
export type HostHook = Exclude<keyof HostDriver, "open" | "available">;

/** How to operate a page that follows the suite's conventions. */
export interface PageDriverOptions {
  /**
   * Its address, with `{server}`, `{tool}` and `{arguments}` where those of the call belong, and
   * `{command}` for the server as a list of words in JSON. Without any of them the first three are
   * added as parameters of these names.
   */
  url: string;
  /** Selectors of the buttons that answer a question to the user. */
  approve?: string;
  deny?: string;
}

const HOOKS: readonly HostHook[] = [
  "close",
  "cancel",
  "setTheme",
  "setDisplayMode",
  "stream",
  "modelTools",
  "conversation",
  "modelContext",
  "appTools",
  "callAppTool",
  "appTask",
  "log",
];

type PageHooks = Record<string, ((...args: unknown[]) => unknown) | undefined>;

/** Operates a page by its address, two selectors, and its `window.conformance`. */
export function pageDriver({ url, approve, deny }: PageDriverOptions): HostDriver {
  const hook = (page: Page, name: string, ...args: unknown[]): Promise<never> =>
    page.evaluate(
      ([key, values]) => {
        const { conformance } = window as unknown as { conformance?: PageHooks };
        return conformance?.[key]?.(...values) as never;
      },
      [name, args] as const,
    );
  const has = (page: Page, name: string): Promise<boolean> =>
    page.evaluate((key) => {
      const { conformance } = window as unknown as { conformance?: PageHooks };
      return typeof conformance?.[key] === "function";
    }, name);
  const driver: HostDriver = {
    open: async (page, call) => {
      // A page that already shows one view may be able to show another.
      if (page.url() !== "about:blank" && (await has(page, "open"))) await hook(page, "open", call);
      else await page.goto(fill(url, call), { waitUntil: "load" });
    },
    reload: async (page) => {
      await page.reload();
    },
    available: async (page) => {
      const offered = await Promise.all(HOOKS.map((name) => has(page, name)));
      const own = (["approve", "deny"] as const).filter((name) => driver[name]);
      return [...HOOKS.filter((_, index) => offered[index]), ...own, "reload"];
    },
    close: (page) => hook(page, "close"),
    cancel: (page) => hook(page, "cancel"),
    setTheme: (page, theme) => hook(page, "setTheme", theme),
    setDisplayMode: (page, mode) => hook(page, "setDisplayMode", mode),
    stream: (page, call, texts) => hook(page, "stream", call, texts),
    modelTools: (page) => hook(page, "modelTools"),
    conversation: (page) => hook(page, "conversation"),
    modelContext: (page) => hook(page, "modelContext"),
    appTools: (page) => hook(page, "appTools"),
    callAppTool: (page, name, args) => hook(page, "callAppTool", name, args),
    appTask: (page, method, params) => hook(page, "appTask", method, params),
    log: (page) => hook(page, "log"),
  };
  if (approve) driver.approve = (page) => press(page, approve);
  if (deny) driver.deny = (page) => press(page, deny);
  return driver;
}

function fill(url: string, { server, command, tool, arguments: args }: HostCall): string {
  const values: Record<string, string> = { server, tool, arguments: JSON.stringify(args) };
  const known: Record<string, string> = { ...values, command: JSON.stringify(command ?? []) };
  const filled = url.replace(/\{(server|command|tool|arguments)\}/g, (_, name: string) =>
    encodeURIComponent(known[name] ?? ""),
  );
  if (filled !== url) return filled;
  const address = new URL(url);
  for (const [name, value] of Object.entries(values)) address.searchParams.set(name, value);
  return String(address);
}

/** Presses a button if it exists; Playwright waits until it can be pressed. */
async function press(page: Page, selector: string): Promise<boolean> {
  const button = page.locator(selector).first();
  if (!(await button.isVisible())) return false;
  try {
    await button.click({ timeout: 2000 });
    return true;
  } catch {
    return false;
  }
}
