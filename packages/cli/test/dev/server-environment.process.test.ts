import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectServer } from "../../src/target/server-connection.ts";

const PLAIN = pathToFileURL(
  fileURLToPath(new URL("../e2e/dev-fixtures/plain.mjs", import.meta.url)),
).href;

test("a server inherits the environment of the CLI, as from a shell", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-environment-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "server.mjs");
  await writeFile(
    file,
    `process.stderr.write("key " + process.env.WEATHER_KEY + " and " + process.env.OTHER + "\\n");
await import(${JSON.stringify(PLAIN)});`,
  );
  vi.stubEnv("WEATHER_KEY", "sunny");
  onTestFinished(() => void vi.unstubAllEnvs());
  const connection = await connectServer({
    kind: "command",
    program: process.execPath,
    args: [file],
    env: { OTHER: "given" },
  });
  await expect.poll(() => connection.stderr).toContain("key sunny and given");
  await connection.close();
});
