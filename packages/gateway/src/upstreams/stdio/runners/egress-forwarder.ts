/** Where programs in a sandbox find the proxy. */
export const PROXY_URL = "http://127.0.0.1:3128";

/** The folder of the proxy's socket, as the sandbox sees it. */
export const PROXY_FOLDER = "/run/vitrine";

// Runs inside the sandbox: forwards the loopback port to the socket, then starts the program. It is text,
// because the sandbox doesn't show the gateway's own files.
const SCRIPT = `
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
const server = createServer((near) => {
  const far = connect("${PROXY_FOLDER}/proxy.sock");
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
});
server.listen(3128, "127.0.0.1", () => {
  const [program, ...args] = process.argv.slice(1);
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.on("exit", (code) => process.exit(code ?? 137));
});
`;

/** The command that starts the forwarder and then `argv`. */
export function withForwarder(argv: readonly string[], node: string): string[] {
  return [node, "--input-type=module", "--eval", SCRIPT, "--", ...argv];
}

/** Variables that make programs use the proxy. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: "",
  no_proxy: "",
  NODE_USE_ENV_PROXY: "1",
};
