import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openNatsEngine } from "@vitrine/cluster";
import { startNats } from "@vitrine/internal/nats-server";
import { expect, onTestFinished, test } from "vitest";

test("a rotated password is used for the next connection, without a restart of the gateway (O13)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-nats-password-"));
  const setPassword = (password: string): Promise<void> =>
    writeFile(
      join(folder, "login.conf"),
      `authorization { user: gateway, password: "${password}" }\n`,
    );
  await setPassword("first");
  // An included file is relative to the including one, which is in another temporary folder.
  const servers = await startNats({ config: `include "../${basename(folder)}/login.conf"` });
  onTestFinished(async () => {
    await servers.stop();
    await rm(folder, { recursive: true });
  });
  const credentials = { user: "gateway", password: "first" };
  const notices: string[] = [];
  const engine = await openNatsEngine({
    ...{ servers: servers.urls, credentials },
    onNotice: ({ kind }) => notices.push(kind),
  });
  onTestFinished(() => engine.close());
  await setPassword("second");
  credentials.password = "second";
  await servers.nodes[0]?.restart();
  await expect.poll(() => notices, { timeout: 10_000 }).toContain("reconnected");
  await engine.kv("rotated").put("key", Buffer.from("value"));
});
