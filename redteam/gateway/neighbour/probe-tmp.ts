import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bomb } from "../attacks/work.ts";
import { GatewayStage, hostileServer } from "../stage/stage.ts";

const stage = await GatewayStage.open();
const attacker = fork(fileURLToPath(new URL("./attacker.ts", import.meta.url)), {
  execArgv: process.execArgv,
});
const servers = {
  ...stage.servers(),
  views: hostileServer({ VIEW_BYTES: "1000000" }),
  bomb: hostileServer({ SCHEMA: bomb(60) }),
  unique: hostileServer({
    SCHEMA: '{"type":"object","properties":{"list":{"type":"array","uniqueItems":true}}}',
  }),
};
const gateway = await stage.start({ config: { servers } });
const alice = gateway.client("acme", "alice");
await Promise.all(
  ["bomb", "unique", "views"].map((server) => alice.call(server, "echo").catch(() => {})),
);
const tokens = ["mallory", "eve", "trudy"].map((user) => stage.issuer.token("bravo", user));
const show = async (what: string) => {
  const text = await (
    await fetch(`${gateway.operator}/metrics`, {
      headers: { authorization: `Bearer ${process.env.OPTOKEN ?? ""}` },
    })
  ).text();
  const lines = text
    .split("\n")
    .filter((line) =>
      /^(nodejs_(heap_size_used|heap_size_total|external)|process_resident)/.test(line),
    )
    .map((l) => {
      const [k, v] = l.split(" ");
      return `${k?.replace(/nodejs_|process_|_bytes/g, "")} ${(Number(v) / 2 ** 20).toFixed(0)}`;
    });
  console.log(what, gateway.process.memory(), lines.join(", "));
};
await show("begin");
for (const flood of process.argv.slice(2)) {
  attacker.send({ floods: [flood], port: gateway.port, tokens });
  for (let n = 0; n < 6; n++) {
    await sleep(500);
    await show(flood);
  }
  attacker.send("stop");
  await sleep(3000);
  await show("after");
}
attacker.kill("SIGKILL");
await stage.close();
