import type { OwnableUpstream, UpstreamScope } from "../../upstreams/upstream.ts";
import { type TokenSource, TokenUpstream } from "./token-upstream.ts";

/** Adds a token that all users share. Sessions stay as the server's `sharing` setting wants them. */
export class ServiceTokenUpstream extends TokenUpstream implements OwnableUpstream {
  readonly #local: OwnableUpstream;

  constructor(local: OwnableUpstream, source: TokenSource) {
    super(local, source);
    this.#local = local;
  }

  /** May have to ask the server, which needs the token too. */
  stateKey(scope: UpstreamScope): Promise<string | undefined> {
    return this.authenticated(scope, async (own) => this.#local.stateKey(own));
  }

  changeKey(scope: UpstreamScope): string {
    return this.#local.changeKey(scope);
  }

  end(key?: string): Promise<void> {
    return this.#local.end(key);
  }
}
