import { getToolName } from "ai";
import { type ReactNode, useEffect, useState } from "react";
import type { GrantScope, ToolFacts } from "../../../src/chat/page-state.ts";
import { Icon } from "./icon.tsx";
import type { ToolCallPart } from "./tool-row.tsx";
import { plainJson } from "./tool-text.ts";

/** The user's decision about a call of the model. */
export type Approval = { approved: false } | { approved: true; scope: "once" | GrantScope };

// A click that was meant for something else must not allow a call.
const ARMING = 500;

/** Asks about a call before it runs. */
export function ApprovalCard({
  part,
  facts,
  onAnswer,
}: {
  part: ToolCallPart;
  facts: ToolFacts | undefined;
  onAnswer(approval: Approval): void;
}): ReactNode {
  const [isArmed, setArmed] = useState(false);
  const [showsJson, setShowsJson] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMING);
    return () => clearTimeout(timer);
  }, []);
  const title = facts?.title ?? getToolName(part);
  const values = Object.entries(Object(part.input) as Record<string, unknown>);
  return (
    <section className="card approval" data-testid="approval" aria-label={`Permission: ${title}`}>
      <p className="question">
        {facts ? (
          <>
            <strong>{facts.server}</strong> wants to run <strong>“{title}”</strong>.
          </>
        ) : (
          <>
            The model wants to run <strong>“{title}”</strong>.
          </>
        )}
      </p>
      {facts?.isDestructive !== false && (
        <p className="warning">
          <Icon name="alert" /> It may change or delete something.
        </p>
      )}
      {showsJson ? (
        <pre>{plainJson(part.input)}</pre>
      ) : (
        values.length > 0 && (
          <dl>
            {values.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value === "string" ? value : plainJson(value)}</dd>
              </div>
            ))}
          </dl>
        )
      )}
      <div className="actions">
        <button type="button" disabled={!isArmed} onClick={() => onAnswer({ approved: false })}>
          Deny
        </button>
        <button
          type="button"
          className="primary"
          disabled={!isArmed}
          onClick={() => onAnswer({ approved: true, scope: "once" })}
        >
          Allow once
        </button>
        <button
          type="button"
          disabled={!isArmed}
          onClick={() => onAnswer({ approved: true, scope: "conversation" })}
        >
          Allow in this conversation
        </button>
        <button
          type="button"
          disabled={!isArmed}
          onClick={() => onAnswer({ approved: true, scope: "always" })}
        >
          Always allow
        </button>
        <span className="gap" />
        {values.length > 0 && (
          <button type="button" className="link" onClick={() => setShowsJson(!showsJson)}>
            {showsJson ? "Show as list" : "Show as JSON"}
          </button>
        )}
      </div>
    </section>
  );
}
