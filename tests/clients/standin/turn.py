"""What all wire formats have in common: a request of a client, and what the model says to it."""

import base64
import dataclasses


@dataclasses.dataclass
class Tool:
    """A tool as the model is offered it. `schema` is its parameters; `namespace` is one of OpenAI's, or None; `through` is the tool
    that calls it for the model, where there is one."""

    name: str
    description: str
    schema: dict
    namespace: str | None = None
    through: "Tool | None" = None


@dataclasses.dataclass
class Received:
    """What a model got for a call: texts as they were separate, pictures (kind, bytes), and parts of any other kind."""

    texts: list = dataclasses.field(default_factory=list)
    pictures: list = dataclasses.field(default_factory=list)
    others: list = dataclasses.field(default_factory=list)
    is_error: bool | None = None

    @property
    def text(self):
        """All texts together."""
        return "\n".join(self.texts)

    def add_picture(self, kind, data):
        """A picture in base64."""
        self.pictures.append((kind, base64.b64decode(data)))

    def add_address(self, address):
        """A picture as a data: address."""
        head, _, data = address.partition(",")
        if head.startswith("data:"):
            self.add_picture(head[5:].partition(";")[0], data)
        else:
            self.others.append({"address": address})


@dataclasses.dataclass
class Turn:
    """A request: the tools offered, what came back of calls (by their id), what else the model gets, and the descriptions of groups
    of tools."""

    tools: list
    results: dict
    system: str
    descriptions: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Call:
    """The model calls a tool. `kind` is `search` for the one of OpenAI's format that finds tools."""

    id: str
    tool: Tool
    arguments: dict
    kind: str = "function"


@dataclasses.dataclass
class Say:
    """The model says something and ends its turn."""

    text: str
