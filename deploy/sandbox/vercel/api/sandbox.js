// A sandbox on Vercel, with a Redis database that is reached over HTTPS, such as Upstash.

import { createSandbox } from "@vitrine/sandbox";
import { redisStore } from "@vitrine/sandbox/stores";

const { KV_REST_API_URL, KV_REST_API_TOKEN, SANDBOX_DOMAIN, SANDBOX_HOSTS, SANDBOX_KEY } =
  process.env;

/** Sends one command to the database. */
async function send(command) {
  const response = await fetch(KV_REST_API_URL, {
    method: "POST",
    headers: { authorization: `Bearer ${KV_REST_API_TOKEN}` },
    body: JSON.stringify(command),
  });
  const { result, error } = await response.json();
  if (error !== undefined || !response.ok) throw new Error(error ?? `status ${response.status}`);
  return result;
}

const sandbox = createSandbox({
  origins: {
    tier: "domain",
    domain: SANDBOX_DOMAIN ?? "",
    hosts: (SANDBOX_HOSTS ?? "").split(" "),
    key: SANDBOX_KEY ?? "",
  },
  store: redisStore(send),
  // Vercel rejects request bodies above 4.5 MB, and JSON can double a document.
  limits: { html: 2 * 2 ** 20 },
});
sandbox.onError((error) => console.error(error));

export default {
  fetch: (request) =>
    sandbox.fetch(request, {
      // Vercel sets it, and replaces what a client sends.
      address: request.headers.get("x-real-ip") ?? undefined,
    }),
};
