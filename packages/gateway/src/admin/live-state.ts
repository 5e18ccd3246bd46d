// The live views and calls of all gateways. Each gateway answers for itself; lists are bounded.

import type { LiveView } from "../edge/websocket-endpoint.ts";
import type { Gateway } from "../gateway.ts";
import type { LiveCall } from "../policy/live-calls.ts";
import type { Answer, GatewayInfo, Peers } from "./peers.ts";

/** Which views or calls to list. */
export interface LiveFilter {
  tenant?: string | undefined;
  user?: string | undefined;
  server?: string | undefined;
}

/** One gateway's summary. */
export interface GatewayState extends GatewayInfo {
  views: number;
  calls: number;
  viewsOf: Record<string, number>;
  callsOf: Record<string, number>;
  problems: readonly string[];
}

/** Something of a gateway that was listed, and the gateway. */
export type OnNode<Item> = Item & { node: string };

/** A list from all gateways. */
export interface LiveList<Item> {
  items: OnNode<Item>[];
  /** The number without the limit. */
  total: number;
  /** The gateways that didn't answer. */
  silent: string[];
}

const MOST_OF_GATEWAY = 500;

/** Answers the questions of other gateways about this one. */
export function liveAnswers(
  gateway: Pick<Gateway, "liveViews" | "liveCalls">,
  { own, problems }: { own: GatewayInfo; problems(): Promise<readonly string[]> },
): Answer {
  const listed = <Item extends Required<LiveFilter>>(items: Item[], filter: unknown) => {
    const found = items.filter((item) => isWanted(item, Object(filter) as LiveFilter));
    return { items: found.slice(0, MOST_OF_GATEWAY), total: found.length };
  };
  return async (question, body) => {
    if (question === "views") return listed(gateway.liveViews(), body);
    if (question === "calls") return listed(gateway.liveCalls.list(), body);
    if (question === "cancel") {
      return gateway.liveCalls.cancel(`${(Object(body) as { id?: unknown }).id}`) ?? null;
    }
    if (question !== "state") return undefined;
    const views = gateway.liveViews();
    const calls = gateway.liveCalls.list();
    const counts = { views: views.length, calls: calls.length };
    const state: GatewayState = {
      ...{ ...own, ...counts, viewsOf: countBy(views), callsOf: countBy(calls) },
      problems: await problems(),
    };
    return state;
  };
}

/** The live views and calls of all gateways. */
export interface LiveState {
  gateways(): Promise<{ gateways: GatewayState[]; silent: string[] }>;
  views(filter?: LiveFilter): Promise<LiveList<LiveView>>;
  calls(filter?: LiveFilter): Promise<LiveList<LiveCall>>;
  /** Cancels a call at the gateway that has it. */
  cancel(id: string): Promise<OnNode<LiveCall> | undefined>;
}

/** Asks all gateways. */
export function createLiveState(peers: Peers): LiveState {
  const list = async <Item>(question: string, filter: LiveFilter): Promise<LiveList<Item>> => {
    const { answers, silent } = await peers.ask<{ items: Item[]; total: number }>(question, filter);
    const items = answers.flatMap(({ node, value }) =>
      value.items.map((item) => ({ ...item, node })),
    );
    return { items, total: answers.reduce((sum, { value }) => sum + value.total, 0), silent };
  };
  return {
    gateways: async () => {
      const { answers, silent } = await peers.ask<GatewayState>("state");
      return { gateways: answers.map(({ value }) => value), silent };
    },
    views: (filter = {}) => list<LiveView>("views", filter),
    calls: (filter = {}) => list<LiveCall>("calls", filter),
    cancel: async (id) => {
      const { answers } = await peers.ask<LiveCall | null>("cancel", { id });
      const found = answers.find(({ value }) => value !== null);
      return found?.value ? { ...found.value, node: found.node } : undefined;
    },
  };
}

function isWanted(item: Required<LiveFilter>, { tenant, user, server }: LiveFilter): boolean {
  return (
    (tenant === undefined || item.tenant === tenant) &&
    (user === undefined || item.user === user) &&
    (server === undefined || item.server === server)
  );
}

function countBy(items: readonly { server: string }[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { server } of items) counts.set(server, (counts.get(server) ?? 0) + 1);
  return Object.fromEntries(counts);
}
