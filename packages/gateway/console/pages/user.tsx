import type { JSX } from "preact";
import { writeAddress } from "../address.ts";
import { withQuery } from "../api.ts";
import type { List, UserRow } from "../api-types.ts";
import { count } from "../format.ts";
import { Chip } from "../parts/chip.tsx";
import { useQuestion } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Fact, Text } from "../parts/text.tsx";
import { Ago } from "../parts/times.tsx";
import { useMayChange } from "../session.ts";
import { useData } from "../use-data.ts";
import { Grants } from "./grants.tsx";
import { Views } from "./live.tsx";
import { UserActions } from "./user-actions.tsx";

/** What one user has, and how to end it. */
export function UserPage({ tenant, user }: { tenant: string; user: string }): JSX.Element {
  const data = useData<List<UserRow>>(withQuery("/api/users", { query: `${tenant}/${user}` }));
  const row = data.value?.items.find((one) => one.tenant === tenant && one.user === user);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const whose = { tenant, user };
  return (
    <>
      <a class="back" href={writeAddress({ page: "users" })}>
        <Icon name="back" />
        Users
      </a>
      <PageHead title={<Text value={user} />} lead={<Text value={tenant} />}>
        {mayChange && row && <UserActions row={row} ask={ask} />}
      </PageHead>
      <Shown data={data}>
        {() =>
          row ? <Facts row={row} /> : <Empty>The gateway has nothing of this user now.</Empty>
        }
      </Shown>
      <Views path={withQuery("/api/views", whose)} isOfOne />
      <Grants path={withQuery("/api/grants", whose)} isOfOne />
      <p>
        <a href={writeAddress({ page: "audit", query: whose })}>
          What <Text value={user} /> did, in the audit log
        </a>
      </p>
      {dialog}
    </>
  );
}

function Facts({ row }: { row: UserRow }): JSX.Element {
  return (
    <dl class="facts card">
      <Fact term="State">
        {row.isBlocked ? (
          <Chip tone="bad" icon="blocked">
            Off-boarded
          </Chip>
        ) : (
          <Chip tone="good" icon="check">
            Active
          </Chip>
        )}
      </Fact>
      <Fact term="Open views">{count(row.views)}</Fact>
      <Fact term="Grants">{count(row.grants)}</Fact>
      <Fact term="Logins to servers">{count(row.logins)}</Fact>
      {row.lastSeen && (
        <Fact term="Last seen">
          <Ago time={row.lastSeen} />
        </Fact>
      )}
    </dl>
  );
}
