import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { ReactNode } from "react";
import type { HostProfile } from "../../../src/dev/host-profile.ts";
import { useMedia } from "../../media.ts";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { profileOf } from "../dev-state.ts";
import { countFaults } from "../faults.ts";
import { IS_WIDE } from "../page-layout.ts";
import { DEVICES, directionOf, ZOOMS, type Zoom } from "../settings.ts";
import { FaultsMenu, HostContextMenu } from "./host-menus.tsx";
import { Icon } from "./icon.tsx";
import { Segments } from "./segments.tsx";

const MODES: Record<McpUiDisplayMode, string> = {
  inline: "Inline",
  fullscreen: "Full",
  pip: "Corner",
};

/** The simulated host, and the switches of the panes on both sides. */
export function StageToolbar({ host }: { host: DevHost }): ReactNode {
  const { settings, displayMode, profiles, run } = useFields(
    host.state,
    "settings",
    "displayMode",
    "profiles",
    "run",
  );
  const profile = profileOf({ profiles, settings });
  const faults = countFaults(settings.faults);
  const modes = profile?.displayModes ?? (Object.keys(MODES) as McpUiDisplayMode[]);
  const otherTheme = settings.theme === "dark" ? "light" : "dark";
  const themeLabel = otherTheme === "dark" ? "Dark view theme" : "Light view theme";
  return (
    <div className="toolbar" role="toolbar" aria-label="Host">
      <div className="group sizes">
        <ToolsSwitch host={host} />
        <select
          className="choice"
          aria-label="Host"
          value={settings.profile}
          onChange={({ target }) => host.change({ profile: target.value })}
        >
          <option value="">Strict host</option>
          {profiles.map(({ id, name }) => (
            <option key={id} value={id}>
              Like {name}
            </option>
          ))}
        </select>
        <select
          className="choice"
          aria-label="Size"
          value={settings.device}
          onChange={({ target }) => host.change({ device: target.value })}
        >
          {DEVICES.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <select
          className="choice zoom"
          aria-label="Zoom"
          value={settings.zoom}
          onChange={({ target }) =>
            host.change({ zoom: ZOOMS.find((zoom) => String(zoom) === target.value) ?? "fit" })
          }
        >
          {ZOOMS.map((zoom) => (
            <option key={zoom} value={zoom}>
              {zoomName(zoom)}
            </option>
          ))}
        </select>
      </div>
      <div className="group context">
        <Segments label="Display mode">
          {(Object.keys(MODES) as McpUiDisplayMode[]).map((mode) => (
            <button
              type="button"
              key={mode}
              aria-pressed={displayMode === mode}
              disabled={!modes.includes(mode)}
              onClick={() => host.setDisplayMode(mode)}
            >
              {MODES[mode]}
            </button>
          ))}
        </Segments>
        <button
          type="button"
          className="icon"
          aria-label={themeLabel}
          title={themeLabel}
          onClick={() => host.change({ theme: otherTheme })}
        >
          <Icon name={otherTheme === "dark" ? "moon" : "sun"} />
        </button>
        <button
          type="button"
          className="plain"
          popoverTarget="host-context"
          title="Context: language, time zone, safe area"
          data-on={directionOf(settings.locale) === "rtl"}
        >
          Context
        </button>
        <button type="button" className="plain" popoverTarget="faults" data-on={faults > 0}>
          Faults{faults > 0 && ` ${faults}`}
        </button>
      </div>
      <div className="group ends">
        <button
          type="button"
          className="icon"
          aria-label="Reload view"
          title="Reload view"
          disabled={!run}
          onClick={() => host.reloadView()}
        >
          <Icon name="reload" />
        </button>
        <InspectorSwitch host={host} />
      </div>
      <HostContextMenu settings={settings} onChange={host.change} />
      <FaultsMenu settings={settings} onChange={host.change} />
      {profile && <ProfileFacts profile={profile} />}
    </div>
  );
}

function zoomName(zoom: Zoom): string {
  return zoom === "fit" ? "Fit" : `${zoom * 100} %`;
}

function ToolsSwitch({ host }: { host: DevHost }): ReactNode {
  const { hasTools } = useFields(host.layout, "hasTools");
  return (
    <PaneSwitch
      pane="tools"
      icon="left"
      isOpen={hasTools}
      onChange={(isOpen) => host.layout.set({ hasTools: isOpen })}
    />
  );
}

function InspectorSwitch({ host }: { host: DevHost }): ReactNode {
  const { hasInspector, hasInspectorBelow } = useFields(
    host.layout,
    "hasInspector",
    "hasInspectorBelow",
  );
  const isWide = useMedia(IS_WIDE);
  return (
    <PaneSwitch
      pane="inspector"
      icon={isWide ? "right" : "below"}
      isOpen={isWide ? hasInspector : hasInspectorBelow}
      onChange={(isOpen) =>
        host.layout.set(isWide ? { hasInspector: isOpen } : { hasInspectorBelow: isOpen })
      }
    />
  );
}

function PaneSwitch({
  pane,
  icon,
  isOpen,
  onChange,
}: {
  pane: "tools" | "inspector";
  icon: "left" | "right" | "below";
  isOpen: boolean;
  onChange(isOpen: boolean): void;
}): ReactNode {
  const label = `${isOpen ? "Hide" : "Show"} ${pane}`;
  return (
    <button
      type="button"
      className="icon pane-switch"
      aria-label={label}
      title={label}
      aria-expanded={isOpen}
      aria-controls={pane}
      onClick={() => onChange(!isOpen)}
    >
      <Icon name={icon} />
    </button>
  );
}

function ProfileFacts({ profile }: { profile: HostProfile }): ReactNode {
  return (
    <details className="facts">
      <summary>
        {profile.name} as measured on {profile.measured}
      </summary>
      <ul>
        {profile.facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <p>
        This page offers the same features, but keeps its own sandbox. Source: {profile.source}.
      </p>
    </details>
  );
}
