/** Bounds on what a View may send; the server that wrote the page may name others. */
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
  /** When present, the only methods relayed; absent by default, because SBX-11 wants them all. */
  methods?: string[];
}

/** What both pages know: who may embed them. */
interface AnyPage {
  /** The only origins we speak to. */
  hosts: string[];
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
  /** The document is the View's text alone until the Host wants the View itself. */
  hold?: boolean;
  /** The origin of its messages; `"null"` where the browser gives it none (one-domain set-ups). */
  origin: string;
  mode: "window" | "port";
  /** What the server has decided, for a Host that was not there; with a port only. */
  registered?: object;
  /** Features granted to the View, as an `allow` attribute. */
  allow?: string;
  /** The flags a Host asked for; we apply those of them that are harmless. */
  sandbox?: string;
  limits?: Partial<RelayLimits>;
}

/** The bounds where a page names no others. */
export const RELAY_LIMITS: RelayLimits = {
  message: 2 ** 20,
  download: 2 ** 22,
  depth: 64,
  values: 100_000,
  rate: 100,
  burst: 200,
  bursts: 3,
  strikes: 20,
};

/**
 * What the server wrote beside the script. The script itself is pinned by its hash and the same for
 * every View, so data cannot travel inside it.
 */
export function readPage(): EntrancePage | ViewPage {
  return JSON.parse(document.documentElement.dataset.vitrine as string);
}
