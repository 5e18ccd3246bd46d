import type { JSX } from "preact";
import { writeAddress } from "../address.ts";
import { LongText, Text } from "./text.tsx";

/** A user and the tenant, as a link to what the user has. */
export function Person({ tenant, user }: { tenant: string; user: string }): JSX.Element {
  return (
    <span class="person">
      <a href={writeAddress({ page: "users", query: { tenant, user } })}>
        <Text value={user} />
      </a>
      <span class="quiet">
        <LongText value={tenant} cut={40} />
      </span>
    </span>
  );
}

/** A server's name, as a link to its page. */
export function ServerLink({ id }: { id: string }): JSX.Element {
  return (
    <a href={writeAddress({ page: "servers", subject: id })}>
      <Text value={id} />
    </a>
  );
}
