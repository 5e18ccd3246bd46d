import { frameView } from "@vitrine/internal/framed-view";
import {
  createBridge,
  createTransport,
  type Line,
  type OfficialBridge,
} from "@vitrine/internal/official-bridge";
import type { PageDriver } from "@vitrine/internal/page-driver";
import driver from "@vitrine/internal/page-driver?script";
import { type Remote, remoteObject } from "@vitrine/internal/remote-object";
import { vi } from "vitest";

/** A page with its driver, under the official bridge. */
export interface PortedPage {
  bridge: OfficialBridge;
  page: Remote<PageDriver>;
  /** Waits until all of the lines are shown, then keeps the whole text and how it looks. */
  see(...lines: string[]): Promise<void>;
}

/** What a session left behind: both SDKs must leave the same. */
export interface Session {
  traffic: string[];
  sights: unknown[];
  lastSize: unknown;
}

type Setup = Omit<Parameters<typeof createBridge>[0], "version">;

/**
 * Runs one session of a page under the official bridge. Sizes are kept apart: when they are sent
 * depends on frames, so only the last one can be compared.
 */
export async function runSession(
  script: string,
  body: string,
  setup: Setup,
  act: (mounted: PortedPage) => Promise<void>,
): Promise<Session> {
  vi.spyOn(console, "debug").mockImplementation(() => {});
  const framed = frameView([driver, script], "opaque", body);
  const bridge = createBridge({ ...setup, version: "2.0.4" });
  const lines: Line[] = [];
  const { transport, stop } = createTransport("2.0.4", framed.window, lines);
  const sights: unknown[] = [];
  try {
    await bridge.connect(transport);
    await framed.load();
    const page = remoteObject<PageDriver>(framed.openPort());
    const see = async (...expected: string[]): Promise<void> => {
      await vi.waitFor(async () => {
        const shown = await page.text();
        const missing = expected.filter((line) => !shown.split("\n").includes(line));
        if (missing.length > 0) throw new Error(`Not shown: ${missing}. Shown:\n${shown}`);
      });
      // A framework may render once more for what it has just rendered.
      await page.rest();
      sights.push([await page.text(), await page.look()]);
    };
    await act({ bridge, page, see });
  } finally {
    stop();
    await bridge.close();
    framed.remove();
  }
  const isSize = ({ message }: Line): boolean => message.method === "ui/notifications/size-changed";
  return {
    traffic: describeTraffic(lines.filter((line) => !isSize(line))),
    sights,
    lastSize: lines.findLast(isSize)?.message.params,
  };
}

/** Traffic as comparable text: ids become the method they belong to, empty params become none. */
function describeTraffic(lines: Line[]): string[] {
  const asked = new Map<string, string>();
  return lines.map(({ from, message }) => {
    const { id, method, params, result, error } = message;
    if (id !== undefined && method) asked.set(`${from} ${id}`, method);
    // An answer belongs to a question of the other side.
    const question = asked.get(`${from === "view" ? "host" : "view"} ${id}`);
    const subject = method ?? `answer to ${question}`;
    const content = method ? withoutToken(params) : (error?.code ?? result);
    const text = JSON.stringify(sortKeys(content ?? {}));
    return text === "{}" ? `${from}: ${subject}` : `${from}: ${subject} ${text}`;
  });
}

/** The progress token is the request's id in both SDKs, and they number differently. */
function withoutToken(params: Record<string, unknown> | undefined): unknown {
  const meta = params?._meta as { progressToken?: unknown } | undefined;
  return meta?.progressToken === undefined
    ? params
    : { ...params, _meta: { ...meta, progressToken: "id" } };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
