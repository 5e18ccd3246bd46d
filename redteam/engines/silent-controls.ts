import { NEVER_FIRED } from "../catalogue.ts";
import type { EngineName } from "./engine.ts";

/**
 * Channels that are known to be silent without any defence, because the engine does not have them or
 * does not use them in a frame. Any other that falls silent fails the run: what it says of the
 * sandbox would be worth nothing. A build that has more of them sends more, and that isn't an error.
 */
export const SILENT_CONTROLS: Readonly<Record<EngineName, readonly string[]>> = {
  chromium: NEVER_FIRED,
  firefox: [
    ...NEVER_FIRED,
    ...["fetch_later", "a_ping", "paintworklet", "payment_manifest", "fedcm"],
    ...["socket_stream", "worker_socket_stream", "hls_blob", "css_clip_path"],
    "rtc_remote_candidate",
  ],
  webkit: [
    ...NEVER_FIRED,
    ...["fetch_later", "nav_navigation_api", "link_prefetch", "link_prefetch_https"],
    ...["link_dictionary", "paintworklet", "payment_manifest", "fedcm"],
    ...["socket_stream", "worker_socket_stream", "hls_blob", "css_clip_path", "css_module"],
    ...["svg_animate_href", "anchor_hover"],
    // Debian builds it without WebRTC and WebTransport.
    ...["rtc_stun_udp", "rtc_stun_dns", "rtc_turn_tcp", "rtc_nested_realm", "webtransport"],
    ...["rtc_turns_tls", "rtc_remote_candidate", "rtc_srcdoc", "rtc_srcdoc_box"],
    ...["rtc_credentialless", "rtc_javascript_frame", "worker_webtransport"],
  ],
};
