import type { Upstream } from "@vitrine/host";
import { METHOD_NOT_FOUND, RpcError } from "@vitrine/protocol";
import type { Json } from "../json.ts";
import type { Survey } from "../survey/survey.ts";

/** Responses that the survey has already read, unchanged. */
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

/** The server; data that every run needs is cached, calls of a view are not. */
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

/** A server that only has the page. */
export function offlineUpstream(survey: Survey): Upstream {
  return {
    server: "file",
    capabilities: { tools: {}, resources: {} },
    onListChanged: () => () => {},
    request: async (method, params) => {
      const known = surveyed(survey, method, (params ?? {}) as Json);
      if (!known) throw new RpcError(METHOD_NOT_FOUND, "A file has no server.");
      return known as never;
    },
  };
}
