import type { JSX } from "preact";
import type { Address } from "../address.ts";
import { change, withQuery } from "../api.ts";
import type { GrantRow, List } from "../api-types.ts";
import { useQuestion } from "../parts/dialog.tsx";
import { Filters } from "../parts/filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person, ServerLink } from "../parts/person.tsx";
import { Empty, PartialNote, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Code, Text } from "../parts/text.tsx";
import { Ago } from "../parts/times.tsx";
import { useMayChange } from "../session.ts";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";

const FIELDS = [
  { name: "tenant", label: "Tenant" },
  { name: "user", label: "User" },
  { name: "server", label: "Server" },
];

/** What users allowed views to do. */
export function GrantsPage({ address }: { address: Address }): JSX.Element {
  const { tenant, user, server } = address.query;
  return (
    <>
      <PageHead
        title="Grants"
        lead="Tools that users allowed views to call without asking again."
      />
      <Filters key={JSON.stringify(address.query)} address={address} fields={FIELDS} />
      <Grants path={withQuery("/api/grants", { tenant, user, server })} />
    </>
  );
}

/** A list of grants, also on a user's page. */
export function Grants({
  path,
  isOfOne = false,
}: {
  path: string;
  /** All of them are of one user, who needs no column. */
  isOfOne?: boolean;
}): JSX.Element {
  const data = useData<List<GrantRow>>(path);
  const rows = useSteadyRows(data.value?.items, keyOf, path);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const columns: Column<GrantRow>[] = [
    { label: "Tool", cell: ({ tool }) => <Code value={tool} /> },
    ...(isOfOne ? [] : [USER]),
    { label: "Server", cell: (grant) => <ServerLink id={grant.server} /> },
    { label: "Scope", cell: ({ scope }) => <Text value={scope ?? ""} /> },
    { label: "Given", cell: ({ givenAt }) => givenAt && <Ago time={givenAt} /> },
    ...(mayChange
      ? [
          {
            label: "Actions",
            isBare: true,
            cell: (grant: GrantRow, { isGone }: { isGone: boolean }) =>
              !isGone && (
                <button
                  type="button"
                  class="small"
                  aria-label={`Revoke ${visibleText(grant.tool)} of ${visibleText(grant.user)}`}
                  onClick={() =>
                    ask({
                      title: "Revoke this grant?",
                      confirm: "Revoke",
                      isDangerous: true,
                      body: (
                        <p>
                          Views of <Text value={grant.user} /> must ask again before they call{" "}
                          <Code value={grant.tool} />.
                        </p>
                      ),
                      act: async () => {
                        const { tenant, user, server, tool } = grant;
                        await change("/api/grants/revoke", { tenant, user, server, tool });
                        return "The grant was revoked.";
                      },
                    })
                  }
                >
                  Revoke
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <section aria-label="Grants">
      {isOfOne && <h2>Grants</h2>}
      <Shown data={data}>
        {(list) => (
          <>
            <PartialNote {...list} />
            {rows.length === 0 ? (
              <Empty>No grants. They show up when users answer "Always allow" to a view.</Empty>
            ) : (
              <Table caption="Grants" columns={columns} rows={rows} gone="Revoked" />
            )}
          </>
        )}
      </Shown>
      {dialog}
    </section>
  );
}

const USER: Column<GrantRow> = {
  label: "User",
  cell: ({ tenant, user }) => <Person tenant={tenant} user={user} />,
};

function keyOf({ tenant, user, server, tool, scope }: GrantRow): string {
  return JSON.stringify([tenant, user, server, tool, scope]);
}
