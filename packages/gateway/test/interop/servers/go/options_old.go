//go:build old

package main

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Before 2026-07-28 a request is cancelled by a notification, and there is no such option.
func options() *mcp.StreamableHTTPOptions {
	return nil
}
