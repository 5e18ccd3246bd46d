// Projects as `vitrine create` writes them, built on the sources of this repository.

import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeProject } from "../../src/create/project.ts";
import type { TemplateName } from "../../src/create/templates.ts";
import type { Target } from "../../src/target/target.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const ON_SOURCES = ["--conditions=@vitrine/source", "--experimental-strip-types", "--no-warnings"];
const BUILD = `
  import { build, defaultClientConditions } from "vite";
  const conditions = ["@vitrine/source", ...defaultClientConditions];
  await build({ logLevel: "error", resolve: { conditions } });
`;

/** Creates and builds one. */
export async function makeCreated(
  template: TemplateName,
): Promise<{ target: Target; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), `vitrine-created-${template}-`));
  await writeProject({ folder, name: "first-app", template, version: "0.1.0" });
  await symlink(MODULES, join(folder, "node_modules"));
  if (template !== "template-only") {
    const args = [...ON_SOURCES, "--input-type=module", "--eval", BUILD];
    const env = { ...process.env, NODE_ENV: "production" };
    await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  }
  const args = [...ON_SOURCES, "server/main.ts"];
  return {
    target: { kind: "command", program: process.execPath, args, cwd: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
