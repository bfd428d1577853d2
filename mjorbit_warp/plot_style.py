"""What all pictures share; without matplotlib until one is drawn."""

from typing import Any

# Okabe and Ito's colours, which colour-blind readers can tell apart
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B")


def label_axes(axes: Any, title: str, x: str, y: str) -> None:
    """Title, labels with units, a light grid."""
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
