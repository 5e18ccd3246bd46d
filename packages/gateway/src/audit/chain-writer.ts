import type { Engine } from "../engine/engine.ts";
import { AuditError } from "./audit-error.ts";
import {
  decodeStep,
  type EncodedStep,
  encodeStep,
  NO_HASH,
  NODE_NAME,
  PARTITION,
  readStepHead,
  type StepHead,
  type StepName,
} from "./chain.ts";
import { type ChainKey, NO_DIGEST, nextDigest } from "./chain-key.ts";
import { openLogId } from "./log-id.ts";
import { type ChainHead, type HeadSeal, openHead, sealHead } from "./sealed-head.ts";

/** A step to be stored. */
export type ChainStep = EncodedStep & ChainHead;

export const HEADS_BUCKET: string = "audit-heads";
const EPOCHS_BUCKET = "audit-epochs";

interface ChainOptions {
  engine: Engine;
  node: string;
  /** The first makes new steps, all of them verify. Without any, hashes have no key. */
  keys: readonly ChainKey[];
}

/** Creates the steps of one chain. */
export class ChainWriter {
  readonly node: string;
  readonly epoch: number;
  readonly keys: readonly ChainKey[];
  /** The id of the log. */
  readonly log: string;
  readonly #follows: StepName | null;
  #step = 0;
  #prev = NO_HASH;
  #digest = NO_DIGEST;
  #nextRecord = 1;

  private constructor(
    { node, keys }: ChainOptions,
    { epoch, follows, log }: { epoch: number; follows: StepName | null; log: string },
  ) {
    this.node = node;
    this.epoch = epoch;
    this.keys = keys;
    this.log = log;
    this.#follows = follows;
  }

  /** The key that makes new steps. */
  get key(): ChainKey | undefined {
    return this.keys[0];
  }

  /** Starts a chain that follows the node's last one. */
  static async begin(options: ChainOptions): Promise<ChainWriter> {
    const { engine, node } = options;
    if (!NODE_NAME.test(node)) {
      const text = `"${node.slice(0, 80)}" isn't a valid node name. Use up to 64 letters, digits, "-" and "_".`;
      throw new AuditError("invalid", text);
    }
    const log = await openLogId(engine);
    const follows = await lastStep(options);
    // A revision is unique, even between two processes with the same name.
    const epochs = engine.kv(EPOCHS_BUCKET, { durable: true });
    const epoch = await epochs.put(node, new TextEncoder().encode(new Date().toISOString()));
    return new ChainWriter(options, { epoch, follows, log });
  }

  /** Makes the next step of the chain. It must be stored, since the step after it names it. */
  next(lines: readonly string[] = [], { end = false }: { end?: boolean } = {}): ChainStep {
    this.#step += 1;
    const head: StepHead = {
      node: this.node,
      epoch: this.epoch,
      step: this.#step,
      first: this.#nextRecord,
      count: lines.length,
      time: new Date().toISOString(),
      prev: this.#prev,
      ...(this.#step === 1 && { log: this.log, follows: this.#follows }),
      ...(end && { end }),
    };
    const step = encodeStep(head, lines, this.key);
    this.#prev = step.hash;
    this.#digest = nextDigest(this.#digest, step.bytes);
    this.#nextRecord += lines.length;
    const { node, epoch } = this;
    const record = this.#nextRecord - 1;
    return { ...step, node, epoch, step: this.#step, record, place: 0, digest: this.#digest };
  }
}

/** The heads in an engine, by which a missing end is detected. Forged ones are left out. */
async function* readHeads(
  kv: Pick<ReturnType<Engine["kv"]>, "get" | "keys">,
  { prefix, keys }: { prefix: string; keys: readonly ChainKey[] },
): AsyncGenerator<ChainHead> {
  for await (const name of kv.keys(prefix)) {
    const entry = await kv.get(name);
    const head = entry && openHead(new TextDecoder().decode(entry.value), keys);
    if (head) yield head;
  }
}

/** Stores a head. */
export async function writeHead(engine: Engine, head: ChainHead, seal: HeadSeal): Promise<void> {
  const heads = engine.kv(HEADS_BUCKET, { durable: true });
  await heads.put(`${head.node}.${head.epoch}`, new TextEncoder().encode(sealHead(head, seal)));
}

/** The positions of a chain's steps after its head. */
export async function readStepsSince(
  engine: Engine,
  { node, epoch, place }: ChainHead,
): Promise<Map<number, number>> {
  const places = new Map<number, number>();
  for await (const { sequence, record } of engine.log.read(PARTITION, place + 1)) {
    const head = readStepHead(record);
    if (head?.node === node && head.epoch === epoch) places.set(head.step, sequence);
  }
  return places;
}

/** The last stored record of a run, or 0 if there is none. */
export async function lastRecordOf(
  engine: Engine,
  { node, epoch, keys }: { node: string; epoch: number; keys: readonly ChainKey[] },
): Promise<number> {
  const heads = engine.kv(HEADS_BUCKET, { durable: true });
  let known: ChainHead | undefined;
  for await (const head of readHeads(heads, { prefix: `${node}.${epoch}`, keys })) {
    if (head.node === node && head.epoch === epoch) known = head;
  }
  let last = known?.record ?? 0;
  for await (const { record } of engine.log.read(PARTITION, known?.place)) {
    const head = readStepHead(record);
    if (head?.node !== node || head.epoch !== epoch) continue;
    last = Math.max(last, head.first + head.count - 1);
  }
  return last;
}

// The heads may be a second old, so the log is read from there.
async function lastStep({ engine, node, keys }: ChainOptions): Promise<StepName | null> {
  let newest: ChainHead | undefined;
  const heads = engine.kv(HEADS_BUCKET, { durable: true });
  for await (const head of readHeads(heads, { prefix: `${node}.`, keys })) {
    if (!newest || head.epoch > newest.epoch) newest = head;
  }
  let last: Uint8Array | undefined;
  for await (const { record } of engine.log.read(PARTITION, newest?.place)) {
    if (readStepHead(record)?.node === node) last = record;
  }
  const step = last && decodeStep(last, keys);
  if (step) {
    const { epoch, step: number } = step.head;
    return { epoch, step: number, hash: step.hash, key: step.key };
  }
  // The log is shorter than its head. The new run refers to the missing step, so that the loss can be proved
  // even if the heads are removed later.
  return newest ? { epoch: newest.epoch, step: newest.step, hash: newest.hash } : null;
}
