//go:build !old

package main

import "github.com/modelcontextprotocol/go-sdk/mcp"

// This SDK supports 2026-07-28 over HTTP only without sessions, and by default it lets a request run on for
// which nobody waits any more.
func options() *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}
}
