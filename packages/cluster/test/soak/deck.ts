// The faults of the table that can come at any time, drawn by a seed: each once before any comes again.

import type { NatsNode } from "@vitrine/internal/nats-server";
import type { Balancer } from "../faults/balancer.ts";
import type { Fault } from "../faults/fault.ts";
import type { GatewayProcess } from "../faults/gateway-child.ts";
import { blocked, killed, stopped } from "../faults/gateway-faults.ts";
import { failing } from "../faults/modern-server.ts";
import { allKilled, cutOff, leaderOf, nodeFrozen, nodeKilled } from "../faults/nats-faults.ts";
import type { Partitionable } from "../faults/partitionable-nats.ts";
import { crashed } from "../faults/program-faults.ts";
import { isAlive, parentOf } from "../faults/row.ts";
import type { Site } from "../faults/site.ts";
import { revoked } from "../faults/user-faults.ts";
import { allDropped, slowView } from "../faults/view-faults.ts";
import { openView } from "../faults/view-socket.ts";

/** What there is to be broken. */
export interface Scene {
  site: Site;
  partitionable: Partitionable;
  balancer: Balancer;
}

/** A fault that was drawn, and how long it lasts before it is healed. */
export interface Drawn {
  fault: Fault;
  /** Milliseconds. */
  hold: number;
}

/** Makes a fault; `pick` gives one of three places, the same in each run of a seed. */
type Card = (scene: Scene, pick: () => number) => Promise<Drawn> | Drawn;

const gatewayAt = ({ site }: Scene, place: number): GatewayProcess =>
  site.gateways[place] as GatewayProcess;
const nodeAt = ({ partitionable: { nats } }: Scene, place: number): NatsNode =>
  nats.nodes[place] as NatsNode;

/** The gateway whose child is the program, as far as can be seen from outside. */
function ownerIn(scene: Scene, otherwise: number): GatewayProcess {
  const child = scene.site.lives().findLast(({ process }) => isAlive(process))?.process;
  const parent = child === undefined ? undefined : parentOf(child);
  const owner = scene.site.gateways.find(({ pid }) => pid === parent);
  return owner ?? gatewayAt(scene, otherwise);
}

const CARDS: readonly Card[] = [
  (scene, pick) => ({ fault: killed(gatewayAt(scene, pick())), hold: 3000 }),
  (scene, pick) => ({ fault: killed(ownerIn(scene, pick())), hold: 3000 }),
  // Shorter than a lease, longer than what of it may be acted on.
  (scene, pick) => ({ fault: stopped(gatewayAt(scene, pick())), hold: 4000 }),
  // Two leases.
  (scene, pick) => ({ fault: stopped(ownerIn(scene, pick())), hold: 10_000 }),
  (scene, pick) => ({ fault: blocked(gatewayAt(scene, pick()), 6000), hold: 6000 }),
  async ({ partitionable: { nats } }) => ({
    fault: nodeKilled(nats, await leaderOf(nats)),
    hold: 5000,
  }),
  (scene, pick) => ({
    fault: nodeFrozen(scene.partitionable.nats, nodeAt(scene, pick())),
    hold: 8000,
  }),
  ({ partitionable: { nats } }) => ({ fault: allKilled(nats), hold: 3000 }),
  ({ partitionable }, pick) => ({ fault: cutOff(partitionable, pick()), hold: 8000 }),
  ({ balancer }) => ({ fault: allDropped(balancer), hold: 2000 }),
  ({ site }) => ({ fault: crashed(site), hold: 1000 }),
  ({ site }, pick) => ({ fault: slowView(site, pick()), hold: 12_000 }),
  ({ site }, pick) => ({
    fault: failing(site.modern, pick() === 0 ? "reset" : "500"),
    hold: 2000,
  }),
  async ({ site }, pick) => {
    const views = await Promise.all([0, 1, 2].map((where) => openView(site, where)));
    const fault = revoked(site, { where: pick(), views });
    const heal = async (): Promise<void> => {
      await fault.heal();
      for (const { socket } of views) socket.close();
    };
    return { fault: { ...fault, heal }, hold: 2000 };
  },
];

/** Draws faults, in an order that the seed decides. */
export function openDeck(scene: Scene, random: () => number): () => Promise<Drawn> {
  let left: Card[] = [];
  return async () => {
    if (left.length === 0) left = [...CARDS];
    const [card] = left.splice(Math.floor(random() * left.length), 1) as [Card];
    // Taken whether it is needed or not, so that what comes next depends on the seed alone.
    const place = Math.floor(random() * 3);
    return card(scene, () => place);
  };
}
