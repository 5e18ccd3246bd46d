import { startChromiumEngine } from "./chromium-engine.ts";
import type { Engine, EngineName } from "./engine.ts";
import { scenarioLines } from "./engine-report.ts";
import type { Field } from "./field.ts";
import { complaintsOf, type Shown } from "./findings.ts";
import { startFirefoxEngine } from "./firefox-engine.ts";
import { HOST_SCENARIOS } from "./host-scenarios.ts";
import { runScenarios } from "./scenario-run.ts";
import { startWebKitEngine } from "./webkit-engine.ts";
import { XScreen } from "./x-screen.ts";

/** Browsers in which a user's mouse and keyboard can be moved. */
const START: Record<EngineName, (field: Field) => Promise<Engine>> = {
  chromium: ({ certificate }) => startChromiumEngine(certificate),
  async firefox() {
    const screen = await XScreen.open();
    try {
      const engine = await startFirefoxEngine(screen);
      return { ...engine, close: () => engine.close().finally(() => screen.close()) };
    } catch (error) {
      await screen.close();
      throw error;
    }
  },
  webkit: () => startWebKitEngine(),
};

/** Which scenarios are run. */
export interface HostRunOptions {
  readonly quick: boolean;
  /** Ids of some, separated by commas. */
  readonly scenario?: string | undefined;
}

/** What became of the Host in one engine. */
export interface HostRun {
  readonly report: string;
  readonly problems: readonly string[];
  /** Absent where the engine is. */
  readonly shown?: Shown;
}

/** Runs the real Host in one engine. */
export async function examineHost(
  name: EngineName,
  field: Field,
  { quick, scenario }: HostRunOptions,
): Promise<HostRun> {
  const scenarios = HOST_SCENARIOS.filter((one) =>
    scenario ? scenario.split(",").includes(one.id) : !quick || one.quick,
  );
  const begun = performance.now();
  try {
    const engine = await START[name](field);
    const results = await runScenarios(engine, field, scenarios).finally(() => engine.close());
    const shown = { name, version: engine.version, scenarios: results };
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const report = `The Host in ${name} ${engine.version}; ${seconds} s\n${scenarioLines(shown)}`;
    return { report, problems: complaintsOf(shown), shown };
  } catch (error) {
    const report = `The Host in ${name}: not run`;
    return { report, problems: [`${name}: the Host was not run: ${error}`] };
  }
}
