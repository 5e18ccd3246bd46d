import type {
  UpstreamErrorCode,
  UpstreamErrorFacts,
  UpstreamScope,
} from "@vitrine/gateway/upstreams";

/** The first part of an owner's response; without a `kind`, the server's response follows. */
export type OwnerResponse =
  | { kind?: undefined }
  | { kind: "not-owner" }
  | { kind: "error"; code: UpstreamErrorCode; message: string; facts: UpstreamErrorFacts };

/** The first part of a call; the message for the server follows. */
export interface CallFacts {
  scope: UpstreamScope;
  deadline: number;
}

/** A subscription to the changes of a server. */
export interface ListenFacts {
  scope: UpstreamScope;
  resources: string[];
}
