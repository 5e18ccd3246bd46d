// The inspector of a gateway, which Node opens on a signal, for this machine alone: to break a process from
// within, and to look into it.

import { once } from "node:events";
import { WebSocket } from "ws";
import type { GatewayProcess } from "./gateway-child.ts";

/** What it takes to look into a process. */
export type Inspectable = Pick<GatewayProcess, "name" | "output" | "signal">;

interface Reply {
  id?: number;
  result?: { result?: { value?: unknown }; exceptionDetails?: { text: string } };
  error?: { message: string };
}

/** A line to the inspector of one process. */
export class Inspector {
  readonly #name: string;
  readonly #socket: WebSocket;
  #sent = 0;

  private constructor(name: string, socket: WebSocket) {
    this.#name = name;
    this.#socket = socket;
  }

  static async open(process: Inspectable): Promise<Inspector> {
    const address = /Debugger listening on (ws:\S+)/;
    process.signal("SIGUSR1");
    let found = address.exec(process.output());
    for (let tries = 0; !found && tries < 250; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      found = address.exec(process.output());
    }
    if (!found) throw new Error(`${process.name} opens no inspector.`);
    const socket = new WebSocket(found[1] as string);
    await once(socket, "open");
    return new Inspector(process.name, socket);
  }

  /** What an expression is in there; it must be something that JSON has. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result } = await this.#ask("Runtime.evaluate", { expression, returnByValue: true });
    if (result?.exceptionDetails) throw new Error(`${this.#name}: ${result.exceptionDetails.text}`);
    return result?.result?.value as Value;
  }

  /** Has it collect all that nobody has any more. */
  async collect(): Promise<void> {
    await this.#ask("HeapProfiler.collectGarbage");
  }

  close(): void {
    this.#socket.close();
  }

  #ask(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.#sent;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#socket.off("message", onMessage).off("close", lose);
      };
      const lose = (): void => {
        end();
        reject(new Error(`${this.#name} ended while it was looked into.`));
      };
      const onMessage = (data: unknown): void => {
        const reply = JSON.parse(`${data}`) as Reply;
        if (reply.id !== id) return;
        end();
        if (reply.error) reject(new Error(`${this.#name}: ${reply.error.message}`));
        else resolve(reply);
      };
      this.#socket.on("message", onMessage).on("close", lose);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
