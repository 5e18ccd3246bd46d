// The servers, how they are started, and what has to be seen of each call.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A call of a tool, and what its View has to show. */
export interface ShownCall {
  tool: string;
  input: Record<string, unknown>;
  /** Texts that are to be seen. */
  shows: (string | RegExp)[];
  /** What draws it: a selector. */
  by: string;
  /** Calls the tool again from the View: what to fill in, and what is seen then. */
  again?: { fill: Record<string, string>; shows: string };
}

/** A server of somebody else. */
export interface ExampleServer {
  name: string;
  args: string[];
  env?: Record<string, string>;
  calls: ShownCall[];
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAGklEQVR4nGP4z8DwnxLMMGrAqAGjBgwXAwBzm/8B7JbLKwAAAABJRU5ErkJggg==";

/** Makes what the servers are asked for, in a folder of its own. */
export async function exampleServers(folder: string): Promise<ExampleServer[]> {
  const files = join(folder, "files");
  await mkdir(join(files, "docs/old"), { recursive: true });
  await writeFile(
    join(files, "readme.txt"),
    "A project with few files.\n\nNothing in here is </script><script>alert(1)</script> executed.\n",
  );
  await writeFile(
    join(files, "docs/config.json"),
    JSON.stringify({ port: 8080, hosts: ["a", "b"] }),
  );
  await writeFile(
    join(files, "docs/server.ts"),
    'import { serve } from "./serve.ts";\n\nexport function start() {\n  return serve(8080);\n}\n',
  );
  await writeFile(join(files, "docs/old/logo.png"), Buffer.from(PNG, "base64"));
  const at = (path: string): string => join(files, path);

  return [
    {
      name: "everything",
      args: [],
      calls: [
        {
          tool: "echo",
          input: { message: "Hello <b>there</b>" },
          shows: ["Hello <b>there</b>"],
          by: ".words",
          again: { fill: { Message: "once more" }, shows: "once more" },
        },
        {
          tool: "get-structured-content",
          input: { location: "Chicago" },
          shows: ["Temperature", "Conditions", "Humidity"],
          by: "dl",
          again: { fill: { Location: "New York" }, shows: "Cloudy" },
        },
        { tool: "get-sum", input: { a: 2, b: 40 }, shows: ["42"], by: ".words" },
        { tool: "get-env", input: {}, shows: ["PATH"], by: "dl" },
        {
          tool: "get-resource-links",
          input: { count: 3 },
          shows: [/demo:\/\/resource/],
          by: "table",
        },
        { tool: "get-tiny-image", input: {}, shows: [], by: ".images img" },
        {
          tool: "get-annotated-message",
          input: { messageType: "error", includeImage: true },
          shows: [/error/i],
          by: ".words",
        },
      ],
    },
    {
      name: "filesystem",
      args: [files],
      calls: [
        {
          tool: "list_directory",
          input: { path: files },
          shows: ["readme.txt", "docs"],
          by: "table",
          again: { fill: { Path: at("docs") }, shows: "config.json" },
        },
        {
          tool: "list_directory_with_sizes",
          input: { path: at("docs") },
          shows: ["config.json", "server.ts", /Total/],
          by: "table",
        },
        {
          tool: "directory_tree",
          input: { path: files },
          shows: ["docs", "old"],
          by: '[role="tree"]',
        },
        {
          tool: "get_file_info",
          input: { path: at("readme.txt") },
          shows: ["size", /modified/i],
          by: "dl",
        },
        {
          tool: "read_text_file",
          input: { path: at("readme.txt") },
          shows: ["</script><script>alert(1)</script>"],
          by: ".words",
        },
        {
          tool: "read_text_file",
          input: { path: at("docs/server.ts") },
          shows: ["export function"],
          by: ".words.code",
        },
        {
          tool: "edit_file",
          input: {
            path: at("docs/server.ts"),
            edits: [{ oldText: "serve(8080)", newText: "serve(9090)" }],
            dryRun: true,
          },
          shows: ["-  return serve(8080);", "+  return serve(9090);"],
          by: ".difference .added",
        },
        {
          tool: "search_files",
          input: { path: files, pattern: "**/*.*" },
          shows: ["logo.png"],
          by: ".list, table",
        },
        {
          tool: "read_media_file",
          input: { path: at("docs/old/logo.png") },
          shows: [],
          by: ".images img",
        },
      ],
    },
    {
      name: "memory",
      args: [],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      calls: [
        {
          tool: "create_entities",
          input: {
            entities: [
              {
                name: "Ada",
                entityType: "person",
                observations: ["wrote the first program", "knew Babbage"],
              },
              {
                name: "Analytical Engine",
                entityType: "machine",
                observations: ["was never built"],
              },
            ],
          },
          shows: ["Ada", "Analytical Engine", "Entity type"],
          by: "table",
        },
        {
          tool: "create_relations",
          input: {
            relations: [{ from: "Ada", to: "Analytical Engine", relationType: "programmed" }],
          },
          shows: ["programmed"],
          by: "table",
        },
        {
          tool: "read_graph",
          input: {},
          shows: ["Entities", "Relations", "wrote the first program"],
          by: "table",
        },
        {
          tool: "search_nodes",
          input: { query: "machine" },
          shows: ["Analytical Engine"],
          by: "table",
          again: { fill: { Query: "Ada" }, shows: "knew Babbage" },
        },
        {
          tool: "delete_entities",
          input: { entityNames: ["nobody"] },
          shows: ["Success"],
          by: "dl",
        },
      ],
    },
  ];
}
