import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** One address for all gateways; those that are down are skipped. */
export interface Balancer {
  readonly port: number;
  /** The targets of connections, in turn. */
  targets: readonly number[];
  /** Breaks all connections, as a restart does. */
  drop(): void;
  close(): void;
}

export async function openBalancer(): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((near) => {
    sockets.add(near);
    near.on("error", () => {});
    near.on("close", () => sockets.delete(near));
    const attempt = (left: number): void => {
      const { targets } = balancer;
      const target = targets[turn++ % targets.length];
      if (target === undefined || left === 0) {
        near.destroy();
        return;
      }
      const far = connect(target, "127.0.0.1");
      far.once("connect", () => {
        near.pipe(far);
        far.pipe(near);
        far.on("close", () => near.destroy());
        near.on("close", () => far.destroy());
        far.on("error", () => near.destroy());
      });
      far.once("error", () => {
        if (far.connecting || far.bytesRead === 0) attempt(left - 1);
      });
    };
    attempt(3);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const balancer: Balancer = {
    port: (server.address() as AddressInfo).port,
    targets: [],
    drop: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      balancer.drop();
      server.close();
    },
  };
  return balancer;
}
