import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { listen } from "../lab/attacker-server.ts";
import type { Certificate } from "../lab/certificate.ts";
import { createControlStage } from "./control-stage.ts";
import type { Stage, StageName } from "./deployment.ts";
import { createSandboxStage, type SandboxStage } from "./sandbox-stage.ts";
import type { Weakening } from "./weakening.ts";

export interface Theatre {
  readonly controls: readonly Stage[];
  readonly tiers: readonly SandboxStage[];
  /** Tier 1 once more, on a domain of the Public Suffix List. */
  readonly listed: SandboxStage;
  close(): void;
}

interface Answering extends Stage {
  answer(request: Request): Promise<Response | undefined>;
}

/** All stages behind one plain and one TLS server, told apart by name as in a real deployment. */
export async function openTheatre(
  certificate: Certificate,
  weakening: Weakening = {},
): Promise<Theatre> {
  const stages: { http: Answering[]; https: Answering[] } = { http: [], https: [] };
  const serve = (scheme: "http" | "https") =>
    createNodeListener({ fetch: (request) => firstAnswer(stages[scheme], request) });
  const plain = createServer(SANDBOX_SERVER_OPTIONS, serve("http"));
  const tls = createTlsServer({ ...certificate, ...SANDBOX_SERVER_OPTIONS }, serve("https"));
  const [plainPort, tlsPort] = [await listen(plain), await listen(tls)];
  const controls = [createControlStage(false, plainPort), createControlStage(true, tlsPort)];
  const tiers = [
    await createSandboxStage(1, tlsPort, weakening),
    await createSandboxStage(2, plainPort, weakening),
    await createSandboxStage(3, plainPort, weakening),
  ];
  const listed = await createSandboxStage("1-listed", tlsPort, weakening);
  for (const stage of [...controls, ...tiers, listed]) {
    stages[stage.secure ? "https" : "http"].push(stage);
  }
  return {
    controls,
    tiers,
    listed,
    close() {
      for (const tier of [...tiers, listed]) tier.close();
      for (const server of [plain, tls]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** The stage of a theatre by its name. */
export function stageOf({ controls, tiers, listed }: Theatre, name: StageName): Stage {
  const stage = [...controls, ...tiers, listed].find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`There is no stage ${name}.`);
  return stage;
}

async function firstAnswer(stages: readonly Answering[], request: Request): Promise<Response> {
  for (const stage of stages) {
    const answer = await stage.answer(request);
    if (answer) return answer;
  }
  return new Response("Nobody has this name.", { status: 404 });
}
