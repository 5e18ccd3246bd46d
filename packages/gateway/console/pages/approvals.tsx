import type { JSX } from "preact";
import { change } from "../api.ts";
import type { ApprovalRow, List } from "../api-types.ts";
import { useQuestion } from "../parts/dialog.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person, ServerLink } from "../parts/person.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Code, Fact, JsonBlock, LongText, Text } from "../parts/text.tsx";
import { Ago, Until } from "../parts/times.tsx";
import { useMayChange } from "../session.ts";
import { type SteadyRow, useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { visibleText } from "../visible-text.ts";

/** Calls that a policy holds until an administrator has read them. */
export function ApprovalsPage(): JSX.Element {
  const data = useData<List<ApprovalRow>>("/api/approvals");
  const rows = useSteadyRows(data.value?.items, ({ id }) => id, "approvals");
  const { ask, dialog } = useQuestion(data.reload);
  const mayChange = useMayChange();
  const decide = (row: ApprovalRow, isApproved: boolean): void => {
    const { id, user, tool, server } = row;
    const call = `${visibleText(tool)} on ${visibleText(server)}`;
    ask({
      title: isApproved ? "Approve this call?" : "Reject this call?",
      confirm: isApproved ? "Approve" : "Reject",
      isDangerous: !isApproved,
      body: (
        <p>
          {isApproved ? (
            <>
              <Text value={user} /> may make this call once, with exactly these arguments.
            </>
          ) : (
            <>
              <Text value={user} /> can't make this call. Another call is asked for again.
            </>
          )}
        </p>
      ),
      act: async () => {
        const verb = isApproved ? "approve" : "reject";
        await change(`/api/approvals/${encodeURIComponent(id)}/${verb}`);
        return `${call} was ${isApproved ? "approved" : "rejected"}.`;
      },
    });
  };
  return (
    <>
      <PageHead
        title="Approvals"
        lead="Calls that a policy holds until an administrator approves them. An approval is for one call with exactly these arguments."
      />
      <Shown data={data}>
        {() =>
          rows.length === 0 ? (
            <Empty>
              No call waits. Calls whose policy has <code>@approve("admin")</code> show up here.
            </Empty>
          ) : (
            rows.map((row) => (
              <ApprovalCard key={row.key} row={row} {...(mayChange && { onDecide: decide })} />
            ))
          )
        }
      </Shown>
      {dialog}
    </>
  );
}

function ApprovalCard({
  row: { item, isGone },
  onDecide,
}: {
  row: SteadyRow<ApprovalRow>;
  onDecide?(row: ApprovalRow, isApproved: boolean): void;
}): JSX.Element {
  const policies = Array.isArray(item.policies) ? item.policies.join(", ") : (item.policies ?? "");
  return (
    <article class={`card${isGone ? " gone" : ""}`} aria-label={visibleText(item.tool)}>
      <div class="tool-head">
        <h2>
          <Code value={item.tool} />
        </h2>
        <span class="gap" />
        {isGone && <span class="chip quiet">Decided or expired</span>}
        {onDecide && !isGone && (
          <div class="actions">
            <button type="button" onClick={() => onDecide(item, false)}>
              Reject
            </button>
            <button type="button" class="primary" onClick={() => onDecide(item, true)}>
              Approve
            </button>
          </div>
        )}
      </div>
      <dl class="facts">
        <Fact term="User">
          <Person tenant={item.tenant} user={item.user} />
        </Fact>
        <Fact term="Server">
          <ServerLink id={item.server} />
        </Fact>
        {policies && (
          <Fact term="Policies">
            <LongText value={policies} />
          </Fact>
        )}
        <Fact term="Asked">
          <Ago time={item.requestedAt} />
        </Fact>
        {!isGone && (
          <Fact term="Expires">
            <Until time={item.expires} />
          </Fact>
        )}
      </dl>
      <h3>Arguments</h3>
      <JsonBlock value={item.preview} label="Arguments" />
    </article>
  );
}
