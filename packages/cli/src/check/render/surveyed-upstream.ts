import type { Upstream } from "@vitrine/host";
import { METHOD_NOT_FOUND, RpcError } from "@vitrine/protocol";
import type { Json } from "../json.ts";
import type { Survey } from "../survey/survey.ts";

/** What the survey has read already, as the server sent it. */
function surveyed(
  { tools, resources, templates, views }: Survey,
  method: string,
  params: Json,
): Json | undefined {
  switch (method) {
    case "tools/list":
      return { tools };
    case "resources/list":
      return { resources };
    case "resources/templates/list":
      return { resourceTemplates: templates };
    case "resources/read": {
      const content = views.find(({ uri }) => uri === params.uri)?.content;
      return content && { contents: [content] };
    }
    default:
      return undefined;
  }
}

/** The server, asked once for what every run needs, and each time for what a View calls. */
export function surveyedUpstream(upstream: Upstream, survey: Survey): Upstream {
  return {
    server: upstream.server,
    capabilities: upstream.capabilities,
    onListChanged: () => () => {},
    request: async (method, params, options) =>
      (surveyed(survey, method, (params ?? {}) as Json) as never) ??
      upstream.request(method, params, options),
  };
}

/** A server of which there is only the page. */
export function offlineUpstream(survey: Survey): Upstream {
  return {
    server: "file",
    capabilities: { tools: {}, resources: {} },
    onListChanged: () => () => {},
    request: async (method, params) => {
      const known = surveyed(survey, method, (params ?? {}) as Json);
      if (!known) throw new RpcError(METHOD_NOT_FOUND, "There is no server behind a file.");
      return known as never;
    },
  };
}
