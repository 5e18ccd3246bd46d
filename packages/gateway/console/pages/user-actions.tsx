import type { JSX } from "preact";
import { change } from "../api.ts";
import type { UserRow } from "../api-types.ts";
import { counted } from "../format.ts";
import type { Question } from "../parts/dialog.tsx";
import { visibleText } from "../visible-text.ts";

/** Sign out, off-board and restore a user. */
export function UserActions({
  row,
  ask,
  isSmall = false,
}: {
  row: UserRow;
  ask(question: Question): void;
  isSmall?: boolean;
}): JSX.Element {
  const kind = isSmall ? "small" : "";
  const name = visibleText(row.user);
  if (row.isBlocked) {
    return (
      <div class="actions">
        <button
          type="button"
          class={kind}
          aria-label={`Restore ${name}`}
          onClick={() => ask(restoreQuestion(row, name))}
        >
          Restore
        </button>
      </div>
    );
  }
  return (
    <div class="actions">
      <button
        type="button"
        class={kind}
        aria-label={`Sign out ${name}`}
        onClick={() => ask(signOutQuestion(row, name))}
      >
        Sign out
      </button>
      <button
        type="button"
        class={kind}
        aria-label={`Off-board ${name}`}
        onClick={() => ask(offBoardQuestion(row, name))}
      >
        Off-board
      </button>
    </div>
  );
}

function signOutQuestion({ tenant, user, views }: UserRow, name: string): Question {
  return {
    title: `Sign out ${name} everywhere?`,
    confirm: "Sign out",
    reason: { label: "Reason" },
    body: (
      <ul class="effects">
        <li>Tokens and view tickets issued before now are rejected on every gateway.</li>
        <li>
          {views > 0
            ? `${counted(views, "open view")} and all connections end.`
            : "All connections end."}
        </li>
        <li>Grants and logins to servers stay. {name} can sign in again.</li>
      </ul>
    ),
    act: async (reason) => {
      await change("/api/users/revoke", { tenant, user, block: false, ...(reason && { reason }) });
      return `${name} was signed out everywhere.`;
    },
  };
}

function offBoardQuestion(
  { tenant, user, views, grants, logins }: UserRow,
  name: string,
): Question {
  return {
    title: `Off-board ${name}?`,
    confirm: "Off-board",
    isDangerous: true,
    reason: { label: "Reason", isRequired: true },
    body: (
      <>
        <p>This happens now, on every gateway, within a second:</p>
        <ul class="effects">
          <li>
            All tokens and view tickets are rejected, and later ones too, until you restore {name}.
          </li>
          <li>
            {views > 0
              ? `${counted(views, "open view")} and all connections end`
              : "All connections end"}
            , and running calls are cancelled.
          </li>
          <li>
            {grants > 0
              ? `${counted(grants, "grant")} are removed.`
              : "There are no grants to remove."}
          </li>
          <li>
            {logins > 0
              ? `${counted(logins, "login")} to servers are deleted, and their tokens revoked.`
              : "There are no logins to servers to delete."}
          </li>
          <li>Processes that servers run for {name} are stopped.</li>
          <li>The audit log keeps everything that {name} did.</li>
        </ul>
      </>
    ),
    act: async (reason) => {
      await change("/api/users/revoke", { tenant, user, block: true, reason });
      return `${name} is off-boarded.`;
    },
  };
}

function restoreQuestion({ tenant, user }: UserRow, name: string): Question {
  return {
    title: `Restore ${name}?`,
    confirm: "Restore",
    body: (
      <p>
        {name} can sign in again. Grants and logins to servers don't come back; the user gives them
        again.
      </p>
    ),
    act: async () => {
      await change("/api/users/restore", { tenant, user });
      return `${name} can sign in again.`;
    },
  };
}
