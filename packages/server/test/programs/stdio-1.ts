// A program: the weather server of SDK v1 over stdio.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { build1 } from "../weather-app.ts";

await build1().connect(new StdioServerTransport());
