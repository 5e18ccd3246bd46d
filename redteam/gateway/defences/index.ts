import type { GatewayDefence } from "../defence.ts";
import { IDENTITY_DEFENCES } from "./identity.ts";

/** Every defence that `npm run redteam:gateway -- --without all` takes away, one file per area. */
export const GATEWAY_DEFENCES: readonly GatewayDefence[] = [...IDENTITY_DEFENCES];
