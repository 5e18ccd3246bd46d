export type { NatsCredentials, NatsNotice, NatsTls } from "./dialing.ts";
export { type NatsEngineOptions, openNatsEngine } from "./nats-engine.ts";
