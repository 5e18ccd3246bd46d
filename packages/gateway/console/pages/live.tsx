import type { JSX } from "preact";
import type { Address } from "../address.ts";
import { change, withQuery } from "../api.ts";
import type { CallRow, List, ViewRow } from "../api-types.ts";
import { count } from "../format.ts";
import { useQuestion } from "../parts/dialog.tsx";
import { Filters } from "../parts/filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person, ServerLink } from "../parts/person.tsx";
import { Empty, PartialNote, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Code, LongText, Text } from "../parts/text.tsx";
import { Since } from "../parts/times.tsx";
import { useMayChange } from "../session.ts";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";
import { endViewQuestion } from "./view-question.tsx";

const FIELDS = [
  { name: "tenant", label: "Tenant" },
  { name: "user", label: "User" },
  { name: "server", label: "Server" },
];

/** Open views and running calls. */
export function LivePage({ address }: { address: Address }): JSX.Element {
  const { tenant, user, server } = address.query;
  return (
    <>
      <PageHead
        title="Live"
        lead="Open views and running calls on all gateways. New rows come last; ended ones stay until you leave the page."
      />
      <Filters key={JSON.stringify(address.query)} address={address} fields={FIELDS} />
      <Calls filter={withQuery("/api/calls", { tenant, user, server })} />
      <Views path={withQuery("/api/views", { tenant, user, server })} />
    </>
  );
}

/** Open views, also on a user's page. */
export function Views({
  path,
  isOfOne = false,
}: {
  path: string;
  /** All of them are of one user, who needs no column. */
  isOfOne?: boolean;
}): JSX.Element {
  const data = useData<List<ViewRow>>(path);
  const rows = useSteadyRows(data.value?.items, ({ id }) => id, path);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const columns: Column<ViewRow>[] = [
    { label: "View", cell: ({ resource }) => <LongText value={resource} cut={80} /> },
    ...(isOfOne ? [] : [USER]),
    { label: "Server", cell: (view) => <ServerLink id={view.server} /> },
    { label: "Open for", cell: ({ openedAt }, { isGone }) => !isGone && <Since time={openedAt} /> },
    { label: "Calls", isNumber: true, cell: ({ calls }) => count(calls ?? 0) },
    { label: "Gateway", cell: ({ node }) => <Text value={node} /> },
    ...(mayChange
      ? [
          {
            label: "Actions",
            isBare: true,
            cell: (view: ViewRow, { isGone }: { isGone: boolean }) =>
              !isGone && (
                <button
                  type="button"
                  class="small"
                  aria-label={`End the view of ${visibleText(view.user)} on ${visibleText(view.server)}`}
                  onClick={() => ask(endViewQuestion(view))}
                >
                  End
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <section aria-labelledby="views">
      <h2 id="views">Open views</h2>
      <Shown data={data}>
        {(list) => (
          <>
            <PartialNote {...list} />
            {rows.length === 0 ? (
              <Empty>
                No view is open. Views of a conversation show up here while they are open.
              </Empty>
            ) : (
              <Table caption="Open views" columns={columns} rows={rows} />
            )}
          </>
        )}
      </Shown>
      {dialog}
    </section>
  );
}

const USER: Column<ViewRow> = {
  label: "User",
  cell: ({ tenant, user }) => <Person tenant={tenant} user={user} />,
};

function Calls({ filter }: { filter: string }): JSX.Element {
  const data = useData<List<CallRow>>(filter);
  const rows = useSteadyRows(data.value?.items, ({ id }) => id, filter);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const columns: Column<CallRow>[] = [
    { label: "Tool", cell: ({ tool }) => <Code value={tool} /> },
    { label: "User", cell: (call) => <Person tenant={call.tenant} user={call.user} /> },
    { label: "Server", cell: (call) => <ServerLink id={call.server} /> },
    { label: "Called by", cell: ({ party }) => <Text value={party ?? ""} /> },
    { label: "Runs for", cell: (call, { isGone }) => !isGone && <Since time={call.startedAt} /> },
    { label: "Gateway", cell: ({ node }) => <Text value={node} /> },
    ...(mayChange
      ? [
          {
            label: "Actions",
            isBare: true,
            cell: (call: CallRow, { isGone }: { isGone: boolean }) =>
              !isGone && (
                <button
                  type="button"
                  class="small"
                  aria-label={`Cancel the call of ${visibleText(call.tool)} by ${visibleText(call.user)}`}
                  onClick={() =>
                    ask({
                      title: "Cancel this call?",
                      confirm: "Cancel call",
                      isDangerous: true,
                      body: (
                        <p>
                          The caller receives an error. <Text value={call.server} /> is asked to
                          stop, but may have done the work already.
                        </p>
                      ),
                      act: async () => {
                        await change(`/api/calls/${encodeURIComponent(call.id)}/cancel`);
                        return "The call was cancelled.";
                      },
                    })
                  }
                >
                  Cancel
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <section aria-labelledby="calls">
      <h2 id="calls">Running calls</h2>
      <Shown data={data}>
        {(list) => (
          <>
            <PartialNote {...list} />
            {rows.length === 0 ? (
              <Empty>No call runs now. Most calls end in less than a second.</Empty>
            ) : (
              <Table caption="Running calls" columns={columns} rows={rows} />
            )}
          </>
        )}
      </Shown>
      {dialog}
    </section>
  );
}
