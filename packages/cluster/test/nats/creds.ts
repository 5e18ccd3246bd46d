// The same as `nsc` creates: an operator, an account with JetStream, and a user with a creds file.

import { nkeys } from "@nats-io/nats-core";

type KeyPair = ReturnType<typeof nkeys.createUser>;

const NO_LIMITS = {
  ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1 },
  ...{ leaf: -1, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
};

/** Lines for a server's configuration, and the creds file for it. */
export function makeCreds(): { config: string; creds: string } {
  const operator = nkeys.createOperator();
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()];
  const user = nkeys.createUser();
  const { mem_storage: _, disk_storage: __, ...withoutStore } = NO_LIMITS;
  const tokens = {
    operator: sign(operator, operator, { type: "operator" }),
    system: sign(operator, system, { type: "account", limits: withoutStore }),
    account: sign(operator, account, { type: "account", limits: NO_LIMITS }),
    user: sign(account, user, { type: "user", subs: -1, data: -1, payload: -1 }),
  };
  const config = [
    `operator: "${tokens.operator}"`,
    `system_account: ${system.getPublicKey()}`,
    "resolver: MEMORY",
    `resolver_preload: { ${system.getPublicKey()}: "${tokens.system}", ${account.getPublicKey()}: "${tokens.account}" }`,
  ].join("\n");
  const seed = Buffer.from(user.getSeed()).toString();
  return {
    config,
    creds: `${block("NATS USER JWT", tokens.user)}${block("USER NKEY SEED", seed)}`,
  };
}

function sign(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    jti: crypto.randomUUID(),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name: "trial",
    sub: subject.getPublicKey(),
    nats: { ...nats, version: 2 },
  };
  const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part(claims)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}

function block(name: string, text: string): string {
  return `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
}
