/**
 * The compiler's half of the parity check: every shared member takes what the official one takes and
 * returns what it returns, and the differences are exactly those in `differences.json`.
 */

import type * as Ours from "@vitrine/view";
import type * as OurReact from "@vitrine/view/react";
import type * as Official from "ext-apps-v2";
import type * as OfficialReact from "ext-apps-v2/react";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import type differences from "./differences.json";

type Listed<Surface extends keyof typeof differences, Status extends string> =
  (typeof differences)[Surface] extends Record<Status, infer Reasons> ? keyof Reasons : never;

type AnyFunction = (...args: never[]) => unknown;
type Shared = keyof Ours.App & keyof Official.App;
type Methods = { [K in Shared]: Official.App[K] extends AnyFunction ? K : never }[Shared];

// A handler's context is compared separately, member by member.
type WithoutExtra<T> = T extends (params: infer P, extra: infer _) => infer R
  ? (params: P) => R
  : T;

type Call<T> = Extract<T, AnyFunction>;

/** Methods whose official arguments do not all fit, or whose result is not one. */
type Unlike<K extends Methods> =
  Parameters<Call<Official.App[K]>> extends Parameters<Call<Ours.App[K]>>
    ? ReturnType<Call<Ours.App[K]>> extends ReturnType<Call<Official.App[K]>>
      ? never
      : K
    : K;

/** Properties that cannot be assigned what the official ones take. */
type Refusing<K extends Shared> =
  WithoutExtra<Official.App[K]> extends WithoutExtra<Ours.App[K]> ? never : K;

// Generic, so that comparing its erased form proves nothing: `registersAlike` calls it instead.
type Generic = "registerTool";

type UnlikeMethods = { [K in Exclude<Methods, Generic>]: Unlike<K> }[Exclude<Methods, Generic>];
type RefusingProperties = {
  [K in Exclude<Shared, Methods>]: Refusing<K>;
}[Exclude<Shared, Methods>];

/** Shared members that take less than the official ones, by their types. */
type Narrower = "notification" | "request";

type ZodSchemas = `McpUi${string}Schema`;
type SharedValues = Exclude<keyof typeof Official & keyof typeof Ours, "App">;
type Hooks = Exclude<keyof typeof OfficialReact, keyof typeof Official>;

type SecondOf<T> = T extends (first: never, ...rest: infer R) => unknown ? R : never;

expectTypeOf<Exclude<keyof Official.App, keyof Ours.App>>().toEqualTypeOf<
  Listed<"App", "absent">
>();
expectTypeOf<UnlikeMethods | RefusingProperties>().toEqualTypeOf<Narrower>();
expectTypeOf<Narrower>().toExtend<Listed<"App", "differs">>();

expectTypeOf<Exclude<keyof typeof Official, keyof typeof Ours | ZodSchemas>>().toExtend<
  Listed<"Exports of the main entry", "absent">
>();
expectTypeOf<Pick<typeof Ours, Exclude<SharedValues, "PostMessageTransport">>>().toExtend<
  Pick<typeof Official, Exclude<SharedValues, "PostMessageTransport">>
>();
expectTypeOf<ConstructorParameters<typeof Official.App>>().toExtend<
  ConstructorParameters<typeof Ours.App>
>();
expectTypeOf<ConstructorParameters<typeof Official.PostMessageTransport>>().toExtend<
  ConstructorParameters<typeof Ours.PostMessageTransport>
>();
expectTypeOf<Official.AppEventMap>().toEqualTypeOf<Ours.AppEventMap>();

expectTypeOf<Hooks>().toExtend<keyof typeof OurReact>();
expectTypeOf<Omit<OfficialReact.UseAppOptions, "onAppCreated">>().toExtend<
  Omit<OurReact.UseAppOptions, "onAppCreated">
>();
expectTypeOf<Omit<OurReact.AppState, "app">>().toEqualTypeOf<Omit<OfficialReact.AppState, "app">>();
expectTypeOf<SecondOf<typeof OfficialReact.useHostStyles>>().toExtend<
  SecondOf<typeof OurReact.useHostStyles>
>();
expectTypeOf<SecondOf<typeof OfficialReact.useAutoResize>>().toExtend<
  SecondOf<typeof OurReact.useAutoResize>
>();

/** The same call on both: schemas infer the callback's arguments and check its result. */
export function registerAlike(
  official: Official.App,
  ours: Ours.App,
): [Official.RegisteredAppTool, Ours.RegisteredAppTool] {
  const config = {
    title: "Add",
    inputSchema: z.object({ a: z.number(), note: z.string().optional() }),
    outputSchema: z.object({ sum: z.number() }),
    annotations: { readOnlyHint: true },
  };
  const theirTool = official.registerTool("add", config, async ({ a, note }, { mcpReq }) => {
    expectTypeOf(a).toBeNumber();
    expectTypeOf(note).toEqualTypeOf<string | undefined>();
    expectTypeOf(mcpReq.signal).toExtend<AbortSignal>();
    return { content: [], structuredContent: { sum: a } };
  });
  const ourTool = ours.registerTool("add", config, async ({ a, note }, { mcpReq }) => {
    expectTypeOf(a).toBeNumber();
    expectTypeOf(note).toEqualTypeOf<string | undefined>();
    expectTypeOf(mcpReq.signal).toExtend<AbortSignal>();
    return { content: [], structuredContent: { sum: a } };
  });
  // @ts-expect-error the output schema wants a number, here as there.
  ours.registerTool("bad", config, () => ({ content: [], structuredContent: { sum: "1" } }));
  ours.registerTool("now", {}, ({ mcpReq }) => ({
    content: [{ type: "text", text: mcpReq.method }],
  }));
  expectTypeOf<keyof typeof ourTool>().toEqualTypeOf<keyof typeof theirTool>();
  return [theirTool, ourTool];
}
