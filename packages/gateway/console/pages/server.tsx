import type { JSX } from "preact";
import { writeAddress } from "../address.ts";
import { change } from "../api.ts";
import type { ServerDetails, ToolRow } from "../api-types.ts";
import { count, counted } from "../format.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { StateChip } from "../parts/chip.tsx";
import { useQuestion } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Fact, LongText, Text } from "../parts/text.tsx";
import { Ago } from "../parts/times.tsx";
import { ToolCard } from "../parts/tool-card.tsx";
import { serverError } from "../server-errors.ts";
import { useMayChange } from "../session.ts";
import { useSteadyRows } from "../steady-rows.ts";
import { useData } from "../use-data.ts";
import { ServerActions } from "./server-actions.tsx";

/** One server: its state, what changed since approval, and its tools. */
export function ServerPage({ id }: { id: string }): JSX.Element {
  const path = `/api/servers/${encodeURIComponent(id)}`;
  const data = useData<ServerDetails>(path);
  const mayChange = useMayChange();
  const { ask, dialog } = useQuestion(data.reload);
  const rows = useSteadyRows(data.value?.toolList, ({ name }) => name, id);
  const tools = rows.filter(({ isGone }) => !isGone).map(({ item }) => item);
  const pending = tools.filter(({ approval }) => approval !== "approved");
  const approved = tools.filter(({ approval }) => approval === "approved");
  const approve = async (chosen: readonly ToolRow[]): Promise<void> => {
    // With the hash that is on screen: a definition that changed since isn't approved unseen.
    await change(`${path}/tools/approve`, {
      tools: chosen.map(({ name, hash }) => ({ name, hash })),
    });
    await data.reload();
  };
  return (
    <>
      <a class="back" href={writeAddress({ page: "servers" })}>
        <Icon name="back" />
        Servers
      </a>
      <PageHead title={<Text value={id} />}>
        {mayChange && data.value && (
          <ServerActions server={data.value} ask={ask} onDone={data.reload} />
        )}
      </PageHead>
      <Shown data={data}>
        {(server) => (
          <>
            <Facts server={server} />
            {pending.length > 0 && (
              <section aria-labelledby="changes">
                <div class="section-head">
                  <h2 id="changes">Changes since approval</h2>
                  {mayChange && pending.length > 1 && (
                    <ActionButton
                      kind="primary"
                      act={async () => {
                        await approve(pending);
                        return `${counted(pending.length, "change")} approved.`;
                      }}
                    >
                      Approve all {count(pending.length)}
                    </ActionButton>
                  )}
                </div>
                {pending.map((tool) => (
                  <ToolCard
                    key={tool.name}
                    tool={tool}
                    {...(mayChange && { onApprove: () => approve([tool]) })}
                  />
                ))}
              </section>
            )}
            <section aria-labelledby="tools">
              <h2 id="tools">Approved tools</h2>
              {approved.length === 0 ? (
                <Empty>
                  {pending.length > 0
                    ? "No tool is approved yet. Read the changes above first."
                    : "The gateway hasn't read this server's tools yet. It does when the server is called or checked."}
                </Empty>
              ) : (
                approved.map((tool) => <ToolCard key={tool.name} tool={tool} />)
              )}
            </section>
          </>
        )}
      </Shown>
      {dialog}
    </>
  );
}

function Facts({ server }: { server: ServerDetails }): JSX.Element {
  const {
    id,
    state,
    error,
    kind,
    version,
    protocol,
    checkedAt,
    views,
    calls,
    source,
    paused,
    toolChanges,
  } = server;
  return (
    <>
      {error && (
        <p class="banner bad">
          <Icon name="alert" />
          <LongText value={serverError(error)} cut={400} />
        </p>
      )}
      {paused && (
        <p class="banner">
          <Icon name="pause" />
          <span>
            Paused by <Text value={paused.by} /> <Ago time={paused.at} />
            {paused.reason && (
              <>
                : <LongText value={paused.reason} />
              </>
            )}
          </span>
        </p>
      )}
      <dl class="facts card">
        <Fact term="State">
          <StateChip state={state} />
        </Fact>
        <Fact term="Type">{kind}</Fact>
        {version && (
          <Fact term="Version">
            <LongText value={version} cut={60} />
          </Fact>
        )}
        {protocol && (
          <Fact term="Protocol">
            <LongText value={protocol} cut={60} />
          </Fact>
        )}
        <Fact term="Open views">
          <a href={writeAddress({ page: "live", query: { server: id } })}>{count(views)}</a>
        </Fact>
        <Fact term="Running calls">{count(calls)}</Fact>
        {toolChanges && (
          <Fact term="New and changed tools">
            {toolChanges === "hold" ? "Wait for approval" : "Can be called"}
          </Fact>
        )}
        {source && (
          <Fact term="Source">{source === "registry" ? "Registry" : "Configuration"}</Fact>
        )}
        {checkedAt && (
          <Fact term="Checked">
            <Ago time={checkedAt} />
          </Fact>
        )}
      </dl>
    </>
  );
}
