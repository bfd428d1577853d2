#!/usr/bin/env bash
# Everything that needs a GPU, in under 8 minutes: parity, graphs, resets, a soak, throughput. One JSON comes out.
#
#   bash benchmarks/gpu_run.sh [--device cuda:0] [--out FILE.json] [--budget SECONDS] [--only PART …] [--quick]
# Parts: graphs, parity, soak, sweep. A first run compiles for minutes on a GPU; with two runs, parity has its own:
#   bash benchmarks/gpu_run.sh --only graphs soak sweep && bash benchmarks/gpu_run.sh --only parity --out parity.json
#   bash benchmarks/gpu_run.sh --device cpu --quick      # the same end to end on a machine without a GPU
#
# It needs this checkout and the package's dependencies with pytest and mpmath. Wheels in .whl/ beside it are installed
# to a temporary folder first, without a network; PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PYTHON=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
if compgen -G ".whl/*.whl" > /dev/null; then
    site=$(mktemp -d)
    "$PYTHON" -m pip install -q --no-index --no-deps --no-compile --target "$site" .whl/*.whl
    export PYTHONPATH="$PWD:$site"
fi
exec "$PYTHON" -m benchmarks.gpu_run "$@"
