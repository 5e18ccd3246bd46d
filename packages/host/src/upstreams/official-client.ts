/** The part of an official `Client` that we use. Parameters are `never` because v1 and v2 differ. */
export interface McpClientLike {
  readonly transport?: object | undefined;
  getServerCapabilities(): object | undefined;
  request(request: never, schema: never, options?: never): Promise<unknown>;
  getProtocolEra?(): string | undefined;
  listen?(filter: never, options?: never): Promise<Subscription>;
}

/** The result of `listen` of a v2 client. */
export interface Subscription {
  honoredFilter: object;
  closed: Promise<unknown>;
}
