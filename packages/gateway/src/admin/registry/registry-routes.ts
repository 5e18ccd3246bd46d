import { type AdminRoute, optionalText, textOf } from "../route.ts";
import { importServer } from "./registry-import.ts";

/** `/registry` */
export const registryRoutes: readonly AdminRoute[] = [
  {
    method: "GET",
    path: "/registry",
    run: ({ query }, { registry }) =>
      registry().search(optionalText(query, "search") ?? "", optionalText(query, "cursor")),
  },
  {
    method: "POST",
    path: "/registry/import",
    // Returns the text to add. The configuration is a file of the operator, which the gateway never writes.
    run: async ({ body }, { registry }) => {
      const version = optionalText(body, "version");
      return importServer(await registry().read(textOf(body, "name"), version));
    },
  },
];
