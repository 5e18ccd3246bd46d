import type { DiscoverResult } from "../../packages/gateway/src/upstreams/upstream.ts";

export function answerTo(method: "server/discover"): DiscoverResult;
export function answerTo(method: string, params?: unknown): Record<string, unknown>;
