/** Limits on a View's messages; the server that wrote the page may set others. */
export interface RelayLimits {
  /** Characters of one message as JSON. */
  message: number;
  /** The same for `ui/download-file`, which carries files. */
  download: number;
  /** Arrays and objects inside each other. */
  depth: number;
  /** Values in one message, at any depth. */
  values: number;
  /** Messages a second, in the long run. */
  rate: number;
  /** Messages at once. */
  burst: number;
  /** Seconds with more messages than that, after which one more stops the View. */
  bursts: number;
  /** Messages refused for their size or kind, after which one more stops the View. */
  strikes: number;
  /** Entries that may be added to the page's history at once, those of the host included. */
  entries: number;
  /** Bytes that the view's origin may store. */
  storage: number;
  /** When present, the only methods relayed; absent by default, because SBX-11 wants them all. */
  methods?: string[];
}

/** The settings of both pages: which origins may embed them. */
interface AnyPage {
  /** The only origins that we exchange messages with. */
  hosts: string[];
  /** The one of them that probably embeds the page, for browsers that don't tell. */
  host?: string;
}

/** The page that waits for a Host's `sandbox-resource-ready`. */
export interface EntrancePage extends AnyPage {
  /** Proof for the server that the registration comes from a page it served. */
  token: string;
}

/** The page of one View. */
export interface ViewPage extends AnyPage {
  /** The View's document; it can be loaded once. */
  view: string;
  /** The document only holds the View's text until the Host mounts the View. */
  hold?: boolean;
  /** The address that clears the storage of the view's origin; absent if it can't store anything. */
  clear?: string;
  /** The origin of its messages; `"null"` where the browser gives it none (one-domain set-ups). */
  origin: string;
  mode: "window" | "port";
  /** The server's decision, for a Host that didn't register the View itself; only with a port. */
  registered?: object;
  /** Features granted to the View, as an `allow` attribute. */
  allow?: string;
  /** The flags that a Host requested; only the harmless ones are applied. */
  sandbox?: string;
  limits?: Partial<RelayLimits>;
}

/** The default limits. */
export const RELAY_LIMITS: RelayLimits = {
  message: 2 ** 20,
  download: 2 ** 22,
  depth: 64,
  values: 100_000,
  rate: 100,
  burst: 200,
  bursts: 3,
  strikes: 20,
  entries: 20,
  storage: 50 * 2 ** 20,
};

/**
 * The data that the server wrote next to the script. The script itself is pinned by its hash and
 * the same for every View, so it can't contain data.
 */
export function readPage(): EntrancePage | ViewPage {
  return JSON.parse(document.documentElement.dataset.vitrine as string);
}
