import { spawn } from "node:child_process";

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
