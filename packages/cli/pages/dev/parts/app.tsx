import { type ReactNode, useEffect, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { SECTIONS } from "../sections.tsx";
import { Header } from "./header.tsx";
import { LoginBanner } from "./login-banner.tsx";
import { Questions } from "./questions.tsx";

const PANEL = "section";

/** The whole page. */
export function App({ host }: { host: DevHost }): ReactNode {
  const { isConnected } = useFields(host.state, "isConnected");
  const { theme } = useFields(host.layout, "theme");
  const [visited, setVisited] = useState<readonly string[]>([SECTIONS[0]?.id ?? ""]);
  const current = visited.at(-1) ?? "";
  const select = (id: string): void => setVisited([...visited.filter((other) => other !== id), id]);

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  return (
    <>
      <Header host={host} section={current} panel={PANEL} onSelect={select} />
      {!isConnected && (
        <p className="banner" role="alert">
          The connection to this page's process is lost. Start <code>vitrine dev</code> again and
          open the address it prints.
        </p>
      )}
      <LoginBanner host={host} />
      <main id={PANEL}>
        {SECTIONS.filter(({ id }) => visited.includes(id)).map(({ id, label, Panel }) => (
          <section key={id} className="section" aria-label={label} hidden={id !== current}>
            <Panel host={host} isShown={id === current} onSelect={select} />
          </section>
        ))}
      </main>
      <Questions host={host} />
    </>
  );
}
