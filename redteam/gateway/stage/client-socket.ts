/** A WebSocket of a host or of a view's host. */
export class ClientSocket {
  readonly received: string[] = [];
  /** The code of the closing handshake once it is closed. */
  closed: number | undefined;
  readonly #socket: WebSocket;

  /** Opens one; rejects where the gateway refuses the upgrade. */
  static open(url: string, credential: string): Promise<ClientSocket> {
    const socket = new WebSocket(url, ["vitrine.mcp.v1", credential]);
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve(new ClientSocket(socket));
      socket.onerror = () => reject(new Error("The gateway refused the WebSocket."));
    });
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.received.push(`${data}`);
    socket.onclose = ({ code }) => {
      this.closed = code;
    };
    socket.onerror = () => {};
  }

  /** Bytes that were not written yet. */
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text);
  }

  /** The first message that fits, or nothing after the time given. */
  async until(fits: (text: string) => boolean, milliseconds: number): Promise<string | undefined> {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return undefined;
  }

  close(): void {
    this.#socket.close();
  }
}
