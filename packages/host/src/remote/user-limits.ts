import { createRate, type Rate } from "../gate/rates.ts";
import type { AppsUser } from "./call-policy.ts";

interface Use {
  rate: Rate;
  running: number;
  listening: number;
}

// Requests at once, and tabs.
const MOST = { running: 64, listening: 20 };
const USERS = 10_000;
const MINUTE = 60_000;

/** Limits what one user's pages can ask for, so that others aren't slowed down. */
export function createUserLimits(perMinute = 600): {
  /** Returns a function for the end of the request, or nothing if there are too many. */
  enter(user: AppsUser, request: { isListening: boolean }): (() => void) | undefined;
} {
  const users = new Map<string, Use>();
  return {
    enter: ({ tenant, id }, { isListening }) => {
      const key = JSON.stringify([tenant ?? null, id]);
      const use = users.get(key) ?? {
        rate: createRate(perMinute, MINUTE),
        running: 0,
        listening: 0,
      };
      // The users who were here last are kept.
      users.delete(key);
      users.set(key, use);
      for (const [other, { running, listening }] of users) {
        if (users.size <= USERS) break;
        if (running + listening === 0) users.delete(other);
      }
      const count = isListening ? "listening" : "running";
      if (!use.rate() || use[count] >= MOST[count]) return undefined;
      use[count]++;
      let isOver = false;
      return () => {
        if (!isOver) use[count]--;
        isOver = true;
      };
    },
  };
}
