// One Vite environment per view. A bundle with several pages shares chunks between them, and a view
// can load none; so vite-plugin-singlefile inlines whole pages only if a bundle has one. `vite build`
// builds the environments one after the other, with the author's plugins in each.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpUiResourceCsp } from "@vitrine/protocol/apps";
import type { EnvironmentOptions, Plugin, UserConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { type Bundle, filesBeside, modulesOf, onlyPage, onlyScript, takeMaps } from "./bundle.ts";
import {
  type BundledScript,
  type Judgement,
  judgeView,
  type RenderedModule,
  type ViewReport,
} from "./finished-view.ts";
import { toInlineScript, toInlineStyle, withScript } from "./inline-text.ts";
import { type ParseScript, ScriptMemory } from "./script-scan.ts";
import { settledPackages } from "./settled-packages.ts";
import type { SizeBudget } from "./size-budget.ts";
import {
  environmentOf,
  findInputs,
  pageFor,
  type ViewEntries,
  type ViewInput,
} from "./view-inputs.ts";
import { keepMaps, type MappedScript } from "./view-maps.ts";

/** How Views are built; every option has a default. */
export interface VitrineViewsOptions {
  /** A folder with one subfolder for each View, or entries by name; `"views"`. */
  views?: ViewEntries;
  /** Maximum size of each view; `false` for no limit. Doesn't apply to development builds. */
  budget?: SizeBudget | false;
  /** Packages whose `eval` or `Function` may stay, because they work without it. */
  dynamicCode?: readonly string[];
  /** The resource's declarations: the build warns about missing origins. */
  csp?: Readonly<Record<string, McpUiResourceCsp>>;
  /** Called with the report of each view. */
  onView?(report: ViewReport): void;
}

const META_FILE = "ui.meta.json";

/**
 * Builds each view into one HTML file, `<outDir>/ui/<name>/index.html`, the folder that
 * `@vitrine/server/discovery` scans; a `ui.meta.json` next to the entry is copied.
 */
export function vitrineViews(options: VitrineViewsOptions = {}): Plugin[] {
  let inputs: ViewInput[] = [];
  let isDevelopment = false;
  let root = "";
  const viewOf = (environment: { name: string }): ViewInput | undefined =>
    environment.name === "client" && inputs.length === 1
      ? inputs[0]
      : inputs.find((_, at) => environment.name === environmentOf(at));

  const entries: Plugin = {
    name: "vitrine:view-entries",
    enforce: "pre",
    config: (user, { command }) => {
      if (command !== "build") return undefined;
      root = resolve(user.root ?? ".");
      inputs = findInputs(root, options.views ?? "views");
      return buildConfig(inputs, user);
    },
    buildStart() {
      if (inputs.length > 0 && !viewOf(this.environment)) {
        this.error(
          `There are ${inputs.length} views, but vite.build() builds one page. Use \`vite build\`, createBuilder(…).buildApp(), or buildViews() and watchViews() of @vitrine/server/vite.`,
        );
      }
    },
    resolveId: (id) => (inputs.some(({ page, script }) => script && page === id) ? id : undefined),
    load: (id) => {
      const input = inputs.find(({ page, script }) => script && page === id);
      return input && pageFor(input);
    },
  };

  const packages = settledPackages();
  const scripts = new Map<string, BundledScript | undefined>();
  const mapped = new Map<string, MappedScript[]>();
  // Before vite-plugin-singlefile puts the texts into the page.
  const escapes: Plugin = {
    name: "vitrine:inline-text",
    enforce: "post",
    generateBundle(_, bundle) {
      // During development the browser reports it: checking takes as long as the build.
      const parse = isDevelopment ? undefined : (code: string): unknown => this.parse(code);
      for (const file of Object.values(bundle as unknown as Bundle)) {
        if (file.code !== undefined) file.code = toInlineScript(file.code, parse);
        else if (file.fileName.endsWith(".css")) file.source = toInlineStyle(String(file.source));
      }
      mapped.set(this.environment.name, takeMaps(bundle as unknown as Bundle));
      scripts.set(this.environment.name, onlyScript(bundle as unknown as Bundle));
    },
  };

  const modulesBy = new Map<string, RenderedModule[]>();
  const memories = new Map<string, ScriptMemory>();
  const modules: Plugin = {
    name: "vitrine:view-modules",
    enforce: "post",
    configResolved: ({ isProduction }) => {
      isDevelopment = !isProduction;
    },
    generateBundle(_, bundle) {
      modulesBy.set(this.environment.name, modulesOf(bundle as unknown as Bundle, root));
    },
  };

  const judge = (
    html: string,
    view: ViewInput,
    { environment, parse }: { environment: string; parse: ParseScript },
  ): Judgement => {
    const memory = memories.get(environment) ?? new ScriptMemory();
    memories.set(environment, memory);
    memory.turn();
    return judgeView(html, modulesBy.get(environment) ?? [], {
      budget: isDevelopment ? false : (options.budget ?? {}),
      dynamicCode: options.dynamicCode ?? [],
      csp: options.csp?.[view.name],
      // During development only the edited module is read; a shipped build is read as shipped.
      bundled: isDevelopment ? scripts.get(environment) : undefined,
      scan: (code) => memory.scan(code, parse),
    });
  };

  const finish: Plugin = {
    name: "vitrine:finished-view",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_, files) {
        const view = viewOf(this.environment);
        if (!view) return;
        const bundle = files as unknown as Bundle;
        const html = onlyPage(bundle);
        const parse = (code: string): unknown => this.parse(code);
        const { errors, ...judgement } = judge(html, view, {
          environment: this.environment.name,
          parse,
        });
        const say = (sentence: string): string => `The view "${view.name}" ${sentence}`;
        for (const warning of judgement.warnings) this.warn(say(warning));
        const faults = [...filesBeside(bundle), ...errors];
        if (faults.length > 0) this.error(faults.map(say).join("\n"));
        for (const name of Object.keys(bundle)) delete bundle[name];
        const script = packages.scriptOf(this.environment.name);
        const source = script === undefined ? html : withScript(html, script);
        this.emitFile({ type: "asset", fileName: "index.html", source });
        const { outDir } = this.environment.config.build;
        keepMaps(source, mapped.get(this.environment.name) ?? [], { root, outDir });
        const meta = join(view.folder, META_FILE);
        if (existsSync(meta)) {
          this.emitFile({ type: "asset", fileName: META_FILE, source: readFileSync(meta) });
        }
        const file = resolve(root, outDir, "index.html");
        options.onView?.({ name: view.name, file, ...judgement });
      },
    },
  };
  return [entries, packages.plugin, modules, escapes, viteSingleFile() as Plugin, finish];
}

