import { UpstreamError } from "../upstream.ts";
import type { ChildUser } from "./child-user.ts";

/** Where a child's variables come from. */
export interface EnvironmentOptions {
  /** Set for every process of the server, by the operator. */
  env?: Readonly<Record<string, string>>;
  /** Names taken over from the gateway's own environment, besides the harmless ones. */
  passEnv?: readonly string[];
  /** Names that a user's credential may set. */
  scopeEnv?: readonly string[];
  /** Who the process runs as; the gateway's own user unless set. */
  user?: ChildUser;
}

// What programs need to run and to speak the right language. Nothing here is a secret.
const HARMLESS = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The variables of a child: what is named, and nothing else of the gateway's. */
export function childEnvironment(
  { env = {}, passEnv = [], scopeEnv = [], user }: EnvironmentOptions,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of [...HARMLESS, ...passEnv]) {
    const value = process.env[name];
    if (value !== undefined) result[name] = value;
  }
  if (user) {
    Object.assign(result, { HOME: user.home, USER: user.name, LOGNAME: user.name });
    // The gateway's own folder may be closed to the user; programs then use /tmp.
    if (!passEnv.includes("TMPDIR")) delete result.TMPDIR;
  }
  Object.assign(result, env);
  for (const [name, value] of Object.entries(given)) {
    // A name of the user's choice could be LD_PRELOAD.
    if (!scopeEnv.includes(name) || !NAME.test(name) || value.includes("\0")) {
      throw new UpstreamError(
        "refused-address",
        `A credential may not set ${name.slice(0, 40)} here.`,
      );
    }
    result[name] = value;
  }
  return result;
}
