// The view of an app as it is served: the newest version under its own address, older ones and the
// alias through one template. Everything is prepared once; a read returns it. A view that changes
// during development only has the alias, so that no tool or list changes with it.

import { RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import { type CacheHint, checkCache } from "./cache-hint.ts";
import {
  type ClientInfo,
  checkDomains,
  clientOf,
  type DomainByClient,
  domainFor,
} from "./client-domain.ts";
import { contentHash } from "./content-hash.ts";
import { serverError } from "./errors.ts";
import { toBlob } from "./html-document.ts";
import type { ResourceServer } from "./mcp-server.ts";
import { enlistResource } from "./start-check.ts";
import { type DeclarationOptions, normaliseResourceMeta, warnOfBorder } from "./ui-metadata.ts";
import { type ViewAddresses, viewAddresses } from "./ui-uri.ts";
import { judgeDocument } from "./view-reading.ts";
import type { ViewSource } from "./view-source.ts";
import { memoryVersions, type StoredView, type ViewVersions } from "./view-versions.ts";
import type { Warn } from "./warnings.ts";

/** How a view is served. */
export interface ServedViewOptions extends DeclarationOptions {
  title?: string | undefined;
  description?: string | undefined;
  /** More metadata of the view's resource, such as keys that hosts define; `ui` comes from elsewhere. */
  _meta?: Record<string, unknown> | undefined;
  /** A domain for each client; it is in the content only. */
  domainByClient?: DomainByClient | undefined;
  cache?: CacheHint | undefined;
  /** Send text or base64 (SRV-03); default "text". */
  encoding?: "text" | "blob" | undefined;
  /** Where older versions are stored; default: in memory. */
  versions?: ViewVersions | undefined;
  /** Older versions that are known at the start, such as those in a folder of builds. */
  previous?: readonly (string | ViewSource)[] | undefined;
  /** The response for a version that isn't stored; default "newest", not to be cached. */
  unknownVersions?: "newest" | "refuse" | undefined;
  warn: Warn;
}

/** The content; with `current`, a document that may differ at each read. */
export interface ServedSource extends ViewSource {
  /** The current document, `known` if it is unchanged; `undefined` while there is none. */
  current?(known: string): Promise<string | undefined>;
}

interface ReadResult {
  contents: object[];
  ttlMs?: number;
  cacheScope?: string;
}

/** One version, ready for each era: the older era has no cache hints. */
interface ReadyView {
  modern: ReadResult;
  legacy: ReadResult;
}

/** The version that a server starts with. */
interface NewestView extends StoredView {
  uri: string;
  /** As in `resources/list`. */
  listed: object;
  /** Under its own address. */
  version: ReadyView;
  /** Under the address without a version. */
  alias: ReadyView;
}

const mostReady = 64;
const forever = 365 * 24 * 60 * 60 * 1_000;

/** The view of one app. */
export class ServedView {
  readonly addresses: ViewAddresses;
  readonly #app: string;
  readonly #source: ServedSource;
  readonly #options: ServedViewOptions;
  readonly #versions: ViewVersions;
  readonly #cache: { ttlMs: number; cacheScope: string };
  readonly #ready = new Map<string, ReadyView>();
  #newest: NewestView | undefined;

  constructor(app: string, source: ServedSource, options: ServedViewOptions) {
    this.addresses = viewAddresses(app);
    this.#app = app;
    this.#source = source;
    this.#options = options;
    this.#versions = options.versions ?? memoryVersions();
    this.#cache = checkCache(options.cache ?? {});
    if (options.domainByClient) checkDomains(app, options.domainByClient);
    if (options._meta?.ui !== undefined) {
      throw serverError("bad-metadata", `${app}: declare csp, permissions and the like directly`);
    }
    // Declarations can be checked before the document is requested.
    normaliseResourceMeta(this.addresses.alias, source.meta, options);
  }

  /** Address of the newest version. */
  get uri(): string {
    return this.#prepare().uri;
  }

  /** Registers the addresses on a server. */
  register(server: ResourceServer): void {
    const { uri, listed } = this.#prepare();
    const { warn } = this.#options;
    const registerResource = server.registerResource.bind(server) as (
      name: string,
      uri: unknown,
      config: object,
      read: unknown,
    ) => void;
    registerResource(this.#app, uri, listed, async (_: URL, context: unknown) =>
      this.#place(pick((await this.#renew()).version, context), clientOf(context, server)),
    );
    enlistResource(server, uri, warn);
    registerResource(
      `${this.#app} (every version)`,
      this.#template,
      listed,
      async (url: URL, _: unknown, context: unknown) =>
        this.#place(await this.#readOther(url.href, context), clientOf(context, server)),
    );
  }

  // By the shape of the SDK's `ResourceTemplate`: each SDK has its own class, neither of which we
  // import, and both only need this.
  readonly #template: object = {
    uriTemplate: {
      match: (uri: string) => {
        const version = this.addresses.read(uri);
        return version === undefined ? null : { version };
      },
      toString: () => this.addresses.template,
      variableNames: ["version"],
    },
    listCallback: undefined,
    completeCallback: () => undefined,
  };

  #prepare(): NewestView {
    if (this.#newest) return this.#newest;
    const { warn, previous = [] } = this.#options;
    const view = this.#judge(this.#load(this.#source));
    warnOfBorder(this.addresses.alias, view.meta, warn);
    for (const older of previous) this.#keep(this.#load(older));
    this.#newest = this.#makeReady(view);
    return this.#newest;
  }

  /** The newest version, which may be newer than last time. */
  async #renew(): Promise<NewestView> {
    const newest = this.#prepare();
    const html = this.#source.current ? await this.#source.current(newest.html) : newest.html;
    if (html === undefined) {
      const { alias } = this.addresses;
      const message = `The file of ${alias} is missing, empty or not an HTML document, so the last good version is served. Check the build's output, and build again.`;
      this.#options.warn({ code: "view-kept", about: alias, message });
    } else if (html !== newest.html) {
      this.#newest = this.#makeReady(this.#judge({ html, meta: newest.meta }));
    }
    return this.#newest ?? newest;
  }

  #judge(view: StoredView): StoredView {
    const { warn } = this.#options;
    judgeDocument(view.html, view.meta, { uri: this.addresses.alias, strict: true, warn });
    return view;
  }

  #makeReady(view: StoredView): NewestView {
    const { title, description } = this.#options;
    const { alias } = this.addresses;
    const listed = {
      mimeType: RESOURCE_MIME_TYPE,
      ...(title && { title }),
      ...(description && { description }),
      ...this.#metaOf(view),
    };
    if (this.#source.current) {
      const ready = this.#answer(view, alias, 0);
      return { ...view, uri: alias, listed, version: ready, alias: ready };
    }
    const [uri, version] = this.#keep(view);
    return { ...view, uri, listed, version, alias: this.#answer(view, alias, this.#cache.ttlMs) };
  }

  #load(source: string | ViewSource): StoredView {
    const { alias } = this.addresses;
    const { meta } = typeof source === "string" ? this.#source : source;
    const html = typeof source === "string" ? source : source.html();
    return { html, meta: normaliseResourceMeta(alias, meta, this.#options) };
  }

  /** Stores a version for later requests; returns its address and content. */
  #keep(view: StoredView): [uri: string, ready: ReadyView] {
    const hash = contentHash(view.html, view.meta);
    const uri = this.addresses.version(hash);
    const ready = this.#answer(view, uri, forever);
    this.#ready.set(hash, ready);
    Promise.resolve()
      .then(() => this.#versions.keep(this.#app, hash, view))
      .catch((cause) => this.#warnOfStore("keep", cause));
    return [uri, ready];
  }

  #answer(view: StoredView, uri: string, ttlMs: number): ReadyView {
    const { encoding } = this.#options;
    const content = encoding === "blob" ? { blob: toBlob(view.html) } : { text: view.html };
    const item = { uri, mimeType: RESOURCE_MIME_TYPE, ...content, ...this.#metaOf(view) };
    const { cacheScope } = this.#cache;
    return { modern: { contents: [item], ttlMs, cacheScope }, legacy: { contents: [item] } };
  }

  #metaOf({ meta }: StoredView): { _meta?: Record<string, unknown> } {
    const { ui: _, ...more } = this.#options._meta ?? {};
    const all = { ...more, ...(Object.keys(meta).length > 0 && { ui: meta }) };
    return Object.keys(all).length > 0 ? { _meta: all } : {};
  }

  /** The content with the domain for its client. A shared cache must not give it to others. */
  #place(result: ReadResult, client: ClientInfo | undefined): ReadResult {
    const { domainByClient } = this.#options;
    if (!domainByClient) return result;
    const domain = domainFor(this.#app, domainByClient, client);
    const contents = result.contents.map((item) => {
      const { _meta } = item as { _meta?: { ui?: object } };
      return domain === undefined
        ? item
        : { ...item, _meta: { ..._meta, ui: { ..._meta?.ui, domain } } };
    });
    return { ...result, contents, ...(result.cacheScope && { cacheScope: "private" }) };
  }

  async #readOther(uri: string, context: unknown): Promise<ReadResult> {
    const version = this.addresses.read(uri) ?? "newest";
    if (version === "newest") return pick((await this.#renew()).alias, context);
    const ready = this.#ready.get(version);
    if (ready) return pick(ready, context);
    const found = await this.#find(version);
    if (!found) return this.#readUnknown(uri, context);
    const answer = this.#answer(found, uri, forever);
    // Beyond that they are loaded again: a store may hold more than a process should.
    if (this.#ready.size < mostReady) this.#ready.set(version, answer);
    return pick(answer, context);
  }

  async #find(hash: string): Promise<StoredView | undefined> {
    try {
      const found = await this.#versions.find(this.#app, hash);
      // A store is untrusted code: its result must match the request.
      return found && contentHash(found.html, found.meta) === hash ? found : undefined;
    } catch (cause) {
      this.#warnOfStore("find", cause);
      return undefined;
    }
  }

  #readUnknown(uri: string, context: unknown): ReadResult {
    const { unknownVersions = "newest", warn } = this.#options;
    const newest = this.#prepare();
    const message = `${uri} is a version that isn't stored. Pass a store that outlives a deployment to defineApp, or the older views as previous.`;
    warn({ code: "version-unknown", about: this.#app, message });
    if (unknownVersions === "refuse") {
      // The SDK's response for an unknown resource.
      const error = new Error(`Resource ${uri} not found; the newest is ${newest.uri}`);
      throw Object.assign(error, { code: -32602, data: { uri, newest: newest.uri } });
    }
    // Never to be cached: the address promises other content.
    return pick(this.#answer(newest, uri, 0), context);
  }

  #warnOfStore(action: string, cause: unknown): void {
    const message = `The version store of "${this.#app}" failed to ${action} one: ${cause}. Older conversations may get a newer view.`;
    this.#options.warn({ code: "version-lost", about: this.#app, message });
  }
}

/** The response for the era of a request: cache hints are only sent if the protocol has them. */
function pick({ modern, legacy }: ReadyView, context: unknown): ReadResult {
  const { mcpReq } = (context ?? {}) as { mcpReq?: { envelope?: unknown } };
  return mcpReq?.envelope ? modern : legacy;
}
