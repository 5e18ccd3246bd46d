// The Host page works through the tasks that the bench gives it, one at a time. Nothing is attached to
// the browser during that time: with a DevTools client, a View that logs to the console costs triple.

import { lastNotes } from "./notes.ts";
import type { Addresses } from "./stack.ts";
import { runTask, type Task } from "./task.ts";

async function attempt(task: Task, addresses: Addresses): Promise<object> {
  try {
    return { samples: await runTask(task, addresses) };
  } catch (error) {
    return { error: `${error} ${lastNotes()}` };
  }
}

async function nextTask(outcome: object | null): Promise<Task | null> {
  const body = JSON.stringify(outcome);
  return (await fetch(`/turn${location.search}`, { method: "POST", body })).json();
}

const addresses: Addresses = await (await fetch("/addresses")).json();
let task = await nextTask(null);
while (task) task = await nextTask(await attempt(task, addresses));
