import type { Upstream } from "@vitrine/host";

/**
 * The same server, which answers a question once more without being asked: who looks whether a View has
 * changed has read it, and its Host need not wait for the same page.
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
