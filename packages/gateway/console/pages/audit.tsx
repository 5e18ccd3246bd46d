import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Address } from "../address.ts";
import { read, withQuery } from "../api.ts";
import type { AuditRow, List } from "../api-types.ts";
import { counted, exactTime, shortTime } from "../format.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { VerdictChip } from "../parts/chip.tsx";
import { Filters } from "../parts/filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { type Column, type RowDetails, stillRows, Table } from "../parts/table.tsx";
import { Code, JsonBlock, Text } from "../parts/text.tsx";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";

const FIELDS = [
  { name: "since", label: "From", isTime: true },
  { name: "until", label: "To", isTime: true },
  { name: "tenant", label: "Tenant" },
  { name: "user", label: "User" },
  { name: "server", label: "Server" },
  { name: "tool", label: "Tool" },
  {
    name: "verdict",
    label: "Verdict",
    options: [
      ["", "Any"],
      ["deny", "Denied"],
      ["allow", "Allowed"],
    ] as const,
  },
];

/** A search of the audit log. It doesn't refresh itself, so that records stay where they are read. */
export function AuditPage({ address }: { address: Address }): JSX.Element {
  const { since, until, tenant, user, server, tool, verdict } = address.query;
  const path = withQuery("/api/audit", {
    ...{ tenant, user, server, tool, verdict },
    since: instantOf(since),
    until: instantOf(until),
  });
  const data = useData<List<AuditRow>>(path, { live: false });
  const [more, setMore] = useState<List<AuditRow>>({ items: [] });
  // Further pages belong to one first page.
  useEffect(() => setMore({ items: [] }), [data.value]);
  const items = [...(data.value?.items ?? []), ...more.items];
  const next = more.items.length > 0 ? more.next : data.value?.next;
  return (
    <>
      <PageHead
        title="Audit"
        lead="Every request, decision, consent and change by an administrator. Newest first."
      >
        <ActionButton
          act={async () => {
            await data.reload();
            return "The newest records are shown.";
          }}
        >
          Newest records
        </ActionButton>
      </PageHead>
      <Filters
        key={JSON.stringify(address.query)}
        address={address}
        fields={FIELDS}
        verb="Search"
      />
      <Shown data={data}>
        {() =>
          items.length === 0 ? (
            <Empty>No record matches. Widen the time or clear a field.</Empty>
          ) : (
            <>
              <Table
                caption="Audit records"
                columns={COLUMNS}
                rows={stillRows(items, keyOf)}
                details={DETAILS}
              />
              <div class="more">
                <span class="quiet">{counted(items.length, "record")} shown</span>
                {next !== undefined && (
                  <ActionButton
                    act={async () => {
                      const page = await read<List<AuditRow>>(addCursor(path, next));
                      setMore({
                        items: [...more.items, ...page.items],
                        ...(page.next !== undefined && { next: page.next }),
                      });
                      return `${counted(page.items.length, "older record")} added.`;
                    }}
                  >
                    Older records
                  </ActionButton>
                )}
              </div>
            </>
          )
        }
      </Shown>
    </>
  );
}

/** The local time of a field as ISO 8601; anything else isn't sent. */
function instantOf(local: string | undefined): string | undefined {
  const time = local ? new Date(local) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}

function addCursor(path: string, cursor: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
}

function keyOf({ node, epoch, sequence, time, event }: AuditRow): string {
  return JSON.stringify([node, epoch, sequence, time, event]);
}

const COLUMNS: readonly Column<AuditRow>[] = [
  {
    label: "Time",
    cell: ({ time }) => (
      <time dateTime={time} title={exactTime(time)}>
        {shortTime(time)}
      </time>
    ),
  },
  { label: "What", cell: (record) => <What record={record} /> },
  {
    label: "User",
    cell: ({ actor }) =>
      actor?.user !== undefined &&
      actor.user !== "" && <Person tenant={actor.tenant ?? ""} user={actor.user} />,
  },
  { label: "Server", cell: ({ server }) => server !== undefined && <Text value={server} /> },
  {
    label: "Verdict",
    cell: ({ decision }) => decision && <VerdictChip verdict={decision.verdict} />,
  },
];

const DETAILS: RowDetails<AuditRow> = {
  label: ({ event, time }) => `Details of ${visibleText(event)} at ${exactTime(time)}`,
  show: (record) => <JsonBlock value={record} label="Record" />,
};

function What({ record }: { record: AuditRow }): JSX.Element {
  const { event, tool, method, decision, outcome, duration } = record;
  const action = (record.detail as { action?: unknown } | undefined)?.action;
  const reason = decision?.verdict === "deny" ? (decision.code ?? decision.link) : undefined;
  return (
    <>
      <Text value={event} />{" "}
      {tool !== undefined ? (
        <Code value={tool} />
      ) : (
        (method ?? action) !== undefined && <Code value={`${method ?? action}`} />
      )}
      {(reason || outcome) && (
        <span class="note">
          {reason && <Text value={reason} />}
          {!reason && outcome && (
            <Text value={`${outcome.kind}${outcome.code ? ` ${outcome.code}` : ""}`} />
          )}
          {duration !== undefined && ` in ${Math.round(duration)} ms`}
        </span>
      )}
    </>
  );
}
