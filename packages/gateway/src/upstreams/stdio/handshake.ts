// Only a request shows the era of a process, and some older servers end when they receive an unknown one. So
// the process is probed before anyone uses it. If it ends, its owner restarts it and uses the handshake.

import { setTimeout as sleep } from "node:timers/promises";
import { serialize } from "../../json-rpc/serialize.ts";
import { CallLifetime } from "../call-lifetime.ts";
import { type EraFinding, hasModernVersion } from "../era.ts";
import { discoverResult } from "../frames/answer.ts";
import { ownRequest } from "../frames/request-meta.ts";
import { readServerMessage } from "../frames/server-message.ts";
import { LegacySession, type LegacySessionOptions } from "../sessions/legacy-session.ts";
import { ModernSession } from "../sessions/modern-session.ts";
import type { Session } from "../sessions/session.ts";
import type { Wire } from "../sessions/wire.ts";
import { UpstreamError } from "../upstream.ts";

/** The options of the handshake. */
export interface HandshakeOptions extends LegacySessionOptions {
  /** The era, if it is known. */
  era?: "modern" | "legacy" | undefined;
  /** Milliseconds until a silent process gets the handshake too. */
  probeTime: number;
  /** Milliseconds for the whole handshake. */
  patience: number;
}

/** A process that is ready, and its era. */
export interface Ready {
  session: Session;
  finding: EraFinding;
}

const PROBE = "vitrine-probe";

/** The process ended when it was probed for its era, so it is an older one. */
export class DiedOnProbeError extends UpstreamError {}

/** Makes a process ready for calls. */
export async function shakeHands(wire: Wire, options: HandshakeOptions): Promise<Ready> {
  const lifetime = new CallLifetime({ deadline: options.patience });
  try {
    if (options.era === "modern") return modern(wire, options);
    if (options.era === "legacy") return await legacy(wire, options, lifetime);
    return await probe(wire, options, lifetime);
  } finally {
    lifetime.dispose();
  }
}

function modern(wire: Wire, options: HandshakeOptions): Ready {
  return { session: new ModernSession(wire, options), finding: { era: "modern" } };
}

async function legacy(
  wire: Wire,
  options: HandshakeOptions,
  lifetime: CallLifetime,
): Promise<Ready> {
  const session = new LegacySession(wire, options);
  await session.start(lifetime);
  return { session, finding: { era: "legacy", transport: "stdio" } };
}

async function probe(
  wire: Wire,
  options: HandshakeOptions,
  lifetime: CallLifetime,
): Promise<Ready> {
  const { promise: verdict, resolve, reject } = Promise.withResolvers<"modern" | "legacy">();
  verdict.catch(() => {});
  const listen = (text: string): void => {
    const found = probeAnswer(text);
    if (found) resolve(found);
  };
  wire.onmessage = listen;
  wire.onlost = (error) => reject(new DiedOnProbeError(error.code, error.message, error.facts));
  await wire.send(serialize(ownRequest(PROBE, "server/discover")));
  const early = await lifetime.race(orSilence(verdict, options.probeTime));
  if (early === "modern") return modern(wire, options);
  if (early === "legacy") return legacy(wire, options, lifetime);
  // A silent process either ignores unknown requests or is still starting. Both requests can wait in its
  // pipe, and the first good response decides.
  const shaking = legacy(wire, options, lifetime);
  const { onmessage, onlost } = wire;
  wire.onmessage = (text) => {
    listen(text);
    onmessage(text);
  };
  wire.onlost = (error) => {
    reject(new DiedOnProbeError(error.code, error.message, error.facts));
    onlost(error);
  };
  // A server of both eras answers both and then uses the older one, so the handshake takes precedence. A
  // modern server refuses it. A server that doesn't respond to it isn't waited for much longer.
  const late = verdict.then(async (era) => {
    if (era === "legacy") return shaking;
    const shaken = await orSilence(
      shaking.catch(() => undefined),
      options.probeTime,
    );
    return shaken === undefined || shaken === "silence" ? modern(wire, options) : shaken;
  });
  const ready = await Promise.race([lifetime.race(late), shaking.catch(() => lifetime.race(late))]);
  if (ready.finding.era === "legacy") Object.assign(wire, { onmessage, onlost });
  return ready;
}

function orSilence<T>(promise: Promise<T>, time: number): Promise<T | "silence"> {
  return Promise.race([promise, sleep(time, "silence" as const, { ref: false })]);
}

function probeAnswer(text: string): "modern" | "legacy" | undefined {
  const read = readServerMessage(text);
  if (read?.kind !== "response" || read.message.id !== PROBE) return undefined;
  const { message } = read;
  const found = discoverResult({ message });
  const data =
    "error" in message ? (message.error.data as { supported?: unknown } | undefined) : undefined;
  return hasModernVersion(found?.supportedVersions ?? data?.supported) ? "modern" : "legacy";
}
