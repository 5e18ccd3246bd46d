import type { Stage, StagedView } from "./deployment.ts";
import { hostPage } from "./host-page.ts";

// Everything a view might need for its channel to fire: a control that is silent proves nothing.
const ALLOW =
  "payment *; identity-credentials-get *; deferred-fetch *; deferred-fetch-minimal *; attribution-reporting *; autoplay *";

/** A stage without any defence, and the pages it serves. */
export interface ControlStage extends Stage {
  /** Answers requests for this stage's pages; nothing for others. */
  answer(request: Request): Promise<Response | undefined>;
}

/**
 * The control: no policy, no sandbox, and the middle page on the view's own origin. Each cell has
 * names of its own, as in the real tiers.
 */
export function createControlStage(secure: boolean, port: number): ControlStage {
  const scheme = secure ? "https" : "http";
  const suffix = secure ? "open.test" : "open.localhost";
  const documents = new Map<string, string>();
  let last = 0;

  const stageView = (view: StagedView) => {
    last += 1;
    const origin = `${scheme}://v${last}.${suffix}:${port}`;
    documents.set(`v${last}.${suffix}/middle`, middlePage());
    documents.set(`v${last}.${suffix}/view`, view.html);
    return { name: view.name, origin, url: `${origin}/middle`, allow: ALLOW };
  };

  return {
    name: secure ? "control-https" : "control-http",
    secure,
    async prepare(views) {
      const mounted = views.map(stageView);
      documents.set(`h${last}.${suffix}/`, hostPage(mounted));
      const marks = Object.fromEntries(mounted.map(({ name, origin }) => [name, `${origin}/`]));
      return { url: `${scheme}://h${last}.${suffix}:${port}/`, marks };
    },
    async answer({ url }) {
      const { hostname, pathname } = new URL(url);
      const page = documents.get(hostname + pathname);
      if (page === undefined) return undefined;
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      return new Response(page, { headers });
    },
  };
}

function middlePage(): string {
  return `<!doctype html><body style="margin:0"><script>(${middleScript.toString()})(${JSON.stringify(ALLOW)})</script>`;
}

/** Uses the same port protocol as the real relay, without any check. */
function middleScript(allow: string): void {
  const channel = new MessageChannel();
  addEventListener("message", (event) => {
    channel.port1.postMessage({ text: JSON.stringify(event.data) });
  });
  parent.postMessage({ vitrine: "port" }, "*", [channel.port2]);
  const frame = document.createElement("iframe");
  frame.allow = allow;
  frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
  frame.src = "/view";
  document.body.append(frame);
}
