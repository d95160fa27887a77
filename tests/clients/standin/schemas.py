"""What the makers of models accept as a tool, as far as they document it. A violation is recorded and not refused.

Sources, as of November 2026:

- Anthropic, "Define tools": name `^[a-zA-Z0-9_-]{1,128}$`; `input_schema` is an object; no `oneOf`, `allOf`, `anyOf` at its top.
- OpenAI, "Function calling" and "Structured outputs": name `^[a-zA-Z0-9_-]{1,64}$`; `parameters` is an object, without `oneOf`,
  `anyOf`, `allOf`, `enum` or `not` at its top; an array has `items`; with `strict`: every property is required,
  `additionalProperties` is false, and some keywords are not known.
- Gemini API reference, `FunctionDeclaration` and `Schema`: name of 64 characters at most that starts with a letter or `_`;
  `parameters` knows the fields of `Schema` only; an `enum` is of strings, none of them empty (its error: "enum[3]: cannot be
  empty"); a format is one of a few. `parametersJsonSchema` is JSON Schema of the keywords listed there; the empty string in an
  enum is refused there too.
"""

import re

_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")
_NOT_STRICT = ("allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "patternProperties",
               "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties", "uniqueItems", "contains")
_GEMINI = {"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
           "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default",
           "items", "minimum", "maximum"}
_GEMINI_JSON = {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
                "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
                "propertyOrdering"}
# What Gemini's clients send beside those and the API is known to pass over.
_PASSED_OVER = {"$schema", "default", "nullable"}
_FORMATS = {"string": {"enum", "date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}


def violations(wire, body):
    """What is wrong with the tools that a request declares: sentences, each with the place."""
    check = {"Anthropic messages": _anthropic, "OpenAI responses": _responses, "OpenAI chat completions": _chat,
             "Gemini generateContent": _gemini}[wire]
    return list(check(body))


def _name(name, pattern):
    if not re.fullmatch(pattern, name):
        yield f"{name}: a name has to match {pattern}"


def _object(name, schema, *without):
    if schema.get("type") != "object":
        yield f"{name}: the parameters are no object"
    yield from (f"{name}: '{word}' at the top" for word in without if word in schema)


def _anthropic(body):
    for tool in body.get("tools") or []:
        if "input_schema" in tool:
            yield from _name(tool["name"], r"[a-zA-Z0-9_-]{1,128}")
            yield from _object(tool["name"], tool["input_schema"], "oneOf", "allOf", "anyOf")
            yield from _everywhere(tool["name"], tool["input_schema"], _required)


def _openai(tool):
    name, schema = tool["name"], tool.get("parameters") or {"type": "object"}
    yield from _name(name, r"[a-zA-Z0-9_-]{1,64}")
    yield from _object(name, schema, *_TOP)
    yield from _everywhere(name, schema, _items)
    yield from _everywhere(name, schema, _required)
    if tool.get("strict"):
        yield from _everywhere(name, schema, _strict)


def _functions(tools):
    for tool in tools or []:
        if tool["type"] == "function":
            yield tool
        elif tool["type"] == "namespace":
            yield from _functions(tool["tools"])


def _responses(body):
    found = [item["tools"] for item in body.get("input") or [] if isinstance(item, dict) and item.get("type") == "tool_search_output"]
    for tools in [body.get("tools"), *found]:
        for tool in _functions(tools):
            yield from _openai(tool)


def _chat(body):
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            yield from _openai(tool["function"])


def _gemini(body):
    for group in body.get("tools") or []:
        for tool in group.get("functionDeclarations") or []:
            yield from _name(tool["name"], r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
            if "parametersJsonSchema" in tool:
                yield from _everywhere(tool["name"], tool["parametersJsonSchema"], _gemini_json)
            elif "parameters" in tool:
                yield from _everywhere(tool["name"], tool["parameters"], _gemini_schema)


def _everywhere(place, schema, rule):
    """Applies a rule to a schema and to all inside of it."""
    if not isinstance(schema, dict):
        return
    yield from (f"{place}: {wrong}" for wrong in rule(schema))
    for key in ("properties", "$defs", "definitions"):
        for name, inner in (schema.get(key) or {}).items():
            yield from _everywhere(f"{place}.{name}", inner, rule)
    yield from _everywhere(f"{place}[]", schema.get("items"), rule)
    for key in ("anyOf", "oneOf", "allOf"):
        for number, inner in enumerate(schema.get(key) or []):
            yield from _everywhere(f"{place}.{key}[{number}]", inner, rule)


def _required(schema):
    known = schema.get("properties")
    if known is not None:
        yield from (f"'{name}' is required and no property" for name in schema.get("required") or [] if name not in known)


def _items(schema):
    if schema.get("type") == "array" and "items" not in schema:
        yield "an array without items"


def _strict(schema):
    yield from (f"strict, and '{word}' is not known" for word in _NOT_STRICT if word in schema)
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "strict, and additionalProperties is not false"
        yield from (f"strict, and '{name}' is not required" for name in schema.get("properties") or {}
                    if name not in (schema.get("required") or []))


def _enum(schema):
    values = schema.get("enum")
    if values is not None:
        if not values:
            yield "an enum without values"
        yield from (f"enum[{number}]: cannot be empty" for number, value in enumerate(values) if value == "")


def _gemini_schema(schema):
    yield from (f"'{word}' is no field of Schema" for word in schema if word not in _GEMINI)
    yield from _enum(schema)
    kind = str(schema.get("type", "")).lower()
    if schema.get("enum") and kind != "string":
        yield "an enum is allowed for strings only"
    if kind in _FORMATS and schema.get("format") and schema["format"] not in _FORMATS[kind]:
        yield f"the format '{schema['format']}' is not one of {sorted(_FORMATS[kind])}"
    yield from _required(schema)
    yield from _items(schema)


def _gemini_json(schema):
    yield from (f"'{word}' is no keyword that is known" for word in schema if word not in _GEMINI_JSON | _PASSED_OVER)
    yield from _enum(schema)
    yield from _required(schema)
