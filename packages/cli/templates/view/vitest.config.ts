import { defineConfig } from "vitest/config";

// Without the plugins of the view: tests run its built file.
export default defineConfig({
  test: { include: ["test/**/*.test.ts"], testTimeout: 30_000 },
});
