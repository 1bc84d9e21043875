"""A client of the MCP SDK: starts the server, lists its tools, makes the calls that stdin names."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError


async def call(client: Client, name: str, given: dict) -> dict:
    try:
        answer = await client.call_tool(name, given)
    except MCPError as error:
        return {"failed": True, "text": str(error)[:500]}
    return {"failed": bool(answer.is_error), "text": "".join(part.text for part in answer.content)}


async def main() -> None:
    todo = json.load(sys.stdin)
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "synaptic.cli.main", "mcp"], env=dict(os.environ), cwd=todo["cwd"]
    )
    async with Client(server) as client:
        tools = [
            {"name": tool.name, "description": tool.description, "read_only": tool.annotations.read_only_hint}
            for tool in (await client.list_tools()).tools
        ]
        answers = [await call(client, name, given) for name, given in todo["calls"]]
    print(json.dumps({"tools": tools, "answers": answers}))


if __name__ == "__main__":
    asyncio.run(main())
