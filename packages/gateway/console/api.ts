// Requests to the admin API. The session is a cookie that scripts can't read, so nothing here has a secret.

/** A request that failed, with the API's message or our own. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Reads a resource. */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, { method: "GET", ...(signal && { signal }) });
}

/** Changes something. The header makes another origin's request need a preflight, which fails. */
export function change<T>(
  path: string,
  body: object = {},
  method: "POST" | "DELETE" = "POST",
): Promise<T> {
  return send<T>(path, {
    method,
    headers: { "content-type": "application/json", "vitrine-admin": "1" },
    body: JSON.stringify(body),
  });
}

/** A path with a query of the values that aren't empty. */
export function withQuery(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size > 0 ? `${path}?${query}` : path;
}

const OFFLINE =
  "The gateway doesn't answer. It may be restarting, or this computer is offline. This page tries again.";

async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError("offline", OFFLINE, error);
  }
  const body = (await response.json().catch(() => undefined)) as
    | (T & { error?: { code?: unknown; message?: unknown } })
    | undefined;
  if (response.ok) return body as T;
  const { code, message } = body?.error ?? {};
  throw new ApiError(
    response.status === 401 ? "signed-out" : `${code ?? response.status}`,
    typeof message === "string" ? message : `The gateway answered with status ${response.status}.`,
  );
}
