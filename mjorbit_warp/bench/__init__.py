"""Honest throughput: what an orbit costs beside the bare simulators, on scenes that are data."""

from mjorbit_warp.bench.benchmark import SMOKE as SMOKE
from mjorbit_warp.bench.benchmark import Settings as Settings
from mjorbit_warp.bench.benchmark import run as run
from mjorbit_warp.bench.metrics import Refused as Refused
from mjorbit_warp.bench.scenes import Scene as Scene
from mjorbit_warp.bench.scenes import load_scenes as load_scenes
