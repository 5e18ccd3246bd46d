import { NEVER_FIRED } from "../catalogue.ts";
import type { EngineName } from "./engine.ts";

/**
 * Channels that are known to be silent without any defence, because the engine does not have them or
 * does not use them in a frame. Any other that falls silent fails the run: what it says of the
 * sandbox would be worth nothing. A build that has more of them fires more, and that is no fault.
 */
export const SILENT_CONTROLS: Readonly<Record<EngineName, readonly string[]>> = {
  chromium: NEVER_FIRED,
  firefox: [
    ...NEVER_FIRED,
    ...["fetch_later", "a_ping", "paintworklet", "payment_manifest", "fedcm"],
  ],
  webkit: [
    ...NEVER_FIRED,
    ...["fetch_later", "nav_navigation_api", "link_prefetch", "link_prefetch_https"],
    ...["link_dictionary", "paintworklet", "payment_manifest", "fedcm"],
    // Debian builds it without WebRTC and WebTransport.
    ...["rtc_stun_udp", "rtc_stun_dns", "rtc_turn_tcp", "rtc_nested_realm", "webtransport"],
  ],
};
