import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";
import { hostileServer } from "../stage/stage.ts";

const CANARY = "canary-0123456789abcdef0123456789abcdef";

/** Attacks by servers on the gateway's own secrets, and by names that mean something to JavaScript. */
export const SECRET_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "parent-environment",
    entries: [166],
    finding: "S19",
    title: "a stdio server can't read the gateway's secrets from /proc",
    run: async (stage) => {
      // A secret in the environment is a configuration error; its starter may have put one there.
      const gateway = await stage.start({ environment: { CANARY } });
      const { text } = await gateway.client("bravo", "mallory").call("js", "parent");
      return [
        ...unlessTried(text.includes("content"), `the call ended with ${excerpt(text)}`),
        ...unless(!text.includes(CANARY), "the server read the environment of its parent"),
      ];
    },
  },
  {
    id: "unpinned-client-secret",
    entries: [167],
    finding: "S20",
    title: "a client secret without a pinned issuer is a configuration error",
    run: async (stage) => {
      const server = (oauth: object) => ({
        listen: { host: "127.0.0.1", port: 8090, publicUrl: "https://gateway.example" },
        servers: { s: { url: "https://mcp.example/mcp", oauth } },
      });
      // The configuration of the stage can be read by the gateway alone, so it may hold a secret.
      const client = { clientId: "corp", clientSecret: CANARY };
      const pinned = await stage.check(server({ ...client, issuer: "https://login.example" }));
      const unpinned = await stage.check(server(client));
      return [
        ...unlessTried(pinned.code === 0, `with an issuer: ${excerpt(pinned.output)}`),
        ...unless(unpinned.code !== 0, "without an issuer the configuration is accepted"),
      ];
    },
  },
  {
    id: "prototype-names",
    entries: [164],
    finding: "S17",
    title: "names of Object.prototype are tenants, users, servers and tools like any other",
    run: async (stage) => {
      const gateway = await stage.start({
        config: {
          limits: { userPerMinute: 60, tenantPerMinute: 60 },
          servers: { js: hostileServer() },
        },
      });
      const complaints: string[] = [];
      for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
        const client = gateway.client(name, name);
        const server = await client.call(name, "echo");
        const tool = await client.call("js", name);
        const answers = await Promise.all(
          Array.from({ length: 200 }, () => client.call("js", "echo")),
        );
        const passed = answers.filter(({ status }) => status === 200).length;
        const failed = answers.find(({ status }) => status === 500);
        complaints.push(
          ...unless(server.status === 404, `server ${name}: HTTP ${server.status}`),
          ...unless(tool.text.includes("unknown-tool"), `tool ${name}: ${excerpt(tool.text)}`),
          ...unless(passed > 0 && !failed, `tenant ${name} gets HTTP ${answers[0]?.status}`),
          ...unless(passed < 150, `tenant ${name}: ${passed} of 200 calls passed a limit of 60`),
        );
      }
      return complaints;
    },
  },
];
