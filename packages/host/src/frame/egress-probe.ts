import type { SandboxAddress } from "./sandbox-address.ts";

/** Whether this browser restricts views to the network addresses that they declared. */
export interface Egress {
  egress: "strict" | "partial";
  /** The reason, as text for people. */
  why: string;
}

const PATIENCE = 3000;
const known = new Map<string, Promise<Egress>>();

/** Runs the probe once per page, and again if it didn't answer. */
export async function findEgress(sandbox: SandboxAddress): Promise<Egress> {
  const entrance = typeof sandbox === "string" ? sandbox : sandbox.entrance;
  if (!entrance) return partial("The sandbox's address is unknown.");
  const { href, origin } = new URL("egress", new URL(entrance, document.baseURI));
  const answer = known.get(href) ?? probe(href, origin);
  known.set(href, answer);
  return answer;
}

const partial = (why: string): Egress => ({ egress: "partial", why });

function probe(href: string, origin: string): Promise<Egress> {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    const finish = (finding: Egress): void => {
      removeEventListener("message", receive);
      clearTimeout(timer);
      shade.remove();
      resolve(finding);
    };
    // If the sandbox shares our domain, its pages have the origin "null".
    const from = origin === location.origin ? "null" : origin;
    const receive = (event: MessageEvent): void => {
      if (!event.source || event.source !== frame.contentWindow || event.origin !== from) return;
      const { vitrine, egress, why } = Object(event.data);
      if (vitrine !== "egress") return;
      finish({ egress: egress === "strict" ? egress : "partial", why: `${why}` });
    };
    const timer = setTimeout(() => {
      known.delete(href);
      finish(partial("The sandbox's probe did not answer."));
    }, PATIENCE);
    addEventListener("message", receive);
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
    frame.referrerPolicy = "origin";
    frame.src = href;
    const shade = document.createElement("div");
    shade.hidden = true;
    shade.attachShadow({ mode: "closed" }).append(frame);
    document.documentElement.append(shade);
  });
}
