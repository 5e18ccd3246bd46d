// Reads the remembered answers of one user for a list. Loaded on demand. A store may contain anything,
// so only keys that the host could have written itself are listed.

import type { Answers } from "./answers.ts";
import type { ViewOwner } from "./consent.ts";
import type { Permission, Permissions } from "./permission.ts";
import { readKey } from "./stored-key.ts";

/** More can't be read by a user, and would make the page slow. */
const MOST = 1000;

/** The permissions of one user. */
export function listPermissions(answers: Answers, owner: ViewOwner): Permissions {
  const { tenant, user } = owner;
  /** The entry for a key, without the answer itself. */
  const read = (key: string): Omit<Permission, "allow"> | undefined => {
    const found = readKey(key);
    if (!found || found.tenant !== tenant || found.user !== user) return undefined;
    const { kind, server, subject, conversation } = found;
    const scope = conversation === undefined ? "always" : "conversation";
    // Without the definition of a tool: to a user, both definitions are the same tool.
    const id = JSON.stringify([scope, conversation, server, kind, subject]);
    return { id, kind, server, subject, scope, ...(conversation && { conversation }) };
  };
  return {
    list: async () => {
      const entries = new Map<string, Permission>();
      for (const key of await answers.keys()) {
        const entry = read(key);
        const allow = entry && (await answers.recall(key));
        if (!entry || allow === undefined) continue;
        // If one definition of a tool is allowed and another isn't, the list must not hide the former.
        entries.set(entry.id, {
          ...entry,
          allow: allow || (entries.get(entry.id)?.allow ?? false),
        });
        if (entries.size === MOST) break;
      }
      return [...entries.values()].sort(
        (a, b) => compare(a.server, b.server) || compare(a.id, b.id),
      );
    },
    revoke: ({ id }) => answers.remove((key) => read(key)?.id === id),
    onChange: (listener) => {
      const stop = answers.onChange(listener);
      // Another page of the same origin.
      globalThis.addEventListener?.("storage", listener);
      return () => {
        stop();
        globalThis.removeEventListener?.("storage", listener);
      };
    },
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
