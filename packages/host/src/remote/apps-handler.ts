// The server half of a host: a Fetch handler over the MCP clients of a product's server. It enforces
// the policy for views, and the page gets neither an address nor a key of a server.

import { REFUSED, RpcError } from "@vitrine/protocol";
import { isVisibleTo, toolResourceUri } from "@vitrine/protocol/apps/discovery";
import { catalogueOf } from "../resources/tool-catalogue.ts";
import type { SandboxCredential, Upstream } from "../upstreams/upstream.ts";
import { type AppsClients, upstreamOf } from "./apps-client.ts";
import {
  type AppsPolicy,
  type AppsUser,
  createCallPolicy,
  Denial,
  type DenialCode,
  type KnownView,
} from "./call-policy.ts";
import { answerOnce, answerStream, errorOf, readRequest, rejectionOf } from "./exchange.ts";
import { followLists } from "./list-changes.ts";
import { readOpenedResource } from "./opened-resource.ts";
import {
  type OpenedView,
  type RemoteRequest,
  type RemoteServer,
  TOO_MANY,
  UNAVAILABLE,
  VIEW_EXPIRED,
  type ViewTool,
} from "./remote-messages.ts";
import { RequestRejection } from "./request-body.ts";
import { createTokenSigner } from "./signed-token.ts";
import { createUserLimits } from "./user-limits.ts";

/** One decision about a view, for an audit log. */
export interface AppsEvent<User extends AppsUser = AppsUser> {
  /** `refused`: the page reports that the user or its host didn't allow the call, or that it failed. */
  readonly event: "opened" | "allowed" | "asked" | "denied" | "refused";
  readonly user: User;
  readonly server: string;
  readonly resource?: string | undefined;
  readonly method: string;
  /** The tool that a view called or was opened for. */
  readonly tool?: string | undefined;
  readonly reason?: DenialCode | "rate" | undefined;
}

/** Options of `createAppsHandler`. */
export interface AppsHandlerOptions<User extends AppsUser> {
  /** The connections by your names for their servers, the same for all users or those of one. */
  clients: AppsClients | ((user: User) => AppsClients | Promise<AppsClients>);
  /**
   * Identifies the user, from a cookie or header. Return nothing to reject the request, or your own
   * response.
   */
  authorize(request: Request): User | Response | undefined | Promise<User | Response | undefined>;
  policy?: AppsPolicy<User>;
  /** The sandbox, if it needs credentials: `credential` calls its `issueCredential`. */
  sandbox?: {
    entrance: string;
    credential(
      view: { server: string; resource: string; tenant?: string | undefined; user: string },
      user: User,
    ): string | Promise<string>;
  };
  /**
   * Signs what pages bring back; at least 32 random characters. Set the same one if several processes
   * serve a page; by default each process has its own.
   */
  key?: string;
  /** Requests of one user per minute; 600. */
  requestsPerMinute?: number;
  /** Called with every decision. */
  onEvent?(event: AppsEvent<User>): void;
}

/** The server half of a host. */
export interface AppsHandler<User extends AppsUser> {
  /** Answers the requests of `createRemoteServers`: mount it at one path, for POST. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Everything a page needs to show a view, to send it along with a tool's result. */
  open(user: User, view: ViewTool): Promise<OpenedView>;
}

const VIEW_TIME = 60 * 60_000;
const MOST_NAME = 256;

