export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  devtools: { enabled: false },
  telemetry: false,
  app: {
    head: {
      title: "Chat",
      htmlAttrs: { lang: "en" },
      link: [{ rel: "icon", href: "data:," }],
    },
  },
  // Otherwise Vite finds them with the first request and loads the page again.
  vite: {
    optimizeDeps: { include: ["@vitrine/host", "@vitrine/host/vue", "@vitrine/view/inline"] },
  },
});
