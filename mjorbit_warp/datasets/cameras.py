"""Images of episodes, by MJWarp's batch renderer: one launch for all worlds, on CUDA and on the CPU."""

from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.datasets.config_parts import Camera
from mjorbit_warp.step import refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


class Cameras:
    """Renders the cameras of a configuration at each row, and keeps the images on the host.

    Attributes:
      frames: images so far by name, one entry for each row: "image:NAME" (nworld, height, width, 3) uint8, and
        "depth:NAME" (nworld, height, width) float32 [m], 0 where nothing is seen
    """

    def __init__(self, cameras: tuple[Camera, ...], model: "MjoModel", data: "MjoData") -> None:
        mj = model.mj
        known = [mj.camera(i).name for i in range(mj.ncam)]
        for camera in cameras:
            if camera.name not in known:
                allowed = ", ".join(name for name in known if name) or "none in this model"
                raise ValueError(f"cameras has {camera.name!r}, which the model has not: allowed are {allowed}")
        chosen = sorted(cameras, key=lambda camera: known.index(camera.name))  # as the renderer has them
        self.frames: dict[str, list[NDArray[Any]]] = {}
        self._model, self._data, self._cameras = model, data, chosen
        with wp.ScopedDevice(data.device):
            self._context = mjw.create_render_context(
                mj,
                nworld=data.nworld,
                cam_res=[(camera.width, camera.height) for camera in chosen],
                render_rgb=[True] * len(chosen),
                render_depth=[camera.depth for camera in chosen],
                cam_active=[camera.name for camera in chosen],
            )
            shapes = [(data.nworld, camera.height, camera.width) for camera in chosen]
            self._rgb: list[Any] = [wp.zeros(shape, dtype=wp.vec3) for shape in shapes]

    def begin(self) -> None:
        """Forget the images of the batch before, and take those of the start."""
        self.frames = {f"image:{camera.name}": [] for camera in self._cameras}
        self.frames |= {f"depth:{camera.name}": [] for camera in self._cameras if camera.depth}
        self.take(self._data)

    def take(self, data: "MjoData") -> None:
        """Images of the present state; may be a Rollout's ``stop``, as it stops nothing."""
        with wp.ScopedDevice(data.device):
            refresh_velocities(self._model, data)
            mjw.camlight(self._model.mjw, data.mjw)
            mjw.refit_bvh(self._model.mjw, data.mjw, self._context)
            mjw.render(self._model.mjw, data.mjw, self._context)
            for index, camera in enumerate(self._cameras):
                mjw.get_rgb(self._context, index, self._rgb[index])
                image = np.rint(self._rgb[index].numpy() * 255.0).astype(np.uint8)
                self.frames[f"image:{camera.name}"].append(image)
                if camera.depth:
                    self.frames[f"depth:{camera.name}"].append(self._depth(index, camera))

    def _depth(self, index: int, camera: Camera) -> NDArray[np.float32]:
        context: Any = self._context
        start = int(context.depth_adr.numpy()[index])
        size = camera.height * camera.width
        pixels = context.depth_data.numpy()[:, start : start + size]
        return pixels.reshape(-1, camera.height, camera.width).astype(np.float32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All images, (nworld, rows, …)."""
        return {name: np.stack(parts, axis=1) for name, parts in self.frames.items()}
