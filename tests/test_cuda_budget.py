"""The budget of CUDA kernels: what is read from the compilers, what breaks it, and that no kernel is left out."""

import dataclasses
import json
import pathlib
import re

import pytest
import warp as wp

import mjorbit_warp as mjo
from benchmarks.cuda import launches, ptx, ptxas
from benchmarks.cuda.budget import UNITS, Budget, Row, breaches, load
from benchmarks.cuda.launches import Launched, Recorder, defined
from benchmarks.cuda.measure import measure
from benchmarks.cuda.scenes import launched
from benchmarks.cuda_budget import ARCHS, chosen
from tests.conftest import DATA

ROW = Row("file._kernel", "scene", 86, 256, registers=40, stack=0, spills=0, shared=1024, float64=0)
DEFAULTS = {"registers": 128, "stack": 0, "spills": 0, "float64": 0}
# float64 in a function that is called and in one that is not, a predicated instruction, and what does not count
PTX = """.version 8.0
.target sm_86
.address_size 64
.func (.reg .f64 %out) _inner(.reg .f64 %x)
{
    fma.rn.f64 %out, %x, %x, %x;
    ret;
}
.func _unused()
{
    add.f64 %fd1, %fd1, %fd2;
}
.visible .entry _plain_cuda_kernel_forward(
    .param .u64 a
)
{
    ld.global.f64 %fd1, [%rd1];
    cvt.rn.f32.f64 %f1, %fd1;
    mul.f32 %f2, %f1, %f1;
    mov.f64 %fd2, %fd1;
}
.visible .entry _double_cuda_kernel_forward()
{
    @%p1 mul.f64 %fd2, %fd1, %fd1;
    setp.lt.f64 %p1, %fd2, %fd1;
    div.rn.f64 %fd3, %fd2, %fd1;
    call.uni (%fd4),
    _inner,
    (%fd3);
}
"""


def needs_ptxas() -> None:
    try:
        ptxas.find_ptxas()
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def kernels() -> list[Launched]:
    return launched()


def test_the_assembler_is_read() -> None:
    """tests/data/ptxas.txt: stores and loads apart, and the numbers of each function with its own name."""
    found = ptxas.parse((DATA / "ptxas.txt").read_text(encoding="utf-8"))
    by_name = {re.sub(r"_[0-9a-f]{8}_cuda_kernel_forward$", "", name): usage for name, usage in found.items()}
    assert by_name == {
        "_momentum_start": ptxas.Usage(128, 168, 296, 260, 1024),
        "_momentum_stage": ptxas.Usage(70, 0, 0, 0, 1024),
        "_momentum_correct": ptxas.Usage(128, 248, 516, 384, 1024),
    }
    with pytest.raises(ValueError, match="no entry function"):
        ptxas.parse("ptxas info    : 0 bytes gmem\n")
    with pytest.raises(ValueError, match="says nothing of the registers or the stack of _f"):
        ptxas.parse("ptxas info    : Compiling entry function '_f' for 'sm_86'\n")


def test_float64_is_counted() -> None:
    assert ptx.float64_instructions(PTX) == {
        "_inner": 1,
        "_unused": 1,
        "_plain_cuda_kernel_forward": 0,
        "_double_cuda_kernel_forward": 4,
    }


def test_limits() -> None:
    """A kernel over each limit, a build's own cap before its kernel's, and caps that limit nothing."""
    plain = Budget(DEFAULTS, {}, {})
    assert breaches(plain, [ROW]) == []
    for quantity, value in (("registers", 129), ("stack", 8), ("spills", 4), ("float64", 1)):
        (fault,) = breaches(plain, [dataclasses.replace(ROW, **{quantity: value})])
        assert fault == (
            f"file._kernel@scene on sm_86 has {value} {UNITS[quantity]}: {DEFAULTS[quantity]} are allowed (the default)"
        )
    caps = {"file._kernel": {"float64": 50}, "file._kernel@scene": {"float64": 10}}
    rows = [dataclasses.replace(ROW, float64=10), dataclasses.replace(ROW, scene="other", float64=50)]
    assert breaches(Budget(DEFAULTS, caps, {}), rows) == []
    (fault,) = breaches(Budget(DEFAULTS, caps, {}), [dataclasses.replace(ROW, float64=11), rows[1]])
    assert "declared for file._kernel@scene" in fault

    loose = Budget(DEFAULTS, {"file._kernel": {"float64": 100}}, {})
    assert "lower the cap" in breaches(loose, [dataclasses.replace(ROW, float64=50)])[0]
    assert "lower the cap" in breaches(Budget(DEFAULTS, {"file._kernel": {"registers": 136}}, {}), [ROW])[0]
    assert breaches(loose, [dataclasses.replace(ROW, float64=50)], tight=False) == []
    (fault,) = breaches(Budget(DEFAULTS, {"file._gone": {"float64": 5}}, {}), [ROW], tight=False)
    assert fault == "the budget has float64 for file._gone, which no scene launches"


