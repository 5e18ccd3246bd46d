// A program: the weather station of SDK v1 over stdio, 2025-11-25.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { stationServer1 } from "./station-servers.ts";

await stationServer1().server.connect(new StdioServerTransport());