/** Creates a handler. */
export function createAppsHandler<User extends AppsUser>(
  options: AppsHandlerOptions<User>,
): AppsHandler<User> {
  const { authorize, sandbox, onEvent = () => {} } = options;
  const signer = createTokenSigner(options.key);
  const policy = createCallPolicy(signer, options.policy ?? {});
  const limits = createUserLimits(options.requestsPerMinute);

  const clientsOf = async (user: User): Promise<AppsClients> =>
    typeof options.clients === "function" ? options.clients(user) : options.clients;
  const connect = async (user: User, server: string, resource?: string): Promise<Upstream> => {
    const clients = await clientsOf(user);
    const client = Object.hasOwn(clients, server) ? clients[server] : undefined;
    if (!client) throw new RpcError(REFUSED, "This product has no server with that name.");
    return upstreamOf(client, { server, ...(resource !== undefined && { resource }) });
  };

  const credentialFor = async (
    user: User,
    { server, resource, upstream }: Pick<KnownView<User>, "server" | "resource" | "upstream">,
  ): Promise<SandboxCredential | undefined> => {
    if (!sandbox) return upstream.sandboxCredential?.(resource);
    const identity = { server, resource, tenant: user.tenant, user: user.id };
    return {
      entrance: sandbox.entrance,
      credential: await sandbox.credential(identity, user),
    };
  };

  const open = async (user: User, { server, tool: name }: ViewTool): Promise<OpenedView> => {
    const lists = await connect(user, server);
    const tool = await catalogueOf(lists).find(name);
    const resource = tool && toolResourceUri(tool).uri;
    if (!tool || resource === undefined) {
      throw new RpcError(REFUSED, `The server has no tool "${name.slice(0, 64)}" with an app.`);
    }
    const upstream = await connect(user, server, resource);
    const [read, view, credential] = await Promise.all([
      readOpenedResource(upstream, resource),
      signer.sign(
        { kind: "view", tenant: user.tenant ?? null, user: user.id, server, resource },
        VIEW_TIME,
      ),
      credentialFor(user, { server, resource, upstream }),
    ]);
    onEvent({ event: "opened", user, server, resource, method: "apps/open", tool: name });
    const { capabilities } = upstream;
    return {
      server,
      tool,
      capabilities,
      view,
      resource: read,
      ...(credential && { credential }),
    };
  };

  const catalogue = async (user: User): Promise<RemoteServer[]> =>
    Promise.all(
      Object.keys(await clientsOf(user)).map(async (server): Promise<RemoteServer> => {
        try {
          const upstream = await connect(user, server);
          const tools = (await catalogueOf(upstream).all()).filter(
            (tool) => toolResourceUri(tool).uri !== undefined,
          );
          return { server, capabilities: upstream.capabilities, tools };
        } catch {
          // The reason can contain addresses; it is for the product's own log.
          return { server, capabilities: {}, tools: [], error: "The server doesn't respond." };
        }
      }),
    );

  const knownView = async (user: User, token: unknown): Promise<KnownView<User>> => {
    const stated = await signer.read(token);
    const { kind, server, resource } = Object(stated) as Record<string, string>;
    const isTheirs = stated?.user === user.id && stated.tenant === (user.tenant ?? null);
    if (kind !== "view" || !isTheirs || server === undefined || resource === undefined) {
      throw new RpcError(VIEW_EXPIRED, "The view isn't open any more. Open it again.");
    }
    return { user, server, resource, upstream: await connect(user, server, resource) };
  };

  const forward = async (
    user: User,
    { message, view, consent }: RemoteRequest,
    { signal, onprogress }: { signal: AbortSignal; onprogress?: (progress: object) => void },
  ): Promise<unknown> => {
    const known = await knownView(user, view);
    const { server, resource, upstream } = known;
    const { method } = message;
    const { name } = Object(message.params) as { name?: unknown };
    const tool = typeof name === "string" ? name.slice(0, MOST_NAME) : undefined;
    const about = { user, server, resource, method, tool };
    const allowed = await policy
      .decide(known, { method, params: message.params, consent })
      .catch((error: unknown) => {
        const { reason } = Object(error) as Denial;
        const isAsked = reason === "consent" && consent === undefined;
        if (error instanceof Denial) {
          onEvent({ ...about, event: isAsked ? "asked" : "denied", reason });
        }
        throw error;
      });
    onEvent({ ...about, event: "allowed" });
    const result = await upstream.request(allowed.method, allowed.params as never, {
      signal,
      onprogress,
    });
    return method === "tools/list" ? withoutHidden(result) : result;
  };

  const serve = async (
    user: User,
    request: RemoteRequest,
    work: { signal: AbortSignal; onprogress?: (progress: object) => void },
  ): Promise<unknown> => {
    const { method, params } = request.message;
    if (method === "apps/catalogue") return { servers: await catalogue(user) };
    if (method === "apps/open") return open(user, readViewTool(params));
    if (method === "apps/refused") {
      const { server, resource } = await knownView(user, request.view);
      const tool = `${(params as { tool?: unknown }).tool}`.slice(0, MOST_NAME);
      onEvent({ event: "refused", user, server, resource, method: "tools/call", tool });
      return {};
    }
    if (method === "apps/credential") {
      const known = await knownView(user, request.view);
      return { credential: await credentialFor(user, known) };
    }
    return forward(user, request, work);
  };

  const outcomeOf = async (work: Promise<unknown>): Promise<object> => {
    try {
      return { result: (await work) ?? {} };
    } catch (error) {
      const away = new RpcError(UNAVAILABLE, "The server doesn't respond. Try again later.");
      return errorOf(error, away);
    }
  };

  const respond = async (request: Request): Promise<Response> => {
    const user = await authorize(request);
    if (user instanceof Response) return user;
    if (typeof user?.id !== "string") throw new RequestRejection(401, "Log in first.");
    const sent = await readRequest(request);
    const { id, method, params } = sent.message;
    const isListening = method === "apps/listen";
    const leave = limits.enter(user, { isListening });
    if (!leave) {
      onEvent({ event: "denied", user, server: "", method, reason: "rate" });
      return answerOnce(
        id,
        errorOf(undefined, new RpcError(TOO_MANY, "Too many requests. Wait a moment.")),
        429,
      );
    }
    const { progressToken } = Object((params as { _meta?: object })._meta) as {
      progressToken?: unknown;
    };
    if (!isListening && progressToken === undefined) {
      const outcome = await outcomeOf(serve(user, sent, { signal: request.signal }));
      leave();
      return answerOnce(id, outcome);
    }
    return answerStream(id, async (notify, gone) => {
      const signal = AbortSignal.any([request.signal, gone]);
      try {
        if (isListening) {
          return await followLists({
            servers: Object.keys(await clientsOf(user)),
            connect: (server) => connect(user, server),
            notify,
            signal,
          });
        }
        const onprogress = (progress: object): void =>
          notify({ method: "notifications/progress", params: { ...progress, progressToken } });
        return await outcomeOf(serve(user, sent, { signal, onprogress }));
      } finally {
        leave();
      }
    });
  };

  return {
    open,
    fetch: async (request) => {
      try {
        return await respond(request);
      } catch (error) {
        if (error instanceof RequestRejection) return rejectionOf(error);
        throw error;
      }
    },
  };
}

function readViewTool(params: object): ViewTool {
  const { server, tool } = params as Partial<ViewTool>;
  const isName = (name: unknown): boolean =>
    typeof name === "string" && name.length > 0 && name.length <= MOST_NAME;
  if (!isName(server) || !isName(tool)) {
    throw new RpcError(REFUSED, "Name the server and the tool of the view.");
  }
  return { server, tool } as ViewTool;
}

/** A view's list has the tools that it may call, and no others. */
function withoutHidden(result: unknown): unknown {
  const { tools } = Object(result) as { tools?: unknown };
  if (!Array.isArray(tools)) return result;
  return { ...Object(result), tools: tools.filter((tool) => isVisibleTo(tool, "app")) };
}
