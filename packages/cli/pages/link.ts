// The page's end of the stage: the socket to the process that serves it.

import { Peer } from "@vitrine/protocol";
import { socketChannel } from "../src/stage/socket-channel.ts";

/** The data in the page's address. */
export interface StageAddress {
  /** The sandbox's entrance. */
  sandbox: string;
  key: string;
}

/** Reads the page's address; the data is in the fragment, so that no log or referrer contains it. */
export function stageAddress(): StageAddress {
  const fields = new URLSearchParams(location.hash.slice(1));
  return { sandbox: fields.get("sandbox") ?? "", key: fields.get("key") ?? "" };
}

/** Connects to the process. */
export async function openLink({ key }: StageAddress, peer: Peer = new Peer()): Promise<Peer> {
  const socket = new WebSocket(`ws://${location.host}/link?key=${key}`);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("The process behind this page is not responding."));
  });
  peer.connect(socketChannel(socket as never));
  return peer;
}
