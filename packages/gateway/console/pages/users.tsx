import type { JSX } from "preact";
import type { Address } from "../address.ts";
import { withQuery } from "../api.ts";
import type { List, UserRow } from "../api-types.ts";
import { count } from "../format.ts";
import { Chip } from "../parts/chip.tsx";
import { useQuestion } from "../parts/dialog.tsx";
import { Filters } from "../parts/filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Ago } from "../parts/times.tsx";
import { useMayChange } from "../session.ts";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { UserActions } from "./user-actions.tsx";

/** Users the gateway has something of. */
export function UsersPage({ address }: { address: Address }): JSX.Element {
  const path = withQuery("/api/users", { query: address.query.query });
  const data = useData<List<UserRow>>(path);
  const rows = useSteadyRows(data.value?.items, (row) => `${row.tenant}\n${row.user}`, path);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const columns: Column<UserRow>[] = [
    ...COLUMNS,
    ...(mayChange
      ? [
          {
            label: "Actions",
            isBare: true,
            cell: (row: UserRow) => <UserActions row={row} ask={ask} isSmall />,
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHead
        title="Users"
        lead="People who used the gateway, or who have grants, logins or open views."
      />
      <Filters
        key={address.query.query ?? ""}
        address={address}
        fields={[{ name: "query", label: "Name", placeholder: "alice or acme/alice" }]}
        verb="Search"
      />
      <Shown data={data}>
        {() =>
          rows.length === 0 ? (
            <Empty>
              {address.query.query
                ? "No user has this name. Check the spelling, or clear the search."
                : "Nobody has used the gateway yet."}
            </Empty>
          ) : (
            <Table caption="Users" columns={columns} rows={rows} gone="Nothing left" />
          )
        }
      </Shown>
      {dialog}
    </>
  );
}

const COLUMNS: readonly Column<UserRow>[] = [
  { label: "User", cell: ({ tenant, user }) => <Person tenant={tenant} user={user} /> },
  {
    label: "State",
    cell: ({ isBlocked }) =>
      isBlocked ? (
        <Chip tone="bad" icon="blocked">
          Off-boarded
        </Chip>
      ) : (
        <Chip tone="good" icon="check">
          Active
        </Chip>
      ),
  },
  { label: "Views", isNumber: true, cell: ({ views }) => count(views) },
  { label: "Grants", isNumber: true, cell: ({ grants }) => count(grants) },
  { label: "Logins", isNumber: true, cell: ({ logins }) => count(logins) },
  { label: "Last seen", cell: ({ lastSeen }) => lastSeen && <Ago time={lastSeen} /> },
];
