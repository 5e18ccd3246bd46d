import { Agent, buildConnector, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import type { GatewayConfig } from "../config/config.ts";
import { isDirect, type OutboundProxy, proxyConnector } from "../upstreams/index.ts";
import type { LiveSettings } from "./live-settings.ts";

const TIMEOUT = 10_000;

/** Opens the proxy of a configuration, if it has one. */
export function openOutboundProxy(
  config: Pick<GatewayConfig, "outbound">,
  live: Pick<LiveSettings, "proxyPassword">,
): { proxy: OutboundProxy | undefined; close(): Promise<void> } {
  const proxy = outboundProxyOf(config, live);
  return { proxy, close: proxy ? useProxy(proxy) : async () => {} };
}

function outboundProxyOf(
  { outbound }: Pick<GatewayConfig, "outbound">,
  live: Pick<LiveSettings, "proxyPassword">,
): OutboundProxy | undefined {
  if (!outbound) return undefined;
  const { proxy, user, direct } = outbound;
  return {
    url: proxy,
    direct,
    ...(user !== undefined && { login: () => ({ user, password: live.proxyPassword ?? "" }) }),
  };
}

/**
 * Sends the gateway's own requests through a proxy: to issuers and other addresses that the operator configured.
 * They use `fetch`, so its dispatcher is replaced for this process. Returns a function that undoes it.
 */
export function useProxy(proxy: OutboundProxy): () => Promise<void> {
  const before = getGlobalDispatcher();
  const through = proxyConnector(proxy, { timeout: TIMEOUT });
  const directly = buildConnector({ timeout: TIMEOUT, allowH2: false });
  const agent = new Agent({
    connect: (target, callback) =>
      (isDirect(proxy, target.hostname) ? directly : through)(target, callback),
  });
  setGlobalDispatcher(agent);
  return async () => {
    setGlobalDispatcher(before);
    await agent.destroy();
  };
}
