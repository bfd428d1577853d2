"""The user's callbacks, and ours between them and MJWarp."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mujoco_warp as mjw

    from mjorbit_warp.model import MjoModel

Hook = Callable[..., None]
NAMES = ("control", "passive", "act_dyn", "act_gain", "act_bias", "sensor", "contactfilter")


def _moved(m: "mjw.Model", d: "mjw.Data") -> None:
    """What MJWarp's control slot holds while control hooks run in the passive callback."""


class Callbacks:
    """User callbacks ``f(model, data)``, called with the MjoModel and the MjoData in every dynamics evaluation.

    ``control`` runs first, before the orbit's forces, with ``data.stage_time`` at the evaluation's own time (RK4
    stages included): a command that is a function of time is not held over a step. It is not called when actuation is
    disabled.
    ``passive`` runs after the orbit's forces are in ``qfrc_passive``. The others are MJWarp's.

    A callback that was set directly on ``model.mjw.callback`` is kept and chained, with MJWarp's own (Model, Data).
    """

    control: Hook | None
    passive: Hook | None
    act_dyn: Hook | None
    act_gain: Hook | None
    act_bias: Hook | None
    sensor: Hook | None
    contactfilter: Hook | None
    _model: "MjoModel"
    _ours: dict[str, Hook]
    _foreign: dict[str, Hook]
    _placed: set[str]

    def __init__(self, model: "MjoModel") -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_ours", {})
        object.__setattr__(self, "_foreign", {})
        object.__setattr__(self, "_placed", set())
        for name in NAMES:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Hook | None) -> None:
        if name not in NAMES:
            raise AttributeError(f"no callback {name!r}: allowed are {', '.join(NAMES)}")
        if value is not None and not callable(value):
            raise TypeError(
                f"callback {name} is a {type(value).__name__}: a function f(model, data) or None is allowed"
            )
        object.__setattr__(self, name, value)

    def _wrapper(self, name: str) -> Hook:
        def call(m: "mjw.Model", d: "mjw.Data", *more: Any) -> None:  # MJWarp's sensor callback gets the stage too
            if foreign := self._foreign.get(name):
                foreign(m, d, *more)
            if hook := getattr(self, name):
                hook(self._model, self._model.data_of(d), *more)

        return call

    def run_control(self, m: "mjw.Model", d: "mjw.Data") -> None:
        """Call the control hooks once."""
        self._ours["control"](m, d)

    def has_control(self) -> bool:
        """Whether somebody wants to set ``ctrl`` in each evaluation."""
        return self.control is not None or "control" in self._foreign

    def is_foreign(self, name: str) -> bool:
        """Whether a callback was set directly on MJWarp's model."""
        return name in self._foreign

    def install(self, before: dict[str, Hook], after: dict[str, Hook]) -> None:
        """Put our callbacks into MJWarp's model; whatever is there already is chained.

        Args:
          before, after: by name, f(mjw model, mjw data, …) that runs before or after the user's hooks.
        """
        ours = self._ours
        if not ours:
            for name in NAMES:
                ours[name] = _sequence(before.get(name), self._wrapper(name), after.get(name))
        target = self._model.mjw.callback
        for name in NAMES:
            # MJWarp calls control too late for forces that read ctrl: it runs in our passive callback, its slot is idle
            placed = _moved if name == "control" else ours[name]
            current = getattr(target, name)
            if current is None and name in self._placed:
                self._foreign.pop(name, None)  # somebody emptied the slot that held ours and theirs
            elif current is not None and current is not placed:
                self._foreign[name] = current
            needed = name in before or name in after
            wanted = needed or getattr(self, name) is not None or name in self._foreign
            setattr(target, name, placed if wanted else None)
            (self._placed.add if wanted else self._placed.discard)(name)


def _sequence(*hooks: Hook | None) -> Hook:
    """Call hooks in turn."""
    chain = [hook for hook in hooks if hook is not None]

    def call(*args: Any) -> None:
        for hook in chain:
            hook(*args)

    return call
