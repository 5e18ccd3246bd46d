// A sandbox on Cloudflare Workers. Texts of views are in KV; a Durable Object counts, because KV can't.

import { createSandbox } from "@vitrine/sandbox";
import { kvStore } from "@vitrine/sandbox/stores";

let sandbox;

/** Settings arrive with a request, so the sandbox is created with the first one. */
function sandboxOf(env) {
  sandbox ??= createSandbox({
    origins: {
      tier: "domain",
      domain: env.SANDBOX_DOMAIN,
      hosts: env.SANDBOX_HOSTS.split(" "),
      key: env.SANDBOX_KEY,
    },
    store: kvStore(env.VIEWS, { counter: createCounter(env.COUNTERS) }),
  });
  return sandbox;
}

/** One object for each counter, so that they don't wait for each other. */
function createCounter(namespace) {
  return async (key, amount, { ttl }) => {
    const counter = namespace.get(namespace.idFromName(key));
    const body = JSON.stringify({ amount, ttl });
    const response = await counter.fetch("https://counter/", { method: "POST", body });
    if (!response.ok) throw new Error(`The counter failed with status ${response.status}.`);
    return response.json();
  };
}

export default {
  fetch: (request, env) =>
    sandboxOf(env).fetch(request, {
      address: request.headers.get("cf-connecting-ip") ?? undefined,
    }),
};

/** A counter with an end. */
export class Counter {
  #storage;

  constructor({ storage }) {
    this.#storage = storage;
  }

  async fetch(request) {
    const { amount, ttl } = await request.json();
    const now = Date.now();
    // No other request runs between reading and writing: the platform holds them back.
    const held = await this.#storage.get("count");
    const isOpen = held !== undefined && held.until > now;
    const count = isOpen ? { ...held, sum: held.sum + amount } : { sum: amount, until: now + ttl };
    await this.#storage.put("count", count);
    if (!isOpen) await this.#storage.setAlarm(count.until + 1000);
    return Response.json(count.sum);
  }

  async alarm() {
    await this.#storage.deleteAll();
  }
}
