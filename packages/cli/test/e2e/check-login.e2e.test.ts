// `vitrine login`, then `vitrine check` with the stored token, as a user types them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { logInAsUser, startLockedServer } from "../auth/locked-server.ts";
import { VITRINE, vitrine } from "../create/program.ts";
import { viewPage } from "./dev-project.ts";

vi.setConfig({ testTimeout: 120_000 });

test("logs in, checks the server's view with the stored token, and logs out", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "vitrine-check-login-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const view = await viewPage(
    `app.ontoolresult = ({ content }) => { $("result").textContent = content[0]?.text; };`,
    `<p id="result">Waiting</p>`,
  );
  const vault = await startLockedServer({ view });
  onTestFinished(() => vault.close());
  const env = { VITRINE_CONFIG: join(cwd, "config"), NO_COLOR: "1" };

  const refused = await vitrine(["check", "--no-render", vault.url], { cwd, env });
  expect(refused.err).toBe(
    `${vault.url} wants you to log in. Run \`vitrine login ${vault.url}\`, then try again.\n`,
  );
  expect(refused.code).toBe(2);
  expect(vault.requests).toEqual([]);

  const login = spawn(process.execPath, [...VITRINE, "login", vault.url], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  login.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const ended = once(login, "close");
  await expect
    .poll(() => /http:\S+\/auth\?\S+\n/.exec(printed)?.[0], { timeout: 30_000 })
    .toBeTruthy();
  const address = /http:\S+\/auth\?\S+/.exec(printed)?.[0] ?? "";
  expect(await logInAsUser(address)).toContain("You are logged in");
  expect((await ended)[0]).toBe(0);
  expect(printed).toContain(`You are logged in to ${vault.url}`);

  const line = ["--calling", "safe", "--json", "check.json", "--sarif", "check.sarif"];
  const checked = await vitrine(["check", ...line, "--tool", "read_secret", vault.url], {
    cwd,
    env,
  });
  expect(checked.err).toBe("");
  const report = JSON.parse(await readFile(join(cwd, "check.json"), "utf8"));
  expect(report.views).toHaveLength(1);
  const listed = await vitrine(["login", "--list"], { cwd, env });
  expect(listed.out).toContain(vault.url);

  const { logins } = JSON.parse(await readFile(join(cwd, "config", "logins.json"), "utf8"));
  const { access_token: token, refresh_token: refresh } = logins[0].tokens;
  const files = await Promise.all(
    ["check.json", "check.sarif"].map((name) => readFile(join(cwd, name), "utf8")),
  );
  for (const text of [printed, checked.out, listed.out, ...files]) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(refresh);
  }

  const out = await vitrine(["logout", vault.url], { cwd, env });
  expect(out.out).toBe(`Logged out of ${vault.url}\n`);
  expect((await vitrine(["check", "--no-render", vault.url], { cwd, env })).code).toBe(2);
});
