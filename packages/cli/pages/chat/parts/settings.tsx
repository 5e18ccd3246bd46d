import { VitrinePermissionsElement } from "@vitrine/host/permissions";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ToolGrant } from "../../../src/chat/page-state.ts";
import { useFields } from "../../store.ts";
import type { ChatPage, Theme } from "../chat-state.ts";
import { Icon } from "./icon.tsx";

const THEMES: readonly [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Appearance and permissions. */
export function Settings({ page }: { page: ChatPage }): ReactNode {
  const { theme } = useFields(page.state, "theme");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => page.state.set({ panel: "none" });
  return (
    <dialog ref={dialog} className="settings" aria-labelledby="settings-title" onClose={close}>
      <header>
        <h2 id="settings-title">Settings</h2>
        <button type="button" className="icon" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <fieldset className="segments">
        <legend>Appearance</legend>
        {THEMES.map(([value, label]) => (
          <button
            type="button"
            key={value}
            aria-pressed={theme === value}
            onClick={() => page.setTheme(value)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <h3>What the model may do without asking</h3>
      <Grants page={page} />
      <h3>What apps may do without asking</h3>
      <AppPermissions page={page} />
    </dialog>
  );
}

function Grants({ page }: { page: ChatPage }): ReactNode {
  const { conversations } = useFields(page.state, "conversations");
  const [grants, setGrants] = useState<readonly ToolGrant[]>();
  const read = (): void => void page.api.grants().then(setGrants);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when the dialog opens.
  useEffect(read, []);
  if (!grants) return null;
  if (grants.length === 0)
    return <p className="quiet">Nothing. It asks before every call that may change something.</p>;
  return (
    <ul className="grants">
      {grants.map((grant) => (
        <li key={JSON.stringify(grant)}>
          <span>
            {grant.server}: <strong>{grant.tool}</strong>
          </span>
          <span className="quiet">
            {grant.conversation === undefined
              ? "always"
              : `in “${conversations.find(({ id }) => id === grant.conversation)?.title ?? "a conversation"}”`}
          </span>
          <span className="gap" />
          <button
            type="button"
            className="small"
            onClick={() => void page.api.revoke(grant).then(read)}
          >
            Revoke
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The answers that the user gave to views, as the host lists them. */
function AppPermissions({ page }: { page: ChatPage }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = new VitrinePermissionsElement();
    element.host = page.apps.host;
    place.current?.replaceChildren(element);
    return () => element.remove();
  }, [page]);
  return <div ref={place} />;
}
