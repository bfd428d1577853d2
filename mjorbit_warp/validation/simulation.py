"""One way to run a model on each backend."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.quiet import start_warp
from mjorbit_warp.values import host


class Simulation:
    """Worlds of a model on the reference ("reference") or on Warp in float32 ("warp"), with "shadow" or "conserving".

    On Warp the steps between two samples are replays of a graph of at most 20 steps.

    Attributes:
      model, data: of the backend.
      stride: steps per advance().
    """

    def __init__(
        self,
        model: mjo.MjoModel,
        variant: str,
        qpos: Any,
        qvel: Any,
        *,
        act: Any = None,
        ctrl: Any = None,
        stride: int = 1,
        orbit: Sequence[Orbit] | Orbit | None = None,
        expand: dict[str, Any] | None = None,
    ) -> None:
        qpos, qvel = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (qpos, qvel))
        nworld = qpos.shape[0]
        self.model, self.variant, self.stride = model, variant, stride
        self._replay: Any = None
        self._replays = 1
        values = {"qpos": qpos, "qvel": qvel}
        if act is not None:
            values["act"] = np.broadcast_to(act, (nworld, np.shape(act)[-1]))
        self.data: Any
        if variant == "reference":
            self.data = mjo_ref.make_data(model, nworld, orbit=orbit, nthread=1)
            for name, value in values.items():
                getattr(self.data, name)[:] = value
            for name, value in (expand or {}).items():
                self.data.expand(name)[:] = value
            if ctrl is not None:
                self.data.ctrl[:] = ctrl
            return
        start_warp()
        precision = "single" if variant == "warp" else variant
        self.data = mjo.make_data(model, nworld, orbit=orbit, precision=precision)
        for name, value in (expand or {}).items():
            model.expand(name, nworld).assign(np.asarray(value))
        for owner in (self.data, self.data.shadow):
            if owner is not None:  # the shadow's start is float64: it rounds to what the arrays hold, and so it counts
                for name, value in values.items():
                    getattr(owner, name).assign(value)
        self.command(ctrl)
        steps = max(n for n in range(1, 21) if stride % n == 0)  # building a graph takes time for each step in it
        self._replays = stride // steps
        self._replay = mjo.capture(model, self.data, nstep=steps)

    def command(self, ctrl: Any) -> None:
        """Set all commands; None leaves them."""
        if ctrl is None or not np.size(ctrl):
            return
        values = np.broadcast_to(ctrl, self.data.ctrl.shape)
        if self.variant == "reference":
            self.data.ctrl[:] = values
        else:
            self.data.ctrl.assign(values)

    def advance(self) -> None:
        """``stride`` steps."""
        if self._replay is not None:
            for _ in range(self._replays):
                self._replay()
            return
        for _ in range(self.stride):
            mjo_ref.mjo_step(self.model, self.data)

    def __getattr__(self, name: str) -> Any:
        """qpos, qvel, act in float64, from the shadow where there is one, as copies  (nworld, …)."""
        if name not in ("qpos", "qvel", "act"):
            raise AttributeError(name)
        owner = self.data
        if self.variant != "reference" and owner.shadow is not None:
            owner = owner.shadow
        return np.array(host(getattr(owner, name)), dtype=np.float64)

    @property
    def t(self) -> float:
        """Elapsed time of world 0 by the float64 clock [s]."""
        return float(host(self.data.time)[0])

    @property
    def r(self) -> np.ndarray:
        """Position of the reference orbit [m]  (nworld, 3)"""
        return np.array(host(self.data.orbit.r))

    @property
    def v(self) -> np.ndarray:
        """Velocity of the reference orbit [m/s]  (nworld, 3)"""
        return np.array(host(self.data.orbit.v))
