import { createSocket } from "node:dgram";
import { cellOfName, type EvidenceLog } from "./evidence-log.ts";

interface Question {
  name: string;
  type: number;
  /** Where the question section ends in the packet. */
  end: number;
}

/** Names a view may declare: reserved ones such as `.test` are refused by the policy builder. */
export const DECLARABLE_DOMAIN = "declared-redteam.com";

/**
 * A name of the Public Suffix List that every engine ships, so that names below it are sites of
 * their own. Only the laboratory's own resolver answers for it.
 */
export const LISTED_DOMAIN = "github.io";

const OUR_NAMES = /(^|\.)(test|declared-redteam\.com|github\.io)$/i;
const HEADER_BYTES = 12;
const TYPE_A = 1;
// Pointer to the name in the question, type A, class IN, 5 s to live, four bytes: 127.0.0.1.
const LOOPBACK_RECORD = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 127, 0, 0, 1]);

/** Answers our own names with loopback and everything else with "no such name"; every look-up is evidence. */
export async function startDnsServer(
  address: string,
  evidence: EvidenceLog,
): Promise<{ close(): void }> {
  const socket = createSocket("udp4");
  socket.on("message", (packet, peer) => {
    const question = readQuestion(packet);
    if (!question) return;
    evidence.note(cellOfName(question.name), "dns", `${question.name} type ${question.type}`);
    socket.send(answer(packet, question), peer.port, peer.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(53, address, resolve);
  });
  return { close: () => socket.close() };
}

function readQuestion(packet: Buffer): Question | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63 || at + length + 5 > packet.length) return undefined;
    if (length === 0) break;
    labels.push(packet.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

function answer(packet: Buffer, { name, type, end }: Question): Buffer {
  const known = OUR_NAMES.test(name);
  const records = known && type === TYPE_A ? 1 : 0;
  const header = Buffer.alloc(HEADER_BYTES);
  packet.copy(header, 0, 0, 2);
  // Authoritative answer, recursion available; the low bits say NXDOMAIN for names that are not ours.
  header.writeUInt16BE(known ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records, 6);
  return Buffer.concat([
    header,
    packet.subarray(HEADER_BYTES, end),
    ...(records ? [LOOPBACK_RECORD] : []),
  ]);
}
