// Preloaded with `--import` into gateway processes of a mutation run: takes one defence away while its
// source files are loaded. Worker threads inherit it, so a defence that lives in a worker goes too.

import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { editedSource, findGatewayDefence } from "./edited-source.ts";
import { WITHOUT } from "./preload.ts";

const name = process.env[WITHOUT];
if (name) {
  const defence = findGatewayDefence(name);
  registerHooks({
    load: (url, context, nextLoad) => {
      const [address = ""] = url.split("?");
      const source = url.startsWith("file:")
        ? editedSource(defence, fileURLToPath(address))
        : undefined;
      if (source === undefined) return nextLoad(url, context);
      const isTyped = address.endsWith(".ts");
      return {
        format: "module",
        source: isTyped ? stripTypeScriptTypes(source) : source,
        shortCircuit: true,
      };
    },
  });
}
