import { createHost, webStore } from "@vitrine/host";

export const host = createHost({
  sandbox: import.meta.env.VITE_SANDBOX ?? "http://proxy.localhost:8081/",
  store: webStore(),
});
