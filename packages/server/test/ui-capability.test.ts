import { getUiCapability, uiCapability } from "@vitrine/server";
import { describe, expect, test } from "vitest";

const KEY = "io.modelcontextprotocol/clientCapabilities";
const MIME = "text/html;profile=mcp-app";
const ui = (settings: unknown) => ({ extensions: { "io.modelcontextprotocol/ui": settings } });
const modern = (capabilities: unknown) => ({ mcpReq: { envelope: { [KEY]: capabilities } } });

describe("getUiCapability", () => {
  test("is the client's value under the extension's name (SRV-11)", () => {
    expect(getUiCapability(ui({ mimeTypes: [MIME] }))).toEqual({ mimeTypes: [MIME] });
    expect(getUiCapability(ui({}))).toEqual({});
  });

  test.each([null, undefined, {}, { extensions: {} }, ui(null), ui("yes"), ui([])])(
    "is undefined for %j",
    (capabilities) => {
      expect(getUiCapability(capabilities as never)).toBeUndefined();
    },
  );

  test("ignores inherited names", () => {
    const extensions = Object.create({ "io.modelcontextprotocol/ui": {} });
    expect(getUiCapability({ extensions })).toBeUndefined();
  });
});

describe("uiCapability of a request with its own capabilities", () => {
  test("is the request's value (SRV-11)", () => {
    expect(uiCapability(modern(ui({ mimeTypes: [MIME] })))).toEqual({ mimeTypes: [MIME] });
    expect(uiCapability(modern(ui({ mimeTypes: ["text/html; profile=mcp-app"] })))).toBeTruthy();
    expect(uiCapability(modern(ui({})))).toEqual({});
  });

  test.each([{}, { extensions: {} }, ui({ mimeTypes: [] }), ui({ mimeTypes: ["text/vnd.other"] })])(
    "is null for %j: it shows none",
    (capabilities) => {
      expect(uiCapability(modern(capabilities))).toBeNull();
    },
  );

  test("overrides the capabilities of the connection's handshake", () => {
    const connect = async (): Promise<void> => {};
    const server = {
      server: {
        connect,
        registerCapabilities() {},
        getClientCapabilities: () => ui({ mimeTypes: [MIME] }),
      },
    };
    expect(uiCapability(modern({}), server)).toBeNull();
    expect(uiCapability({}, server)).toEqual({ mimeTypes: [MIME] });
  });
});

describe("uiCapability of an unknown context", () => {
  test.each([undefined, null, {}, { mcpReq: {} }, "context", 7])(
    "is undefined for %j",
    (context) => {
      expect(uiCapability(context)).toBeUndefined();
    },
  );
});
