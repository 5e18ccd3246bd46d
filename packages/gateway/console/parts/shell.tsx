import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Address, useAddress, writeAddress } from "../address.ts";
import { change } from "../api.ts";
import type { Overview, Session } from "../api-types.ts";
import { count } from "../format.ts";
import { ApprovalsPage } from "../pages/approvals.tsx";
import { AuditPage } from "../pages/audit.tsx";
import { GrantsPage } from "../pages/grants.tsx";
import { LivePage } from "../pages/live.tsx";
import { OverviewPage } from "../pages/overview.tsx";
import { RegistryPage } from "../pages/registry.tsx";
import { ServerPage } from "../pages/server.tsx";
import { ServersPage } from "../pages/servers.tsx";
import { UserPage } from "../pages/user.tsx";
import { UsersPage } from "../pages/users.tsx";
import { applyTheme, savedTheme, type Theme } from "../theme.ts";
import { useData } from "../use-data.ts";
import { Icon, type IconName } from "./icon.tsx";
import { notifyError } from "./notices.tsx";
import { Empty } from "./states.tsx";
import { Text } from "./text.tsx";

const PAGES: readonly [page: string, label: string, icon: IconName][] = [
  ["overview", "Overview", "overview"],
  ["servers", "Servers", "server"],
  ["live", "Live", "live"],
  ["approvals", "Approvals", "approval"],
  ["users", "Users", "user"],
  ["grants", "Grants", "grant"],
  ["audit", "Audit", "audit"],
  ["registry", "Registry", "registry"],
];

/** Navigation, header and the page of the current address. */
export function Shell({
  session,
  onSignOut,
}: {
  session: Session;
  onSignOut(): void;
}): JSX.Element {
  const address = useAddress();
  const [isOpen, setOpen] = useState(false);
  const overview = useData<Overview>("/api/overview");
  const main = useRef<HTMLElement>(null);
  const place = `${address.page}/${address.subject ?? ""}`;
  const shown = useRef(place);
  useEffect(() => {
    document.title = `${titleOf(address)} · Vitrine gateway`;
    setOpen(false);
    // A new page starts at its heading, for the eye and for a screen reader.
    if (shown.current === place) return;
    shown.current = place;
    scrollTo(0, 0);
    main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [place]);
  const signOut = async (): Promise<void> => {
    try {
      await change("/api/session", {}, "DELETE");
      onSignOut();
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <div class={`shell${isOpen ? " open" : ""}`}>
      <button
        type="button"
        class="skip"
        onClick={() => main.current?.querySelector<HTMLElement>("h1")?.focus()}
      >
        Skip to the page
      </button>
      <header class="bar">
        <button
          type="button"
          class="icon menu"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "down" : "menu"} size={20} />
        </button>
        <strong class="product">Vitrine gateway</strong>
        <span class="quiet version">{session.gateway.version}</span>
        <span class="gap" />
        <ThemeSwitch />
        <span class="who">
          <Text value={session.name} />
          <span class="quiet">{session.role === "viewer" ? "can view" : "can change"}</span>
        </span>
        <button type="button" class="icon" aria-label="Sign out" onClick={() => void signOut()}>
          <Icon name="exit" />
        </button>
      </header>
      <nav id="navigation" aria-label="Pages">
        <ul>
          {PAGES.map(([page, label, icon]) => (
            <li key={page}>
              <a
                href={writeAddress({ page })}
                aria-current={address.page === page ? "page" : undefined}
              >
                <Icon name={icon} />
                <span>{label}</span>
                <Waiting page={page} overview={overview.value} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main ref={main}>
        <Page address={address} />
      </main>
    </div>
  );
}

/** How many things on a page wait for someone. */
function Waiting({
  page,
  overview,
}: {
  page: string;
  overview: Overview | undefined;
}): JSX.Element | null {
  const waiting =
    (page === "servers" && overview?.pendingTools) ||
    (page === "approvals" && overview?.pendingApprovals) ||
    0;
  if (waiting === 0) return null;
  return (
    <span class="waiting">
      {count(waiting)}
      <span class="hidden"> waiting</span>
    </span>
  );
}

function Page({ address }: { address: Address }): JSX.Element {
  const { page, subject, query } = address;
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "servers":
      return subject ? <ServerPage key={subject} id={subject} /> : <ServersPage />;
    case "live":
      return <LivePage address={address} />;
    case "approvals":
      return <ApprovalsPage />;
    case "users":
      return query.user !== undefined && query.tenant !== undefined ? (
        <UserPage tenant={query.tenant} user={query.user} />
      ) : (
        <UsersPage address={address} />
      );
    case "grants":
      return <GrantsPage address={address} />;
    case "audit":
      return <AuditPage address={address} />;
    case "registry":
      return <RegistryPage address={address} />;
    default:
      return (
        <>
          <h1 tabIndex={-1}>Not found</h1>
          <Empty>
            This address has no page. Open the <a href="#/overview">overview</a>.
          </Empty>
        </>
      );
  }
}

function titleOf({ page, subject }: Address): string {
  const label = PAGES.find(([name]) => name === page)?.[1] ?? "Not found";
  return subject ? `${subject} · ${label}` : label;
}

const THEMES: readonly [Theme, IconName, string][] = [
  ["auto", "screen", "Theme: as the system"],
  ["light", "sun", "Theme: light"],
  ["dark", "moon", "Theme: dark"],
];

/** One button that goes through the themes. */
function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(savedTheme);
  const index = THEMES.findIndex(([name]) => name === theme);
  const [, icon, label] = THEMES[index] ?? ["auto", "screen", "Theme"];
  const next = (): void => {
    const [name] = THEMES[(index + 1) % THEMES.length] ?? ["auto" as const];
    applyTheme(name);
    setTheme(name);
  };
  return (
    <button type="button" class="icon" aria-label={label} title={label} onClick={next}>
      <Icon name={icon as IconName} />
    </button>
  );
}
