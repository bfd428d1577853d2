"""Reference trajectories; README.md says where each is from."""
