"""Loads the model files that are named on standard input, one after the other, and says how each went.

A process of its own: what MuJoCo does with a damaged file must not take the tests with it.
"""

import sys
import warnings

import numpy as np

import mjorbit_warp as mjo


def finite(model: mjo.MjoModel) -> bool:
    """Masses, inertias, starts and the orbit are numbers."""
    mj = model.mj
    arrays = [mj.qpos0, mj.body_mass, mj.body_inertia, mj.body_pos, mj.body_quat, mj.body_ipos, mj.dof_damping]
    if model.orbit is not None:
        arrays += [model.orbit.r, model.orbit.v]
    return all(np.isfinite(array).all() for array in arrays) and np.isfinite(mj.opt.timestep)


def outcome(path: str) -> str:
    """ "ok", the type and message of an error, or "nan"."""
    try:
        model = mjo.MjoSpec.from_file(path).compile()
    except Exception as error:
        return f"{type(error).__name__}\t{str(error)!r}"
    return "ok\t''" if finite(model) else "nan\t''"


def main() -> None:
    """A line before each file and one after."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        path = line.rstrip("\n")
        print(f"begin\t{path}", flush=True)
        print(f"end\t{outcome(path)}", flush=True)


if __name__ == "__main__":
    main()
