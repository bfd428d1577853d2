"""Datasets of many episodes: sharded, checksummed, the same to the bit however they were made."""

from mjorbit_warp.datasets.config import Config as Config
from mjorbit_warp.datasets.config import load_config as load_config
from mjorbit_warp.datasets.config import read_config as read_config
from mjorbit_warp.datasets.generate import Generated as Generated
from mjorbit_warp.datasets.generate import generate as generate
from mjorbit_warp.datasets.progress import Progress as Progress
from mjorbit_warp.datasets.read import Array as Array
from mjorbit_warp.datasets.read import Dataset as Dataset
from mjorbit_warp.datasets.read import open_dataset as open_dataset

open = open_dataset
