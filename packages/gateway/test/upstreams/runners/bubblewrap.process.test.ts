import { createBubblewrapRunner } from "../../../src/upstreams/stdio/runners/bubblewrap.ts";
import { runnerContract } from "./runner-contract.ts";

runnerContract("bubblewrap", { create: () => createBubblewrapRunner() });
