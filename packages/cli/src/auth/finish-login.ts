import type { ServerLogins } from "./server-logins.ts";

/** Completes a log-in. Returns one sentence for the user. */
export async function finishLogin(
  logins: ServerLogins,
  parameters: URLSearchParams,
): Promise<string> {
  try {
    const { origin, pathname } = await logins.finish(parameters);
    return `You are logged in to ${origin}${pathname}. You can close this page.`;
  } catch (error) {
    return `${(error as Error).message} Close this page and try again.`;
  }
}
