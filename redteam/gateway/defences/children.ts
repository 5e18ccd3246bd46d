import type { GatewayDefence } from "../defence.ts";

const children = "packages/gateway/test/security/s19-children.process.test.ts";
const secrets = "packages/gateway/test/security/s19-secrets.process.test.ts";
const keyring = "packages/gateway/test/service/keyring.test.ts";
const childUser = "gateway/src/upstreams/stdio/child-user.ts";

/** What keeps servers that are programs from the gateway's keys, environment and memory. */
export const CHILD_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-child-user",
    edits: [
      {
        file: "gateway/src/upstreams/stdio/child-wire.ts",
        from: "user ? asUser(argv, user) : argv",
        to: "user && asUser ? argv : argv",
      },
    ],
    noticedBy: [`${children}#S19: can't read keys, environment or memory`],
  },
  {
    name: "gateway-child-user-required",
    edits: [
      {
        file: "gateway/src/config/isolation-rules.ts",
        from: 'if (runner !== "none" || server.user !== undefined || !isSharedGateway(config)) return;',
        to: "if (id || isSharedGateway(config)) return;",
      },
    ],
    noticedBy: [`${secrets}#S19: names a user for each server`],
  },
  {
    name: "gateway-child-own-user",
    edits: [
      { file: childUser, from: "if (uid === process.geteuid?.())", to: "if (uid === -1)" },
      { file: childUser, from: "if (gid === process.getegid?.())", to: "if (gid === -1)" },
      { file: childUser, from: "if (uid === 0 || gid === 0)", to: "if (uid === -1)" },
    ],
    noticedBy: [`${children}#S19: a server isn't started`],
  },
  {
    name: "gateway-child-privileges",
    edits: [
      {
        file: childUser,
        from: '["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--ambient-caps=-all"]',
        to: '["--keep-groups"]',
      },
    ],
    noticedBy: [`${children}#S19: can't read keys, environment or memory`],
  },
  {
    name: "gateway-child-kill",
    edits: [{ file: childUser, from: "if (!hasCapability(KILL))", to: "if (KILL < 0n)" }],
    noticedBy: [`${children}#S19: a server isn't started`],
  },
  {
    name: "gateway-undumpable",
    edits: [
      {
        file: "gateway/src/service/process-privacy.ts",
        from: "setegid(own === OTHER_GROUP ? OTHER_GROUP - 1 : OTHER_GROUP);",
        to: "void OTHER_GROUP;",
      },
    ],
    noticedBy: [`${children}#S19: a gateway without root is undumpable`],
  },
  {
    name: "gateway-inherited-descriptors",
    edits: [
      {
        file: "gateway/src/service/program.ts",
        from: "      closeInherited();",
        to: "void closeInherited;",
      },
    ],
    noticedBy: [`${children}#S19: secrets come by descriptor`],
  },
  {
    name: "gateway-environment-secrets",
    edits: [
      {
        file: "gateway/src/config/secret-rules.ts",
        from: "const problems = exposed.map(",
        to: "const problems = exposed.slice(0, 0).map(",
      },
    ],
    noticedBy: [`${secrets}#S19: takes no secret from the environment`],
  },
  {
    name: "gateway-secret-file-mode",
    edits: [
      {
        file: "gateway/src/config/secret-file.ts",
        from: "if ((stats.mode & 0o007) !== 0)",
        to: "if (stats.mode === -1)",
      },
    ],
    noticedBy: [
      `${secrets}#S19: takes secrets from files that only the gateway can read`,
      `${keyring}#S19: rejects a key file that another user can read`,
    ],
  },
  {
    name: "gateway-inline-secrets",
    edits: [
      {
        file: "gateway/src/config/secret-rules.ts",
        from: "(statSync(file).mode & 0o007) !== 0",
        to: "statSync(file).mode === 0",
      },
    ],
    noticedBy: [`${secrets}#S19: has no secret in a configuration file`],
  },
  {
    name: "gateway-separate-keys",
    edits: [
      {
        file: "gateway/src/service/keyring.ts",
        from: "keysOf(roots[name], name)",
        to: "keysOf(roots.ticket, name)",
      },
    ],
    noticedBy: [`${keyring}#S19: has roots that don't derive from each other`],
  },
];
