// A program: the weather server of SDK v2 over stdio, both eras.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { build2 } from "../weather-app.ts";

serveStdio(build2);
