import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { profileOf } from "../dev-state.ts";
import { countFaults, type Faults, RESULT_FAULTS } from "../faults.ts";
import { DEVICES, LOCALES, type Settings, TIME_ZONES } from "../settings.ts";
import { Icon } from "./icon.tsx";
import { Segments } from "./segments.tsx";

const MODES: Record<McpUiDisplayMode, string> = {
  inline: "Inline",
  fullscreen: "Full",
  pip: "Corner",
};
const SWITCHES: [keyof Omit<Faults, "result">, string][] = [
  ["noStyles", "No style variables"],
  ["noServerTools", "No server tools"],
  ["slowServer", "Server 2 s slower"],
  ["lostConnection", "Connection lost"],
];

/** The simulated host. */
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
  return (
    <div className="toolbar" role="toolbar" aria-label="Host">
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
      <button type="button" className="plain" popoverTarget="host-context">
        Context
      </button>
      <button type="button" className="plain" popoverTarget="faults" data-on={faults > 0}>
        Faults{faults > 0 && ` ${faults}`}
      </button>
      <span className="gap" />
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
      <HostContextMenu settings={settings} onChange={host.change} />
      <FaultsMenu settings={settings} onChange={host.change} />
      {profile && (
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
      )}
    </div>
  );
}

interface MenuProps {
  settings: Settings;
  onChange(change: Partial<Settings>): void;
}

function HostContextMenu({ settings, onChange }: MenuProps): ReactNode {
  const { locale, timeZone, safeArea } = settings;
  return (
    <div id="host-context" popover="auto" className="menu">
      <Choice
        label="Language"
        value={locale}
        options={LOCALES}
        onChoose={(value) => onChange({ locale: value })}
      />
      <Choice
        label="Time zone"
        value={timeZone}
        options={TIME_ZONES}
        onChoose={(value) => onChange({ timeZone: value })}
      />
      <label>
        <span>Safe area</span>
        <select
          value={safeArea}
          onChange={({ target }) => onChange({ safeArea: Number(target.value) })}
        >
          {[0, 12, 24, 44].map((pixels) => (
            <option key={pixels} value={pixels}>
              {pixels === 0 ? "None" : `${pixels} px`}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly string[];
  onChoose(value: string): void;
}): ReactNode {
  const all = options.includes(value) ? options : [value, ...options];
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {all.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

function FaultsMenu({ settings: { faults }, onChange }: MenuProps): ReactNode {
  return (
    <div id="faults" popover="auto" className="menu">
      <label>
        <span>Result</span>
        <select
          value={faults.result}
          onChange={({ target }) =>
            onChange({ faults: { ...faults, result: target.value as Faults["result"] } })
          }
        >
          {Object.entries(RESULT_FAULTS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {SWITCHES.map(([name, words]) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={faults[name]}
            onChange={({ target }) => onChange({ faults: { ...faults, [name]: target.checked } })}
          />
          {words}
        </label>
      ))}
      <p className="hint">Run the tool again to see how the view reacts.</p>
    </div>
  );
}
