interface ImportMeta {
  /** Vite sets it from the environment of the build. */
  readonly env: { readonly VITE_SANDBOX: string };
}
