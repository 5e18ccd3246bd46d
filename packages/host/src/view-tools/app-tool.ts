import type { Tool } from "@vitrine/protocol/apps";
import type { AskingView } from "../consent/consent.ts";
import { appInfoForModel, cleanText, cutText, forModel } from "../model/model-text.ts";

/** A view's tool, under the name that a model uses. */
export interface AppTool {
  /** The definition for the model: named by the host, bounded, without hidden characters. */
  readonly tool: Tool;
  /** The view's own name for it. */
  readonly ownName: string;
  /** The view that offers it; `appInfo` is unverified (HST-91). */
  readonly view: AskingView;
  readonly source: "app";
}

const APP = 64;
const TITLE = 200;
const DESCRIPTION = 4096;
const OWN_NAME = 256;
// Characters of JSON. A typical schema has a tenth of this.
const SCHEMA = 16 * 1024;

/**
 * A tool as the model may read it; `undefined` if its name or its schemas can't be sent to a model.
 */
export function describeAppTool(tool: Tool, name: string, asking: AskingView): AppTool | undefined {
  // The view is called with this name, so it can't be cleaned or cut: another tool might have the
  // result as its name.
  if (tool.name.length > OWN_NAME || tool.name !== cleanText(tool.name)) return undefined;
  const schemas = [tool.inputSchema, tool.outputSchema ?? {}];
  if (schemas.some((schema) => JSON.stringify(schema).length > SCHEMA)) return undefined;
  const { title, description = "", inputSchema, outputSchema, annotations } = forModel(tool);
  const { appInfo, ...rest } = asking;
  const view: AskingView = { ...rest, ...(appInfo && { appInfo: appInfoForModel(appInfo) }) };
  const { name: app, version } = view.appInfo ?? {};
  // The description names the owner, and a view can't remove that.
  const claim = JSON.stringify(cutText(`${app} ${version}`, APP));
  const origin = `Offered by the app ${claim} that ${view.server} shows, not by that server itself.`;
  return {
    source: "app",
    ownName: tool.name,
    view,
    tool: {
      name,
      ...(title !== undefined && { title: cutText(title, TITLE) }),
      description: cutText(`${origin} ${description}`.trim(), DESCRIPTION),
      inputSchema,
      ...(outputSchema && { outputSchema }),
      ...(annotations && {
        annotations: {
          ...annotations,
          ...(annotations.title !== undefined && { title: cutText(annotations.title, TITLE) }),
        },
      }),
      _meta: { "vitrine/app": { server: view.server, view: view.key, app, version } },
    },
  };
}
