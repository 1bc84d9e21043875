"""A small MCP server on stdin and stdout with one tool, `search`: what a real client talks to in tests."""

import json
import sys

TOOL = {"name": "search", "description": "Search.", "inputSchema": {"type": "object", "properties": {}}}


def answer(method: str, params: dict) -> dict:
    if method == "initialize":
        server = {"name": "scripted", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "three notes about the parser"}]}
    return {}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = answer(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