// The first browsers with `light-dark()`. For older ones Vite would resolve it at build time, by
// `prefers-color-scheme`, and a view could no longer follow its host's theme.
const CSS_TARGET = ["chrome123", "edge123", "firefox120", "safari17.5"];

function buildConfig(inputs: readonly ViewInput[], user: UserConfig): UserConfig {
  const outDir = user.build?.outDir ?? "dist";
  const buildOf = ({ name, page }: ViewInput): EnvironmentOptions["build"] & {} => ({
    outDir: join(outDir, "ui", name),
    rollupOptions: { input: page },
  });
  const environments = Object.fromEntries(
    inputs.map((input, at): [string, EnvironmentOptions] => [
      environmentOf(at),
      { consumer: "client", build: buildOf(input) },
    ]),
  );
  const [only, ...more] = inputs;
  return {
    environments,
    builder: {
      buildApp: async (builder) => {
        for (const name of Object.keys(environments)) {
          const environment = builder.environments[name];
          if (environment) await builder.build(environment);
        }
      },
    },
    build: {
      // There is nothing to preload, and no place for a public folder.
      modulePreload: false,
      copyPublicDir: false,
      // Hidden: the page names no map, and `keepMaps` keeps it elsewhere.
      sourcemap: user.build?.sourcemap ?? "hidden",
      cssTarget: user.build?.cssTarget ?? CSS_TARGET,
      // While watching, the last page stays until there is a new one: a server may read it at any time.
      ...(user.build?.watch && {
        emptyOutDir: user.build.emptyOutDir ?? false,
        reportCompressedSize: user.build.reportCompressedSize ?? false,
      }),
      ...(only && more.length === 0 && buildOf(only)),
    },
  };
}
