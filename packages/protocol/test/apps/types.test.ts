import { readFileSync } from "node:fs";
import type * as Core from "@modelcontextprotocol/client";
import type * as Official from "ext-apps-v2";
import { describe, expect, test } from "vitest";
import type * as Ours from "../../src/apps/index.ts";

// The compiler does the checking: a row is `true` only if each type can stand for the other and
// neither is `any`, which would agree with everything.
type IsAny<T> = 0 extends 1 & T ? true : false;
type Assignable<A, B> = [A] extends [B] ? true : false;
type Same<A, B> = [Assignable<A, B>, Assignable<B, A>, IsAny<A>, IsAny<B>] extends [
  true,
  true,
  false,
  false,
]
  ? true
  : false;

const apps = {
  McpUiAppCapabilities: true satisfies Same<
    Ours.McpUiAppCapabilities,
    Official.McpUiAppCapabilities
  >,
  McpUiClientCapabilities: true satisfies Same<
    Ours.McpUiClientCapabilities,
    Official.McpUiClientCapabilities
  >,
  McpUiDisplayMode: true satisfies Same<Ours.McpUiDisplayMode, Official.McpUiDisplayMode>,
  McpUiHostCapabilities: true satisfies Same<
    Ours.McpUiHostCapabilities,
    Official.McpUiHostCapabilities
  >,
  McpUiHostContext: true satisfies Same<Ours.McpUiHostContext, Official.McpUiHostContext>,
  McpUiHostCss: true satisfies Same<Ours.McpUiHostCss, Official.McpUiHostCss>,
  McpUiHostStyles: true satisfies Same<Ours.McpUiHostStyles, Official.McpUiHostStyles>,
  McpUiResourceCsp: true satisfies Same<Ours.McpUiResourceCsp, Official.McpUiResourceCsp>,
  McpUiResourceMeta: true satisfies Same<Ours.McpUiResourceMeta, Official.McpUiResourceMeta>,
  McpUiResourcePermissions: true satisfies Same<
    Ours.McpUiResourcePermissions,
    Official.McpUiResourcePermissions
  >,
  McpUiStyles: true satisfies Same<Ours.McpUiStyles, Official.McpUiStyles>,
  McpUiStyleVariableKey: true satisfies Same<
    Ours.McpUiStyleVariableKey,
    Official.McpUiStyleVariableKey
  >,
  McpUiSupportedContentBlockModalities: true satisfies Same<
    Ours.McpUiSupportedContentBlockModalities,
    Official.McpUiSupportedContentBlockModalities
  >,
  McpUiTheme: true satisfies Same<Ours.McpUiTheme, Official.McpUiTheme>,
  McpUiToolMeta: true satisfies Same<Ours.McpUiToolMeta, Official.McpUiToolMeta>,
  McpUiToolVisibility: true satisfies Same<Ours.McpUiToolVisibility, Official.McpUiToolVisibility>,
  McpUiDownloadFileRequest: true satisfies Same<
    Ours.McpUiDownloadFileRequest,
    Official.McpUiDownloadFileRequest
  >,
  McpUiDownloadFileResult: true satisfies Same<
    Ours.McpUiDownloadFileResult,
    Official.McpUiDownloadFileResult
  >,
  McpUiHostContextChangedNotification: true satisfies Same<
    Ours.McpUiHostContextChangedNotification,
    Official.McpUiHostContextChangedNotification
  >,
  McpUiInitializedNotification: true satisfies Same<
    Ours.McpUiInitializedNotification,
    Official.McpUiInitializedNotification
  >,
  McpUiInitializeRequest: true satisfies Same<
    Ours.McpUiInitializeRequest,
    Official.McpUiInitializeRequest
  >,
  McpUiInitializeResult: true satisfies Same<
    Ours.McpUiInitializeResult,
    Official.McpUiInitializeResult
  >,
  McpUiMessageRequest: true satisfies Same<Ours.McpUiMessageRequest, Official.McpUiMessageRequest>,
  McpUiMessageResult: true satisfies Same<Ours.McpUiMessageResult, Official.McpUiMessageResult>,
  McpUiOpenLinkRequest: true satisfies Same<
    Ours.McpUiOpenLinkRequest,
    Official.McpUiOpenLinkRequest
  >,
  McpUiOpenLinkResult: true satisfies Same<Ours.McpUiOpenLinkResult, Official.McpUiOpenLinkResult>,
  McpUiRequestDisplayModeRequest: true satisfies Same<
    Ours.McpUiRequestDisplayModeRequest,
    Official.McpUiRequestDisplayModeRequest
  >,
  McpUiRequestDisplayModeResult: true satisfies Same<
    Ours.McpUiRequestDisplayModeResult,
    Official.McpUiRequestDisplayModeResult
  >,
  McpUiRequestTeardownNotification: true satisfies Same<
    Ours.McpUiRequestTeardownNotification,
    Official.McpUiRequestTeardownNotification
  >,
  McpUiResourceTeardownRequest: true satisfies Same<
    Ours.McpUiResourceTeardownRequest,
    Official.McpUiResourceTeardownRequest
  >,
  McpUiResourceTeardownResult: true satisfies Same<
    Ours.McpUiResourceTeardownResult,
    Official.McpUiResourceTeardownResult
  >,
  McpUiSandboxProxyReadyNotification: true satisfies Same<
    Ours.McpUiSandboxProxyReadyNotification,
    Official.McpUiSandboxProxyReadyNotification
  >,
  McpUiSandboxResourceReadyNotification: true satisfies Same<
    Ours.McpUiSandboxResourceReadyNotification,
    Official.McpUiSandboxResourceReadyNotification
  >,
  McpUiSizeChangedNotification: true satisfies Same<
    Ours.McpUiSizeChangedNotification,
    Official.McpUiSizeChangedNotification
  >,
  McpUiToolCancelledNotification: true satisfies Same<
    Ours.McpUiToolCancelledNotification,
    Official.McpUiToolCancelledNotification
  >,
  McpUiToolInputNotification: true satisfies Same<
    Ours.McpUiToolInputNotification,
    Official.McpUiToolInputNotification
  >,
  McpUiToolInputPartialNotification: true satisfies Same<
    Ours.McpUiToolInputPartialNotification,
    Official.McpUiToolInputPartialNotification
  >,
  McpUiToolResultNotification: true satisfies Same<
    Ours.McpUiToolResultNotification,
    Official.McpUiToolResultNotification
  >,
  McpUiUpdateModelContextRequest: true satisfies Same<
    Ours.McpUiUpdateModelContextRequest,
    Official.McpUiUpdateModelContextRequest
  >,
};

