import { type Upstream, UpstreamError } from "../upstreams/upstream.ts";

/** The same upstream. `observe` is called after each call with the failure, or undefined after a success. */
export function observeUpstream(
  upstream: Upstream,
  observe: (failure: UpstreamError | undefined) => void,
): Upstream {
  const seen = async <Result>(doing: Promise<Result>): Promise<Result> => {
    try {
      const result = await doing;
      observe(undefined);
      return result;
    } catch (error) {
      observe(error instanceof UpstreamError ? error : unexpected(error));
      throw error;
    }
  };
  return {
    id: upstream.id,
    kind: upstream.kind,
    send: (call) => seen(upstream.send(call)),
    notify: (message, scope) => seen(upstream.notify(message, scope)),
    discover: (scope) => seen(upstream.discover(scope)),
    listen: (scope, fn, options) => upstream.listen(scope, fn, options),
    close: () => upstream.close(),
  };
}

function unexpected(cause: unknown): UpstreamError {
  return new UpstreamError("unreachable", "The call failed inside the gateway.", { cause });
}
