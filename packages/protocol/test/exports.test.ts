import * as protocol from "@vitrine/protocol";
import * as printable from "@vitrine/protocol/printable";
import * as sentences from "@vitrine/protocol/sentences";
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

test("./sentences exports these names and no others", () => {
  expect(Object.keys(sentences).sort()).toEqual(["PEER_SENTENCES", "speakIn"]);
});

test("./printable exports these names and no others", () => {
  const names = ["printable", "printableJson", "printableLines", "shellQuoted"];
  expect(Object.keys(printable).sort()).toEqual(names);
});
