import {
  defineComponent,
  h,
  onBeforeUnmount,
  type SlotsType,
  shallowRef,
  toRaw,
  type VNode,
  watchEffect,
} from "vue";
import type { Diagnostic } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppElement, type McpAppProperties } from "./element.ts";

/** What `<McpApp>` takes, and the slot `fallback`: seen until the View is, and when it cannot be. */
export interface McpAppProps extends McpAppProperties {
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** Shows a View. Its frame lives on when the component is rendered elsewhere with the same `app.key`. */
export const McpApp: new () => {
  $props: McpAppProps;
  $slots: { fallback?: () => VNode[] };
} = defineComponent({
  name: "McpApp",
  props: [...MCP_APP_PROPERTIES],
  emits: ["diagnostic"],
  slots: {} as SlotsType<{ fallback?: {} }>,
  setup(props, { emit, slots }) {
    const element = shallowRef<McpAppElement>();
    // After the element is there, and after each change.
    watchEffect(
      () => {
        for (const name of MCP_APP_PROPERTIES) {
          // A proxy could not reach the private fields of a Host.
          if (element.value) Object.assign(element.value, { [name]: toRaw(props[name]) });
        }
      },
      { flush: "post" },
    );
    // Before Vue removes the node; a frame that is removed is gone.
    onBeforeUnmount(() => element.value?.detach());
    return () =>
      h(
        "mcp-app",
        { ref: element, onDiagnostic: ({ detail }: CustomEvent) => emit("diagnostic", detail) },
        slots.fallback && h("div", { slot: "fallback" }, slots.fallback()),
      );
  },
}) as never;
