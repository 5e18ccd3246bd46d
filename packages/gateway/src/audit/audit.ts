import type { Engine } from "../engine/engine.ts";
import { AuditError, closedError, unwrittenError } from "./audit-error.ts";
import type { ChainKey } from "./chain-key.ts";
import { ChainWriter, lastRecordOf } from "./chain-writer.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { Denials } from "./denials.ts";
import { type Journal, openJournal, renumber } from "./journal.ts";
import { QueueRoom, type RoomOwner } from "./queue-room.ts";
import { type AuditEntry, type AuditLevel, encodeRecord } from "./record.ts";
import type { ChainHead } from "./sealed-head.ts";
import { Spool } from "./spool.ts";

/** The options of an audit log. */
export interface AuditOptions {
  engine: Engine;
  /** The name of this process. Each run of the process has its own chain. */
  node: string;
  /** How much of an entry is kept. Defaults to `digest`. */
  level?: AuditLevel;
  /**
   * When records can't be stored: `reject` makes `record` throw for requests that would be allowed, so that
   * nothing happens unrecorded. `drop-bodies` continues without arguments and results, and without records
   * once memory is used up, which the chain then counts.
   */
  onFull?: "reject" | "drop-bodies";
  /** Whether a call continues immediately or once its record is stored. Defaults to `spool`. */
  mode?: "spool" | "wait";
  /**
   * Path of the journal, to which records are written before the call continues, so that a killed process
   * loses none.
   */
  journal?: string | undefined;
  /**
   * Keys of the chain's hashes, so that only their holder can compute them. The first makes new steps; the others
   * continue what it replaced.
   */
  keys?: readonly ChainKey[];
  /** Keys the hashes of arguments, so that they can't be guessed. */
  digestKey?: Uint8Array;
  /** Bytes of records that may wait. Defaults to 8 MiB. A tenant can only use its share (`queue-room.ts`). */
  maxQueueBytes?: number;
  /** Milliseconds within which similar denials are counted. Defaults to 10,000. */
  denialWindow?: number;
  /** Milliseconds that `close` waits for an engine that doesn't accept records. Defaults to 5,000. */
  closeTime?: number;
  /** Called when the engine stops accepting records, and with undefined when it accepts them again. */
  onProblem?(error: AuditError | undefined): void;
}

/** The state of an audit log. */
export interface AuditState {
  /** `slow` if calls have to wait for it, `failing` if records can't be stored. */
  readonly status: "ok" | "slow" | "failing";
  readonly waitingBytes: number;
  readonly recorded: number;
  readonly stored: number;
  readonly dropped: number;
  /** For comparison by a verifier. Best stored elsewhere. */
  readonly head: ChainHead;
}

/** The log of requests, decisions and outcomes. */
export interface Audit {
  /** Synchronous. Throws an `AuditError` for a request that must not be executed. */
  record(entry: AuditEntry): void;
  /**
   * What a call waits for before it continues: nothing under low load; free space for the caller's records, if
   * the disk is slow; its own record, in the mode `wait`. Rejects depending on `onFull`.
   */
  hold(owner?: RoomOwner): Promise<void> | undefined;
  /** Resolves when everything recorded so far is stored, as durably as the engine's `caps` state. */
  flushed(): Promise<void>;
  readonly state: AuditState;
  /** The chain's current head as a signed checkpoint, in one line. Store it elsewhere. */
  anchor(): string;
  /** Stores the remaining records and the end of this run. Rejects if that fails. */
  close(): Promise<void>;
}

