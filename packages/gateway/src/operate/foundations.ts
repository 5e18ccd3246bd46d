// What a gateway stands on, as the configuration has it.

import { randomBytes } from "node:crypto";
import type { GatewayConfig } from "../config/config.ts";
import { createMemoryEngine, type Engine, EngineError, openFileEngine } from "../engine/index.ts";
import { type Credentials, createCredentials } from "../identity/credentials/credentials.ts";
import { type Authenticate, devAuthenticator, jwtAuthenticator } from "../identity/user-token.ts";
import type { Keyring } from "./keyring.ts";
import type { Log } from "./log.ts";
import { OperatorError } from "./operator-error.ts";

/** Opens the engine. */
export async function openEngine({ engine }: GatewayConfig, log: Log): Promise<Engine> {
  const onError = (error: unknown): void => log.error({ cause: `${error}` }, "engine failed");
  const { driver, folder, maxLogBytes } = engine;
  const room = maxLogBytes === undefined ? {} : { maxLogBytes };
  if (driver === "memory" || folder === undefined) return createMemoryEngine({ onError, ...room });
  try {
    return await openFileEngine({
      folder,
      onError,
      onNotice: ({ kind, text }) => log.warn({ kind }, text),
      ...room,
    });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("engine", `engine.folder: ${error.message}`);
  }
}

/** Per-user log-ins, where there is an address to come back to. */
export function openCredentials(
  { listen, origins, servers }: GatewayConfig,
  engine: Engine,
  keyring: Keyring,
): Credentials | undefined {
  // A server with log-ins may come with a reload, if there is an address to come back to.
  const isWanted = Object.values(servers).some(({ oauth }) => oauth !== undefined);
  const { publicUrl } = listen;
  if (publicUrl === undefined) {
    if (isWanted) throw new OperatorError("server", "listen.publicUrl is missing.");
    return undefined;
  }
  return createCredentials({ engine, keys: keyring.credentials, publicUrl, origins });
}

/** Who is let in; with the token that was made for it, if one was. */
export function openDoor(
  { auth }: GatewayConfig,
  log: Log,
): { authenticate: Authenticate; devToken?: string } {
  if (auth.mode === "jwt") {
    const check = jwtAuthenticator(auth);
    const authenticate: Authenticate = (token) =>
      check(token).catch((error: unknown) => {
        // Nobody gets in; that must not be found out from the users.
        log.error({ jwks: auth.jwks, cause: `${error}` }, "keys of the issuer cannot be had");
        throw error;
      });
    return { authenticate };
  }
  if (auth.token !== undefined) return { authenticate: devAuthenticator(auth.token) };
  const devToken = randomBytes(32).toString("base64url");
  return { authenticate: devAuthenticator(devToken), devToken };
}
