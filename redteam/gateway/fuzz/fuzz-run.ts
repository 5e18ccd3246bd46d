// `npm run redteam:gateway -- fuzz`: one long-lived gateway gets hostile frames over WebSocket and HTTP. What
// it checked is compared with what Python's json and Go's encoding/json read from the bytes it sent. Hostile
// responses go the other way: what the gateway read against what Python and Go read from what a client gets.

import { excerpt } from "../attack.ts";
import type { GatewayRunOptions } from "../options.ts";
import { callText, GatewayClient } from "../stage/client.ts";
import type { ClientSocket } from "../stage/client-socket.ts";
import { type HostileFrame, hostileFrame, hostileResponse } from "./hostile-frames.ts";
import { Random } from "./random.ts";
import { LANGUAGES, type Language, LineReader } from "./readers.ts";
import { ANSWERING, startTappedGateway, type TappedGateway } from "./tapped-gateway.ts";

const BATCH = 1000;
const SHARE_OVER_HTTP = 0.08;
/** One response for so many requests and notifications. */
const RESPONSES_PER_BATCH = 100;
const SHOWN = 10;
const PATIENCE = 30_000;
/** A run in which less of what was sent reached a server would prove little. */
const LEAST_READ = 0.25;

/** What a run compared. */
interface Tally {
  sent: number;
  read: number;
  responses: number;
  unreadable: number;
  differences: number;
}

/** Runs the fuzz and prints its figure last; true without a difference. */
export async function runFuzz({ frames, seed }: GatewayRunOptions): Promise<boolean> {
  console.log(`fuzz: ${frames} frames, --seed ${seed}`);
  const before = performance.now();
  // Two sequences, since frames and responses are sent at the same time.
  const random = { frames: new Random(seed), responses: new Random(seed + 1) };
  const gateway = await startTappedGateway();
  const client = new GatewayClient(gateway);
  const readers = LANGUAGES.map((language) => new LineReader(language));
  const tally: Tally = { sent: 0, read: 0, responses: 0, unreadable: 0, differences: 0 };
  const fuzz = new Fuzz({ gateway, client, random, tally });
  try {
    while (tally.sent < frames) {
      const count = Math.min(BATCH, frames - tally.sent);
      await Promise.all([fuzz.sendFrames(count), fuzz.sendResponses(readers)]);
    }
    await fuzz.settle();
  } finally {
    for (const reader of readers) reader.close();
    client.close();
    await gateway.close();
  }
  const seconds = (performance.now() - before) / 1000;
  const { sent, read, responses, unreadable, differences } = tally;
  const isThin = read < sent * LEAST_READ;
  if (isThin) console.log(`FAIL only ${read} of ${sent} frames reached a server`);
  console.log(
    `${gateway.refused} refused, ${unreadable} unreadable to a server, ${Math.round(sent / seconds)} frames/s`,
  );
  console.log(
    `redteam:gateway fuzz: ${differences} differences in ${sent} frames (${read} read by servers) and ${responses} responses, ${seconds.toFixed(0)} s`,
  );
  return differences === 0 && !isThin;
}

class Fuzz {
  readonly #gateway: TappedGateway;
  readonly #client: GatewayClient;
  readonly #random: { readonly frames: Random; readonly responses: Random };
  readonly #tally: Tally;
  readonly #sockets = new Map<string, ClientSocket>();
  #number = 0;

  constructor(parts: {
    gateway: TappedGateway;
    client: GatewayClient;
    random: { readonly frames: Random; readonly responses: Random };
    tally: Tally;
  }) {
    this.#gateway = parts.gateway;
    this.#client = parts.client;
    this.#random = parts.random;
    this.#tally = parts.tally;
  }

