// Which era a process is of can only be found out by speaking to it, and some servers from before end when
// they are asked what they do not know. So it is asked before anybody else uses it, and whoever started it
// starts it again, this time with the handshake.

import { serialize } from "../../json-rpc/serialize.ts";
import { CallLifetime } from "../call-lifetime.ts";
import { type EraFinding, hasModernVersion } from "../era.ts";
import { discoverResult } from "../frames/answer.ts";
import { ownRequest } from "../frames/envelope.ts";
import { readServerMessage } from "../frames/server-message.ts";
import { LegacySession, type LegacySessionOptions } from "../sessions/legacy-session.ts";
import { ModernSession } from "../sessions/modern-session.ts";
import type { Session } from "../sessions/session.ts";
import type { Wire } from "../sessions/wire.ts";
import { UpstreamError } from "../upstream.ts";

/** What the handshake needs to know. */
export interface HandshakeOptions extends LegacySessionOptions {
  /** The era, if it is known. */
  era?: "modern" | "legacy" | undefined;
  /** Milliseconds until a silent process is offered the handshake too. */
  probeTime: number;
  /** Milliseconds for all of it. */
  patience: number;
}

/** A process that is ready, and what it was found to speak. */
export interface Ready {
  session: Session;
  finding: EraFinding;
}

const PROBE = "vitrine-probe";

/** The process ended when it was asked for its era: it is one from before. */
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
  await wire.send(serialize(ownRequest(PROBE, "server/discover", options.identity)));
  const early = await lifetime.race(orSilence(verdict, options.probeTime));
  if (early === "modern") return modern(wire, options);
  if (early === "legacy") return legacy(wire, options, lifetime);
  // Silent: it does not answer what it does not know, or it is still starting. Either way both questions
  // can wait in its pipe, and the first good answer decides.
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
  // A server of both eras answers both, and is of the older one from then on: the handshake counts more. One
  // of today refuses it, and one that says nothing to it is not waited for much longer.
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

async function orSilence<T>(promise: Promise<T>, time: number): Promise<T | "silence"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(() => resolve("silence"), time);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
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
