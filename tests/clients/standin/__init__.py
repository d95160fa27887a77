"""A stand-in for models: an HTTP server on loopback that speaks their wire formats and plays a fixed sequence of tool calls."""

from .server import StandIn

__all__ = ["StandIn"]
