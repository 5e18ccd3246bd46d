// One definition of an app: the tool that opens its View, the tools the View may call, the View and
// what it may do. The View takes its types from here and nothing else.

import type {
  AppTypes,
  McpUiResourceCsp,
  McpUiResourceMeta,
  McpUiResourcePermissions,
  McpUiToolVisibility,
} from "@vitrine/protocol/apps";
import { type AnyAppTool, type AppTool, appCall } from "./app-tool.ts";
import type { AppServer } from "./mcp-server.ts";
import { registerAppTool } from "./registration.ts";
import type { AnySchema, InputOf } from "./schema-types.ts";
import { type ServedSource, ServedView, type ServedViewOptions } from "./served-view.ts";
import { ViewFile } from "./view-file.ts";
import type { ViewSource } from "./view-source.ts";
import { type Warn, warnInDevelopment } from "./warnings.ts";

/** What an app is. */
export interface AppConfig<
  Name extends string = string,
  In extends AnySchema | undefined = AnySchema | undefined,
  Out extends AnySchema | undefined = AnySchema | undefined,
  Tools extends Record<string, AnyAppTool> = Record<string, AnyAppTool>,
  ToolName extends string = string,
> extends Omit<ServedViewOptions, "warn"> {
  /** Part of the View's addresses, and the tool's name unless it has one of its own. */
  name: Name;
  title?: string;
  description?: string;
  /** The tool whose results the View shows. */
  tool: AppTool<In, Out> & { name?: ToolName };
  /** Further tools, for the View alone unless they say otherwise. */
  tools?: Tools;
  /** The whole HTML document, the `file:` URL of one, or a source such as a template. */
  view: string | URL | ViewSource;
  /** What the View may reach; without it, nothing. */
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  prefersBorder?: boolean;
  /** A fixed origin, in the form the host documents; see `claudeDomain`. */
  domain?: string;
  /** Who may see and call the tool; default both. */
  visibility?: McpUiToolVisibility[];
  /** Hears what is most likely a mistake; default: the platform's warnings, in development. */
  warn?: Warn;
}

/** A defined app; its type is what a View imports. */
export interface AppDefinition<T extends AppTypes = AppTypes> {
  readonly name: string;
  /** Address of the newest version of the View; the alias where its file is read anew. */
  readonly uri: string;
  /** Address that always is the newest version. */
  readonly alias: string;
  /** Registers tools and View on a server of SDK v2 or v1, and returns it. */
  register<S extends AppServer>(server: S): S;
  /** Exists for the compiler alone. */
  readonly "~types"?: T;
}

/** The types of an app, for its View: `new App<AppOf<typeof weather>>(…)`. */
export type AppOf<Definition> = Definition extends AppDefinition<infer T> ? T : never;

type Described<In, Out> = {
  input: InputOf<In>;
  output: [Out] extends [AnySchema] ? InputOf<Out> : unknown;
};
type DescribedTools<Tools> = {
  [K in keyof Tools]: Tools[K] extends AppTool<infer In, infer Out> ? Described<In, Out> : never;
};

/** Defines an app. Throws at once if what it declares is wrong. */
export function defineApp<
  const Name extends string,
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
  Tools extends Record<string, AnyAppTool> = Record<never, never>,
  const ToolName extends string = Name,
>(
  config: AppConfig<Name, In, Out, Tools, ToolName>,
): AppDefinition<
  Described<In, Out> & { tools: Record<ToolName, Described<In, Out>> & DescribedTools<Tools> }
> {
  const { name, tool, tools = {}, view, visibility, warn = warnInDevelopment } = config;
  const source = sourceOf(view);
  const { describe } = source;
  const served = new ServedView(name, declared(config, source), { ...config, warn });
  const main: AnyAppTool = {
    title: config.title,
    description: config.description,
    visibility,
    ...tool,
  } as AnyAppTool;
  const others = Object.entries(tools as Record<string, AnyAppTool>);
  return {
    name,
    get uri() {
      return served.uri;
    },
    alias: served.addresses.alias,
    register(server) {
      served.register(server);
      const opens = { resourceUri: served.uri };
      addTool(server, tool.name ?? name, main, { ui: opens, describe, warn });
      for (const [other, own] of others) {
        addTool(server, other, own, { ui: { visibility: ["app"] }, warn });
      }
      return server;
    },
  };
}

function sourceOf(view: AppConfig["view"]): ViewSource {
  if (typeof view === "string") return { html: () => view };
  return view instanceof URL ? new ViewFile(view) : view;
}

/** The source with what the definition says; a source such as a template has wishes of its own. */
function declared(config: AppConfig, source: ViewSource): ServedSource {
  const { csp, permissions, prefersBorder, domain } = config;
  const meta: McpUiResourceMeta = {
    ...source.meta,
    ...(csp && { csp }),
    ...(permissions && { permissions }),
    ...(prefersBorder !== undefined && { prefersBorder }),
    ...(domain !== undefined && { domain }),
  };
  const isLive = source instanceof ViewFile && source.isLive;
  return {
    html: () => source.html(),
    meta,
    ...(isLive && { current: (known) => source.current(known) }),
  };
}

interface ToolOptions {
  ui: { resourceUri?: string; visibility?: McpUiToolVisibility[] };
  describe?: ViewSource["describe"];
  warn: Warn;
}

function addTool(
  server: AppServer,
  name: string,
  tool: AnyAppTool,
  { ui, describe, warn }: ToolOptions,
): void {
  const { handler, visibility, name: _, ...config } = tool as AnyAppTool & { name?: string };
  const _meta = { ui: { ...ui, ...(visibility && { visibility }) } };
  const call = handler as (args: unknown, call: unknown) => never;
  // Without a schema the SDK hands over its context alone.
  const callback = config.inputSchema
    ? (args: unknown, sdk: unknown) => call(args, appCall(sdk))
    : (sdk: unknown) => call({}, appCall(sdk));
  registerAppTool(server, name, { ...config, _meta }, callback as never, { describe, warn });
}
