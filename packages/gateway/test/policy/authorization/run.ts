// `npm run policies`: lists and calls agree for 10,000 random sets of policies, then the time of a decision with
// 1,000 policies and 10,000 users. Prints the figures last; exits 1 if one falls short.

import { loadCedar } from "../../../src/policy/authorization/cedar.ts";
import { companyCall, companyPolicies, randomNumbers } from "./company.ts";
import { checkLists } from "./listed-is-callable.ts";
import { authorizerOf } from "./policies.ts";

const isQuick = process.argv.includes("--quick");
const RUNS = isQuick ? 500 : 10_000;
const POLICIES = 1000;
const USERS = 10_000;
const DECISIONS = isQuick ? 10_000 : 50_000;
const LISTS = isQuick ? 50 : 300;
const MOST_MILLISECONDS = 1;

/** Milliseconds: of each step as the clock shows it, and of the best of several attempts at the same step. */
interface Times {
  clock: number[];
  best: number[];
}

const ATTEMPTS = 5;

/** Other processes interrupt a step, but hardly every attempt at it. */
function measure(times: Times, step: () => void): void {
  let best = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const start = performance.now();
    step();
    const time = performance.now() - start;
    if (attempt === 0) times.clock.push(time);
    best = Math.min(best, time);
  }
  times.best.push(best);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function figures({ clock, best }: Times): string {
  const of = (values: readonly number[], part: number): string =>
    quantile(values, part).toFixed(3).padStart(8);
  return `p50 ${of(clock, 0.5)}  p99 ${of(clock, 0.99)}   best of ${ATTEMPTS}: p50 ${of(best, 0.5)}  p99 ${of(best, 0.99)} ms`;
}

const started = performance.now();
await checkLists(RUNS);
const seconds = (performance.now() - started) / 1000;
console.log(`lists and calls agree for ${RUNS} random sets of policies (${seconds.toFixed(0)} s)`);

const cedar = await loadCedar();
const memory = process.memoryUsage().rss;
const opened = performance.now();
const authorizer = await authorizerOf(companyPolicies(POLICIES), cedar);
console.log(
  `${POLICIES} policies read and prepared in ${(performance.now() - opened).toFixed(0)} ms`,
);

const random = randomNumbers(7);
const cold: Times = { clock: [], best: [] };
const warm: Times = { clock: [], best: [] };
const lists: Times = { clock: [], best: [] };
const fixed: Times = { clock: [], best: [] };
const verdicts = { allow: 0, deny: 0 };
// The first decision about each of the first users, while nothing is compiled yet.
for (let user = 0; user < 500; user++) {
  const request = companyCall(user, random);
  measure(cold, () => void authorizer.decide(request));
}
for (let count = 0; count < DECISIONS; count++) {
  const request = companyCall(Math.floor(random() * USERS), random);
  measure(warm, () => void authorizer.decide(request));
  verdicts[authorizer.decide(request).verdict] += 1;
  // The same fixed work again and again shows how busy the machine is.
  if (count % 10 === 0) {
    measure(fixed, () => {
      for (let n = 0; n < 200; n++) JSON.parse(JSON.stringify(request));
    });
  }
}
for (let count = 0; count < LISTS; count++) {
  const { caller, server } = companyCall(Math.floor(random() * USERS), random);
  const tools = Array.from({ length: 100 }, (_, n) => ({ name: `tool${n}` }));
  measure(lists, () => {
    for (const tool of tools)
      authorizer.mayAllow({ caller, server, target: { action: "call", tool } });
  });
}
const grown = (process.memoryUsage().rss - memory) / 2 ** 20;

const unrest = quantile(fixed.clock, 0.99) / quantile(fixed.clock, 0.5);
const isBusy = unrest > 3;
const p99 = quantile(isBusy ? warm.best : warm.clock, 0.99);
console.log(`${verdicts.allow} calls allowed and ${verdicts.deny} denied, of ${USERS} users`);
console.log(`memory                 +${grown.toFixed(0)} MB`);
console.log(`fixed work             ${figures(fixed)}${isBusy ? "   (the machine is busy)" : ""}`);
console.log(`list of 100 tools      ${figures(lists)}`);
console.log(`decision, first ones   ${figures(cold)}`);
console.log(`decision               ${figures(warm)}`);
const isFast = p99 <= MOST_MILLISECONDS;
const kind = isBusy
  ? `best of ${ATTEMPTS} attempts, because the machine is busy`
  : "as the clock shows it";
console.log(
  `p99 of a decision with ${POLICIES} policies and ${USERS} users: ${p99.toFixed(3)} ms (${kind}), at most ${MOST_MILLISECONDS} ms ${isFast ? "ok" : "FAIL"}`,
);
process.exit(isFast ? 0 : 1);
