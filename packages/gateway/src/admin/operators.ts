// The operators of the admin port and their roles. A token of an identity provider must be issued for the admin
// port itself, so that a token that a chat or a server holds is worth nothing here. Roles are bound to one
// provider, because another one could put any name into its groups.

import { hash, timingSafeEqual } from "node:crypto";
import type { Authenticate, User } from "../identity/user-token.ts";

/** What an operator may do: read, or read and change. */
export type AdminRole = "viewer" | "operator";

/** The owner of a session or token. */
export interface Principal {
  /** For the audit log. */
  name: string;
  /** Undefined for the secret of the configuration. */
  user?: User & { groups: readonly string[]; issuedAt?: number };
  /** A hash of the secret, which ends its sessions when it changes. */
  secret?: string;
}

/** The rules for operators. */
export interface OperatorOptions {
  /** The secret of the configuration. */
  token(): string | undefined;
  /** Verifies a token that was issued for the admin port. Undefined if only the secret counts. */
  authenticate?: Authenticate | undefined;
  /** The address that tokens are issued for. */
  resource?: string | undefined;
  roles: Partial<Record<AdminRole, readonly string[]>>;
  /** Whether a user's access was revoked after a time. */
  isRevoked(user: User, issuedAt: number | undefined): boolean;
}

/** Knows the operators. */
export interface Operators {
  /** The owner of a token, or undefined if it isn't valid here. */
  identify(token: string): Promise<Principal | undefined>;
  /** The role of an owner now. Undefined if they have none any more. */
  roleOf(principal: Principal): AdminRole | undefined;
}

/** Creates the operators of a configuration. */
export function createOperators(options: OperatorOptions): Operators {
  const { token, authenticate, resource, roles, isRevoked } = options;
  const hasRole = (role: AdminRole, { tenant, user, groups }: NonNullable<Principal["user"]>) => {
    // With the tenant: its own administrators may name groups as they like.
    const names = new Set([
      `user:${tenant}/${user}`,
      ...groups.map((name) => `group:${tenant}/${name}`),
    ]);
    return (roles[role] ?? []).some((name) => names.has(name));
  };
  return {
    identify: async (given) => {
      const secret = token();
      if (secret !== undefined && isSame(given, secret)) {
        return { name: "admin.token", secret: hashOfSecret(secret) };
      }
      if (!authenticate || resource === undefined) return undefined;
      const found = await authenticate(given, [resource]);
      if (!found) return undefined;
      const { tenant, user, groups = [], issuedAt } = found;
      const owner = { tenant, user, groups, ...(issuedAt !== undefined && { issuedAt }) };
      return { name: `${tenant}/${user}`, user: owner };
    },
    roleOf: ({ user, secret }) => {
      const now = token();
      if (secret !== undefined) {
        return now !== undefined && secret === hashOfSecret(now) ? "operator" : undefined;
      }
      if (!user || isRevoked(user, user.issuedAt)) return undefined;
      if (hasRole("operator", user)) return "operator";
      return hasRole("viewer", user) ? "viewer" : undefined;
    },
  };
}

function isSame(given: string, expected: string): boolean {
  // Hashes have one length, so that the comparison tells nothing about the secret's.
  const [one, other] = [given, expected].map((text) => hash("sha256", text, "buffer"));
  return timingSafeEqual(one as Buffer, other as Buffer);
}

function hashOfSecret(secret: string): string {
  return hash("sha256", `vitrine admin ${secret}`, "base64url");
}
