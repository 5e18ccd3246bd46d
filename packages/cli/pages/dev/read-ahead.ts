import type { Upstream } from "@vitrine/host";

/**
 * The same server, which returns one response a second time without a request: the check for a
 * changed view has read it, so the host need not wait for the same page.
 */
export function readAhead(upstream: Upstream): Upstream {
  const answers = new Map<string, Promise<never>>();
  return {
    server: upstream.server,
    get capabilities() {
      return upstream.capabilities;
    },
    request: (method, params, options) => {
      if (!method.startsWith("resources/")) return upstream.request(method, params, options);
      const key = `${method} ${JSON.stringify(params)}`;
      const kept = answers.get(key);
      if (kept) {
        answers.delete(key);
        return kept;
      }
      const answer = upstream.request(method, params, options) as Promise<never>;
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      return answer;
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
  };
}
