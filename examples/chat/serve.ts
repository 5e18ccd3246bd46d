// `npm run chat`: starts everything and prints one address. `--check` runs the tests of the whole chain
// against the same parts, and ends. `--model` chooses another model, as in `vitrine chat`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startChat } from "./src/start.ts";

const { values } = parseArgs({
  options: { check: { type: "boolean" }, model: { type: "string" }, port: { type: "string" } },
});

if (values.check) {
  const child = spawn(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      ...["run", "--project", "e2e", "test/chat/gateway-chat.e2e.test.ts"],
    ],
    { cwd: fileURLToPath(new URL("../../", import.meta.url)), stdio: "inherit" },
  );
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
} else {
  const begun = performance.now();
  const chat = await startChat({ model: values.model, port: Number(values.port ?? 5290) });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`
  Chat      ${chat.url}

  Ready after ${seconds} s. You are ann, a user of the gateway ${chat.gateway.url}.
  Log in as ben:         ${chat.login} with the token ${chat.gateway.tokens.ben}
  Read the audit log:    npx vitrine gateway audit tail --folder ${chat.audit} --denied
  Stop with Ctrl+C.
`);
  chat.servers.weather.catch((error: Error) => {
    console.error(`The server "weather" is missing. ${error.message}`);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => chat.close());
}
