// Installs Python's SDK if it isn't there and then runs `weather.py <port>`. It's a process of its own
// because an installation blocks it, and a chat should be usable before that ends.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { has, provide } from "../../../packages/gateway/test/interop/cache.ts";
import { MAKERS } from "../../../packages/gateway/test/interop/makers.ts";

const [port = "0"] = process.argv.slice(2);
const recipe = MAKERS.find(({ name }) => name === "Python mcp 2.3.0")?.recipe;
if (!recipe || !has("python3")) stop("Python isn't installed. Install Python 3.10 or later.");
const made = provide(recipe);
if ("problem" in made) {
  stop(`Python's SDK can't be installed: ${made.problem}. It needs the network once.`);
}
const child = spawn(
  join(made.folder, "venv/bin/python"),
  [fileURLToPath(new URL("weather.py", import.meta.url)), port],
  { stdio: ["ignore", "ignore", "pipe"] },
);
let complaint = "";
child.stderr.on("data", (chunk) => {
  complaint = `${complaint}${chunk}`.slice(-2_000);
});
child.once("exit", (code) => {
  if (code) console.error(complaint);
  // Explicitly: the connection to the parent would keep this process alive.
  process.exit(code ?? 0);
});
// The parent ends this process, and the server must not outlive it. A graceful end would wait for
// connections that a client keeps open.
const end = (): void => void child.kill("SIGKILL");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
process.once("disconnect", end);

function stop(problem: string): never {
  console.error(problem);
  process.exit(1);
}
