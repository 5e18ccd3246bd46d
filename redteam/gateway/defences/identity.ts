import type { GatewayDefence } from "../defence.ts";

const S20 = "packages/gateway/test/security/s20-authority.process.test.ts";
const S21 = "packages/gateway/test/security/s21-expiry.process.test.ts";
const S22 = "packages/cluster/test/s22-stored-values.cluster.test.ts";
const S24 = "packages/gateway/test/security/s24-refresh.process.test.ts";
const S27 = "packages/gateway/test/security/s27-logout.process.test.ts";
const S28 = "packages/gateway/test/security/s28-login-flood.process.test.ts";
const S29 = "packages/gateway/test/security/s29-scopes.process.test.ts";
const S30 = "packages/gateway/test/security/s30-revocation.test.ts";
const LOGIN = "packages/gateway/test/identity/login.process.test.ts";
const S31 = "packages/gateway/test/security/s31-ticket.process.test.ts";

/** Logins, tokens, tickets and what is stored of them. */
export const IDENTITY_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-secret-issuer-rule",
    edits: [
      {
        file: "gateway/src/config/rules.ts",
        from: "if (clientSecret !== undefined && issuer === undefined) {",
        to: "if (clientSecret !== undefined && issuer === null) {",
      },
    ],
    noticedBy: [`${S20}#S20: a configured client secret`],
  },
  {
    name: "gateway-return-address",
    edits: [
      {
        file: "gateway/src/identity/credentials/login-flow.ts",
        from: "return url.href;",
        to: "return returnTo;",
      },
    ],
    noticedBy: [`${LOGIN}#S33: the browser returns to the address`],
  },
  {
    name: "gateway-secret-issuer",
    edits: [
      {
        file: "gateway/src/identity/credentials/oauth-clients.ts",
        from: "if (oauth.clientSecret !== undefined && oauth.issuer !== issuer) {",
        to: "if (oauth.clientSecret !== undefined && issuer === undefined) {",
      },
    ],
    noticedBy: [`${S20}#S20: a client secret is never sent`],
  },
  {
    name: "gateway-issuer-endpoints",
    edits: [
      {
        file: "gateway/src/identity/credentials/authority.ts",
        from: "!sendsIssuer(metadata) && !isHome",
        to: "!sendsIssuer(metadata) && !metadata",
      },
    ],
    noticedBy: [`${S20}#S20: an honest authorization endpoint`],
  },
  {
    name: "gateway-client-name",
    edits: [
      {
        file: "gateway/src/identity/credentials/oauth-clients.ts",
        from: "Vitrine gateway: $",
        to: "Vitrine gateway",
      },
    ],
    noticedBy: [`${S20}#S20: the client that is registered`],
  },
  {
    name: "gateway-idle-expiry",
    edits: [
      {
        file: "gateway/src/edge/websocket-endpoint.ts",
        from: "of connections) if (connection.isExpired) expire(socket);",
        to: "of connections) if (connection.isExpired) void socket;",
      },
    ],
    noticedBy: [`${S21}#S21: an idle socket of a host`, `${S21}#S21: an idle socket of a view`],
  },
  {
    name: "gateway-expired-call",
    edits: [
      {
        file: "gateway/src/edge/websocket-endpoint.ts",
        from: "else if (connection.isExpired) expire(socket);",
        to: "",
      },
    ],
    noticedBy: [`${S21}#S21: a call over a socket`],
  },
  {
    name: "gateway-token-expiry",
    edits: [
      {
        file: "gateway/src/policy/admission.ts",
        from: "...(expires !== undefined && { expires })",
        to: "...{}",
      },
    ],
    noticedBy: [`${S21}#S21: an idle socket of a host`, `${S21}#S21: a stream over HTTP`],
  },
  {
    name: "gateway-stream-expiry",
    edits: [
      {
        file: "gateway/src/edge/message-handler.ts",
        from: "onExpiry(sender.caller.expires, () => over.abort())",
        to: "onExpiry(undefined, () => over.abort())",
      },
    ],
    noticedBy: [`${S21}#S21: a stream over HTTP`],
  },
  {
    name: "gateway-sealed-store",
    edits: [
      {
        file: "gateway/src/service/service.ts",
        from: "const engine = sealStore(opened, keyring, log);",
        to: "const engine = opened;",
      },
    ],
    noticedBy: [`${S22}#S22: a forged grant`, `${S22}#S22: no bucket holds a value`],
  },
  {
    name: "gateway-sealed-place",
    edits: [
      {
        file: "gateway/src/engine/sealed-engine.ts",
        from: "return [PURPOSE, bucket, key];",
        to: "return [PURPOSE];",
      },
    ],
    noticedBy: [`${S22}#S22: a sealed value opens in its own bucket`],
  },
  {
    name: "gateway-unreadable-change",
    edits: [
      {
        file: "gateway/src/engine/sealed-engine.ts",
        from: "else fn({ ...change, entry: undefined",
        to: "else if (!change.entry) fn({ ...change, entry: undefined",
      },
    ],
    noticedBy: [`${S22}#S22: garbage in the store ends a grant`],
  },
  {
    name: "gateway-unreadable-approval",
    edits: [
      {
        file: "gateway/src/policy/view-opener.ts",
        from: 'unreadable: "fail"',
        to: 'unreadable: "absent"',
      },
    ],
    noticedBy: [`${S22}#S22: an approval that can't be read`],
  },
  {
    name: "gateway-refresh-once",
    edits: [
      {
        file: "gateway/src/identity/credentials/tokens.ts",
        from: "return after.record.accessToken;",
        to: "if (!isGood(after, rejected)) return settle(user, server, rejected);\n      return after.record.accessToken;",
      },
      {
        file: "gateway/src/identity/credentials/tokens.ts",
        from: "now - issued < JUST_NOW || ",
        to: "",
      },
    ],
    noticedBy: [`${S24}#s is refreshed once for a call`],
  },
  {
    name: "gateway-refresh-margin",
    edits: [
      {
        file: "gateway/src/identity/credentials/tokens.ts",
        from: "Math.min(MARGIN, MARGIN_SHARE * (expires - issued))",
        to: "MARGIN",
      },
    ],
    noticedBy: [`${S24}#S24: a token of 30 s is used`],
  },
  {
    name: "gateway-refresh-pause",
    edits: [
      {
        file: "gateway/src/identity/credentials/tokens.ts",
        from: "if (!isNotConnected(error)) pauses.fail(key);",
        to: "",
      },
    ],
    noticedBy: [`${S24}#S24: after a failed refresh`],
  },
  {
    name: "gateway-rejection-pause",
    edits: [
      {
        file: "gateway/src/identity/credentials/refresh-pauses.ts",
        from: "if (isRejected) remember(",
        to: "if (!this) remember(",
      },
    ],
    noticedBy: [`${S24}#S24: a server that rejects every token`],
  },
  {
    name: "gateway-logout-everywhere",
    edits: [
      {
        file: "gateway/src/identity/credentials/logouts.ts",
        from: "if (logout) void end(logout, logout.server);",
        to: "void logout;",
      },
    ],
    noticedBy: [`${S27}#S27: a logout in one process`, `${S27}#S27: a call that is under way`],
  },
  {
    name: "gateway-logout-streams",
    edits: [
      {
        file: "gateway/src/identity/credentials/credentialed-upstream.ts",
        from: "      listening.stop();\n      add(this.#waiting",
        to: "      add(this.#waiting",
      },
      {
        file: "gateway/src/identity/credentials/credentialed-upstream.ts",
        from: "this.#newest.delete(key);",
        to: "",
      },
    ],
    noticedBy: [`${S27}#S27: a logout in one process`],
  },
  {
    name: "gateway-logout-calls",
    edits: [
      {
        file: "gateway/src/identity/credentials/credentialed-upstream.ts",
        from: "run.abort(LOGGED_OUT)",
        to: "void LOGGED_OUT",
      },
      {
        file: "gateway/src/identity/credentials/credentialed-upstream.ts",
        from: "await this.#credentials.sessions?.end(",
        to: "void (",
      },
    ],
    noticedBy: [`${S27}#S27: a call that is under way`],
  },
  {
    name: "gateway-revocation",
    edits: [
      {
        file: "gateway/src/identity/credentials/credentials.ts",
        from: "if (stored) await revocation.revoke(server, stored.record);",
        to: "void stored;",
      },
    ],
    noticedBy: [`${S27}#S27: the authorization server is asked`],
  },
  {
    name: "gateway-revocation-race",
    edits: [
      {
        file: "gateway/src/identity/credentials/tokens.ts",
        from: "if (!isKept) await options.revocation.revoke(server, renewed);",
        to: "void isKept;",
      },
    ],
    noticedBy: [`${S27}#S27: a token that was refreshed`],
  },
  {
    name: "gateway-revocation-deadline",
    edits: [
      {
        file: "gateway/src/identity/credentials/revocation.ts",
        from: "Promise.race([revoking, late])",
        to: "Promise.all([revoking, late]).then(([isDone]) => isDone)",
      },
    ],
    noticedBy: [`${S27}#S27: an authorization server that doesn't answer`],
  },
  {
    name: "gateway-login-rate",
    edits: [
      {
        file: "gateway/src/identity/credentials/login-limits.ts",
        from: "if (tokens < 1)",
        to: "if (tokens < -1)",
      },
    ],
    noticedBy: [`${S28}#S28: a user who asks`, `${S28}#S28: one user's flood`],
  },
  {
    name: "gateway-pending-of-user",
    edits: [
      {
        file: "gateway/src/identity/credentials/login-limits.ts",
        from: "if (own.length >= this.#limits.pendingOfUser)",
        to: "if (own.size < 0)",
      },
    ],
    noticedBy: [`${S28}#S28: unfinished logins of a user`],
  },
  {
    name: "gateway-pending-logins",
    edits: [
      {
        file: "gateway/src/identity/credentials/login-limits.ts",
        from: "if (this.#all.size >= this.#limits.pending)",
        to: "if (this.#all.size < 0)",
      },
    ],
    noticedBy: [`${S28}#S28: unfinished logins of all users`],
  },
  {
    name: "gateway-shared-discovery",
    edits: [
      {
        file: "gateway/src/identity/credentials/authority.ts",
        from: "if (before && before.until > clock()) return before.finding;",
        to: "",
      },
    ],
    noticedBy: [`${S28}#S28: many users`],
  },
  {
    name: "gateway-scope-ceiling",
    edits: [
      {
        file: "gateway/src/identity/credentials/login-flow.ts",
        from: "if (!ceiling) return scope;",
        to: "if (ceiling !== null) return scope;",
      },
    ],
    noticedBy: [`${S29}#S29`],
  },
  {
    name: "gateway-once-revocation",
    edits: [
      {
        file: "gateway/src/policy/grants.ts",
        from: "await single.delete(once);",
        to: "void once;",
      },
    ],
    noticedBy: [`${S30}#S30`],
  },
  {
    name: "gateway-ticket-tools",
    edits: [
      {
        file: "gateway/src/policy/catalogue.ts",
        from: "current?.hash === toolsHash ? current : snapshots.get(toolsHash);",
        to: "toolsHash ? current : undefined;",
      },
    ],
    noticedBy: [`${S31}#S31: a tool that changed`, `${S31}#S31: a process that doesn't know`],
  },
  {
    name: "gateway-ticket-size",
    edits: [
      {
        file: "gateway/src/policy/view-opener.ts",
        from: "toolsHash: snapshot.hash,",
        to: "toolsHash: snapshot.hash, ...{ tools: Object.fromEntries(snapshot.tools) },",
      },
    ],
    noticedBy: [`${S31}#S31: the ticket of a view with 500 tools`],
  },
];
