import { CONTAINMENT_SCENARIOS } from "./containment-scenarios.ts";
import type { Engine } from "./engine.ts";
import { EngineScene, type Scenario } from "./engine-scene.ts";
import type { Field } from "./field.ts";
import { HOARD_SCENARIOS } from "./hoard-scenarios.ts";
import { PROBE_SCENARIO } from "./probe-scenario.ts";
import { RELAY_SCENARIOS } from "./relay-scenarios.ts";
import { SIBLING_SCENARIO } from "./sibling-scenario.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...RELAY_SCENARIOS,
  SIBLING_SCENARIO,
  PROBE_SCENARIO,
  ...CONTAINMENT_SCENARIOS,
  ...HOARD_SCENARIOS,
];

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly complaints: readonly string[];
  readonly notes: readonly string[];
  readonly reservations: readonly string[];
  readonly lacks: readonly string[];
}

export async function runScenarios(
  engine: Engine,
  field: Field,
  scenarios: readonly Scenario[],
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    const scene = new EngineScene(engine, field);
    let complaints: string[];
    try {
      complaints = await scenario.run(scene);
    } catch (error) {
      complaints = [String(error)];
    }
    await scene.close();
    const { notes, reservations, lacks } = scene;
    results.push({ scenario, complaints, notes, reservations, lacks });
  }
  return results;
}
