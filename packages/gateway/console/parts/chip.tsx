import type { ComponentChildren, JSX } from "preact";
import type { Approval, ServerState } from "../api-types.ts";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "good" | "bad" | "warning" | "quiet" | "accent";

/** A status: colour, icon and word, so that none of them is needed alone. */
export function Chip({
  tone,
  icon,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`chip ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}

const STATES: Record<ServerState, [Tone, IconName, string]> = {
  up: ["good", "check", "Up"],
  down: ["bad", "alert", "Down"],
  unknown: ["quiet", "question", "Not checked"],
  paused: ["warning", "pause", "Paused"],
};

export function StateChip({ state }: { state: ServerState }): JSX.Element {
  const [tone, icon, label] = STATES[state] ?? STATES.unknown;
  return (
    <Chip tone={tone} icon={icon}>
      {label}
    </Chip>
  );
}

const APPROVALS: Record<Approval, [Tone, IconName, string]> = {
  approved: ["good", "check", "Approved"],
  new: ["accent", "plus", "New"],
  changed: ["warning", "edit", "Changed"],
  removed: ["quiet", "minus", "Removed"],
};

export function ApprovalChip({ approval }: { approval: Approval }): JSX.Element {
  const [tone, icon, label] = APPROVALS[approval] ?? APPROVALS.new;
  return (
    <Chip tone={tone} icon={icon}>
      {label}
    </Chip>
  );
}

export function VerdictChip({ verdict }: { verdict: string }): JSX.Element {
  return verdict === "deny" ? (
    <Chip tone="bad" icon="blocked">
      Denied
    </Chip>
  ) : (
    <Chip tone="good" icon="check">
      Allowed
    </Chip>
  );
}
