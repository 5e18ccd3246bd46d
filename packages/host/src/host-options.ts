import type {
  CreateMessageRequest,
  CreateMessageResult,
  Implementation,
  LinkOptions,
  LoggingMessageNotification,
  McpUiDisplayMode,
  McpUiHostContext,
  McpUiMessageRequest,
  McpUiMessageResult,
} from "@vitrine/protocol/apps";
import type { GestureOptions } from "./bridge/gesture-options.ts";
import type { Consent } from "./consent/consent.ts";
import type { HostConsentOptions } from "./consent/consent-memory.ts";
import type { SandboxAddress } from "./frame/sandbox-address.ts";
import type { HostMethods } from "./host-method.ts";
import type { HostedView } from "./hosted-view.ts";
import type { MessageOverrides } from "./messages/messages.ts";
import type { DescribeServer } from "./plain-name.ts";
import type { UiResource } from "./resources/ui-resource.ts";
import type { StageTimes } from "./stage-clock.ts";
import type { SurfaceRegions } from "./surface/regions.ts";
import type { RecordStore } from "./view-record.ts";

/** Options of a host; only `sandbox` is required. */
export interface HostOptions {
  /** Where views run: the address of the sandbox's entrance, or a function that registers views. */
  sandbox: SandboxAddress;
  hostInfo?: Implementation;
  /** The host context of all views; the rest is added for each. */
  context?: McpUiHostContext;
  /**
   * Fills the context from the page: theme, style variables, locale, time zone, name of the host,
   * platform, input devices and safe areas. `context` has precedence. On by default.
   */
  contextFromPage?: boolean;
  /** The parts of your page that views in full screen, in a side panel or floating are laid out in. */
  regions?: SurfaceRegions;
  /** All three by default. */
  displayModes?: readonly McpUiDisplayMode[];
  /**
   * Called when the default rule requires a question. By default the host asks: about messages and
   * links in the view's area, else in a dialog. Pass options to keep these questions and change the
   * rule, the trusted hosts or where answers are remembered.
   */
  consent?: Consent | HostConsentOptions;
  links?: LinkOptions;
  /** Which requests need a click in the view, and for how long one counts. */
  gestures?: boolean | GestureOptions;
  /** `"strict"` shows no view in a browser that can't restrict its network access. */
  egress?: "strict" | "partial";
  /** The owner of the views: part of their origin, so that users of one browser stay separate. */
  tenant?: string;
  user?: string;
  /**
   * Restores views; by default until the page is closed, with `webStore()` after a reload too. With
   * `webStore()` and a `user`, the answers of that user are remembered as well.
   */
  store?: RecordStore;
  /** Gives a view the state of another version; for development, where each save is a version. */
  restoreAnyVersion?: boolean;
  /** Views alive at once; others are suspended while off screen. */
  liveViews?: number;
  /** Loads views that are off screen at once. By default they load when the user scrolls to them. */
  startOffScreen?: boolean;
  /**
   * Loads an empty frame of the sandbox while the page is idle, so that the first view appears sooner.
   * On by default.
   */
  warmUp?: boolean;
  /** Tool calls per view and minute; 60. */
  callsPerMinute?: number;
  /** Maximum height of an inline view, in pixels. */
  maxHeight?: number;
  times?: Partial<StageTimes>;
  /**
   * All texts that users see: a catalogue such as `german` of `@vitrine/host/messages/de`, or single
   * texts that replace the English ones.
   */
  messages?: MessageOverrides;
  /** Names and icons of servers, by their identity; by default their identity is shown. */
  describeServer?: DescribeServer;
  /**
   * Draws the bar, cards and skeletons around views; on by default. Without them, draw your own with
   * `useView`: users have to see whose app it is, and a way out of full screen.
   */
  decorations?: boolean;
  /** Shows developers the cause of a failure and its remedy, in English; not for users. */
  developer?: boolean;
  /**
   * Reviews a view's HTML, or its hash, before it is shown; any result other than `true` rejects it
   * (HST-35).
   */
  review?(resource: UiResource): boolean | Promise<boolean>;
  /** Adds a view's message to the conversation (HST-75). */
  onmessage?(params: McpUiMessageRequest["params"], view: HostedView): Promise<McpUiMessageResult>;
  oncreatesamplingmessage?(
    params: CreateMessageRequest["params"],
    view: HostedView,
  ): Promise<CreateMessageResult>;
  /**
   * Methods of your product that views can request, such as `"x-product/open-ticket"`. They are behind
   * the same checks and limits as all others. Ask the user yourself where that is needed.
   */
  methods?: HostMethods;
  /** Receives a view's log, for its author and never for the model (HST-83). */
  onloggingmessage?(params: LoggingMessageNotification["params"], view: HostedView): void;
  /** A view asks to be closed; return `false` to decline (HST-52). */
  onrequestteardown?(view: HostedView): boolean | undefined;
}