  /** Sends frames to both servers, then compares what they have read so far. */
  async sendFrames(count: number): Promise<void> {
    const overHttp: Promise<unknown>[] = [];
    for (let at = 0; at < count; at++) {
      const frame = hostileFrame(this.#random.frames, ++this.#number);
      const language = this.#random.frames.pick(LANGUAGES);
      if (this.#random.frames.chance(SHARE_OVER_HTTP)) overHttp.push(this.#post(language, frame));
      else (await this.#socket(language)).send(frame.text);
    }
    this.#tally.sent += count;
    await Promise.all(overHttp);
    await Promise.all(LANGUAGES.map((language) => this.#compare(language)));
  }

  /** Has a server answer with hostile bytes and compares what the gateway and clients read. */
  async sendResponses(readers: readonly LineReader[]): Promise<void> {
    const socket = await this.#socket(ANSWERING);
    socket.received.length = 0;
    const ids = Array.from({ length: RESPONSES_PER_BATCH }, () => `r${++this.#number}`);
    for (const id of ids)
      socket.send(callText("answer", { text: hostileResponse(this.#random.responses) }, id));
    const texts = await Promise.all(
      ids.map((id) => socket.until((text) => text.includes(`"id":"${id}"`), PATIENCE)),
    );
    const answered = texts.filter((text) => text !== undefined);
    const digests = await Promise.all(readers.map((reader) => reader.read(answered)));
    for (const [at, text] of answered.entries()) {
      const id = /"id":"(r\d+)"/.exec(text)?.[1] ?? "";
      const checked = this.#gateway.responses.get(id);
      // Refused by the gateway: its own error is nothing of the server's.
      if (checked === undefined) continue;
      this.#tally.responses += 1;
      for (const [which, language] of LANGUAGES.entries()) {
        if (digests[which]?.[at] !== checked) this.#differ(`response read by ${language}`, text);
      }
    }
    this.#gateway.responses.clear();
  }

  /** Waits for what is still under way and compares it. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      const before = this.#tally.read;
      await new Promise((resolve) => setTimeout(resolve, 200));
      for (const language of LANGUAGES) await this.#compare(language);
      quiet = this.#tally.read === before ? quiet + 1 : 0;
    }
    for (const socket of this.#sockets.values()) socket.close();
  }

  async #compare(language: Language): Promise<void> {
    const digests = await this.#call<{ structuredContent: { digests: string[] } }>(
      language,
      "flush",
      {},
    ).then(({ structuredContent }) => structuredContent.digests);
    for (const [at, digest] of digests.entries()) {
      this.#tally.read += 1;
      if (this.#gateway.take(language, digest)) continue;
      if (digest === "unreadable") this.#tally.unreadable += 1;
      const isShown = this.#tally.differences < SHOWN;
      const { content } = isShown
        ? await this.#call<{ content: { text: string }[] }>(language, "line", { at })
        : { content: [] };
      this.#differ(`message read by ${language}`, content[0]?.text ?? "");
    }
  }

  #differ(what: string, text: string): void {
    if (++this.#tally.differences <= SHOWN) console.log(`FAIL ${what}: ${excerpt(text, 400)}`);
  }

  /** Calls a tool of the run itself, over the socket that the frames before it went over. */
  async #call<Result>(language: Language, tool: string, given: object): Promise<Result> {
    const socket = await this.#socket(language);
    socket.received.length = 0;
    const id = `own-${++this.#number}`;
    socket.send(callText(tool, given, id));
    const text = await socket.until((received) => received.includes(`"id":"${id}"`), PATIENCE);
    const { result } = JSON.parse(text ?? "{}") as { result?: Result };
    if (!result) throw new Error(`No result of ${tool}: ${text}`);
    return result;
  }

  #post(language: Language, { text, method, name }: HostileFrame): Promise<unknown> {
    // A name is repeated in a header, which takes no other characters.
    return this.#client.send(language, text, method, name).catch(() => {});
  }

  async #socket(server: string): Promise<ClientSocket> {
    const before = this.#sockets.get(server);
    if (before?.isOpen) return before;
    const socket = await this.#client.socket(server);
    this.#sockets.set(server, socket);
    return socket;
  }
}
