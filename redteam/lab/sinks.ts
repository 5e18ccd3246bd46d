import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { listen } from "./attacker-server.ts";
import type { EvidenceLog } from "./evidence-log.ts";

export interface Sinks {
  readonly udp: number;
  readonly tcp: number;
  close(): void;
}

/** One TCP and one UDP port per cell: whatever arrives there was sent by that cell's view. */
export async function openSinks(cell: string, evidence: EvidenceLog): Promise<Sinks> {
  const datagrams = createSocket("udp4");
  datagrams.on("message", (packet) => evidence.note(cell, "udp", `${packet.length} bytes`));
  await new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve));

  const streams = createServer((socket) => {
    evidence.note(cell, "tcp", "connected");
    socket.on("data", (chunk) => evidence.note(cell, "tcp", `${chunk.length} bytes`));
    socket.on("error", () => socket.destroy());
    socket.unref();
  });
  const tcp = await listen(streams);
  // Sinks stay open until the run ends; they must not keep the process alive after that.
  datagrams.unref();
  streams.unref();
  return {
    udp: datagrams.address().port,
    tcp,
    close() {
      datagrams.close();
      streams.close();
    },
  };
}
