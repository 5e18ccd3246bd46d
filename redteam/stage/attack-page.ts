import type { Channel, Target } from "../channels/channel.ts";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import { viewDocument } from "./view-document.ts";

/** What an attacking view reports to the host. */
export interface AttackReport {
  started?: { origin: string };
  ran?: "load" | "click";
  error?: string;
}

/** The document of a hostile view: reports that it started, attacks on load and inside a real click. */
export function attackPage(channel: Channel, addresses: TargetAddresses): string {
  const parameters = [
    JSON.stringify(addresses),
    channel.attack.toString(),
    String(channel.needsClick === true),
  ];
  return viewDocument(`(${attackScript.toString()})(${parameters.join(",")})`);
}

function attackScript(
  addresses: TargetAddresses,
  attack: (target: Target) => unknown,
  needsClick: boolean,
): void {
  const report = (data: AttackReport) => say(data);
  const target: Target = {
    ...addresses,
    element(tag, attributes) {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      const inHead = tag === "link" || tag === "base" || tag === "meta";
      (inHead ? document.head : document.body).append(element);
      return element;
    },
    markup: (html) => document.body.insertAdjacentHTML("beforeend", html),
    blob: (text, type = "text/javascript") => URL.createObjectURL(new Blob([text], { type })),
  };
  const run = async (ran: "load" | "click") => {
    try {
      const outcome = attack(target);
      report({ ran });
      await outcome;
    } catch (error) {
      report({ ran, error: String(error).slice(0, 160) });
    }
  };
  report({ started: { origin: self.origin } });
  // The pause lets the first message out before an attack that ends the process.
  setTimeout(() => (needsClick ? report({ ran: "load" }) : void run("load")), 80);
  addEventListener("click", (event) => {
    if (event.isTrusted) void run("click");
  });
}