def test_the_file_is_checked(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "budget.toml"
    defaults = "[defaults]\nregisters = 128\nstack = 0\nspills = 0\nfloat64 = 0\n"
    for text, match in (
        ("[defaults]\nregisters = 128\n", "exactly registers, stack, spills, float64"),
        (defaults + '[kernels]\n"a._b" = { smem = 5, reason = "x" }\n[reasons]\nx = "y"\n', "a._b has smem"),
        (defaults + '[kernels]\n"a._b" = { float64 = 5 }\n', "the reason of a._b"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=match):
            load(path)


def test_the_budget_is_strict() -> None:
    """The repository's own file: what the defaults are, that spills are never declared, and reasons that are used."""
    budget = load()
    assert budget.defaults == DEFAULTS
    assert not any("spills" in caps for caps in budget.kernels.values())
    assert {caps["reason"] for caps in budget.kernels.values()} == set(budget.reasons)
    assert all(len(reason) > 40 for reason in budget.reasons.values())


def test_the_kept_result() -> None:
    """The numbers in benchmarks/results are those that the budget was written for, on all architectures."""
    kept = json.loads((launches.ROOT / "benchmarks/results/cuda_budget.json").read_text(encoding="utf-8"))
    rows = [Row(**row) for row in kept["results"]]
    assert {row.arch for row in rows} == set(ARCHS)
    assert breaches(load(), rows) == []


def test_every_kernel_is_launched(kernels: list[Launched]) -> None:
    """A kernel that no scene launches would escape the budget; so would a file whose factory is never called."""
    names = defined()
    for name in ("wrench._wrench", "rollout._record", "reset._reset_orbit", "commands._wave_commands"):
        assert name in names  # in a factory, with arguments, plain, and outside kernels/
    assert set(names) == {one.name for one in kernels}
    sources = (launches.ROOT / "kernels").glob("*.py")
    with_kernels = {path.stem for path in sources if "@wp.kernel" in path.read_text(encoding="utf-8")}
    assert with_kernels <= {one.name.partition(".")[0] for one in kernels}
    assert len({one.label for one in kernels}) == len(kernels)


def test_builds_are_those_of_a_step(kernels: list[Launched], two_arm: mjo.MjoModel) -> None:
    """The dry run finds the very kernels that a step launches, and leaves Warp as it was."""
    launch, seen = wp.launch, []

    def spy(kernel, *args, **kwargs):
        seen.append(kernel)
        return launch(kernel, *args, **kwargs)

    d = mjo.make_data(two_arm, nworld=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wp, "launch", spy)
        mjo.mjo_step(two_arm, d)
    ours = {id(kernel) for kernel in seen if kernel.func.__module__.startswith(launches.OURS)}
    assert len(ours) == 4  # hold, wrench, project, propagate
    assert ours <= {id(one.kernel) for one in kernels}


def test_block_size_is_as_launched(kernels: list[Launched]) -> None:
    recorder = Recorder()
    kernel = next(one.kernel for one in kernels if one.name == "reset._chosen_key")
    with recorder.dry():
        wp.launch(kernel, dim=1)
        wp.launch(kernel, dim=1, block_dim=64)
        wp.launch(kernel, dim=1)
    assert [one.block_dim for one in recorder.launched.values()] == [256, 64]


@wp.kernel(module="unique", enable_backward=False)
def _light(x: wp.array[float]):
    i = wp.tid()
    x[i] = 2.0 * x[i]


@wp.kernel(module="unique", enable_backward=False)
def _double(x: wp.array[wp.float64]):
    i = wp.tid()
    x[i] = x[i] * x[i]


mat88 = wp.types.matrix((8, 8), float)


@wp.kernel(module="unique", enable_backward=False, cuda_max_registers=64)
def _heavy(x: wp.array[mat88]):
    """Two matrices at once, in fewer registers than either needs."""
    i = wp.tid()
    a = x[i]
    b = x[i + 1]
    x[i] = a @ b @ a + b @ a


def test_real_kernels_break_it() -> None:
    """Compiled here: one within the limits, one with float64, and one that is held to too few registers and spills."""
    needs_ptxas()
    found = [Launched(f"test.{k.func.__name__}", "scene", k, 256) for k in (_light, _double, _heavy)]
    rows = {row.name: row for row in measure(found, [86], jobs=1)}
    budget = Budget(DEFAULTS, {}, {})
    assert breaches(budget, [rows["test._light"]]) == []
    assert rows["test._double"].float64 in (1, 2)  # NVRTC may keep two copies of the loop over threads
    assert "float64 instructions: 0 are allowed" in breaches(budget, [rows["test._double"]])[0]
    assert any("bytes of spills" in fault for fault in breaches(budget, [rows["test._heavy"]]))
    few = Budget(DEFAULTS | {"registers": 4}, {}, {})
    assert "registers: 4 are allowed" in breaches(few, [rows["test._light"]])[0]


def test_architectures() -> None:
    assert chosen(["all"], {86, 90}) == (
        [86, 90],
        ["sm_89 is skipped: this NVRTC does not know it", "sm_120 is skipped: this NVRTC does not know it"],
    )
    assert chosen(["sm_86"], {86}) == ([86], [])
    with pytest.raises(SystemExit, match="names like sm_86, or all"):
        chosen(["ampere"], {86})
