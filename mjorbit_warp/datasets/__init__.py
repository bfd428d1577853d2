"""Datasets of many episodes: sharded, checksummed, the same to the bit however they were made."""
