#!/usr/bin/env node

import { runProgram } from "./service/program.ts";

const code = await runProgram(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
