import type { GatewayDefence } from "../defence.ts";

const PROOFS = "packages/cluster/test/nats/key-proofs.cluster.test.ts";
const CHECKPOINTS = "packages/gateway/test/audit/checkpoint.test.ts";
const EPOCHS = "packages/gateway/test/audit/key-epochs.test.ts";
const S11 = "packages/gateway/test/security/s11-anchor.process.test.ts";
const ENVELOPES = "packages/cluster/test/envelope.test.ts";

/** Defences against gateways and logs with other keys, or of other versions. */
export const KEY_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-key-proofs",
    edits: [
      {
        file: "gateway/src/service/key-proofs.ts",
        from: "if (entry) return problemOf(read(entry.value), name, keys);",
        to: "if (entry) return undefined;",
      },
    ],
    noticedBy: [`${PROOFS}#a gateway with any other key doesn't start`],
  },
  {
    name: "gateway-checkpoint-signatures",
    edits: [
      {
        file: "gateway/src/audit/checkpoint.ts",
        from: "return isSigned ? facts : undefined;",
        to: "return isSigned || isShaped ? facts : undefined;",
      },
    ],
    noticedBy: [
      `${CHECKPOINTS}#count only when they were signed`,
      `${S11}#S11: an anchor that was made without the key`,
    ],
  },
  {
    name: "gateway-checkpoint-digests",
    edits: [
      {
        file: "gateway/src/audit/checkpoint-check.ts",
        from: "if (found === undefined || found === digest) return undefined;",
        to: "if (found !== digest || found === digest) return undefined;",
      },
    ],
    noticedBy: [`${CHECKPOINTS}#notice a changed record`],
  },
  {
    name: "gateway-audit-one-log",
    edits: [
      {
        file: "gateway/src/audit/verify.ts",
        from: "if (log === this.#log) return;",
        to: "if (log !== undefined) return;",
      },
    ],
    noticedBy: [`${EPOCHS}#finds the runs and heads of another log`],
  },
  {
    name: "gateway-envelope-version",
    edits: [
      {
        file: "cluster/src/routing/envelope.ts",
        from: "return version < KEY_NAMED ? open : Buffer.concat([prefix, open]);",
        to: "return version < KEY_NAMED || prefix.length > 0 ? open : prefix;",
      },
    ],
    noticedBy: [`${ENVELOPES}#whose version was changed`],
  },
];
