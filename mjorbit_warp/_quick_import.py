"""Imports what makes many objects without garbage collection, which would walk them again and again.

Afterwards they are frozen (``gc.freeze``): modules, kernels and their syntax trees stay as long as the process, so that
later collections need not look at them either. What is garbage of others at that moment stays too; ``gc.unfreeze()``
undoes it.
"""

import gc
import importlib

_collects = gc.isenabled()
gc.disable()
try:
    for _name in ("mujoco_warp", "mjorbit_warp.step"):
        importlib.import_module(_name)
    gc.freeze()
finally:
    if _collects:
        gc.enable()
