// Starts Chromium without a DevTools connection: the official SDK logs every message to the console,
// and an attached client makes that two to three times as slow, which would favour us.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // Loopback only, whatever a page might ask for.
  "--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND",
];

/** Opens the page in a fresh profile. `exited` rejects if the browser ends by itself. */
export async function startBrowser(url, { flags = [] } = {}) {
  const executable = process.env.CHROMIUM ?? "chromium";
  const profile = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  // A group of its own: closing ends every process the browser started, and nothing else.
  const child = spawn(executable, [...FLAGS, ...flags, `--user-data-dir=${profile}`, url], {
    detached: true,
    stdio: "ignore",
    // Nothing outside the profile, which is removed at the end.
    env: { ...process.env, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
  });
  let closing = false;
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });
  const exited = ended.then((reason) => {
    if (!closing) throw new Error(`${executable} ended by itself: ${reason}`);
  });
  exited.catch(() => {});
  return {
    group: child.pid,
    profile,
    exited,
    close: async () => {
      closing = true;
      endGroup(child.pid);
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function endGroup(group) {
  try {
    if (group) process.kill(-group, "SIGKILL");
  } catch {
    // Ended already.
  }
}
