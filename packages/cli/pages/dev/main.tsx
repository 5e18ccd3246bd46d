// The dev page: connects to its process, then renders the components of `parts/`.

import { Peer } from "@vitrine/protocol";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import type { Welcome } from "../../src/dev/page-protocol.ts";
import { openLink, stageAddress } from "../link.ts";
import { linkedUpstream } from "../linked-upstream.ts";
import { createDevHost } from "./dev-host.ts";
import { App } from "./parts/app.tsx";
import { playBack } from "./playback.ts";
import { installTap } from "./traffic-tap.ts";

const root = createRoot(document.getElementById("root") as HTMLElement);

async function start(): Promise<void> {
  const tap = installTap();
  const address = stageAddress();
  const peer = await openLink(
    address,
    new Peer({ onClose: () => host?.state.set({ isConnected: false }) }),
  );
  const upstream = await linkedUpstream(peer);
  const welcome = (await peer.request("dev/hello")) as Welcome;
  const host = createDevHost({ peer, upstream, entrance: address.sandbox, tap, welcome });
  // At once: the first tool may run by itself, and its view needs a place.
  flushSync(() => root.render(<App host={host} />));
  if (welcome.replay) await playBack(host, welcome.replay);
}

start().catch((error: unknown) =>
  root.render(
    <main className="lost">
      <h1>This page lost its connection</h1>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <p>
        Start <code>vitrine dev</code> again and open the address it prints. It is a new one each
        time.
      </p>
    </main>,
  ),
);
