import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startAttacker } from "../lab/attacker-server.ts";
import { makeCertificate } from "../lab/certificate.ts";
import { EvidenceLog } from "../lab/evidence-log.ts";

test("an attacker that is closed holds no web socket open, which would keep its process alive", async () => {
  const attacker = await startAttacker(makeCertificate(["*.test"]), new EvidenceLog());
  const socket = connect({ port: attacker.httpPort, host: "127.0.0.1", allowHalfOpen: true });
  const lines = ["GET / HTTP/1.1", "Host: a.test", "Connection: Upgrade", "Upgrade: websocket"];
  socket.write(`${lines.join("\r\n")}\r\nSec-WebSocket-Key: x\r\n\r\n`);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 101 /);
  const ended = once(socket, "end", { signal: AbortSignal.timeout(2000) });
  attacker.close();
  await ended;
  socket.destroy();
});
