import { type Attacker, startAttacker } from "./attacker-server.ts";
import { type Certificate, keyHash, makeCertificate } from "./certificate.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { DECLARABLE_DOMAIN, LISTED_DOMAIN, startDnsServer } from "./dns-server.ts";
import { EvidenceLog } from "./evidence-log.ts";
import { DNS_ADDRESS_VARIABLE } from "./private-namespace.ts";
import { openSinks, type Sinks } from "./sinks.ts";

/** Addresses of one cell, and the sinks that listen there. */
export interface Cell {
  readonly id: string;
  readonly sinks: Sinks;
}

/** Everything outside the pages: attacker, name server, browser, evidence. */
export interface Laboratory {
  readonly evidence: EvidenceLog;
  readonly attacker: Attacker;
  readonly certificate: Certificate;
  readonly chromium: Chromium;
  /** False where look-ups cannot be seen; then nothing may be said about them. */
  readonly seesDns: boolean;
  openCell(): Promise<Cell>;
  close(): Promise<void>;
}

const OUR_NAMES = ["test", DECLARABLE_DOMAIN, LISTED_DOMAIN];

export async function openLaboratory(): Promise<Laboratory> {
  const evidence = new EvidenceLog();
  const certificate = makeCertificate([
    "*.test",
    "*.evil.test",
    "*.sbx.test",
    "*.corp.test",
    `*.${DECLARABLE_DOMAIN}`,
    `*.${LISTED_DOMAIN}`,
  ]);
  const attacker = await startAttacker(certificate, evidence);
  const address = process.env[DNS_ADDRESS_VARIABLE];
  const dns = address ? await startDnsServer(address, evidence) : undefined;
  const rules = dns
    ? []
    : [`--host-resolver-rules=${OUR_NAMES.map((name) => `MAP *.${name} 127.0.0.1`).join(", ")}`];
  // Chromium doesn't cache responses whose certificate is wrong, and the cache is attacked as well.
  const trust = `--ignore-certificate-errors-spki-list=${keyHash(certificate)}`;
  const chromium = await startChromium([trust, ...rules]);
  const cells: Cell[] = [];
  return {
    evidence,
    attacker,
    certificate,
    chromium,
    seesDns: dns !== undefined,
    async openCell() {
      const id = evidence.newCell();
      const cell = { id, sinks: await openSinks(id, evidence) };
      cells.push(cell);
      return cell;
    },
    async close() {
      await chromium.close();
      for (const { sinks } of cells) sinks.close();
      dns?.close();
      attacker.close();
    },
  };
}
