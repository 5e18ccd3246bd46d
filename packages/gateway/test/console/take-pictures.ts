// Takes a picture of every page of the console, light and dark, wide and on a phone. They go to
// `.pictures/console`, which git ignores. `npm run console-pictures`.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { type ConsoleStage, openConsoleStage, violations } from "./console-stage.ts";

const FOLDER = fileURLToPath(new URL("../../../../.pictures/console/", import.meta.url));

interface Shot {
  hash: string;
  role?: "viewer" | "none";
  /** Steps before the picture. */
  act?(page: Page): Promise<unknown>;
}

const SHOTS: Readonly<Record<string, Shot>> = {
  "sign-in": { hash: "", role: "none" },
  overview: { hash: "#/overview" },
  live: { hash: "#/live" },
  server: { hash: "#/servers/weather" },
  servers: { hash: "#/servers" },
  "servers-viewer": { hash: "#/servers", role: "viewer" },
  "servers-offline": {
    hash: "#/servers",
    act: async (page) => {
      await page.route("**/api/servers", (route) => route.abort());
      await page.getByText("The gateway doesn't answer.").waitFor();
    },
  },
  pause: {
    hash: "#/servers",
    act: (page) => page.getByRole("button", { name: "Pause weather" }).click(),
  },
  "server-down": { hash: "#/servers/archive" },
  "live-empty": { hash: "#/live?user=nobody" },
  approvals: { hash: "#/approvals" },
  users: { hash: "#/users" },
  user: { hash: "#/users?tenant=acme&user=alice%40acme.example" },
  "off-board": {
    hash: "#/users",
    act: (page) => page.getByRole("button", { name: "Off-board alice@acme.example" }).click(),
  },
  grants: { hash: "#/grants" },
  audit: { hash: "#/audit" },
  "audit-record": {
    hash: "#/audit",
    act: (page) =>
      page
        .getByRole("button", { name: /^Details/ })
        .first()
        .click(),
  },
  registry: {
    hash: "#/registry",
    act: (page) => page.getByRole("button", { name: /weather$/ }).click(),
  },
};

async function take(stage: ConsoleStage, name: string, shot: Shot): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    for (const width of [1400, 360]) {
      const look = { theme, width, ...(shot.role && { role: shot.role }) };
      const { page } = await stage.open(shot.hash, look);
      await page.waitForLoadState("networkidle");
      await shot.act?.(page);
      await page.waitForTimeout(200);
      const picture = `${name}-${theme}-${width}`;
      await page.screenshot({ path: join(FOLDER, `${picture}.png`), fullPage: true });
      found.push(...(await violations(page)).map((violation) => `${picture}: ${violation}`));
      await page.close();
    }
  }
  return found;
}

async function run(only: readonly string[]): Promise<void> {
  if (only.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const stage = await openConsoleStage();
  const found: string[] = [];
  const shots = Object.entries(SHOTS).filter(([name]) => only.length === 0 || only.includes(name));
  try {
    await stage.fill();
    for (const [name, shot] of shots) found.push(...(await take(stage, name, shot)));
  } finally {
    await stage[Symbol.asyncDispose]();
  }
  for (const line of found) console.error(line);
  console.log(`Pictures: ${FOLDER}`);
  console.log(`axe ${found.length} in ${4 * shots.length} pictures`);
  process.exit(found.length > 0 ? 1 : 0);
}

await run(process.argv.slice(2));
