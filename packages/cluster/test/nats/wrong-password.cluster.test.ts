import { openNatsEngine } from "@vitrine/cluster";
import { codeOf } from "@vitrine/internal/engine-trial";
import { startNats } from "@vitrine/internal/nats-server";
import { expect, onTestFinished, test } from "vitest";

test("a wrong password ends the attempt, even if the servers of a cluster announce each other", async () => {
  const config = 'authorization { user: gateway, password: "the right one" }';
  const servers = await startNats({ nodes: 3, config });
  onTestFinished(() => servers.stop());
  const open = (password: string): ReturnType<typeof openNatsEngine> =>
    openNatsEngine({ servers: servers.urls, credentials: { user: "gateway", password } });
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve("it goes on and on"), 15_000).unref();
  });
  expect(await Promise.race([codeOf(open("another")), late])).toBe("unavailable");
  const engine = await open("the right one");
  await engine.close();
});
