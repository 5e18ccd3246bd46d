// The tests of the repository on sources without one defence, named by an environment variable.

import { defineConfig } from "vitest/config";
import usual from "../../../vitest.config.ts";
import { editedSource, findGatewayDefence } from "./edited-source.ts";
import { WITHOUT } from "./preload.ts";

const defence = findGatewayDefence(process.env[WITHOUT] ?? "");
const withoutDefence = {
  name: "vitrine-without-defence",
  enforce: "pre" as const,
  load: (id: string): string | undefined => editedSource(defence, id.split("?")[0] ?? ""),
};
const { test } = usual as { test: { projects: { plugins?: object[]; test: object }[] } };

export default defineConfig({
  root: new URL("../../../", import.meta.url).pathname,
  test: {
    fsModuleCache: false,
    projects: test.projects.map((project) => ({
      ...project,
      plugins: [withoutDefence, ...(project.plugins ?? [])],
      // A test that has to fail fails once.
      // Transforms cached on disk belong to the sources as they are, so an edit would not be loaded.
      test: { ...project.test, retry: 0, fsModuleCache: false },
    })) as never,
  },
});
