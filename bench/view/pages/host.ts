// The Host page works through the passes that the bench gives it, one at a time. Nothing is attached
// to the browser during that time: with a DevTools client, a View that logs to the console costs triple.

import { type Pass, runPass } from "./pass.ts";
import type { Sample } from "./slices.ts";

type Outcome = { samples: Sample[] } | { error: string };

async function take(pass: Pass): Promise<Outcome> {
  try {
    return { samples: await runPass(pass) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function nextPass(outcome?: Outcome): Promise<Pass | null> {
  const body = JSON.stringify(outcome ?? null);
  return (await fetch("/turn", { method: "POST", body })).json();
}

/** Keeps the sandbox site's process alive between passes, so that none pays for starting it. */
function keepWarm(relay: string): void {
  const frame = document.createElement("iframe");
  frame.src = relay;
  document.body.append(frame);
}

let pass = await nextPass();
if (pass) keepWarm(pass.relay);
while (pass) pass = await nextPass(await take(pass));
