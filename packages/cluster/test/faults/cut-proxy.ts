import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A connection to a port that can be cut. */
export interface CutProxy {
  readonly port: number;
  /** Breaks all connections, and rejects new ones. */
  cut(): void;
  heal(): void;
  close(): void;
}

export async function openProxy(target: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      drop();
    },
    heal: () => {
      isCut = false;
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
