// Opens a View: reads its document, determines its permissions, and compares them with the user's last
// approval. Then issues a ticket for exactly these.

import { buildPolicy, policyHash } from "@vitrine/sandbox";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import { type Refusal, refuse } from "../errors/refusal.ts";
import type { TicketClaims, Tickets } from "../identity/view-ticket.ts";
import { ownRequest, QUIET_IDENTITY } from "../upstreams/frames/request-meta.ts";
import { type Access, mayUse } from "./authorization/access.ts";
import type { Caller } from "./caller.ts";
import type { EndedViews } from "./ended-views.ts";
import type { Exchange } from "./exchange.ts";
import { createExchange } from "./exchange.ts";
import type { Pipeline } from "./pipeline.ts";
import type { DocumentStore } from "./resources/document-store.ts";
import type { UiResources } from "./resources/ui-resources.ts";
import type { ServerBinding } from "./server-binding.ts";
import { scopeOf } from "./server-request.ts";

/** A View that may be shown. */
export interface OpenedView {
  ticket: string;
  claims: TicketClaims;
  html: string;
  /** `_meta.ui` of the resource, as the server sent it. */
  meta: unknown;
  /** Names of the tools that the View may call. */
  tools: string[];
  /** The capabilities of the server. */
  capabilities: Record<string, unknown>;
}

/** The parts of a View that were approved, or need approval. */
export interface Approval {
  html: string;
  domains: string;
  tools: string;
}

/** Opens Views. */
export interface Views {
  open(
    exchange: Pick<Exchange, "caller" | "server" | "signal">,
    request: { resource: string; approve?: string | undefined },
  ): Promise<OpenedView | Refusal>;
}

const PARTS = ["html", "domains", "tools"] as const;
const LONGEST_URI = 2048;
const LONGEST_GROUPS = 4096;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Creates the view opener. */
export function createViews(options: {
  engine: Engine;
  tickets: Tickets;
  resources: UiResources;
  documents: DocumentStore;
  pipeline: Pipeline;
  access: Access;
  endedViews?: EndedViews | undefined;
}): Views {
  const { engine, tickets, resources, documents, pipeline, access } = options;
  // A first View needs no approval, so an unreadable approval must not count as a missing one.
  const approvals = engine.kv("approvals", { durable: true, unreadable: "fail" });

  /** Compares with the last approval. Opening the first View of a server approves it. */
  const decide = async (
    caller: Caller,
    server: ServerBinding,
    resource: string,
    now: Approval,
    approve: string | undefined,
  ): Promise<Refusal | undefined> => {
    const key = hashOf([caller.tenant, caller.user, server.id, resource]);
    const known = await lastApproval(approvals, key);
    const changes = known ? PARTS.filter((part) => known[part] !== now[part]) : [];
    const proposal = hashOf(now);
    if (changes.length > 0 && approve !== proposal) {
      const message = `The view's ${changes.join(", ")} changed since the last approval. Ask the user, then send "approve".`;
      return refuse("changed-since-approval", message, { data: { changes, approve: proposal } });
    }
    if (!known || changes.length > 0) await approvals.put(key, encoder.encode(JSON.stringify(now)));
    return undefined;
  };

  const checkOpening = (
    opening: Parameters<EndedViews["openingRefusal"]>[0],
  ): Refusal | undefined => {
    const { resource } = opening;
    return resource.startsWith("ui://") && resource.length <= LONGEST_URI
      ? options.endedViews?.openingRefusal(opening)
      : refuse("malformed", "resource must be a ui:// address.");
  };

  return {
    open: async ({ caller, server, signal }, { resource, approve }) => {
      const { tenant, user } = caller;
      const early = checkOpening({ tenant, user, server: server.id, resource });
      if (early) return early;
      const reply = await pipeline.run(readRequest({ caller, server, signal }, resource));
      if (reply.refusal) return reply.refusal;
      const document = resources.document(reply.message, resource);
      if (!document)
        return refuse("unavailable", "The server doesn't have this view. Check its address.");
      const policy = buildPolicy(document.meta);
      const tools = await server.catalogue.tools({ ...caller, party: "view" });
      const snapshot = await tools.snapshot();
      const domains = await policyHash(policy);
      const now = { html: document.hash, domains, tools: snapshot.hash };
      const refusal = await decide(caller, server, resource, now, approve);
      if (refusal) return refusal;
      // Stored only after approval. Otherwise a server could fill the disk with unwanted documents.
      if (!(await documents.keep(server.id, document.html))) {
        return refuse(
          "too-large",
          "The view's document is larger than the operator allows (documents.keepBytes).",
        );
      }
      const claims = groupClaims(caller, isGroupNeeded(access, server));
      if ("code" in claims) return claims;
      const issued = await tickets.issue({
        ...{ ...ownerClaims(caller), ...claims },
        server: server.id,
        resource,
        htmlHash: document.hash,
        policyHash: domains,
        toolsHash: snapshot.hash,
      });
      const { capabilities } = await server.upstream.discover(scopeOf({ caller, server }));
      const asView = { ...caller, party: "view" } as const;
      const names = [...snapshot.tools.keys()].filter((name) => {
        const found = tools.callable(name, asView);
        const target = { action: "call", tool: "tool" in found ? found.tool : { name } } as const;
        return mayUse(access, { caller: asView, server }, target);
      });
      return { ...issued, html: document.html, meta: document.meta, tools: names, capabilities };
    },
  };
}

function ownerClaims({
  tenant,
  user,
  issuedAt,
}: Caller): Pick<TicketClaims, "tenant" | "user" | "tokenIat"> {
  return { tenant, user, ...(issuedAt !== undefined && { tokenIat: issuedAt / 1000 }) };
}

/** Policies decide by groups, and some servers want to know them. */
function isGroupNeeded({ authorizer }: Access, { settings }: ServerBinding): boolean {
  return authorizer !== undefined || settings.passes?.groups === true;
}

/** A ticket is a header, so it can't hold any number of groups. */
function groupClaims(
  { groups, issuer }: Caller,
  isNeeded: boolean,
): Refusal | Pick<TicketClaims, "groups" | "issuer"> {
  if (!isNeeded) return {};
  if (JSON.stringify(groups ?? []).length > LONGEST_GROUPS) {
    const message =
      "Your token has too many groups for a view. Ask the operator to send fewer groups.";
    return refuse("too-large", message);
  }
  return { ...(groups && { groups }), ...(issuer !== undefined && { issuer }) };
}

/** Undefined for a first View. An unreadable approval differs from the current View in every part. */
async function lastApproval(approvals: Kv, key: string): Promise<Partial<Approval> | undefined> {
  try {
    const entry = await approvals.get(key);
    return entry && (JSON.parse(decoder.decode(entry.value)) as Approval);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    if (error instanceof EngineError && error.code === "corrupt") return {};
    throw error;
  }
}

/** The gateway's own `resources/read`, through the same pipeline as any other request. */
function readRequest(
  { caller, server, signal }: Pick<Exchange, "caller" | "server" | "signal">,
  uri: string,
): Exchange {
  const message = ownRequest(1, "resources/read", { uri }, QUIET_IDENTITY);
  const given = { carrier: "websocket", message, size: 0, headers: {}, signal } as const;
  return createExchange({ caller, server }, { ...given, notify: () => {} });
}
