import type { GatewayDefence } from "../defence.ts";

const S7 = "packages/gateway/test/security/s7-audit.test.ts";

/** Defences of the audit log: what a flood, a forger and a reader of it can do. */
export const AUDIT_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-audit-denial-counts",
    edits: [
      {
        file: "gateway/src/audit/audit.ts",
        from: "if (isDenial && !denials.take(",
        to: "if (false && isDenial && !denials.take(",
      },
    ],
    noticedBy: [`${S7}#S7: refused calls are counted`],
  },
  {
    name: "gateway-audit-denial-kinds",
    edits: [
      {
        file: "gateway/src/audit/denials.ts",
        from: "!isShort && ofUser < MOST_OF_USER && denials.full < MOST_OF_TENANT",
        to: "true",
      },
    ],
    noticedBy: [`${S7}#S7: many users of a tenant`],
  },
  {
    name: "gateway-audit-tenant-room",
    edits: [
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "return tenant.bytes <= free && user.bytes <= free * USER_PART;\n  }\n\n  /** Whether the end",
        to: "return free >= 0;\n  }\n\n  /** Whether the end",
      },
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "if (tenant.bytes === 0) return this.#total <= 2 * this.#most;",
        to: "",
      },
    ],
    noticedBy: [`${S7}#S7: a neighbour's calls`],
  },
  {
    name: "gateway-audit-user-room",
    edits: [
      {
        file: "gateway/src/audit/queue-room.ts",
        from: "const USER_PART = 1 / 4;",
        to: "const USER_PART = 1;",
      },
    ],
    noticedBy: [`${S7}#S7: one user doesn't take`],
  },
  {
    name: "gateway-audit-dropped-finding",
    edits: [
      {
        file: "gateway/src/audit/chain-check.ts",
        from: 'this.#find("dropped", place, {',
        to: "void ({",
      },
    ],
    noticedBy: [`${S7}#S7: a log that dropped records`],
  },
];
