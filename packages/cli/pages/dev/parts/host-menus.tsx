import type { ReactNode } from "react";
import { type Faults, RESULT_FAULTS } from "../faults.ts";
import { LOCALES, localeName, type Settings, TIME_ZONES } from "../settings.ts";

const SWITCHES: [keyof Omit<Faults, "result">, string][] = [
  ["noStyles", "No style variables"],
  ["noServerTools", "No server tools"],
  ["slowServer", "Server 2 s slower"],
  ["lostConnection", "Connection lost"],
];

interface MenuProps {
  settings: Settings;
  onChange(change: Partial<Settings>): void;
}

/** What the host tells the view about the user. */
export function HostContextMenu({ settings, onChange }: MenuProps): ReactNode {
  const { locale, timeZone, safeArea } = settings;
  return (
    <div id="host-context" popover="auto" className="menu">
      <Choice
        label="Language"
        value={locale}
        options={LOCALES}
        nameOf={localeName}
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
  nameOf = (option) => option,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly string[];
  nameOf?(option: string): string;
  onChoose(value: string): void;
}): ReactNode {
  const all = options.includes(value) ? options : [value, ...options];
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {all.map((option) => (
          <option key={option} value={option}>
            {nameOf(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Failures of the host or the server that can be switched on. */
export function FaultsMenu({ settings: { faults }, onChange }: MenuProps): ReactNode {
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