/** Opens an audit log. Its first step refers to the last step of this node's previous run. */
export async function createAudit(options: AuditOptions): Promise<Audit> {
  const { engine, node, level = "digest", onFull = "reject", mode = "spool" } = options;
  const { keys = [], digestKey, maxQueueBytes = 8 * 2 ** 20 } = options;
  const { closeTime = 5_000, onProblem = () => {} } = options;
  // An engine that stores synchronously needs no journal.
  const journal =
    options.journal === undefined || mode === "wait" ? undefined : tryJournal(options.journal);
  const chain = await ChainWriter.begin({ engine, node, keys });
  const room = new QueueRoom(maxQueueBytes);
  const onStored = (count: number): void => {
    room.release(count);
    journal?.settle(count);
  };
  const spool = await Spool.open({ engine, chain, onProblem, onStored });
  if (journal) await recover(journal, { engine, chain, spool, room });
  const longestLine = engine.caps.maxBytes / 4;
  const clock = (): string => new Date().toISOString();
  let total = 0;
  let dropped = 0;
  let droppedSince = "";
  let closing: Promise<void> | undefined;

  const encode = (entry: AuditEntry, at: AuditLevel): string =>
    encodeRecord(entry, { sequence: spool.taken + 1, time: clock(), level: at, digestKey });

  const admits = (entry: AuditEntry): boolean => {
    const { problem } = spool;
    const fits = room.fits(entry.actor);
    if ((!problem || onFull === "drop-bodies") && fits) return true;
    if (onFull === "reject" && needsRecord(entry)) throw problem ?? overflowError(maxQueueBytes);
    // The end of an allowed call has to be recorded too. Their number is limited by the calls that were
    // allowed.
    return onFull === "reject" && room.fitsEnd(entry.actor);
  };

  const levelOf = (entry: AuditEntry): AuditLevel => {
    const wanted = entry.level ?? level;
    const isShort = spool.problem !== undefined || room.isSlow(entry.actor);
    return wanted === "full" && onFull === "drop-bodies" && isShort ? "digest" : wanted;
  };

  const drop = (): void => {
    if (dropped === 0) droppedSince = clock();
    dropped += 1;
  };

  const recordDropped = (): void => {
    const detail = { dropped, from: droppedSince, to: clock() };
    total += dropped;
    dropped = 0;
    const gap: AuditEntry = { event: "gap", detail };
    keep(gap, encode(gap, "meta"));
  };

  const keep = (entry: AuditEntry, line: string): void => {
    if (journal) writeDown(journal, entry, line);
    spool.add(line);
    room.add(entry.actor, { bytes: line.length, sequence: spool.taken });
  };

  const store = (entry: AuditEntry): void => {
    if (!admits(entry)) {
      drop();
      return;
    }
    if (dropped > 0) recordDropped();
    let line = encode(entry, levelOf(entry));
    if (line.length > longestLine) line = encode({ ...entry, detail: {} }, "meta");
    keep(entry, line);
  };

  const denials = new Denials({ record: store, clock, window: options.denialWindow });

  /** Written before the call continues. If that fails, the call isn't made. */
  const writeDown = (into: Journal, entry: AuditEntry, line: string): void => {
    try {
      into.add(line, spool.taken + 1);
    } catch (error) {
      if (onFull === "reject" && needsRecord(entry)) throw unwrittenError(error);
    }
  };

  return {
    record: (entry) => {
      if (closing) throw closedError();
      const isDenial = entry.decision?.verdict === "deny";
      if (isDenial && !denials.take(entry, { isShort: room.isSlow(entry.actor) })) return;
      store(entry);
    },
    hold: (owner) => {
      if (mode === "spool" && !room.isSlow(owner)) return undefined;
      const waiting = mode === "wait" ? spool.flushed() : spool.when(() => room.isCalm(owner));
      return onFull === "reject" ? waiting : waiting.catch(() => {});
    },
    flushed: () => spool.flushed(),
    get state(): AuditState {
      const { bytes, problem, taken, stored, head } = spool;
      const status = problem ? "failing" : room.isBusy ? "slow" : "ok";
      const counts = { waitingBytes: bytes, recorded: taken, stored, dropped: total + dropped };
      return { status, ...counts, head };
    },
    anchor: () => writeCheckpoint(spool.head, chain),
    close: () => {
      if (!closing) {
        denials.flush();
        if (dropped > 0) recordDropped();
      }
      closing ??= spool.close(closeTime).finally(() => {
        journal?.close({ isStored: spool.stored === spool.taken });
      });
      return closing;
    },
  };
}

function needsRecord({ event, decision }: AuditEntry): boolean {
  return event === "request" && decision?.verdict !== "deny";
}

function tryJournal(path: string): Journal {
  try {
    return openJournal(path);
  } catch (error) {
    throw unwrittenError(error);
  }
}

/** Records what an earlier run wrote to the journal and didn't store. */
async function recover(
  journal: Journal,
  parts: { engine: Engine; chain: ChainWriter; spool: Spool; room: QueueRoom },
): Promise<void> {
  const { engine, chain, spool, room } = parts;
  const lastOf = new Map<number, number>();
  for (const life of journal.left) {
    // Once per run: the log may be remote, and the remains of a run come in many parts.
    if (lastOf.has(life.epoch)) continue;
    lastOf.set(life.epoch, await lastRecordOf(engine, { ...life, keys: chain.keys }));
  }
  const lines = renumber(journal.left, lastOf, spool.taken + 1);
  try {
    journal.begin({ node: chain.node, epoch: chain.epoch }, lines);
  } catch (error) {
    throw unwrittenError(error);
  }
  for (const line of lines) {
    spool.add(line);
    room.add(undefined, { bytes: line.length, sequence: spool.taken });
  }
}

function overflowError(most: number): AuditError {
  const text = `Too many audit records are waiting for the disk (the queue has ${most} bytes, shared by all tenants). Calls are refused until it has caught up.`;
  return new AuditError("full", text);
}
