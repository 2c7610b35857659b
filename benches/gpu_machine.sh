#!/bin/sh
# Tests and benchmarks on a machine with a GPU, from the package of `cargo xtask gpu`:
# sh run.sh [RESULT]. The machine needs Python with NumPy and pytest, but neither Rust nor the
# sources.
#   PYTHON           the interpreter
#   PHALANX_DEVICES  the devices (cuda:0)
#   BENCHES          the cases of the benchmark, as "sort,sum axis 0", or "none"; by default all
#   COLLECTIVES      "all" measures collectives and those of PyTorch, on all GPUs of the machine
cd "$(dirname "$0")" || exit 1
python=${PYTHON:-python3}
result=$(realpath "${1:-result.txt}")
export PHALANX_DEVICES="${PHALANX_DEVICES:-cuda:0}" PYTHONPATH="$PWD/python:$PWD/tests/array_api"
export PHALANX_CONFORMANCE_DATA="$PWD/data" PYTHONDONTWRITEBYTECODE=1
: > "$result"

part() {
    title=$1
    shift
    printf '\n== %s\n' "$title" | tee -a "$result"
    "$@" > part.log 2>&1
    ended=$?
    tail -n 200 part.log | tee -a "$result"
    printf -- '-- %s: ended with %s\n' "$title" "$ended" | tee -a "$result"
}

examples() {
    for program in examples/python/*.py; do
        PHALANX_DEVICES=cpu "$python" "$program" > cpu.log 2>&1
        # Without PHALANX_DEVICES the program finds the devices.
        env -u PHALANX_DEVICES "$python" "$program" > gpu.log 2>&1
        if cmp -s cpu.log gpu.log; then echo "$program: as on a CPU"; else
            echo "$program: differs"
            diff cpu.log gpu.log
        fi
    done
}

# Several tests at a time, if pytest-xdist is installed.
several=$("$python" -c "import os, xdist; print('-n', min(14, os.cpu_count()))" 2> /dev/null)
pytest="$python -m pytest -q -p no:cacheprovider -p no:benchmark"
part "what was found" "$python" -m phalanx info
part "kernels" env CARGO_MANIFEST_DIR="$PWD/kernels" ./kernels/it elementwise executor structured matmul
# Meshes one after another, each with programs on all cores.
part "random programs, views and lenses" env PHALANX_TEST_DEVICES=cuda ./property --test-threads=1
# With several GPUs: multicast over NVLink stays off.
export NCCL_NVLS_ENABLE="${NCCL_NVLS_ENABLE:-0}"
part "collectives on several GPUs" ./collectives/it on_gpus at_once:: movement:: conformance::reductions gpu_faults:: speed:: --test-threads=1
part "GPUs in Python" $pytest tests/python/test_gpu.py
part "random programs of NumPy" $pytest tests/python/test_programs.py
part "degenerate shapes and pairs of dtypes" $pytest $several tests/python/test_degenerate.py
part "several GPUs in Python" $pytest tests/python/test_several_gpus.py
part "functions against NumPy" $pytest $several tests/python/conformance
part "functions on three devices of the GPU" env PHALANX_DEVICES=cuda:0,0,0 $pytest $several tests/python/conformance
part "programs on what is found" examples
part "accuracy" "$python" benches/accuracy.py 1000000
part "first calls of kernels" "$python" benches/compile.py
part "an operation" "$python" benches/tiny.py
part "copies beside work" "$python" benches/copies.py
if [ "$COLLECTIVES" = all ]; then part "collectives beside PyTorch" "$python" benches/collectives.py; fi
if [ "$BENCHES" != none ]; then part "benchmark" "$python" benches/gpu.py ${BENCHES:+--only "$BENCHES"}; fi
rm -f part.log cpu.log gpu.log
