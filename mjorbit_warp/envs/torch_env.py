"""Tasks whose hooks are torch functions."""

from typing import TYPE_CHECKING, Any, ClassVar

import warp as wp

from mjorbit_warp.envs.base import Env
from mjorbit_warp.extras import need
from mjorbit_warp.rollout_arrays import device_array, expect_shape
from mjorbit_warp.rollout_fields import field_array

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


class TorchFields:
    """Fields of a MjoData as torch tensors without a copy, ``fields.qpos`` or ``fields["orbit.r"]``; see rollout."""

    def __init__(self, model: "MjoModel", data: "MjoData") -> None:
        self._model, self._data = model, data
        self._views: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._views:
            self._views[name] = wp.to_torch(field_array(self._model, self._data, name))
        return self._views[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


class TorchEnv(Env):
    """An Env whose hooks take and return torch tensors. The model's steps and resets are graphs, the hooks are not.

    Subclasses set ``nobs`` and write ``start``, ``observation`` and ``reward_of``. Tensors are views of the device
    arrays (``fields.qpos`` is ``data.qpos``); results are copied into ``obs``, ``reward`` and ``terminated``. For
    starts that depend on the seed alone use ``random``, not torch's generators.

    Attributes:
      fields: see TorchFields
    """

    captured: ClassVar[bool] = False
    fields: TorchFields

    def __init__(self, model: "MjoModel", nworld: int, **options: Any) -> None:
        """As Env.

        Raises:
          ImportError: torch is not there.
        """
        need("torch", "rl")
        super().__init__(model, nworld, **options)

    def setup(self) -> None:
        """Views of the data."""
        self.fields = TorchFields(self.model, self.data)

    def start(self, fields: TorchFields, random: Any, mask: Any) -> None:
        """Write the first states of the masked worlds into ``fields``.

        Args:
          random: (nworld, nrandom) float32, in (0, 1], fixed for the episode.
          mask: (nworld,) bool; other worlds must be left alone.
        """

    def observation(self, fields: TorchFields) -> Any:
        """Observation (nworld, nobs)."""
        raise NotImplementedError(f"{type(self).__name__} has no observation()")

    def reward_of(self, fields: TorchFields) -> tuple[Any, Any]:
        """Reward (nworld,) of the step that has ended, and which worlds it terminates, (nworld,) bool."""
        raise NotImplementedError(f"{type(self).__name__} has no reward_of()")

    def randomize_start(self, mask: wp.array) -> None:
        """Call ``start``."""
        self.start(self.fields, wp.to_torch(self.random), wp.to_torch(mask))

    def observe(self) -> None:
        """Take what ``observation`` returns."""
        self._take(self.obs, self.observation(self.fields), "observation")

    def reward_and_done(self) -> None:
        """Take what ``reward_of`` returns."""
        reward, terminated = self.reward_of(self.fields)
        self._take(self.reward, reward, "reward")
        self._take(self.terminated, terminated, "terminated")

    def _take(self, target: Any, values: Any, what: str) -> None:
        subject = f"{what} of {type(self).__name__}"
        array = device_array(values, target.dtype, target.device, subject)
        expect_shape(array.shape, target.shape, subject)
        wp.copy(target, array)
