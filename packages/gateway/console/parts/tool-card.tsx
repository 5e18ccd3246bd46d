import type { JSX } from "preact";
import type { ToolRow } from "../api-types.ts";
import { compareDefinitions, type FieldChange, wordRuns } from "../definition-diff.ts";
import { visibleText } from "../visible-text.ts";
import { ActionButton } from "./action-button.tsx";
import { ApprovalChip, Chip } from "./chip.tsx";
import { Icon } from "./icon.tsx";
import { Code, JsonBlock, LongText } from "./text.tsx";

/** A tool: its description, and what changed since it was approved. */
export function ToolCard({
  tool,
  onApprove,
}: {
  tool: ToolRow;
  onApprove?(): Promise<void>;
}): JSX.Element {
  const { name, title, approval, visibility } = tool;
  const verb = approval === "removed" ? "Accept removal" : "Approve";
  const isPending = approval !== "approved";
  const seenBy = Array.isArray(visibility) ? visibility : visibility ? [visibility] : [];
  return (
    <article class="tool card" aria-label={visibleText(name)}>
      <div class="tool-head">
        <h3>
          <Code value={name} />
        </h3>
        {title && title !== name && (
          <span class="quiet">
            <LongText value={title} cut={80} />
          </span>
        )}
        <span class="gap" />
        <Hints annotations={tool.annotations ?? {}} />
        {seenBy.length > 0 && <Chip tone="quiet">{`For ${seenBy.join(" and ")}`}</Chip>}
        {isPending && <ApprovalChip approval={approval} />}
        {onApprove && (
          <ActionButton
            kind="small"
            label={`${verb}: ${visibleText(name)}`}
            act={async () => {
              await onApprove();
              return `${visibleText(name)} is approved.`;
            }}
          >
            {verb}
          </ActionButton>
        )}
      </div>
      <Body tool={tool} />
    </article>
  );
}

function Body({
  tool: { approval, description, before = "", after = "" },
}: {
  tool: ToolRow;
}): JSX.Element {
  if (approval === "changed") {
    return (
      <>
        <Changes before={before} after={after} />
        <Definition text={before} label="The approved definition as JSON" />
        <Definition text={after} label="The definition now as JSON" />
      </>
    );
  }
  return (
    <>
      {description && (
        <p class="quiet">
          <LongText value={description} cut={280} />
        </p>
      )}
      {approval === "new" && after && <Definition text={after} label="The definition as JSON" />}
      {approval === "removed" && (
        <p class="quiet">
          The server doesn't offer this tool any more. If it comes back, it needs approval again.
        </p>
      )}
    </>
  );
}

/** What the server claims about a tool, which nobody has verified. */
function Hints({ annotations }: { annotations: Record<string, unknown> }): JSX.Element | null {
  const claims = [
    annotations.readOnlyHint === true && "read-only",
    annotations.destructiveHint === true && "destructive",
    annotations.openWorldHint === true && "open world",
  ].filter((claim) => claim !== false);
  if (claims.length === 0) return null;
  return (
    <Chip tone="quiet">
      <span class="hidden">According to the server: </span>
      {claims.join(", ")}
    </Chip>
  );
}

function Changes({ before, after }: { before: string; after: string }): JSX.Element {
  const { changes, isComplete } = compareDefinitions(before, after);
  return (
    <>
      {!isComplete && (
        <p class="banner bad">
          <Icon name="alert" />
          The definition is too large or too deep to compare here. There are more changes than
          these.
        </p>
      )}
      {isComplete && changes.length === 0 && (
        <p class="quiet">The definitions differ only in their order or formatting.</p>
      )}
      <ChangeList changes={changes} />
    </>
  );
}

function ChangeList({ changes }: { changes: readonly FieldChange[] }): JSX.Element {
  return (
    <dl class="changes">
      {changes.map(({ field, before, after }) => (
        <div key={field}>
          <dt>
            <Code value={field} />
            <span class="quiet">
              {before === undefined ? "added" : after === undefined ? "removed" : "changed"}
            </span>
          </dt>
          <dd>
            {before !== undefined && after !== undefined ? (
              <Words before={before} after={after} />
            ) : before !== undefined ? (
              <del>
                <span class="before-sign">
                  <Icon name="minus" />
                </span>
                <LongText value={before} cut={600} lines />
              </del>
            ) : (
              <ins>
                <span class="after-sign">
                  <Icon name="plus" />
                </span>
                <LongText value={after ?? ""} cut={600} lines />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Both texts with the words that differ marked. */
function Words({ before, after }: { before: string; after: string }): JSX.Element {
  const runs = wordRuns(before, after);
  const side = (kind: "removed" | "added"): JSX.Element[] =>
    runs
      .filter((run) => run.kind === "same" || run.kind === kind)
      .map(({ text, kind: of }, index) =>
        of === "same" ? (
          <LongText key={`${index}s`} value={text} cut={400} lines />
        ) : (
          <mark key={`${index}m`}>
            <LongText value={text} cut={1200} lines />
          </mark>
        ),
      );
  return (
    <>
      <del>
        <span class="before-sign">
          <Icon name="minus" />
        </span>
        <span>
          <span class="hidden">Before: </span>
          {side("removed")}
        </span>
      </del>
      <ins>
        <span class="after-sign">
          <Icon name="plus" />
        </span>
        <span>
          <span class="hidden">Now: </span>
          {side("added")}
        </span>
      </ins>
    </>
  );
}

function Definition({ text, label }: { text: string; label: string }): JSX.Element {
  return (
    <details>
      <summary>{label}</summary>
      <JsonBlock value={text} label={label} />
    </details>
  );
}
