import type { SandboxRequest, SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";

/** Frames the sandbox like this, and always closes it. */
export async function withSandbox<T>(
  target: SandboxTarget,
  request: SandboxRequest,
  use: (session: SandboxSession) => Promise<T>,
): Promise<T> {
  const session = await target.open(request);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}
