import type { Engine } from "../engine/engine.ts";
import { ChainWriter, lastRecordOf } from "./chain-writer.ts";
import { Denials } from "./denials.ts";
import { AuditError, closedError, unwrittenError } from "./errors.ts";
import { isoClock } from "./iso-clock.ts";
import { type Journal, openJournal, renumber } from "./journal.ts";
import { QueueRoom, type RoomOwner } from "./queue-room.ts";
import { type AuditEntry, type AuditLevel, encodeRecord } from "./record.ts";
import { type ChainHead, sealHead } from "./sealed-head.ts";
import { sharedOutcome } from "./shared-outcome.ts";
import { Spool } from "./spool.ts";

/** How an audit log is kept. */
export interface AuditOptions {
  engine: Engine;
  /** Names this process; one chain for each of its lives. */
  node: string;
  /** How much of an entry is kept, `digest` unless told. */
  level?: AuditLevel;
  /**
   * When records cannot be stored: `reject` lets `record` throw for requests that would be let through, so that
   * what cannot be recorded is not done; `drop-bodies` goes on without arguments and results, and when memory
   * is used up without records, which the chain then counts.
   */
  onFull?: "reject" | "drop-bodies";
  /** Whether a call goes on at once, or when its record is stored; `spool` unless told. */
  mode?: "spool" | "wait";
  /** File beside which records are written before anybody acts on them, so that a kill loses none. */
  journal?: string | undefined;
  /** Partition of the log, `audit` unless told; processes may share one. */
  partition?: string;
  /** Turns the chain's hashes into proofs that only its holder can make. */
  key?: Uint8Array;
  /** Turns hashes of arguments into ones that cannot be guessed. */
  digestKey?: Uint8Array;
  /** Bytes of records that may wait, 8 MiB; no tenant can use more than its share (`queue-room.ts`). */
  maxQueueBytes?: number;
  /** Milliseconds within which denials that are alike are counted, 10,000. */
  denialWindow?: number;
  /** Milliseconds that `close` waits for an engine that takes nothing, 5,000. */
  closeTime?: number;
  /** Hears when the engine stops taking records, and, with nothing, when it does again. */
  onProblem?(error: AuditError | undefined): void;
}

/** How an audit log does. */
export interface AuditState {
  /** `slow` when calls have to wait for it, `failing` when records cannot be stored. */
  readonly status: "ok" | "slow" | "failing";
  readonly waitingBytes: number;
  readonly recorded: number;
  readonly stored: number;
  readonly dropped: number;
  /** To be compared with what a verifier finds, best kept elsewhere. */
  readonly head: ChainHead;
}

/** The record of what was asked, decided and done. */
export interface Audit {
  /** Cheap, and at once. Throws an `AuditError` for a request that must not be let through. */
  record(entry: AuditEntry): void;
  /**
   * What a call waits for before it goes on: nothing, where few are made; the end of this turn, when the
   * records of many are written down at once; room for the caller's records, when the disk is slow; its own
   * record, in the mode `wait`. Rejects when `onFull` says so.
   */
  hold(owner?: RoomOwner): Promise<void> | undefined;
  /** Resolves when everything recorded so far is stored, as safe as the engine's `caps` say. */
  flushed(): Promise<void>;
  readonly state: AuditState;
  /** Where the chain stands, as a line that `verifyAudit` takes as an anchor; to be kept elsewhere. */
  anchor(): string;
  /** Stores what is left, and that this life ended in good order; fails if it could not. */
  close(): Promise<void>;
}

/** Opens an audit log; it begins with a step that names the last one of this node's life before. */
export async function createAudit(options: AuditOptions): Promise<Audit> {
  const { engine, node, level = "digest", onFull = "reject", mode = "spool" } = options;
  const { partition = "audit", key, digestKey, maxQueueBytes = 8 * 2 ** 20 } = options;
  const { closeTime = 5_000, onProblem = () => {} } = options;
  // What waits for the engine needs no other place.
  const journal =
    options.journal === undefined || mode === "wait" ? undefined : tryJournal(options.journal);
  const chain = await ChainWriter.begin({ engine, node, partition, key });
  const room = new QueueRoom(maxQueueBytes);
  const onStored = (count: number): void => {
    room.release(count);
    journal?.settle(count);
  };
  const spool = await Spool.open({ engine, chain, partition, onProblem, onStored });
  if (journal) await recover(journal, { engine, partition, chain, spool, room });
  const longestLine = engine.caps.maxBytes / 4;
  const clock = isoClock();
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
    if (onFull === "reject" && asks(entry)) throw problem ?? overflowError(maxQueueBytes);
    // A call that was let through has to be recorded to its end; there are no more of them than were let in.
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

  const tellOfDropped = (): void => {
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
    if (dropped > 0) tellOfDropped();
    let line = encode(entry, levelOf(entry));
    if (line.length > longestLine) line = encode({ ...entry, detail: {} }, "meta");
    keep(entry, line);
  };

  const denials = new Denials({ record: store, clock, window: options.denialWindow });

  /** Before anybody acts on it; what cannot be written is not done, as with the log itself. */
  const writeDown = (into: Journal, entry: AuditEntry, line: string): void => {
    // Whoever makes a call or answers one waits for `hold`; others do not.
    const mayWait = entry.event === "request" || entry.event === "answer";
    try {
      into.add(line, { sequence: spool.taken + 1, mayWait });
    } catch (error) {
      if (onFull === "reject" && asks(entry)) throw unwrittenError(error);
    }
  };

  const endOf = sharedOutcome((write) =>
    write.catch((error: unknown) => {
      if (onFull === "reject") throw unwrittenError(error);
    }),
  );
  const written = (): Promise<void> | undefined => {
    const write = journal?.written();
    return write && endOf(write);
  };

  return {
    record: (entry) => {
      if (closing) throw closedError();
      const isDenial = entry.decision?.verdict === "deny";
      if (isDenial && !denials.take(entry, { isShort: room.isSlow(entry.actor) })) return;
      store(entry);
    },
    hold: (owner) => {
      if (mode === "spool" && !room.isSlow(owner)) return written();
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
    anchor: () => sealHead(spool.head, key),
    close: () => {
      if (!closing) {
        denials.flush();
        if (dropped > 0) tellOfDropped();
      }
      closing ??= spool.close(closeTime).finally(() => {
        journal?.close({ isStored: spool.stored === spool.taken });
      });
      return closing;
    },
  };
}

function asks({ event, decision }: AuditEntry): boolean {
  return event === "request" && decision?.verdict !== "deny";
}

function tryJournal(path: string): Journal {
  try {
    return openJournal(path);
  } catch (error) {
    throw unwrittenError(error);
  }
}

/** Records what a life before this one wrote down and did not store. */
async function recover(
  journal: Journal,
  parts: { engine: Engine; partition: string; chain: ChainWriter; spool: Spool; room: QueueRoom },
): Promise<void> {
  const { engine, partition, chain, spool, room } = parts;
  const lastOf = new Map<number, number>();
  for (const life of journal.left) {
    // Once for each: the log may be elsewhere, and what is left of a life comes in many parts.
    if (lastOf.has(life.epoch)) continue;
    lastOf.set(life.epoch, await lastRecordOf(engine, partition, { ...life, key: chain.key }));
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
  const text = `Too many audit records wait for the disk (the queue has ${most} bytes, shared by all tenants); calls are refused until it has caught up.`;
  return new AuditError("full", text);
}
