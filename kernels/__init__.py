"""Warp kernels and functions, one physical effect a file; imported as ``mjorbit_warp.kernels``."""

if __name__ == "kernels":
    raise ImportError("import this package as mjorbit_warp.kernels: the top-level name 'kernels' is not ours")
