import { svelte } from "@sveltejs/vite-plugin-svelte";
import { vitrineViews } from "@vitrine/server/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte({ configFile: false }), vitrineViews()],
});
