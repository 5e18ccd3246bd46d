// A stdio MCP server on Go's encoding/json, as most Go servers are: it matches the names of members
// without regard to case. It writes each message it read to a journal.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

type params struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type object = map[string]any

var output sync.Mutex

func send(value any) {
	text, _ := json.Marshal(value)
	output.Lock()
	defer output.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

func tool(name string, visibility ...string) object {
	properties := object{"note": object{"type": "string"}, "ms": object{"type": "number"}}
	return object{
		"name":        name,
		"inputSchema": object{"type": "object", "additionalProperties": false, "properties": properties},
		"annotations": object{"readOnlyHint": true},
		"_meta":       object{"ui": object{"visibility": visibility}},
	}
}

func call(id any, given params) {
	if given.Name == "never" {
		return
	}
	if wait, ok := given.Arguments["ms"].(float64); ok && given.Name == "slow" {
		time.Sleep(time.Duration(wait) * time.Millisecond)
	}
	text, _ := json.Marshal(given.Arguments)
	content := []any{object{"type": "text", "text": fmt.Sprintf("ran %s with %s", given.Name, text)}}
	send(object{"jsonrpc": "2.0", "id": id, "result": object{"content": content}})
}

func main() {
	var journal *os.File
	if path := os.Getenv("JOURNAL"); path != "" {
		journal, _ = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	tools := []any{
		tool("open", "model", "app"), tool("hidden", "app"),
		tool("never", "model", "app"), tool("slow", "model", "app"),
	}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var read message
		if json.Unmarshal(line, &read) != nil {
			continue
		}
		var given params
		json.Unmarshal(read.Params, &given)
		if journal != nil {
			entry, _ := json.Marshal(object{"id": read.ID, "method": read.Method,
				"params": object{"name": given.Name, "arguments": given.Arguments}})
			journal.Write(append(entry, '\n'))
		}
		switch {
		case read.Method == "initialize":
			send(object{"jsonrpc": "2.0", "id": read.ID, "result": object{
				"protocolVersion": "2025-11-25", "capabilities": object{"tools": object{}},
				"serverInfo": object{"name": "go-server", "version": "1"}}})
		case read.Method == "tools/list":
			send(object{"jsonrpc": "2.0", "id": read.ID, "result": object{"tools": tools}})
		case read.Method == "tools/call":
			go call(read.ID, given)
		case read.ID != nil:
			failure := object{"code": -32601, "message": "unknown"}
			send(object{"jsonrpc": "2.0", "id": read.ID, "error": failure})
		}
	}
}
