import { vitrineViews } from "@vitrine/server/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vitrineViews()],
});
