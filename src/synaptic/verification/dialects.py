"""The model APIs that clients speak: OpenAI's responses and chat completions, Gemini's, and Claude's messages."""

import json
from collections.abc import Iterator, Mapping

from synaptic.verification.model_server import Json, Reply
from synaptic.verification.script import Text, Turn, Use

EVENTS = "text/event-stream"
MISSING = Reply(b"{}", status=404)
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
TOKENS = {"input_tokens": 1, "output_tokens": 1}
UTILITY = {"reasoning": "scripted", "next_speaker": "user", "model_choice": "flash", "complexity_score": 1}
"""An answer to every question that a client asks beside the conversation."""


class Responses:
    """OpenAI's responses API. A tool input of one `freeform` text is a custom tool call."""

    base = "/v1"

    def is_turn(self, path: str, request: Json) -> bool:
        return path.endswith("/responses")

    def turn(self, turn: Turn, number: int, request: Json) -> Reply:
        items = [_item(block, number) for block in turn if isinstance(block, Text | Use)]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        whole = {"id": f"resp_{number}", "output": items, "usage": usage}
        events: list[Json] = [{"type": "response.created", "response": {"id": whole["id"]}}]
        events += [
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(items)
        ]
        events.append({"type": "response.completed", "response": whole})
        return Reply("".join(f"event: {event['type']}\n{_line(event)}" for event in events).encode(), EVENTS)

    def aside(self, path: str, request: Json) -> Reply:
        return _json({"object": "list", "data": [], "models": []}) if path.endswith("/models") else MISSING

    def results(self, request: Json) -> Iterator[tuple[str, str]]:
        for item in request["input"]:
            if item.get("type", "").endswith("call_output"):
                yield item["call_id"], text(item["output"])


class Chat:
    """OpenAI's chat completions. Requests without tools (titles, summaries) are no turns."""

    base = "/v1"

    def is_turn(self, path: str, request: Json) -> bool:
        return path.endswith("/chat/completions") and bool(request.get("tools"))

    def turn(self, turn: Turn, number: int, request: Json) -> Reply:
        said = "".join(block.text for block in turn if isinstance(block, Text))
        uses = [block for block in turn if isinstance(block, Use)]
        calls = [_call(use, f"call_{number}_{index}", index) for index, use in enumerate(uses)]
        return self._completion(said, calls, bool(request.get("stream")))

    def aside(self, path: str, request: Json) -> Reply:
        if path.endswith("/chat/completions"):
            return self._completion("ok", [], bool(request.get("stream")))
        if path.endswith("/models"):
            return _json({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})
        return MISSING

    def results(self, request: Json) -> Iterator[tuple[str, str]]:
        for message in request["messages"]:
            if message["role"] == "tool":
                yield message["tool_call_id"], text(message["content"])

    def _completion(self, said: str, calls: list[Json], stream: bool) -> Reply:
        base = {"id": "chat", "created": 1, "model": "fake-model"}
        end = "tool_calls" if calls else "stop"
        message = {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}
        if not stream:
            choice = {"index": 0, "message": message, "finish_reason": end}
            return _json({**base, "object": "chat.completion", "choices": [choice], "usage": USAGE})
        base["object"] = "chat.completion.chunk"
        choices: list[Json] = [{"delta": message, "finish_reason": None}, {"delta": {}, "finish_reason": end}]
        chunks = [{**base, "choices": [{"index": 0, **choice}]} for choice in choices]
        body = "".join(map(_line, (*chunks, {**base, "choices": [], "usage": USAGE}))) + "data: [DONE]\n\n"
        return Reply(body.encode(), EVENTS)


