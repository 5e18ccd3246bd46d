// The log-ins of the dev host: the page shows them and begins one, the process has the tokens.

import type { LoginFile } from "../auth/login-file.ts";
import { createServerLogins, type ServerLogins } from "../auth/server-logins.ts";
import type { ServerLoginState } from "./page-protocol.ts";

export interface DevLoginsOptions {
  file?: LoginFile;
  /** The port of the page, to which an authorization server sends the user back. */
  port(): number;
  onChange(states: ServerLoginState[]): void;
}

/** Uses the stored log-ins. */
export function openDevLogins({ file, port, onChange }: DevLoginsOptions): ServerLogins {
  const logins = createServerLogins({
    ...(file && { file }),
    // By number: authorization servers accept it as an address of the user's own machine.
    redirectUrl: () => `http://127.0.0.1:${port()}/callback`,
  });
  let isTelling = false;
  logins.onChange(() => {
    // A log-in has many steps, and a page draws them together.
    if (isTelling) return;
    isTelling = true;
    setImmediate(() => {
      isTelling = false;
      onChange(loginStates(logins));
    });
  });
  return logins;
}

/** All of them, as the page shows them. */
export function loginStates(logins: ServerLogins): ServerLoginState[] {
  return logins.servers.map((url) => ({ server: url.href, ...logins.state(url) }));
}

/** Begins a log-in that the page asks for, with one of the session's servers only. */
export async function beginLogin(
  logins: ServerLogins,
  params: unknown,
): Promise<{ address: string }> {
  const { server } = Object(params) as { server?: unknown };
  const url = logins.servers.find(({ href }) => href === server);
  if (!url) throw new Error("This server isn't part of the session.");
  return { address: await logins.begin(url) };
}
