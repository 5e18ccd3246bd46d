import { type Channel, linkedChannels, Peer, type PeerOptions } from "@vitrine/protocol";

/** A peer on one end of a linked pair, and the bare other end with everything that it was sent. */
export interface OpenPeer {
  peer: Peer;
  far: Channel;
  sent: Array<Record<string, unknown>>;
  errors: unknown[];
  say(message: object): void;
}

export function openPeer(options?: PeerOptions): OpenPeer {
  const [near, far] = linkedChannels();
  const errors: unknown[] = [];
  const peer = new Peer({ onError: (error) => errors.push(error), ...options });
  const sent: Array<Record<string, unknown>> = [];
  far.onmessage = (message) => sent.push(message);
  peer.connect(near);
  return { peer, far, sent, errors, say: (message) => void far.send(message as never) };
}

/** Lets everything that is under way in microtasks happen. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}
