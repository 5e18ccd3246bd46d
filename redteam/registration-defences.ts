import type { Defence } from "./defences.ts";
import type { SourceEdit } from "./stage/source-edits.ts";

const edit = (file: string, from: string, to = ""): SourceEdit => ({
  file: `sandbox/src/${file}`,
  from,
  to,
});

/** Defences of the sandbox's server: who registers views, and what they find of others. */
export const REGISTRATION_DEFENCES: readonly Defence[] = [
  {
    name: "verified-identity",
    weakening: {
      sandbox: [edit("entrance.ts", "{ identity = credential?.identity,", "{ identity = vitrine,")],
    },
    stage: "tier-2",
    noticedBy: ["claimed-names"],
  },
  {
    name: "credential-once",
    weakening: {
      sandbox: [edit("entrance.ts", "if (credential && uses === 1)", "if (credential)")],
    },
    stage: "tier-2",
    noticedBy: ["claimed-names"],
  },
  {
    name: "credential-required",
    weakening: {
      sandbox: [
        edit("entrance.ts", 'if (mode !== "anonymous" && !authorize) return needsCredential();'),
        edit("entrance.ts", 'if (!identity && mode !== "anonymous") return needsCredential();'),
      ],
    },
    stage: "tier-1",
    noticedBy: ["claimed-names"],
  },
  {
    name: "anonymous-quota",
    weakening: { sandbox: [edit("anonymous-quota.ts", "{ ttl })) > own", "{ ttl })) < 0")] },
    stage: "tier-2",
    noticedBy: ["registration-flood"],
  },
  {
    name: "cleared-cookies",
    weakening: { any: (headers) => headers.delete("clear-site-data") },
    stage: "tier-1",
    noticedBy: ["cookie-clear"],
  },
  {
    name: "origin-per-version",
    weakening: { sandbox: [edit("origins.ts", "policyHash, htmlHash];", "policyHash];")] },
    stage: "tier-2",
    noticedBy: ["version-storage"],
  },
];
