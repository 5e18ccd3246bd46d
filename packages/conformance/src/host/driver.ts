// How a Host's page is handled. Whatever a Host does not offer is left out, and the rules that need
// it are not run.

import type { Page } from "playwright-core";
import type { Json } from "../json.ts";

/** A tool call whose View a Host is asked to show. */
export interface HostCall {
  /** The MCP endpoint of the suite's server. */
  server: string;
  /** The same server as a command over stdio, for Hosts that start their servers. */
  command?: readonly string[];
  tool: string;
  arguments: Json;
}

/** A tool of a View, as the Host would tell its model of it. */
export interface OfferedTool {
  name: string;
  description?: string;
}

/**
 * What can be done with a Host. Only `open` is needed. A page can offer all others itself, as functions
 * of `window.conformance` with the same names, and without their first parameter.
 */
export interface HostDriver {
  /** Shows the View of a tool call, beside those that are shown already where the Host can. */
  open(page: Page, call: HostCall): Promise<void>;
  /** Says yes to a question that the user is being asked; false if there is none. */
  approve?(page: Page): Promise<boolean>;
  deny?(page: Page): Promise<boolean>;
  /** Closes the View, as its user would. */
  close?(page: Page): Promise<void>;
  reload?(page: Page): Promise<void>;
  /** Cancels the tool call under way. */
  cancel?(page: Page): Promise<void>;
  setTheme?(page: Page, theme: "light" | "dark"): Promise<void>;
  /** Asks for a display mode as the Host's own button does. */
  setDisplayMode?(page: Page, mode: string): Promise<void>;
  /** Like `open`, while a model writes the arguments: JSON that grows, the last one complete. */
  stream?(page: Page, call: HostCall, texts: readonly string[]): Promise<void>;
  /** Names of the server's tools that the model is offered. */
  modelTools?(page: Page): Promise<string[]>;
  /** What Views have said in the conversation. */
  conversation?(page: Page): Promise<{ role: string; text: string }[]>;
  /** What Views want the model to know in its next turn, in words. */
  modelContext?(page: Page): Promise<string[]>;
  /** Tools of the View. */
  appTools?(page: Page): Promise<OfferedTool[]>;
  /** Calls one of them by the name given there; rejects where the Host refuses. */
  callAppTool?(page: Page, name: string, args: Json): Promise<Json>;
  /** Passes on a request such as `tasks/get`. */
  appTask?(page: Page, method: string, params: Json): Promise<Json>;
  /** What the Host has written down, for whoever reviews it. */
  log?(page: Page): Promise<string[]>;
  /** Which of these the page at hand really has; all that are defined by default. */
  available?(page: Page): Promise<readonly HostHook[]>;
}

/** What a Host may be able to do. */
export type HostHook = Exclude<keyof HostDriver, "open" | "available">;

/** How a page is handled that follows the suite's conventions. */
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

/** Handles a page by its address, two selectors, and whatever it offers at `window.conformance`. */
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
      // A page that shows one View already may be able to show another.
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

/** Presses a button if it is there; Playwright waits until it can be pressed. */
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
