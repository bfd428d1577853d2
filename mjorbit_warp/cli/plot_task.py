"""Pictures of the planning scenarios."""

import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mjorbit_warp.run_file import replacing

if TYPE_CHECKING:
    from mjorbit_warp.tasks import gg_capture, reorient


def _axes(count: int) -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.subplots(1, count, figsize=(4.4 * count, 4), layout="constrained")


def _finish(figure: Any, axes: Any, path: pathlib.Path) -> None:
    import matplotlib.pyplot as plt

    for ax in axes:
        ax.grid(alpha=0.3)
    with replacing(path) as part:
        figure.savefig(part, dpi=120, format="png")
    plt.close(figure)


def draw_reorient(result: "reorient.Result", path: pathlib.Path) -> None:
    """Error, joint rates and clearance of a reorientation."""
    figure, axes = _axes(3)
    axes[0].semilogy(result.time, np.degrees(result.error))
    axes[0].axhline(3.0, color="k", ls=":")
    axes[0].set(title="bus, angle to the target", xlabel="time [s]", ylabel="angle [deg]")
    axes[1].plot(result.time, result.rate)
    axes[1].set(title="fastest joint", xlabel="time [s]", ylabel="rate [rad/s]")
    axes[2].plot(result.time, result.clearance)
    axes[2].axhline(0.0, color="k", ls=":")
    axes[2].set(title="arms, least distance from the bus", xlabel="time [s]", ylabel="distance [m]")
    _finish(figure, axes, path)


def draw_gg_capture(result: "gg_capture.Result", path: pathlib.Path) -> None:
    """Error and joints of a gravity-gradient capture."""
    figure, axes = _axes(2)
    hours = result.time / 3600.0
    axes[0].plot(hours, np.degrees(result.error))
    axes[0].axhline(np.degrees(result.final), color="k", ls=":", label="mean of the last half hour")
    axes[0].set(title="payload, angle from nadir", xlabel="time [h]", ylabel="angle [deg]", ylim=(0.0, None))
    axes[0].legend()
    axes[1].plot(hours, result.joints[:, 0], label="shoulder")
    axes[1].plot(hours, result.joints[:, 1], label="elbow")
    axes[1].set(title="arm", xlabel="time [h]", ylabel="angle [rad]")
    axes[1].legend()
    _finish(figure, axes, path)
