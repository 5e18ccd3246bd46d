import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** Tells the suite, run inside the namespace, which address its name server must bind. */
export const DNS_ADDRESS_VARIABLE = "VITRINE_REDTEAM_DNS";

/**
 * Runs the suite in a mount namespace of its own, where /etc/resolv.conf names the suite's DNS
 * server. Only so is a look-up evidence: the browser asks us, and nobody outside. Where that is not
 * possible (not root, no namespaces) the suite still runs, without the address, and must say so.
 */
export async function runInNamespace(script: string, options: readonly string[]): Promise<number> {
  // The sources, not what was built from them; and whatever flags let this process read TypeScript.
  const flags = [...process.execArgv, "--conditions=@vitrine/source", "--no-warnings"];
  const node = [...flags, script, ...options];
  const folder = mkdtempSync(join(tmpdir(), "vitrine-redteam-dns-"));
  const configuration = join(folder, "resolv.conf");
  // An address of its own on loopback, so that two runs on one machine do not meet on port 53.
  const address = `127.${process.pid & 127 || 1}.${(process.pid >> 7) & 255}.53`;
  writeFileSync(configuration, `nameserver ${address}\noptions timeout:2 attempts:1\n`);
  try {
    if (!canMount(configuration)) return await run(process.execPath, node, {});
    const inside = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
    return await run(
      "unshare",
      ["--mount", "sh", "-c", inside, "sh", configuration, process.execPath, ...node],
      { [DNS_ADDRESS_VARIABLE]: address },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function canMount(configuration: string): boolean {
  const trial = 'mount --bind "$1" /etc/resolv.conf';
  const { status } = spawnSync("unshare", ["--mount", "sh", "-c", trial, "sh", configuration]);
  return status === 0;
}

function run(command: string, parameters: string[], variables: Record<string, string>) {
  return new Promise<number>((resolve, reject) => {
    const child = spawn(command, parameters, {
      stdio: "inherit",
      env: { ...process.env, ...variables },
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => child.kill(signal));
    }
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
