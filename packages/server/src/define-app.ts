// One definition of an app: the tool that opens its view, the tools that the view may call, the view
// and its permissions. The view imports its types from here.

import type {
  AppTypes,
  McpUiResourceCsp,
  McpUiResourceMeta,
  McpUiResourcePermissions,
  McpUiToolVisibility,
} from "@vitrine/protocol/apps";
import { type AnyAppTool, type AppTool, appCall } from "./app-tool.ts";
import type { DomainByClient } from "./client-domain.ts";
import type { AppServer } from "./mcp-server.ts";
import { registerAppTool } from "./registration.ts";
import type { AnySchema, InputOf } from "./schema-types.ts";
import { type ServedSource, ServedView, type ServedViewOptions } from "./served-view.ts";
import { ViewFile } from "./view-file.ts";
import type { ViewSource } from "./view-source.ts";
import { type Warn, warnInDevelopment } from "./warnings.ts";

/** An app's definition. */
export interface AppConfig<
  Name extends string = string,
  In extends AnySchema | undefined = AnySchema | undefined,
  Out extends AnySchema | undefined = AnySchema | undefined,
  Tools extends Record<string, AnyAppTool> = Record<string, AnyAppTool>,
  ToolName extends string = string,
> extends Omit<ServedViewOptions, "warn" | "domainByClient"> {
  /** Part of the view's addresses, and the tool's name unless it has its own. */
  name: Name;
  title?: string;
  description?: string;
  /** The tool whose results the view shows. */
  tool: AppTool<In, Out> & { name?: ToolName };
  /** More tools, for the view only unless they declare otherwise; `opens: true` shows the view. */
  tools?: Tools;
  /** The whole HTML document, the `file:` URL of one, or a source such as a template. */
  view: string | URL | ViewSource;
  /** The origins that the view may reach; none by default. */
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  prefersBorder?: boolean;
  /**
   * A fixed origin, in the form that the host documents: one for all hosts, or one for each, by name or
   * by a function of the client. Leave it out unless the view needs it.
   */
  domain?: string | DomainByClient;
  /** Whether the model, the View or both may see and call the tool; default both. */
  visibility?: McpUiToolVisibility[];
  /** Called with likely mistakes; default: the platform's warnings, in development. */
  warn?: Warn;
}

/** A defined app; a view imports its type. */
export interface AppDefinition<T extends AppTypes = AppTypes> {
  readonly name: string;
  /** Address of the newest version of the view; the alias if its file is read for each request. */
  readonly uri: string;
  /** Address that always returns the newest version. */
  readonly alias: string;
  /** Registers tools and view on a server of SDK v2 or v1, and returns it. */
  register<S extends AppServer>(server: S): S;
  /** Exists only for the compiler. */
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

/** The tools that open the view besides the first one. */
type Opening<Tools> = {
  [K in keyof Tools]: Tools[K] extends AppTool<infer In, infer Out, infer Opens>
    ? [Opens] extends [true]
      ? Described<In, Out>
      : never
    : never;
}[keyof Tools];

/** The input and output of a view: those of one of the tools that open it. */
type Shown<In, Out, Tools> = {
  input: Described<In, Out>["input"] | Opening<Tools>["input"];
  output: Described<In, Out>["output"] | Opening<Tools>["output"];
};

/** Defines an app. Throws at once if a declaration is invalid. */
export function defineApp<
  const Name extends string,
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
  Tools extends Record<string, AnyAppTool> = Record<never, never>,
  const ToolName extends string = Name,
>(
  config: AppConfig<Name, In, Out, Tools, ToolName>,
): AppDefinition<
  Shown<In, Out, Tools> & {
    tools: Record<ToolName, Described<In, Out>> & DescribedTools<Tools>;
  }
> {
  const { name, tool, tools = {}, view, visibility, warn = warnInDevelopment } = config;
  const source = sourceOf(view);
  const { describe } = source;
  const domainByClient = typeof config.domain === "string" ? undefined : config.domain;
  const served = new ServedView(name, declared(config, source), {
    ...config,
    domainByClient,
    warn,
  });
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
        const ui = own.opens ? opens : { visibility: ["app" as const] };
        addTool(server, other, own, { ui, ...(own.opens && { describe }), warn });
      }
      return server;
    },
  };
}

function sourceOf(view: AppConfig["view"]): ViewSource {
  if (typeof view === "string") return { html: () => view };
  return view instanceof URL ? new ViewFile(view) : view;
}

/** The source with the definition's settings; a source such as a template has its own. */
function declared(config: AppConfig, source: ViewSource): ServedSource {
  const { csp, permissions, prefersBorder, domain } = config;
  const meta: McpUiResourceMeta = {
    ...source.meta,
    ...(csp && { csp }),
    ...(permissions && { permissions }),
    ...(prefersBorder !== undefined && { prefersBorder }),
    ...(typeof domain === "string" && { domain }),
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
  const { handler, visibility, name: _, opens, ...config } = tool as AnyAppTool & { name?: string };
  const own = Object(tool._meta?.ui) as object;
  const _meta = { ...tool._meta, ui: { ...own, ...ui, ...(visibility && { visibility }) } };
  const call = handler as (args: unknown, call: unknown) => never;
  // Without a schema the SDK only passes its context.
  const callback = config.inputSchema
    ? (args: unknown, sdk: unknown) => call(args, appCall(sdk))
    : (sdk: unknown) => call({}, appCall(sdk));
  registerAppTool(server, name, { ...config, _meta }, callback as never, {
    describe,
    viewUuid: true,
    warn,
  });
}
