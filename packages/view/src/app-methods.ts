import type { RequestOptions } from "@vitrine/protocol";
import type {
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ViewNotifications,
  ViewRequests,
} from "@vitrine/protocol/apps";

/** The official name of each message a View sends → its method on the wire. */
export const METHODS: Record<string, keyof ViewRequests | keyof ViewNotifications> = {
  sendLog: "notifications/message",
  sendToolListChanged: "notifications/tools/list_changed",
  sendSizeChanged: "ui/notifications/size-changed",
  requestTeardown: "ui/notifications/request-teardown",
  updateModelContext: "ui/update-model-context",
  requestDisplayMode: "ui/request-display-mode",
  sendOpenLink: "ui/open-link",
  sendMessage: "ui/message",
  downloadFile: "ui/download-file",
  openLink: "ui/open-link",
  createSamplingMessage: "sampling/createMessage",
  listServerResources: "resources/list",
  readServerResource: "resources/read",
  readResource: "resources/read",
  callServerTool: "tools/call",
};

/** A function that sends a request. */
export type Ask<M extends keyof ViewRequests, Optional = never> = [Optional] extends [never]
  ? (
      params: ViewRequests[M]["params"],
      options?: RequestOptions,
    ) => Promise<ViewRequests[M]["result"]>
  : (
      params?: ViewRequests[M]["params"],
      options?: RequestOptions,
    ) => Promise<ViewRequests[M]["result"]>;

/** A function that sends a notification. */
export type Tell<M extends keyof ViewNotifications, Optional = never> = [Optional] extends [never]
  ? (params: ViewNotifications[M]) => Promise<void>
  : (params?: ViewNotifications[M]) => Promise<void>;

/** Sampling answers differently when tools are offered to the model. */
export interface CreateSamplingMessage {
  (
    params: CreateMessageRequest["params"] & { tools?: undefined },
    options?: RequestOptions,
  ): Promise<CreateMessageResult>;
  (
    params: CreateMessageRequest["params"],
    options?: RequestOptions,
  ): Promise<CreateMessageResultWithTools>;
}
