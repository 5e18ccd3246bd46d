/** Where processes run and what they may use. */
export interface IsolationConfig {
  runner?: "auto" | "bubblewrap" | "container" | "kubernetes" | "none";
  image?: string;
  memory?: string;
  cpus?: number;
  processes?: number;
  disk?: string;
  network?: string[];
  privateNetwork?: string[];
  networkName?: string;
  readOnly?: string[];
  writable?: string[];
  engine?: "podman" | "docker";
  namespace?: string;
}

/** How many processes a server may have, and for how long. */
export interface ProcessesConfig {
  most: number;
  idle: number;
  lifetime: number;
}