class Gemini:
    """Gemini's API. Only streamed requests are turns: the others route, count and summarise."""

    base = ""

    def is_turn(self, path: str, request: Json) -> bool:
        return path.endswith(":streamGenerateContent")

    def turn(self, turn: Turn, number: int, request: Json) -> Reply:
        parts = [_part(block) for block in turn if isinstance(block, Text | Use)]
        return Reply(_line(_candidate(*parts)).encode(), EVENTS)

    def aside(self, path: str, request: Json) -> Reply:
        if path.endswith(":countTokens"):
            return _json({"totalTokens": 1})
        return _json(_candidate({"text": json.dumps(UTILITY)})) if path.endswith(":generateContent") else MISSING

    def results(self, request: Json) -> Iterator[tuple[str, str]]:
        for content in request["contents"]:
            for index, part in enumerate(content["parts"]):
                if answer := part.get("functionResponse"):
                    yield answer.get("id") or str(index), text(answer["response"])


class Messages:
    """Claude's messages API. Requests without tools (titles, quota) are no turns."""

    base = ""

    def is_turn(self, path: str, request: Json) -> bool:
        return path == "/v1/messages" and bool(request.get("tools"))

    def turn(self, turn: Turn, number: int, request: Json) -> Reply:
        blocks = [_block(block, number) for block in turn if isinstance(block, Text | Use)]
        events: list[Json] = [{"type": "message_start", "message": _message(number)}]
        for index, (start, delta) in enumerate(blocks):
            events.append({"type": "content_block_start", "index": index, "content_block": start})
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
            events.append({"type": "content_block_stop", "index": index})
        end = "tool_use" if any(isinstance(block, Use) for block in turn) else "end_turn"
        delta = {"stop_reason": end, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": delta, "usage": TOKENS}, {"type": "message_stop"}]
        return Reply("".join(f"event: {event['type']}\n{_line(event)}" for event in events).encode(), EVENTS)

    def aside(self, path: str, request: Json) -> Reply:
        if path != "/v1/messages":
            return _json({"input_tokens": 1})
        if request.get("stream"):
            return self.turn((Text("ok"),), 0, request)
        said = {"type": "text", "text": "ok"}
        return _json({**_message(0), "content": [said], "stop_reason": "end_turn"})

    def results(self, request: Json) -> Iterator[tuple[str, str]]:
        for message in request["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("type") == "tool_result":
                    yield block["tool_use_id"], text(block.get("content"))


def text(value: object) -> str:
    """All the words in a piece of JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(map(text, value.values()))
    return "\n".join(map(text, value)) if isinstance(value, list | tuple) else ""


def _message(number: int) -> Json:
    base = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    return {**base, "stop_reason": None, "stop_sequence": None, "usage": TOKENS}


def _block(block: Text | Use, number: int) -> tuple[Json, Json]:
    """How a block begins, and the rest of it."""
    if isinstance(block, Text):
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block.text}
    start = {"type": "tool_use", "id": f"toolu_{number}", "name": block.name, "input": {}}
    return start, {"type": "input_json_delta", "partial_json": json.dumps(dict(block.input))}


def _item(block: Text | Use, number: int) -> Json:
    if isinstance(block, Text):
        said = {"type": "output_text", "text": block.text}
        return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": [said]}
    call = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": block.name}
    if freeform := block.input.get("freeform"):
        return {"type": "custom_tool_call", **call, "input": freeform}
    return {"type": "function_call", **call, "arguments": json.dumps(dict(block.input))}


def _call(use: Use, name: str, index: int) -> Json:
    function = {"name": use.name, "arguments": json.dumps(dict(use.input))}
    return {"index": index, "id": name, "type": "function", "function": function}


def _part(block: Text | Use) -> Json:
    if isinstance(block, Text):
        return {"text": block.text}
    return {"functionCall": {"name": block.name, "args": dict(block.input)}}


def _candidate(*parts: Json) -> Json:
    content = {"role": "model", "parts": list(parts)}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


def _json(value: Json) -> Reply:
    return Reply(json.dumps(value).encode())


def _line(value: Json) -> str:
    return f"data: {json.dumps(value)}\n\n"
