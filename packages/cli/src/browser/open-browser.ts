import { spawn } from "node:child_process";

/** What decides whether the browser opens by itself. */
export interface OpenChoice {
  /** `--open` or `--no-open`; without them, undefined. */
  asked: boolean | undefined;
  /** Whether a user is at the terminal. */
  isInteractive: boolean;
  environment?: Record<string, string | undefined>;
}

/** Whether to open the browser: as asked, and otherwise only for a user at a terminal outside CI. */
export function opensBrowser({ asked, isInteractive, environment }: OpenChoice): boolean {
  if (asked !== undefined) return asked;
  const { CI, BROWSER } = environment ?? process.env;
  // `BROWSER=none` is what other tools read for the same wish.
  return isInteractive && (CI ?? "") === "" && BROWSER !== "none";
}

/** Opens an address in the user's browser. */
export function openBrowser(url: string): void {
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", ""]
        : ["xdg-open"];
  const child = spawn(program as string, [...args, url], { stdio: "ignore", detached: true });
  // The address is already on the screen.
  child.on("error", () => {});
  child.unref();
}
