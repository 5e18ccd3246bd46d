// The official Go SDK.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const view = "ui://interop/view.html"

var (
	mutex     sync.Mutex
	cancelled = []string{}
)

type shown struct {
	Text string `json:"text"`
}

type waiting struct {
	ID string `json:"id"`
}

type nothing struct{}

func text(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func tell(ctx context.Context, req *mcp.CallToolRequest, progress, total float64) {
	if token := req.Params.GetProgressToken(); token != nil {
		params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: total}
		if err := req.Session.NotifyProgress(ctx, params); err != nil {
			log.Print(err)
		}
	}
}

func build() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, nil)
	ui := mcp.Meta{"ui": map[string]any{"resourceUri": view}}
	mcp.AddTool(server, &mcp.Tool{Name: "show", Description: "Has a View", Meta: ui},
		func(_ context.Context, _ *mcp.CallToolRequest, in shown) (*mcp.CallToolResult, any, error) {
			return text(in.Text), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "Counts to three"},
		func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
			for step := 1; step <= 3; step++ {
				tell(ctx, req, float64(step), 3)
				time.Sleep(50 * time.Millisecond)
			}
			return text("counted"), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "wait", Description: "Waits for its end"},
		func(ctx context.Context, req *mcp.CallToolRequest, in waiting) (*mcp.CallToolResult, any, error) {
			tell(ctx, req, 1, 2)
			<-ctx.Done()
			mutex.Lock()
			defer mutex.Unlock()
			cancelled = append(cancelled, in.ID)
			return nil, nil, ctx.Err()
		})
	mcp.AddTool(server, &mcp.Tool{Name: "cancelled", Description: "The cancelled calls"},
		func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
			mutex.Lock()
			defer mutex.Unlock()
			listed, err := json.Marshal(cancelled)
			return text(string(listed)), nil, err
		})
	server.AddResource(&mcp.Resource{URI: view, Name: "view", MIMEType: "text/html;profile=mcp-app"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
				URI:      view,
				MIMEType: "text/html;profile=mcp-app",
				Text:     "<!doctype html><title>interop</title>",
			}}}, nil
		})
	return server
}

func main() {
	server := build()
	if os.Args[1] == "stdio" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	one := func(*http.Request) *mcp.Server { return server }
	http.Handle("/mcp", mcp.NewStreamableHTTPHandler(one, options()))
	http.Handle("/sessions", mcp.NewStreamableHTTPHandler(one, nil))
	http.Handle("/sse", mcp.NewSSEHandler(one, nil))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
}