const core = {
  Annotations: true satisfies Same<Ours.Annotations, Core.Annotations>,
  AudioContent: true satisfies Same<Ours.AudioContent, Core.AudioContent>,
  BaseMetadata: true satisfies Same<Ours.BaseMetadata, Core.BaseMetadata>,
  BlobResourceContents: true satisfies Same<Ours.BlobResourceContents, Core.BlobResourceContents>,
  ContentBlock: true satisfies Same<Ours.ContentBlock, Core.ContentBlock>,
  Cursor: true satisfies Same<Ours.Cursor, Core.Cursor>,
  EmbeddedResource: true satisfies Same<Ours.EmbeddedResource, Core.EmbeddedResource>,
  Icon: true satisfies Same<Ours.Icon, Core.Icon>,
  ImageContent: true satisfies Same<Ours.ImageContent, Core.ImageContent>,
  Implementation: true satisfies Same<Ours.Implementation, Core.Implementation>,
  JSONValue: true satisfies Same<Ours.JSONValue, Core.JSONValue>,
  LoggingLevel: true satisfies Same<Ours.LoggingLevel, Core.LoggingLevel>,
  MetaObject: true satisfies Same<Ours.MetaObject, Core.MetaObject>,
  ModelPreferences: true satisfies Same<Ours.ModelPreferences, Core.ModelPreferences>,
  ProgressToken: true satisfies Same<Ours.ProgressToken, Core.ProgressToken>,
  Prompt: true satisfies Same<Ours.Prompt, Core.Prompt>,
  RequestId: true satisfies Same<Ours.RequestId, Core.RequestId>,
  RequestMeta: true satisfies Same<Ours.RequestMeta, Core.RequestMeta>,
  Resource: true satisfies Same<Ours.Resource, Core.Resource>,
  ResourceLink: true satisfies Same<Ours.ResourceLink, Core.ResourceLink>,
  ResourceTemplate: true satisfies Same<Ours.ResourceTemplate, Core.ResourceTemplateType>,
  ResultMeta: true satisfies Same<Ours.ResultMeta, Core.ResultMetaObject>,
  Role: true satisfies Same<Ours.Role, Core.Role>,
  SamplingContent: true satisfies Same<Ours.SamplingContent, Core.SamplingContent>,
  SamplingMessage: true satisfies Same<Ours.SamplingMessage, Core.SamplingMessage>,
  SamplingMessageContentBlock: true satisfies Same<
    Ours.SamplingMessageContentBlock,
    Core.SamplingMessageContentBlock
  >,
  TextContent: true satisfies Same<Ours.TextContent, Core.TextContent>,
  TextResourceContents: true satisfies Same<Ours.TextResourceContents, Core.TextResourceContents>,
  Tool: true satisfies Same<Ours.Tool, Core.Tool>,
  ToolAnnotations: true satisfies Same<Ours.ToolAnnotations, Core.ToolAnnotations>,
  ToolResultContent: true satisfies Same<Ours.ToolResultContent, Core.ToolResultContent>,
  ToolUseContent: true satisfies Same<Ours.ToolUseContent, Core.ToolUseContent>,
  CallToolRequest: true satisfies Same<Ours.CallToolRequest, Core.CallToolRequest>,
  CallToolResult: true satisfies Same<Ours.CallToolResult, Core.CallToolResult>,
  CancelledNotification: true satisfies Same<
    Ours.CancelledNotification,
    Core.CancelledNotification
  >,
  CreateMessageRequest: true satisfies Same<Ours.CreateMessageRequest, Core.CreateMessageRequest>,
  CreateMessageRequestParams: true satisfies Same<
    Ours.CreateMessageRequestParams,
    Core.CreateMessageRequestParams
  >,
  CreateMessageResult: true satisfies Same<Ours.CreateMessageResult, Core.CreateMessageResult>,
  CreateMessageResultWithTools: true satisfies Same<
    Ours.CreateMessageResultWithTools,
    Core.CreateMessageResultWithTools
  >,
  EmptyResult: true satisfies Same<Ours.EmptyResult, Core.EmptyResult>,
  ListPromptsRequest: true satisfies Same<Ours.ListPromptsRequest, Core.ListPromptsRequest>,
  ListPromptsResult: true satisfies Same<Ours.ListPromptsResult, Core.ListPromptsResult>,
  ListResourcesRequest: true satisfies Same<Ours.ListResourcesRequest, Core.ListResourcesRequest>,
  ListResourcesResult: true satisfies Same<Ours.ListResourcesResult, Core.ListResourcesResult>,
  ListResourceTemplatesRequest: true satisfies Same<
    Ours.ListResourceTemplatesRequest,
    Core.ListResourceTemplatesRequest
  >,
  ListResourceTemplatesResult: true satisfies Same<
    Ours.ListResourceTemplatesResult,
    Core.ListResourceTemplatesResult
  >,
  ListToolsRequest: true satisfies Same<Ours.ListToolsRequest, Core.ListToolsRequest>,
  ListToolsResult: true satisfies Same<Ours.ListToolsResult, Core.ListToolsResult>,
  LoggingMessageNotification: true satisfies Same<
    Ours.LoggingMessageNotification,
    Core.LoggingMessageNotification
  >,
  NotificationParams: true satisfies Same<Ours.NotificationParams, Core.NotificationParams>,
  PaginatedRequestParams: true satisfies Same<
    Ours.PaginatedRequestParams,
    Core.PaginatedRequestParams
  >,
  PaginatedResult: true satisfies Same<Ours.PaginatedResult, Core.PaginatedResult>,
  PingRequest: true satisfies Same<Ours.PingRequest, Core.PingRequest>,
  ProgressNotification: true satisfies Same<Ours.ProgressNotification, Core.ProgressNotification>,
  ProgressNotificationParams: true satisfies Same<
    Ours.ProgressNotificationParams,
    Core.ProgressNotificationParams
  >,
  PromptListChangedNotification: true satisfies Same<
    Ours.PromptListChangedNotification,
    Core.PromptListChangedNotification
  >,
  ReadResourceRequest: true satisfies Same<Ours.ReadResourceRequest, Core.ReadResourceRequest>,
  ReadResourceResult: true satisfies Same<Ours.ReadResourceResult, Core.ReadResourceResult>,
  ResourceListChangedNotification: true satisfies Same<
    Ours.ResourceListChangedNotification,
    Core.ResourceListChangedNotification
  >,
  TaskMetadata: true satisfies Same<Ours.TaskMetadata, Core.TaskMetadata>,
  ToolListChangedNotification: true satisfies Same<
    Ours.ToolListChangedNotification,
    Core.ToolListChangedNotification
  >,
};

describe("the types of MCP Apps", () => {
  const declarations = readFileSync(
    "node_modules/ext-apps-v2/dist/src/spec.types.d.ts",
    "utf8",
  ).matchAll(/^export (?:interface|type) (\w+)/gm);

  test("cover every type the official package declares, each assignable both ways", () => {
    expect(Object.keys(apps).sort()).toEqual([...declarations].map(([, name]) => name).sort());
  });

  test("stand for the core types of the official client, each assignable both ways", () => {
    expect(new Set(Object.values(core))).toEqual(new Set([true]));
  });

  test("do not agree with a type that differs", () => {
    // @ts-expect-error a string is not a theme
    expect(true satisfies Same<Ours.McpUiTheme, string>).toBe(true);
    // @ts-expect-error `any` proves nothing
    // biome-ignore lint/suspicious/noExplicitAny: the point of this line
    expect(true satisfies Same<Ours.McpUiTheme, any>).toBe(true);
  });
});
