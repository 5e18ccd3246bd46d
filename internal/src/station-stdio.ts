// A program: the weather station of SDK v2 over stdio, both eras.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { station2, stationServer2 } from "./station-servers.ts";

serveStdio(() => stationServer2(station2()));
