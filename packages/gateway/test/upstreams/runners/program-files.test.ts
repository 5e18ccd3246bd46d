import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findMissingPart } from "../../../src/upstreams/stdio/program-search.ts";
import { programFiles } from "../../../src/upstreams/stdio/runners/program-files.ts";
import { ownMounts } from "../../../src/upstreams/stdio/runners/sandbox-mounts.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-files-")));
afterAll(() => rmSync(root, { recursive: true }));
const env = { PATH: "/usr/bin:/bin" };
const at = (...names: string[]): string => join(root, ...names);

mkdirSync(at("app", "dist"), { recursive: true });
mkdirSync(at("app", "node_modules"));
mkdirSync(at("tool", "bin"), { recursive: true });
mkdirSync(at("gateway", "data", "keys"), { recursive: true });
mkdirSync(at("gateway", "programs"));
writeFileSync(at("app", "package.json"), "{}");
writeFileSync(at("app", "dist", "server.js"), "");
writeFileSync(at("gateway", "gateway.yaml"), "");
writeFileSync(at("tool", "bin", "tool"), "#!/bin/sh\n");
chmodSync(at("tool", "bin", "tool"), 0o755);
symlinkSync(at("gateway"), at("link"));

describe("the files of an isolated program", () => {
  test("are those of the system, of the program, and of its script", () => {
    expect(programFiles({ argv: ["sh", at("app", "dist", "server.js")], env })).toEqual({
      program: "/usr/bin/sh",
      paths: [at("app", "dist"), at("app", "node_modules"), at("app", "package.json")],
    });
    expect(programFiles({ argv: [at("tool", "bin", "tool")], env }).paths).toEqual([at("tool")]);
    expect(programFiles({ argv: ["sh", "dist/server.js"], cwd: at("app"), env }).paths).toContain(
      at("app"),
    );
  });

  test("are never a folder such as a home or /etc", () => {
    expect(programFiles({ argv: ["sh", "/etc/passwd"], env }).paths).toEqual(["/etc/passwd"]);
    expect(programFiles({ argv: ["sh", "/", "/etc", "/tmp"], env }).paths).toEqual([]);
  });

  test("aren't in the gateway's own folder by chance", () => {
    expect(() => programFiles({ argv: ["sh", "package.json"], env })).toThrow(
      /"package.json" is a file in the gateway's folder.*set cwd/,
    );
  });

  test("don't include the gateway's own files", () => {
    const hidden = [at("gateway", "data"), at("gateway", "gateway.yaml"), at("missing")];
    const flags = ownMounts({ readOnly: [at("link")], writable: [], hidden }).join(" ");
    expect(flags).toContain(`--tmpfs ${at("link", "data")}`);
    expect(flags).toContain(`--ro-bind /dev/null ${at("link", "gateway.yaml")}`);
    for (const readOnly of [
      [at("gateway", "data", "keys")],
      [at("link", "data")],
      ["/"],
      ["/proc"],
    ]) {
      expect(() => ownMounts({ readOnly, writable: [], hidden })).toThrow(/can't be shown/);
    }
    expect(() => ownMounts({ readOnly: [], writable: [at("none")], hidden })).toThrow(
      /doesn't exist/,
    );
  });

  test("names a missing program or folder (O16)", () => {
    expect(findMissingPart({ argv: ["no-such-program"], env })).toBe(
      'There is no program "no-such-program" in PATH (/usr/bin:/bin).',
    );
    expect(findMissingPart({ argv: ["sh"], cwd: at("none"), env })).toContain(
      "(cwd) doesn't exist",
    );
    expect(findMissingPart({ argv: [at("none")], env })).toContain(
      "doesn't exist or can't be executed",
    );
    expect(findMissingPart({ argv: ["sh"], cwd: root, env })).toBeUndefined();
  });
});
