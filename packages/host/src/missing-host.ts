/** The message of the error that components throw without a host. */
export const NO_HOST =
  "No Vitrine host was found. Create one with createHost() and provide it: wrap the components in <VitrineProvider host={host}> (React, Vue), or call provideVitrine(host) in a parent component (Svelte).";
