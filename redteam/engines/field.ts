import { createServer } from "node:http";
import { createNodeListener } from "@vitrine/sandbox/node";
import { type Attacker, listen, startAttacker } from "../lab/attacker-server.ts";
import { type Certificate, makeCertificate } from "../lab/certificate.ts";
import { DECLARABLE_DOMAIN, LISTED_DOMAIN, startDnsServer } from "../lab/dns-server.ts";
import { EvidenceLog } from "../lab/evidence-log.ts";
import type { Cell, Laboratory } from "../lab/laboratory.ts";
import { DNS_ADDRESS_VARIABLE } from "../lab/private-namespace.ts";
import { openSinks } from "../lab/sinks.ts";
import { addressesOf, type TargetAddresses } from "../lab/target-addresses.ts";
import { type ControlStage, createControlStage } from "../stage/control-stage.ts";
import { createSandboxStage, type SandboxStage } from "../stage/sandbox-stage.ts";
import { openTheatre } from "../stage/theatre.ts";

/** Everything outside the browsers: attacker, name server, the sandbox and a control without it. */
export interface Field {
  readonly evidence: EvidenceLog;
  readonly attacker: Attacker;
  /** False where names of the attacker resolve to nothing: then nothing can be attacked. */
  readonly seesDns: boolean;
  readonly control: ControlStage;
  readonly sandbox: SandboxStage;
  /** Each tier, for what differs between them; tier 1 needs our resolver. */
  readonly tiers: readonly SandboxStage[];
  readonly certificate: Certificate;
  openCell(): Promise<Cell>;
  targetOf(cell: Cell): TargetAddresses;
  /** Serves a page of the test's own on the host's origin; the address. */
  serve(path: string, html: string, headers?: Record<string, string>): string;
  /** Paths asked for on the host's origin. */
  readonly asked: readonly string[];
  close(): void;
}

/**
 * Most scenarios run on one plain server with names below `localhost`: every engine resolves those
 * by itself and treats each as a secure context and a site, so no certificate has to be trusted.
 */
export async function openField(): Promise<Field> {
  const evidence = new EvidenceLog();
  const certificate = makeCertificate([
    ...["*.test", "*.evil.test", "*.sbx.test", "*.corp.test"],
    ...[`*.${DECLARABLE_DOMAIN}`, `*.${LISTED_DOMAIN}`],
  ]);
  const attacker = await startAttacker(certificate, evidence);
  const address = process.env[DNS_ADDRESS_VARIABLE];
  const dns = address ? await startDnsServer(address, evidence) : undefined;
  const own = new Map<string, { html: string; headers: Record<string, string> }>();
  const asked: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const page = own.get(pathname);
    if (request.url.startsWith(`${sandbox.hostOrigin}/`)) asked.push(pathname);
    if (page) return new Response(page.html, { headers: page.headers });
    for (const stage of [control, sandbox]) {
      const found = await stage.answer(request);
      if (found) return found;
    }
    return new Response("Nobody has this name.", { status: 404 });
  };
  const server = createServer(createNodeListener({ fetch: answer }));
  const port = await listen(server);
  const control = createControlStage(false, port);
  const sandbox = await createSandboxStage(2, port);
  const theatre = await openTheatre(certificate);
  const cells: Cell[] = [];
  return {
    evidence,
    attacker,
    seesDns: dns !== undefined,
    control,
    sandbox,
    tiers: [...theatre.tiers, theatre.listed],
    certificate,
    asked,
    async openCell() {
      const id = evidence.newCell();
      const cell = { id, sinks: await openSinks(id, evidence) };
      cells.push(cell);
      return cell;
    },
    // Of a laboratory the addresses only need the attacker.
    targetOf: (cell) => addressesOf({ attacker } as Laboratory, false, cell),
    serve(path, html, headers = {}) {
      const type = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      own.set(path, { html, headers: { ...type, ...headers } });
      return sandbox.hostOrigin + path;
    },
    close() {
      for (const { sinks } of cells) sinks.close();
      sandbox.close();
      theatre.close();
      server.close();
      server.closeAllConnections();
      dns?.close();
      attacker.close();
    },
  };
}
