import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient } from "./client.ts";
import {
  freePort,
  type GatewayProcess,
  runGatewayCommand,
  startGatewayProcess,
} from "./gateway-process.ts";
import { AUDIENCE, type Issuer, startIssuer } from "./issuer.ts";
import { goCommand, nodeCommand, pythonCommand, SERVER_USER } from "./server-programs.ts";

/** A gateway that runs for attacks, with what it was started with. */
export interface StagedGateway {
  readonly process: GatewayProcess;
  readonly port: number;
  readonly folder: string;
  readonly configFile: string;
  /** Address of the operators' port. */
  readonly operator: string;
  client(tenant: string, user: string, options?: ClientChoice): GatewayClient;
  /** Messages that a server read, as its program wrote them down. */
  journal(server: string): JournalEntry[];
  /** Audit records as `audit export` prints them. */
  records(): Promise<Record<string, unknown>[]>;
  /** Runs a command of the gateway's program on this configuration. */
  command(...words: string[]): Promise<{ code: number; output: string }>;
}

export interface ClientChoice {
  /** Seconds that the user's token lives. */
  readonly seconds?: number;
  readonly from?: string;
}

/** A message as a server read it. */
export interface JournalEntry {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown };
}

export interface StartOptions {
  /** Replaces parts of the usual configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Numbers that no machine gives to users by itself. */
const FIRST_USER = 61_600;

/** What attacks work with; everything it starts ends when it is closed. */
export class GatewayStage {
  readonly issuer: Issuer;
  readonly #folder: string;
  readonly #without: string | undefined;
  readonly #closers: (() => Promise<void> | void)[] = [];
  #shared: Promise<StagedGateway> | undefined;
  #started = 0;

  /** Opens a stage; `without` names a defence that its gateways run without. */
  static async open(without?: string): Promise<GatewayStage> {
    if (process.getuid?.() !== 0) {
      throw new Error("Run this as root: the gateway starts its servers as other users.");
    }
    if (process.getuid?.() !== 0) {
      throw new Error("Run the attacks as root: only root can start servers as another user.");
    }
    const folder = await mkdtemp(join(tmpdir(), "vitrine-redteam-"));
    // Servers write their journals below it.
    await chmod(folder, 0o711);
    return new GatewayStage(await startIssuer(), folder, without);
  }

  private constructor(issuer: Issuer, folder: string, without: string | undefined) {
    this.issuer = issuer;
    this.#folder = folder;
    this.#without = without;
  }

  /** The gateway that attacks share: long-lived, so one attack may prepare V8 for the next. */
  async shared(): Promise<StagedGateway> {
    const isDown = this.#shared && (await this.#shared).process.exited() !== null;
    if (!this.#shared || isDown) this.#shared = this.start();
    return this.#shared;
  }

  /** Starts a gateway of its own. */
  async start({ config = {}, environment = {} }: StartOptions = {}): Promise<StagedGateway> {
    const folder = join(this.#folder, `${++this.#started}`);
    await mkdir(join(folder, "journals"), { recursive: true });
    await chmod(join(folder, "journals"), 0o777);
    const [port, operatorPort] = [await freePort(), await freePort()];
    const configFile = await this.#write(folder, {
      listen: { host: "127.0.0.1", port },
      operator: { port: operatorPort },
      servers: this.servers(folder),
      ...config,
    });
    const operator = `http://127.0.0.1:${operatorPort}`;
    const started = await startGatewayProcess({
      config: configFile,
      health: `${operator}/healthz`,
      environment,
      without: this.#without,
    });
    this.#closers.push(() => started.stop());
    const command: StagedGateway["command"] = (...words) =>
      runGatewayCommand([...words, "--config", configFile], { without: this.#without });
    return {
      process: started,
      port,
      folder,
      configFile,
      operator,
      command,
      client: (tenant, user, { seconds, from } = {}) => {
        const token = this.issuer.token(tenant, user, seconds);
        const client = new GatewayClient({ port, token, ...(from && { from }) });
        this.#closers.push(() => client.close());
        return client;
      },
      journal: (server) => readJournal(join(folder, "journals", server)),
      records: async () => {
        const { output } = await command("audit", "export");
        const lines = output.split("\n").filter((line) => line.startsWith("{"));
        return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      },
    };
  }

  /** Runs `check` on a configuration without starting a gateway. */
  async check(config: object): Promise<{ code: number; output: string }> {
    const folder = join(this.#folder, `${++this.#started}`);
    await mkdir(folder);
    const configFile = await this.#write(folder, config);
    return runGatewayCommand(["check", "--config", configFile], { without: this.#without });
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    await this.issuer.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #write(folder: string, config: object): Promise<string> {
    const file = join(folder, "gateway.yaml");
    const { url: issuer, jwks } = this.issuer;
    const auth = { mode: "jwt", issuer, audience: AUDIENCE, jwks, tenantClaim: "tid" };
    const usual = {
      auth,
      engine: { driver: "sqlite", folder: "data" },
      audit: { level: "full" },
      telemetry: { log: "warn" },
    };
    // JSON is YAML.
    await writeFile(file, JSON.stringify(withUsers({ ...usual, ...config })), { mode: 0o600 });
    // Servers of other users write their journals here.
    await chmod(this.#folder, 0o711);
    await chmod(folder, 0o711);
    for (const name of ["py", "go"]) {
      const journal = join(folder, `${name}.journal`);
      await writeFile(journal, "", { flag: "a" });
      await chmod(journal, 0o666);
    }
    return file;
  }

  /** The usual servers; with a folder they write journals of what they read. */
  servers(folder?: string): Record<string, object> {
    const settings = (name: string) => ({
      ...(folder && { env: { JOURNAL: join(folder, "journals", name) } }),
      user: SERVER_USER,
      sharing: "all",
    });
    return {
      py: { command: pythonCommand("python-server.py"), ...settings("py") },
      go: { command: goCommand("go-server.go"), ...settings("go") },
      js: hostileServer(),
    };
  }
}

/** Settings of the hostile server. */
export function hostileServer(env: Readonly<Record<string, string>> = {}): object {
  return { command: nodeCommand("hostile-server.mjs"), env, user: SERVER_USER, sharing: "all" };
}

/** Gives each program a user of its own, as a gateway that tenants share requires. */
function withUsers(config: Readonly<Record<string, unknown>>): object {
  const servers = Object.entries((config.servers ?? {}) as Record<string, { command?: unknown }>);
  const users = servers.map(([name, server], place) => {
    const user = `${FIRST_USER + place}`;
    return [name, server.command === undefined ? server : { user, ...server }];
  });
  return { ...config, servers: Object.fromEntries(users) };
}

function readJournal(path: string): JournalEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as JournalEntry);
}
