import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startNats } from "@vitrine/internal/nats-server";

const run = promisify(execFile);

/** A server below the minimum version. */
export interface OldServer {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Debian's 2.9, unpacked into a temporary folder; `undefined` if it isn't available. */
export async function startDebianServer(): Promise<OldServer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-nats-old-"));
  try {
    await run("apt-get", ["download", "nats-server"], { cwd: folder, timeout: 60_000 });
    await run("sh", ["-c", "dpkg -x nats-server_*.deb ."], { cwd: folder });
    const binary = join(folder, "usr/sbin/nats-server");
    const { stdout } = await run(binary, ["--version"]);
    const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? "";
    const servers = await startNats({ binary });
    const stop = async (): Promise<void> => {
      await servers.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return { url: servers.urls[0] ?? "", version, stop };
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Only sends the greeting of a server of that version, for versions that aren't available. */
export async function greetAs(version: string): Promise<OldServer> {
  const info = { server_id: "N", version, headers: true, max_payload: 2 ** 20, jetstream: true };
  const server = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on("data", (data) => data.includes("PING") && socket.write("PONG\r\n"));
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => void server.close();
  return { url: `nats://127.0.0.1:${port}`, version, stop };
}
