// Random `_meta.ui` that no honest server sends, the same for each run.

const FRAGMENTS = [
  "https://",
  "wss://",
  "http://",
  "*.",
  "*",
  "a.com",
  "evil.com",
  "api.example.org",
  "localhost",
  "127.0.0.1",
  "[::1]",
  ":443",
  ":8443",
  ":*",
  "/",
  "/path",
  "?q",
  "#f",
  "@",
  ";",
  "; script-src *",
  ",",
  " ",
  "\t",
  "\r\n",
  "\0",
  "\u00a0",
  "\u200b",
  "\u202e",
  "\ud800",
  "\uff41",
  "\u3002",
  "'self'",
  "'unsafe-eval'",
  '"',
  "\\",
  "%0d%0a",
  "$&",
  "bücher.de",
  "github.io",
  "data:",
  "x".repeat(70),
  "-",
  "_",
];
const KEYS = [
  "connectDomains",
  "resourceDomains",
  "frameDomains",
  "baseUriDomains",
  "csp",
  "permissions",
  "domain",
  "camera",
  "microphone",
  "geolocation",
  "clipboardWrite",
  "usb",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "script-src",
];

/** Numbers from 0 to 1, always the same for one seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Builds one hostile thing after another. */
export class HostileMeta {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** Mostly of the right outline, so that the depths are reached too. */
  next(): unknown {
    if (this.#below(10) === 0) return this.#value(3);
    const csp: Record<string, unknown> = {};
    for (const key of KEYS.slice(0, 4)) if (this.#below(2)) csp[key] = this.#list();
    const permissions: Record<string, unknown> = {};
    for (const key of KEYS.slice(7, 12)) if (this.#below(2)) permissions[key] = this.#value(1);
    return this.#disguise({ csp: this.#disguise(csp), permissions: this.#disguise(permissions) });
  }

  #list(): unknown {
    if (this.#below(12) === 0) return this.#value(2);
    const length = this.#below(40) === 0 ? 200 : this.#below(5);
    return this.#disguise(Array.from({ length }, () => this.#item()));
  }

  #item(): unknown {
    const kind = this.#below(8);
    if (kind === 0) return this.#value(1);
    if (kind < 3) return `https://h${this.#below(1000)}.example.org`;
    return this.#text();
  }

  #text(): string {
    return Array.from({ length: this.#below(5) }, () => this.#pick(FRAGMENTS)).join("");
  }

  #value(depth: number): unknown {
    switch (this.#below(depth > 0 ? 14 : 11)) {
      case 0:
        return null;
      case 1:
        return Number.NaN;
      case 2:
        return 2 ** 53;
      case 3:
        return true;
      case 4:
        return Symbol("x");
      case 5:
        return 10n;
      case 6:
        return () => "https://evil.com";
      case 7:
        return new Proxy([], { get: explode, getOwnPropertyDescriptor: explode });
      case 8:
        return revoked();
      case 9:
        return new Map([["connectDomains", ["https://evil.com"]]]);
      case 10:
        return this.#text();
      case 11:
        return Array.from({ length: this.#below(4) }, () => this.#value(depth - 1));
      default: {
        const object: Record<string, unknown> = {};
        for (let left = this.#below(5); left > 0; left -= 1) {
          Object.defineProperty(object, this.#pick(KEYS), {
            value: this.#value(depth - 1),
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }
        return object;
      }
    }
  }

  /** The same content, behind a trap for careless readers. */
  #disguise(value: object): unknown {
    switch (this.#below(16)) {
      case 0:
        return Object.create(value);
      case 1:
        return new Proxy(value, { get: explode });
      case 2:
        return new Proxy(value, { ownKeys: explode, has: explode });
      case 3:
        return new Proxy(value, { getOwnPropertyDescriptor: explode });
      case 4: {
        const copy = Array.isArray(value) ? [...value] : { ...value };
        for (const key of Object.keys(copy)) {
          Object.defineProperty(copy, key, { get: explode, enumerable: true });
        }
        return copy;
      }
      default:
        return value;
    }
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function explode(): never {
  throw new Error("a getter or trap ran");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}
