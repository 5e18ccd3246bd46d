import react from "@vitejs/plugin-react";
import { vitrineViews } from "@vitrine/server/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), vitrineViews()],
});
