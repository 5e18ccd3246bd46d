import type { ComponentChild, JSX } from "preact";
import { change } from "../api.ts";
import type { OffBoarded, UserRow } from "../api-types.ts";
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

function signOutQuestion(row: UserRow, name: string): Question {
  return {
    title: `Sign out ${name} everywhere?`,
    confirm: "Sign out",
    reason: { label: "Reason" },
    body: (
      <Effects row={row}>
        <li>Tokens and view tickets issued before now are rejected.</li>
        <li>{name} can sign in again, and then gives consent and logs in to servers again.</li>
      </Effects>
    ),
    act: async (reason) => {
      await revoke(row, { block: false, reason });
      return `${name} was signed out everywhere.`;
    },
  };
}

function offBoardQuestion(row: UserRow, name: string): Question {
  return {
    title: `Off-board ${name}?`,
    confirm: "Off-board",
    isDangerous: true,
    reason: { label: "Reason", isRequired: true },
    body: (
      <Effects row={row}>
        <li>
          All tokens and view tickets are rejected, also later ones, until you restore {name}.
        </li>
        <li>The audit log keeps everything that {name} did.</li>
      </Effects>
    ),
    act: async (reason) => {
      await revoke(row, { block: true, reason });
      return `${name} is off-boarded.`;
    },
  };
}

/** What ends in both cases, between the effects of one of them. */
function Effects({
  row: { views, grants, logins },
  children: [first, ...others],
}: {
  row: UserRow;
  children: ComponentChild[];
}): JSX.Element {
  return (
    <>
      <p>This happens now, on every gateway, within a second:</p>
      <ul class="effects">
        {first}
        <li>
          {views > 0
            ? `${counted(views, "open view")} and all connections end, and running calls are cancelled.`
            : "All connections end, and running calls are cancelled."}
        </li>
        <li>
          {grants > 0 ? `Removed: ${counted(grants, "grant")}.` : "There are no grants to remove."}
        </li>
        <li>
          {logins > 0
            ? `Deleted: ${counted(logins, "login")} to servers, and their tokens are revoked.`
            : "There are no logins to servers to delete."}
        </li>
        <li>
          Calls that wait for approval are rejected, and the user's own processes are stopped.
        </li>
        {others}
      </ul>
    </>
  );
}

async function revoke(
  { tenant, user }: UserRow,
  { block, reason }: { block: boolean; reason: string },
): Promise<void> {
  const { failed = [] } = await change<Partial<OffBoarded>>("/api/users/revoke", {
    ...{ tenant, user, block },
    ...(reason && { reason }),
  });
  if (failed.length > 0) {
    throw new Error(`Not everything was ended. Do it again. Failed: ${failed.join(", ")}.`);
  }
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
