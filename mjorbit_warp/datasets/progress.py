"""How far the making of a dataset is."""

from typing import Any


class Progress:
    """Counts; subclasses show them.

    Attributes:
      done: world-steps so far
      shards: shards so far
      bad: episodes that are not as they should be, by index, as the shards' manifests have them
      notes: what happened besides
    """

    def __init__(self) -> None:
        self.done = 0
        self.shards = 0
        self.bad: dict[str, dict[str, Any]] = {}
        self.notes: list[str] = []

    def steps(self, count: int) -> None:
        """World-steps since the last call; fewer where a worker died."""
        self.done += count

    def shard(self, index: int, bad: dict[str, dict[str, Any]]) -> None:
        """A shard is whole."""
        self.shards += 1
        self.bad |= bad

    def note(self, text: str) -> None:
        """Something to say."""
        self.notes.append(text)
