// Secrets that a running gateway reads again, so that they can be rotated without a restart.

import type { GatewayConfig } from "../config/config.ts";

type EngineLogin = NonNullable<GatewayConfig["engine"]["login"]>;

/** The secrets outside `servers` that take effect at once. */
export interface LiveSettings {
  readonly operatorToken: string | undefined;
  readonly adminToken: string | undefined;
  readonly anchorToken: string | undefined;
  readonly proxyPassword: string | undefined;
  /** Its members are those of the latest configuration. */
  readonly engineLogin: EngineLogin | undefined;
  /** Uses the secrets of a configuration that was read again. */
  use(config: GatewayConfig): void;
}

/** Starts with the secrets of the first configuration. */
export function createLiveSettings(first: GatewayConfig): LiveSettings {
  let current = first;
  return {
    get operatorToken() {
      return current.operator?.token;
    },
    get adminToken() {
      return current.admin?.token;
    },
    get anchorToken() {
      return current.audit.anchor?.token;
    },
    get proxyPassword() {
      return current.outbound?.password;
    },
    engineLogin: first.engine.login && liveLogin(() => current.engine.login ?? {}),
    use: (next) => {
      current = withLiveSettings(current, next);
    },
  };
}

function liveLogin(login: () => EngineLogin): EngineLogin {
  const names = ["user", "password", "token", "credsFile"] as const;
  const members = names
    .filter((name) => login()[name] !== undefined)
    .map((name) => [name, { get: () => login()[name], enumerable: true }]);
  return Object.defineProperties({}, Object.fromEntries(members));
}

/**
 * A running configuration with the live secrets of the next one. A secret that was missing, or that is missing
 * now, isn't taken over: whether a port asks for a token is decided at the start.
 */
export function withLiveSettings(running: GatewayConfig, next: GatewayConfig): GatewayConfig {
  const { operator, admin, engine, audit, outbound } = running;
  const adminToken = admin?.token && next.admin?.token;
  const password = outbound?.password && next.outbound?.password;
  const token = operator?.token && next.operator?.token;
  const anchorToken = audit.anchor?.token && next.audit.anchor?.token;
  const login = engine.login && next.engine.login;
  return {
    ...running,
    ...(operator && token && { operator: { ...operator, token } }),
    ...(admin && adminToken && { admin: { ...admin, token: adminToken } }),
    ...(audit.anchor &&
      anchorToken && { audit: { ...audit, anchor: { ...audit.anchor, token: anchorToken } } }),
    ...(outbound && password && { outbound: { ...outbound, password } }),
    ...(login && { engine: { ...engine, login } }),
  };
}
