// A program: the server that asks, over stdio.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { askingServer } from "./asking-server.ts";

await askingServer().connect(new StdioServerTransport());
