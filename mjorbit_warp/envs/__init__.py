"""Tasks for learning, in many worlds at once; adapters are in gymnasium_env, rsl_rl_env and sb3_env."""

from mjorbit_warp.envs.base import Env as Env
from mjorbit_warp.envs.registry import TASKS as TASKS
from mjorbit_warp.envs.registry import make as make
from mjorbit_warp.envs.reorient import Reorient as Reorient
from mjorbit_warp.envs.reorient import Weights as Weights
