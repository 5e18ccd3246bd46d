import type { ComponentChildren, JSX } from "preact";
import { writeAddress } from "../address.ts";
import type { GatewayNode, Overview } from "../api-types.ts";
import { count } from "../format.ts";
import { Chip } from "../parts/chip.tsx";
import { Icon } from "../parts/icon.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { PartialNote, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { LongText, Text } from "../parts/text.tsx";
import { Since } from "../parts/times.tsx";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";

export function OverviewPage(): JSX.Element {
  const data = useData<Overview>("/api/overview");
  const rows = useSteadyRows(data.value?.gateways, ({ node }) => node, "gateways");
  return (
    <>
      <PageHead title="Overview" lead="What runs now, and what waits for you." />
      <Shown data={data}>
        {(overview) => (
          <>
            <PartialNote items={[]} {...(overview.silent && { silent: overview.silent })} />
            <Figures overview={overview} />
            <section aria-labelledby="gateways">
              <h2 id="gateways">Gateways</h2>
              <Table caption="Gateways" columns={COLUMNS} rows={rows} gone="Left" />
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

const COLUMNS: readonly Column<GatewayNode>[] = [
  { label: "Gateway", cell: ({ node }) => <Text value={node} /> },
  { label: "Version", cell: ({ version }) => <Text value={version} /> },
  { label: "Roles", cell: ({ roles }) => <Text value={(roles ?? []).join(", ")} /> },
  { label: "Running for", cell: ({ startedAt }) => <Since time={startedAt} /> },
  { label: "Views", isNumber: true, cell: ({ views }) => count(views) },
  { label: "Health", cell: ({ problems }) => <Health problems={problems ?? []} /> },
];

function Health({ problems }: { problems: readonly string[] }): JSX.Element {
  if (problems.length === 0) {
    return (
      <Chip tone="good" icon="check">
        Ready
      </Chip>
    );
  }
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={problem}>
          <Icon name="alert" />
          <LongText value={problem} />
        </li>
      ))}
    </ul>
  );
}

function Figures({ overview }: { overview: Overview }): JSX.Element {
  const { servers, views, calls, pendingTools, pendingApprovals, deniedLastHour } = overview;
  const all = servers.up + servers.down + servers.unknown + servers.paused;
  const notes = [
    servers.down > 0 && `${count(servers.down)} down`,
    servers.paused > 0 && `${count(servers.paused)} paused`,
    servers.unknown > 0 && `${count(servers.unknown)} not checked`,
  ].filter(Boolean);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  return (
    <ul class="figures" aria-label="Figures">
      <Figure label="Servers up" page="servers" tone={servers.down > 0 ? "bad" : undefined}>
        {count(servers.up)}
        <small>
          of {count(all)}
          {notes.length > 0 && `, ${notes.join(", ")}`}
        </small>
      </Figure>
      <Figure
        label="Tools to approve"
        page="servers"
        tone={pendingTools > 0 ? "warning" : undefined}
      >
        {count(pendingTools)}
      </Figure>
      <Figure
        label="Calls to approve"
        page="approvals"
        tone={pendingApprovals > 0 ? "warning" : undefined}
      >
        {count(pendingApprovals)}
      </Figure>
      <Figure label="Open views" page="live">
        {count(views)}
      </Figure>
      <Figure label="Running calls" page="live">
        {count(calls)}
      </Figure>
      <Figure
        label="Denied in the last hour"
        page="audit"
        query={{ verdict: "deny", since: hourAgo }}
      >
        {deniedLastHour >= 1000 ? "1,000 or more" : count(deniedLastHour)}
      </Figure>
    </ul>
  );
}

function Figure({
  label,
  page,
  query,
  tone,
  children,
}: {
  label: string;
  page: string;
  query?: Record<string, string>;
  tone?: "bad" | "warning" | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <li>
      <a class={`figure card ${tone ?? ""}`} href={writeAddress({ page, ...(query && { query }) })}>
        <span class="quiet">
          {tone && <Icon name="alert" />}
          {label}
        </span>
        <span class="figure-value">{children}</span>
      </a>
    </li>
  );
}
