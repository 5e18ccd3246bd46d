// No edit of a View changes the CommonJS packages that it imports. They can't be tree-shaken (React's
// development build is a megabyte), so each build of a watched View would read, link and minify the
// same text again, and that is most of the time that an author waits. They are built once, into a
// separate script before the View's; in the View's script, each of their modules is one line.

import { basename } from "node:path";
import { build, type InlineConfig, type Plugin } from "vite";
import { toInlineScript } from "./inline-text.ts";

/** The properties of a bundler's module that are used here. */
interface SeenModule {
  id: string;
  /** As plugins left it. */
  code: string | null;
  inputFormat?: string;
  importers: readonly string[];
}

interface Settled {
  /** Modules that Views import, by where they stand in the script. */
  entries: ReadonlyMap<string, number>;
  /** All files that went into the script. */
  files: readonly string[];
  script: string;
}

const PLACE = "__vitrinePackages";
const ENTRY = "\0vitrine-packages.cjs";

/** Keeps the packages of Views that are watched while they are developed; elsewhere it does nothing. */
export function settledPackages(): {
  plugin: Plugin;
  /** What goes before the script of a View, by the name of its environment. */
  scriptOf(environment: string): string | undefined;
} {
  const packagesBy = new Map<string, SettledPackages>();
  const plugin: Plugin = {
    name: "vitrine:settled-packages",
    enforce: "pre",
    configResolved: ({ command, build, isProduction, environments, ...config }) => {
      if (command !== "build" || !build.watch || isProduction) return;
      const { root, mode, define = {} } = config;
      const { alias, conditions, mainFields, dedupe } = config.resolve;
      const resolve = { alias, conditions, mainFields, dedupe };
      for (const name of Object.keys(environments))
        packagesBy.set(name, new SettledPackages({ root, mode, define, resolve }));
    },
    buildStart() {
      const packages = packagesBy.get(this.environment.name);
      packages?.begin();
      for (const file of packages?.files ?? []) this.addWatchFile(file);
    },
    load(id) {
      return packagesBy.get(this.environment.name)?.standIn(id);
    },
    watchChange(id) {
      const packages = packagesBy.get(this.environment.name);
      if (packages?.files.includes(id)) packages.forget();
    },
    writeBundle() {
      const modules = [...this.getModuleIds()].flatMap((id) => this.getModuleInfo(id) ?? []);
      // Nobody waits for it: until it is done, builds take as long as they do without.
      void packagesBy.get(this.environment.name)?.settle(modules);
    },
  };
  return { plugin, scriptOf: (environment) => packagesBy.get(environment)?.script };
}

/** The packages of one watched View. */
class SettledPackages {
  readonly #config: InlineConfig;
  #settled: Settled | undefined;
  #used: Settled | undefined;
  #tried = "";

  /** `config` builds the packages: the settings of the View's own build for resolving and names. */
  constructor(config: InlineConfig) {
    this.#config = config;
  }

  /** Takes what is settled for one build: a View that had a package in part from there would have two. */
  begin(): void {
    this.#used = this.#settled;
  }

  /** The script, if there is one. */
  get script(): string | undefined {
    return this.#used?.script;
  }

  /** The files that it was made of. */
  get files(): readonly string[] {
    return this.#used?.files ?? [];
  }

  /** The code that replaces a module of the script wherever it is imported. */
  standIn(id: string): string | undefined {
    const at = this.#used?.entries.get(id);
    return at === undefined ? undefined : `module.exports = ${PLACE}[${at}]();`;
  }

  /** Starts again, because a package changed. */
  forget(): void {
    this.#settled = undefined;
    this.#tried = "";
  }

  /** Builds the packages among these modules, unless that is done; the next build has them. */
  async settle(modules: readonly SeenModule[]): Promise<void> {
    const entries = importedPackages(modules);
    const wanted = entries.join("\n");
    const isSettled = entries.every((id) => this.#settled?.entries.has(id));
    if (isSettled || wanted === this.#tried) return;
    this.#tried = wanted;
    const codes = new Map(modules.map(({ id, code }) => [id, code]));
    const settled = await this.#build(entries, (id, code) => {
      const seen = this.standIn(id) === undefined ? codes.get(id) : undefined;
      return seen === undefined || seen === code;
    });
    // While this one ran, another build may have asked for other packages.
    if (wanted === this.#tried) this.#settled = settled;
  }

  async #build(
    entries: readonly string[],
    isSame: (id: string, code: string | null) => boolean,
  ): Promise<Settled | undefined> {
    const files: string[] = [];
    let isFit = true;
    const lines = entries.map((id, at) => `${at}: () => require(${JSON.stringify(id)}),`);
    const plugin: Plugin = {
      name: "vitrine:settled-packages",
      enforce: "pre",
      resolveId: (id) => (id === ENTRY ? id : undefined),
      load: (id) => (id === ENTRY ? `globalThis.${PLACE} = {${lines.join("")}};` : undefined),
      moduleParsed: ({ id, code, inputFormat }) => {
        if (id.startsWith("\0")) return;
        files.push(id);
        // The View may import a module too, and would then have it twice; and what a plugin of the author's
        // makes of a package is not to be had here.
        if (inputFormat !== "cjs" || !isSame(id, code)) isFit = false;
      },
      generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === "chunk")
            file.code = toInlineScript(file.code, (code) => this.parse(code));
        }
      },
    };
    try {
      const built = await build({
        ...this.#config,
        configFile: false,
        logLevel: "silent",
        plugins: [plugin],
        build: {
          write: false,
          copyPublicDir: false,
          modulePreload: false,
          rollupOptions: { input: ENTRY, output: { format: "iife" } },
        },
      });
      const { output } = [built].flat()[0] as { output: { code?: string }[] };
      const [{ code = "" } = {}, ...beside] = output;
      const isWhole = code !== "" && beside.length === 0 && isFit;
      if (!isWhole) return undefined;
      return { entries: new Map(entries.map((id, at) => [id, at])), files, script: code };
    } catch {
      // As part of the View they can be built, and it says what is wrong where they cannot.
      return undefined;
    }
  }
}

/** The CommonJS modules of packages that something else than CommonJS imports. */
function importedPackages(modules: readonly SeenModule[]): string[] {
  const common = new Set(
    modules.filter(({ inputFormat }) => inputFormat === "cjs").map(({ id }) => id),
  );
  return modules
    .filter(
      ({ id, importers }) =>
        common.has(id) && isOfPackage(id) && importers.some((importer) => !common.has(importer)),
    )
    .map(({ id }) => id)
    .sort();
}

function isOfPackage(id: string): boolean {
  return /[\\/]node_modules[\\/]/.test(id) && /\.c?js$/.test(basename(id));
}
