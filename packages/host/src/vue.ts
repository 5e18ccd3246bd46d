import {
  computed,
  defineComponent,
  h,
  type InjectionKey,
  inject,
  onBeforeUnmount,
  onMounted,
  onScopeDispose,
  type PropType,
  provide,
  type ShallowRef,
  type SlotsType,
  shallowRef,
  toRaw,
  type VNode,
  watch,
  watchEffect,
} from "vue";
import { followPermissions, type Permission } from "./consent/permission.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Diagnostic, Stage } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppElement, type McpAppProperties } from "./element.ts";
import type { Host } from "./host.ts";
import { NO_HOST } from "./missing-host.ts";
import type { ModelContextEntry } from "./model/model-context.ts";
import { followView, NO_VIEW, type ViewState } from "./view-state.ts";

export type { ViewState } from "./view-state.ts";

/** The properties of `<VitrineProvider>`. */
export interface VitrineProviderProps {
  /** Create it once, outside of components; on a server too. */
  host: Host;
  /** The id of the conversation that the components below belong to. */
  conversation?: string | undefined;
}

interface Provided {
  host(): Host;
  conversation(): Conversation | undefined;
}

const VITRINE: InjectionKey<Provided> = Symbol("vitrine");

/** Gives a host, and a conversation if you name one, to all components below. */
export const VitrineProvider: new () => {
  $props: VitrineProviderProps;
  $slots: { default?: () => VNode[] };
} = defineComponent({
  name: "VitrineProvider",
  props: { host: { type: Object as PropType<Host>, required: true }, conversation: String },
  setup(props, { slots }) {
    // A proxy could not reach the private fields of a host.
    const host = computed(() => toRaw(props.host));
    const conversation = computed(() =>
      props.conversation ? host.value.conversation(props.conversation) : undefined,
    );
    provide(VITRINE, { host: () => host.value, conversation: () => conversation.value });
    return () => slots.default?.();
  },
}) as never;

/** The host of the nearest `<VitrineProvider>`. */
export function useHost(): Host {
  return provided().host();
}

/** The conversation with this id, or else the one of the nearest `<VitrineProvider>`. */
export function useConversation(id?: string): Conversation | undefined {
  const { host, conversation } = provided();
  return id === undefined ? conversation() : host().conversation(id);
}

/** What the views of a conversation tell the model; the reference changes with it. */
export function useModelContext(
  conversation?: Conversation,
): Readonly<ShallowRef<readonly ModelContextEntry[]>> {
  const { host, conversation: own } = provided();
  const entries = shallowRef<readonly ModelContextEntry[]>([]);
  let stop: (() => void) | undefined;
  // After mounting: a server has no views, and the first render must equal the server's, also of a
  // component whose setup waits for something.
  onMounted(() => {
    // The provider's conversation may change.
    stop = watch(
      () => (conversation ?? own() ?? host()).modelContext,
      (modelContext, _before, onCleanup) => {
        const update = (): void => {
          entries.value = modelContext.snapshot();
        };
        update();
        onCleanup(modelContext.onChange(update));
      },
      { immediate: true },
    );
  });
  onScopeDispose(() => stop?.());
  return entries;
}

/** The remembered answers of the user; `useHost().permissions.revoke(entry)` forgets one. */
export function usePermissions(): Readonly<ShallowRef<readonly Permission[]>> {
  const { permissions } = useHost();
  const entries = shallowRef<readonly Permission[]>([]);
  let stop: (() => void) | undefined;
  onMounted(() => {
    stop = followPermissions(permissions, (list) => {
      entries.value = list;
    });
  });
  onScopeDispose(() => stop?.());
  return entries;
}

/**
 * The state of the view with this key, in the conversation of the nearest `<VitrineProvider>`, to draw
 * its bar and cards yourself.
 */
export function useView(key: string): Readonly<ShallowRef<ViewState>> {
  const { host, conversation } = provided();
  const state = shallowRef(NO_VIEW);
  let stop: (() => void) | undefined;
  onMounted(() => {
    // The provider's conversation may change.
    stop = watchEffect((onCleanup) => {
      const update = (next: ViewState): void => {
        state.value = next;
      };
      onCleanup(followView({ host: host(), conversation: conversation(), key }, update));
    });
  });
  onScopeDispose(() => stop?.());
  return state;
}

function provided(): Provided {
  const found = inject(VITRINE, undefined);
  if (!found) throw new Error(NO_HOST);
  return found;
}

/**
 * The properties of `<McpApp>`, and its slot `fallback`: visible until the view is, and if it can't
 * be.
 */
export interface McpAppProps extends McpAppProperties {
  /** Called with every failure, and with hints for authors. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when the view can't be shown, or was stopped. */
  onError?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called as the view comes up; it is visible at `"shown"`. */
  onStage?: ((stage: Stage) => void) | undefined;
}

/**
 * Shows a view, by default in the conversation of the nearest `<VitrineProvider>`. Its frame survives
 * when the component is rendered elsewhere with the same `app.key`. A template ref has the element as
 * `element`; its `view` is the `HostedView`.
 */
export const McpApp: new () => {
  $props: McpAppProps;
  $slots: { fallback?: () => VNode[] };
  readonly element: McpAppElement | undefined;
} = defineComponent({
  name: "McpApp",
  props: [...MCP_APP_PROPERTIES],
  emits: ["diagnostic", "error", "stage"],
  slots: {} as SlotsType<{ fallback?: {} }>,
  setup(props, { emit, expose, slots }) {
    const element = shallowRef<McpAppElement>();
    const around = inject(VITRINE, undefined);
    expose({ element });
    // After the element exists, and after each change.
    watchEffect(
      () => {
        for (const name of MCP_APP_PROPERTIES) {
          const provided = name === "host" ? (around?.conversation() ?? around?.host()) : undefined;
          // A proxy could not reach the private fields of a host.
          const value = toRaw(props[name]) ?? provided;
          if (element.value) Object.assign(element.value, { [name]: value });
        }
      },
      { flush: "post" },
    );
    const diagnose = ({ detail }: CustomEvent<Diagnostic>): void => {
      emit("diagnostic", detail);
      if (detail.level === "error") emit("error", detail);
    };
    const follow = ({ detail }: CustomEvent<Stage>): void => emit("stage", detail);
    // Before Vue removes the node; a frame that is removed is gone.
    onBeforeUnmount(() => element.value?.detach());
    return () =>
      h(
        "mcp-app",
        { ref: element, onDiagnostic: diagnose, onStage: follow },
        slots.fallback && h("div", { slot: "fallback" }, slots.fallback()),
      );
  },
}) as never;
