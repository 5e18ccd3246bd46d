import { defineConfig } from "vitest/config";

// Not vite.config.ts: the tests use the built view.
export default defineConfig({ test: { testTimeout: 30_000 } });
