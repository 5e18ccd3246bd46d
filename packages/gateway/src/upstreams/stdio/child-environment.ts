import type { UpstreamScope } from "../upstream.ts";
import type { ChildUser } from "./child-user.ts";

/** Where a child process's variables come from. */
export interface EnvironmentOptions {
  /** Set for every process of the server, by the operator. */
  env?: Readonly<Record<string, string>>;
  /** Names copied from the gateway's environment, besides the harmless ones. */
  passEnv?: readonly string[];
  /** The user that the process runs as. Defaults to the gateway's own user. */
  user?: ChildUser;
}

// Variables that programs need to run, and for the locale. None of them is a secret.
const HARMLESS = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/** The variables of a child process. Nothing else of the gateway's environment is passed on. */
export function childEnvironment({
  env = {},
  passEnv = [],
  user,
}: EnvironmentOptions): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of [...HARMLESS, ...passEnv]) {
    const value = process.env[name];
    if (value !== undefined) result[name] = value;
  }
  if (user) {
    Object.assign(result, { HOME: user.home, USER: user.name, LOGNAME: user.name });
    // The user may not have access to the gateway's folder. Programs then use /tmp.
    if (!passEnv.includes("TMPDIR")) delete result.TMPDIR;
  }
  return Object.assign(result, env);
}

const TEMPLATE = /\$\{user\.(id|tenant)\}/g;

/** Fills in the user that a process is for. Only values of variables are templates; no shell reads them. */
export function variablesFor(
  variables: Readonly<Record<string, string>>,
  { tenant, user }: Pick<UpstreamScope, "tenant" | "user">,
): Record<string, string> {
  const filled = Object.entries(variables).map(([name, value]) => {
    // All at once, so that a user's name isn't a template itself.
    const text = value.replace(TEMPLATE, (_all, part) => (part === "id" ? user : tenant));
    return [name, text];
  });
  return Object.fromEntries(filled);
}

/** The variables that the operator chose for a server. */
export function givenVariables({
  env = {},
  passEnv = [],
}: EnvironmentOptions): Record<string, string> {
  const passed = passEnv.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...env };
}
