import type { GatewayDefence } from "../defence.ts";

const SLOTS = "packages/gateway/test/security/s12-slots.process.test.ts";
const DOCUMENTS = "packages/gateway/test/security/s13-documents.process.test.ts";
const SCHEMAS = "packages/gateway/test/security/s05-schemas.timed.test.ts";

/** Defences that limit the work and the storage that third parties can cause in the gateway. */
export const WORK_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-schema-deadline",
    edits: [
      {
        file: "gateway/src/policy/schemas/schema-thread.ts",
        from: "timer = setTimeout(late, this.#deadlines[next]);",
        to: "timer = setTimeout(late, 2 ** 30);",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: a schema of nested pairs`],
  },
  {
    name: "gateway-schema-budget",
    edits: [
      {
        file: "gateway/src/policy/schemas/simple-check.ts",
        from: "return this.#steps >= 0;",
        to: "return true;",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: counts its steps`],
  },
  {
    name: "gateway-schema-strikes",
    edits: [
      {
        file: "gateway/src/policy/schemas/strikes.ts",
        from: "return entry && entry.count >= limit ?",
        to: "return entry && entry.count >= limit * 1e9 ?",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: rejects a server's schemas`],
  },
  {
    name: "gateway-schema-lanes",
    edits: [
      {
        file: "gateway/src/policy/schema-check.ts",
        from: "lane: subject.tenant,",
        to: "lane: JSON.stringify([subject.tenant === subject.tenant]),",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: a tenant whose checks are slow`],
  },
  {
    name: "gateway-redaction-budget",
    edits: [
      {
        file: "gateway/src/audit/secret-schema.ts",
        from: "const MOST_STEPS = 50_000;",
        to: "const MOST_STEPS = 2 ** 50;",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: redacts by a schema with thousands of patterns`],
  },
  {
    name: "gateway-slots-per-user",
    edits: [
      {
        file: "gateway/src/upstreams/fair-slots.ts",
        from: "perUser ?? part(limit, 1 / 4)",
        to: "perUser ?? limit",
      },
      {
        file: "gateway/src/upstreams/fair-slots.ts",
        from: "perTenant ?? part(limit, 3 / 4)",
        to: "perTenant ?? limit",
      },
    ],
    noticedBy: [`${SLOTS}#S12: one user can't take every slot`],
  },
  {
    name: "gateway-slots-per-tenant",
    edits: [
      {
        file: "gateway/src/upstreams/fair-slots.ts",
        from: "perTenant ?? part(limit, 3 / 4)",
        to: "perTenant ?? limit",
      },
    ],
    noticedBy: [`${SLOTS}#S12: a tenant with many users`],
  },
  {
    name: "gateway-slots-turns",
    edits: [
      {
        file: "gateway/src/upstreams/fair-slots.ts",
        from: "share.held >= (found?.[1].held ?? most)",
        to: "(found !== undefined || share.held >= most)",
      },
    ],
    noticedBy: [`${SLOTS}#S12: a free slot goes to`],
  },
  {
    name: "gateway-documents-after-approval",
    edits: [
      {
        file: "gateway/src/policy/view-opener.ts",
        from: "const policy = buildPolicy(document.meta);",
        to: "await documents.keep(server.id, document.html);\n      const policy = buildPolicy(document.meta);",
      },
    ],
    noticedBy: [`${DOCUMENTS}#S13: refused views write nothing`],
  },
  {
    name: "gateway-documents-quota",
    edits: [
      {
        file: "gateway/src/policy/resources/document-store.ts",
        from: "if (left < 0) break;",
        to: "",
      },
    ],
    noticedBy: [`${DOCUMENTS}#S13: a server's documents stay within its quota`],
  },
  {
    name: "gateway-tenant-names",
    edits: [
      {
        file: "cluster/src/tenant-shares.ts",
        from: "total += demand.get(tenant) ?? 0;",
        to: "total += (Object.fromEntries(demand) as Record<string, number>)[tenant] ?? 0;",
      },
    ],
    noticedBy: ["packages/cluster/test/s17-tenant-names.test.ts#S17: as a tenant"],
  },
  {
    name: "gateway-list-limits",
    edits: [
      {
        file: "gateway/src/policy/schemas/bounded-list.ts",
        from: "this.items.length >= items || this.characters > characters;",
        to: "items + characters < 0;",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: a list without end`],
  },
  {
    name: "gateway-definition-limits",
    edits: [
      {
        file: "gateway/src/policy/schemas/bounded-list.ts",
        from: "const LARGEST_DEFINITION = { characters: 256 * 1024, depth: 128 };",
        to: "const LARGEST_DEFINITION = { characters: 2 ** 40, depth: 2 ** 40 };",
      },
    ],
    noticedBy: [`${SCHEMAS}#S5: a definition that is huge`],
  },
];
