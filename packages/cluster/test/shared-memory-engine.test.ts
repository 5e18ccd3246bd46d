import { testBus } from "@vitrine/internal/engine-bus-contract";
import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";

// The other tests rely on it: it must do what NATS does.
testBus("the engine of these tests", () => ({ engine: createSharedMemoryEngine() }));
