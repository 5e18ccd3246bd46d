// A few routes with parameters; the page is their only client.

/** Answers a request; `parts` are the values of `:name` in the pattern. */
export type Route = (
  request: Request,
  parts: Readonly<Record<string, string>>,
) => Response | Promise<Response>;

/** Finds the route of a request: `"DELETE /api/conversations/:id"`, `"ANY /api/apps*"`. */
export function createRouter(
  routes: Readonly<Record<string, Route>>,
): (request: Request) => Promise<Response> {
  const compiled = Object.entries(routes).map(([pattern, route]) => {
    const [method, path = ""] = pattern.split(" ");
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    const shape = new RegExp(`^${path.replace(/:\w+/g, "([^/]+)").replace(/\*$/, ".*")}$`);
    return { method, shape, names, route };
  });
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const { method, shape, names, route } of compiled) {
      const match = (method === "ANY" || method === request.method) && shape.exec(pathname);
      if (!match) continue;
      const parts = names.map((name, at) => [name, decode(match[at + 1] ?? "")]);
      return route(request, Object.fromEntries(parts) as Record<string, string>);
    }
    return new Response("Not found.", { status: 404 });
  };
}

/** An empty answer: it worked, or there is nothing under this address. */
export function done(isFound = true): Response {
  return new Response(null, { status: isFound ? 204 : 404 });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
