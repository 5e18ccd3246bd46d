// Reads JSON as Go programs do, into structs whose members match without regard to case, and answers with
// digests of what it read. `serve` is a stdio MCP server that keeps a digest of each message; its tool
// `flush` returns them. `read` prints one digest for each line, of a JSON-RPC response. See
// fuzz/canonical.ts for the digests.
package main

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
)

type object = map[string]any

type envelope struct {
	ID     *json.RawMessage `json:"id"`
	Method any              `json:"method"`
	Params json.RawMessage  `json:"params"`
}

type call struct {
	Name      any `json:"name"`
	Arguments any `json:"arguments"`
}

type response struct {
	Result *json.RawMessage `json:"result"`
	Error  *json.RawMessage `json:"error"`
}

var own = map[string]bool{"initialize": true, "server/discover": true, "tools/list": true,
	"notifications/initialized": true, "notifications/cancelled": true, "ping": true}

func canonical(out *bytes.Buffer, value any) {
	switch read := value.(type) {
	case nil:
		out.WriteByte('n')
	case bool:
		if read {
			out.WriteByte('t')
		} else {
			out.WriteByte('f')
		}
	case string:
		fmt.Fprintf(out, "s%d:%s", len(read), read)
	case json.Number:
		// As doubles, since that is what the gateway checks; too large ones are infinite, as in JavaScript.
		number, _ := strconv.ParseFloat(string(read), 64)
		if number == 0 {
			number = 0
		}
		fmt.Fprintf(out, "d%016x", math.Float64bits(math.Abs(number))|sign(number))
	case []any:
		out.WriteByte('[')
		for _, item := range read {
			canonical(out, item)
		}
		out.WriteByte(']')
	case object:
		keys := make([]string, 0, len(read))
		for key := range read {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out.WriteByte('{')
		for _, key := range keys {
			canonical(out, key)
			canonical(out, read[key])
		}
		out.WriteByte('}')
	}
}

func sign(number float64) uint64 {
	if number < 0 {
		return 1 << 63
	}
	return 0
}

func digest(values ...any) string {
	var out bytes.Buffer
	canonical(&out, values)
	sum := md5.Sum(out.Bytes())
	return hex.EncodeToString(sum[:])
}

func decode(text []byte, into any) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into) == nil
}

func messageDigest(read envelope) string {
	rest := object{}
	var whole any
	var given call
	if read.Params != nil {
		decode(read.Params, &whole)
		decode(read.Params, &given)
	}
	if members, ok := whole.(object); ok {
		for key, value := range members {
			if key != "_meta" {
				rest[key] = value
			}
		}
	}
	return digest(read.ID != nil, read.Method, rest, given.Name, given.Arguments)
}

func responseDigest(line []byte) string {
	var read response
	if !decode(line, &read) {
		return "unreadable"
	}
	kind, raw := "error", read.Error
	if read.Result != nil {
		kind, raw = "result", read.Result
	}
	var payload any
	if raw != nil {
		decode(*raw, &payload)
	}
	if members, ok := payload.(object); ok {
		delete(members, "resultType")
		delete(members, "_meta")
	}
	return digest(kind, payload)
}

func tool(name string, schema object, visibility ...string) object {
	return object{"name": name, "inputSchema": schema, "annotations": object{"readOnlyHint": true},
		"_meta": object{"ui": object{"visibility": visibility}}}
}

func tools() []any {
	open := object{"type": "object"}
	strict := object{"type": "object", "additionalProperties": false,
		"properties": object{"note": object{"type": "string"}}}
	return []any{tool("any", open, "model", "app"), tool("strict", strict, "model", "app"),
		tool("hidden", open, "app"), tool("flush", open, "model", "app"), tool("line", open, "model", "app")}
}

func serve(input *bufio.Reader, output *bufio.Writer) {
	digests, lines, last := []string{}, []string{}, []string{}
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var read envelope
		if !decode(line, &read) {
			digests, lines = append(digests, "unreadable"), append(lines, string(line))
			continue
		}
		var given call
		json.Unmarshal(read.Params, &given)
		method, _ := read.Method.(string)
		result := object{"content": []any{}}
		switch {
		case method == "initialize":
			result = object{"protocolVersion": "2025-11-25", "capabilities": object{"tools": object{}},
				"serverInfo": object{"name": "reading-server", "version": "1"}}
		case method == "tools/list":
			result = object{"tools": tools()}
		case method == "tools/call" && given.Name == "flush":
			result["structuredContent"] = object{"digests": digests}
			digests, lines, last = []string{}, []string{}, lines
		case method == "tools/call" && given.Name == "line":
			at := int(given.Arguments.(object)["at"].(float64))
			result["content"] = []any{object{"type": "text", "text": last[at]}}
		case !own[method]:
			digests, lines = append(digests, messageDigest(read)), append(lines, string(line))
		}
		if read.ID != nil {
			text, _ := json.Marshal(object{"jsonrpc": "2.0", "id": read.ID, "result": result})
			output.Write(append(text, '\n'))
			output.Flush()
		}
	}
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	if os.Args[1] == "serve" {
		serve(input, output)
		return
	}
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		output.WriteString(responseDigest(line) + "\n")
		output.Flush()
	}
}
