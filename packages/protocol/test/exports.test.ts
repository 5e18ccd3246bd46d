import * as protocol from "@vitrine/protocol";
import * as errorMessages from "@vitrine/protocol/error-messages";
import * as printable from "@vitrine/protocol/printable";
import { expect, test } from "vitest";

test("the root exports these names and no others", () => {
  expect(Object.keys(protocol).sort()).toEqual([
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "LocalError",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "Peer",
    "REFUSED",
    "RpcError",
    "isJsonRpcNotification",
    "isJsonRpcRequest",
    "isJsonRpcResponse",
    "isRequestId",
    "linkedChannels",
    "portChannel",
    "windowChannel",
    "wording",
  ]);
});

test("./error-messages exports these names and no others", () => {
  expect(Object.keys(errorMessages).sort()).toEqual([
    "PEER_ERROR_MESSAGES",
    "registerErrorMessages",
  ]);
});

test("./printable exports these names and no others", () => {
  const names = ["printable", "printableJson", "printableLines", "shellQuoted"];
  expect(Object.keys(printable).sort()).toEqual(names);
});
