// Tools of views, as the host on the bare wire offers them to its model.

import type { OfferedTool } from "../../../src/host/driver.ts";
import type { Json } from "../../../src/json.ts";
import { fault } from "./fault.ts";
import { ask, log } from "./ledger.ts";
import type { WireView } from "./view.ts";

let known = new Map<string, { own: Json; view: WireView }>();

/** The tools of a live view. */
export async function listTools(view: WireView | undefined): Promise<OfferedTool[]> {
  if (fault === "tools-kept" && !view) return JSON.parse(localStorage.tools ?? "[]");
  if (view?.isClosed) {
    if (fault === "tools-stay") return offered();
    if (fault !== "dead-answered") known = new Map();
    return [];
  }
  known = new Map();
  if (!view?.appCapabilities.tools) return [];
  await register(view);
  if (fault === "tools-kept") localStorage.tools = JSON.stringify(offered());
  return offered();
}

async function register(view: WireView): Promise<void> {
  const { tools } = await view.request("tools/list", {});
  for (const own of tools.slice(0, fault === "tools-unlimited" ? 100 : 50)) {
    const name = fault === "tools-plain" ? own.name : `app_${view.key}_${own.name}`;
    known.set(name, { own, view });
    if (fault !== "tools-unlogged") log.push(`app tool registered: ${own.name}`);
  }
}

function offered(): OfferedTool[] {
  return [...known].map(([name, { own, view }]) => ({
    name,
    description:
      fault === "tools-anonymous"
        ? own.description
        : `Of the app ${view.appInfo.name}: ${own.description}`,
  }));
}

/** Calls a tool by its name in the list. */
export async function callTool(name: string, args: Json): Promise<Json> {
  const entry = known.get(name);
  if (!entry) throw new Error(`There is no tool ${name}.`);
  const { own, view } = entry;
  if (view.isClosed && fault === "dead-answered") return { content: [] };
  if (view.isClosed) throw new Error(`${name} is of an app that is closed.`);
  const isSafe = own.annotations?.readOnlyHint === true || fault === "tools-unasked";
  if (!isSafe && !(await ask("app tool"))) throw new Error("The user said no.");
  if (fault !== "tools-unlogged") log.push(`app tool called: ${own.name}`);
  const result = await view.request("tools/call", { name: own.name, arguments: args });
  if (JSON.stringify(result).length > 10 * 2 ** 20) throw new Error("That is too much.");
  const { required = [], properties = {} } = own.outputSchema ?? {};
  const isWrong = required.some(
    (key: string) => typeof result.structuredContent?.[key] !== properties[key]?.type,
  );
  if (isWrong && fault !== "results-unchecked") throw new Error("That is not what it promised.");
  return result;
}

/** Requests about a call that became a task. */
export async function passTask(
  view: WireView | undefined,
  method: string,
  params: Json,
): Promise<Json> {
  if (!view || fault === "tasks-lost") throw new Error("Unknown method.");
  return view.request(method, params);
}
