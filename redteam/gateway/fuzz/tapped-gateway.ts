import { createMemoryEngine } from "../../../packages/gateway/src/engine/index.ts";
import { createGateway } from "../../../packages/gateway/src/gateway.ts";
import { createTickets } from "../../../packages/gateway/src/identity/view-ticket.ts";
import type { Recorder } from "../../../packages/gateway/src/policy/pipeline.ts";
import { createStdioUpstream } from "../../../packages/gateway/src/upstreams/index.ts";
import { nodeCommand } from "../stage/server-programs.ts";
import { messageDigest, responseDigest } from "./canonical.ts";
import { LANGUAGES, type Language, readingCommand } from "./readers.ts";

/** A gateway with real servers that tells what it checked, at the last step before a message is sent. */
export interface TappedGateway {
  readonly port: number;
  readonly token: string;
  /** Takes one message of that digest out of those the gateway checked for a server; false if none is left. */
  take(server: Language, digest: string): boolean;
  /** Digests of responses as the gateway read them, by the id of their request; emptied by the reader. */
  readonly responses: Map<string, string>;
  /** Messages that passed every check. */
  readonly admitted: number;
  readonly refused: number;
  close(): Promise<void>;
}

/** The server that answers with the attacker's bytes. */
export const ANSWERING = "answers";

const TOKEN = "fuzz-0123456789abcdef0123456789abcdef";
const UNLIMITED = 1e9;
/** What the gateway asks servers on its own, and what the fuzz run itself asks. */
const OWN = [
  ...["initialize", "server/discover", "tools/list", "ping"],
  ...["notifications/initialized", "notifications/cancelled"],
];
const OWN_TOOLS = ["flush", "line"];

/** Starts one; the bytes it sends to servers are those of any other gateway. */
export async function startTappedGateway(): Promise<TappedGateway> {
  const checked = new Map<string, number>();
  const responses = new Map<string, string>();
  let admitted = 0;
  let refused = 0;
  const recorder: Recorder = {
    admit: ({ frame, server }) => {
      if (server.id === ANSWERING || OWN.includes(frame.method)) return undefined;
      if (OWN_TOOLS.includes(`${frame.params?.name}`)) return undefined;
      const key = `${server.id} ${messageDigest(frame)}`;
      checked.set(key, (checked.get(key) ?? 0) + 1);
      admitted += 1;
      return undefined;
    },
    refused: () => {
      refused += 1;
    },
    answered: ({ frame, server }, { answer }) => {
      if (server.id !== ANSWERING || !answer?.message) return;
      responses.set(`${frame.id}`, responseDigest(answer.message));
    },
  };
  const upstream = (id: string, argv: [string, ...string[]]) => ({
    upstream: createStdioUpstream({
      id,
      argv,
      sharing: "all",
      breaker: { failures: UNLIMITED },
      slots: { limit: 10_000, queue: 10_000, perTenant: 10_000, perUser: 10_000 },
      flood: { rate: UNLIMITED, burst: UNLIMITED },
    }),
    // A response that the gateway can't read leaves its call waiting until the deadline.
    settings: { deadline: id === ANSWERING ? 400 : 10_000 },
  });
  const engine = createMemoryEngine();
  const [program = "", ...rest] = nodeCommand("answering-server.mjs");
  const gateway = createGateway({
    engine,
    origins: [],
    authenticate: async (token) =>
      token === TOKEN ? { tenant: "bravo", user: "mallory" } : undefined,
    tickets: createTickets({ keys: [{ id: "a", secret: new Uint8Array(32).fill(7) }] }),
    recorder,
    limits: {
      rates: {
        viewPerMinute: UNLIMITED,
        userPerMinute: UNLIMITED,
        serverPerMinute: UNLIMITED,
        userAtOnce: UNLIMITED,
      },
    },
    servers: {
      ...Object.fromEntries(
        LANGUAGES.map((language) => [
          language,
          upstream(language, readingCommand(language, "serve")),
        ]),
      ),
      [ANSWERING]: upstream(ANSWERING, [program, ...rest]),
    },
  });
  const { port } = await gateway.listen({ port: 0 });
  return {
    port,
    token: TOKEN,
    responses,
    take: (server, digest) => {
      const key = `${server} ${digest}`;
      const count = checked.get(key) ?? 0;
      if (count > 1) checked.set(key, count - 1);
      else checked.delete(key);
      return count > 0;
    },
    get admitted() {
      return admitted;
    },
    get refused() {
      return refused;
    },
    close: async () => {
      await gateway.close({ drain: 0 });
      await engine.close();
    },
  };
}
