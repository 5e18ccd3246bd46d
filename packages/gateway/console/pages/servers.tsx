import type { JSX } from "preact";
import { writeAddress } from "../address.ts";
import type { List, ServerRow } from "../api-types.ts";
import { count, counted } from "../format.ts";
import { Chip, StateChip } from "../parts/chip.tsx";
import { useQuestion } from "../parts/dialog.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { LongText, Text } from "../parts/text.tsx";
import { Ago } from "../parts/times.tsx";
import { serverError } from "../server-errors.ts";
import { useMayChange } from "../session.ts";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { ServerActions } from "./server-actions.tsx";

/** The inventory. */
export function ServersPage(): JSX.Element {
  const data = useData<List<ServerRow>>("/api/servers");
  const rows = useSteadyRows(data.value?.items, ({ id }) => id, "servers");
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const columns: Column<ServerRow>[] = [
    ...COLUMNS,
    ...(mayChange
      ? [
          {
            label: "Actions",
            isBare: true,
            cell: (server: ServerRow) => (
              <ServerActions server={server} ask={ask} onDone={data.reload} isSmall />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHead
        title="Servers"
        lead="The MCP servers behind this gateway. A paused server gets no new calls."
      />
      <Shown data={data}>
        {() =>
          rows.length === 0 ? (
            <Empty>
              No server is configured. Add one under servers in the configuration, or find one in
              the <a href="#/registry">registry</a>.
            </Empty>
          ) : (
            <Table caption="Servers" columns={columns} rows={rows} gone="Not configured any more" />
          )
        }
      </Shown>
      {dialog}
    </>
  );
}

const COLUMNS: readonly Column<ServerRow>[] = [
  {
    label: "Server",
    cell: ({ id }) => (
      <a href={writeAddress({ page: "servers", subject: id })}>
        <Text value={id} />
      </a>
    ),
  },
  {
    label: "State",
    cell: ({ state, error }) => (
      <>
        <StateChip state={state} />
        {error && (
          <span class="note bad">
            <LongText value={serverError(error)} cut={90} />
          </span>
        )}
      </>
    ),
  },
  {
    label: "Tools",
    cell: ({ id, tools, pendingTools }) => (
      <>
        {count(tools)}{" "}
        {pendingTools > 0 && (
          <a class="plain" href={writeAddress({ page: "servers", subject: id })}>
            <Chip tone="warning" icon="edit">
              {counted(pendingTools, "change")}
            </Chip>
          </a>
        )}
      </>
    ),
  },
  { label: "Views", isNumber: true, cell: ({ views }) => count(views) },
  { label: "Calls", isNumber: true, cell: ({ calls }) => count(calls) },
  {
    label: "Version",
    cell: ({ version, protocol }) =>
      (version || protocol) && (
        <>
          {version && <LongText value={version} cut={40} />}
          {protocol && (
            <span class="note whole">
              MCP <LongText value={protocol} cut={40} />
            </span>
          )}
        </>
      ),
  },
  {
    label: "Type",
    cell: ({ kind, source }) => `${kind}${source === "registry" ? ", from the registry" : ""}`,
  },
  { label: "Checked", cell: ({ checkedAt }) => checkedAt && <Ago time={checkedAt} /> },
];
