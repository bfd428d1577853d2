"""Distributions that are refused; what they draw is in test_randomize."""

import math
from typing import Any

import pytest

import mjorbit_warp as mjo


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mjo.Uniform(2.0, 1.0), "Uniform: low 2 is above high 1"),
        (lambda: mjo.Uniform("a", 1.0), "Uniform: low is 'a': a number is expected"),
        (lambda: mjo.Uniform(0.0, math.inf), "Uniform: high is inf: a finite number"),
        (lambda: mjo.Normal(0.0, -1.0), "Normal: std is -1: it cannot be negative"),
        (lambda: mjo.LogNormal(0.0, 1.0), "LogNormal: median is 0 and sigma 1"),
        (lambda: mjo.Choice([]), r"Choice: values is \[\]: a list of finite numbers"),
        (lambda: mjo.Choice([1, 2], [1]), "Choice: 2 values have probabilities"),
        (lambda: mjo.Choice([1, 2], [1, -1]), "Choice: 2 values have probabilities"),
        (lambda: mjo.Uniform(0.0, 1.0, relative=True, offset=True), "Uniform: relative and offset exclude each other"),
        (
            lambda: mjo.Uniform(0.0, 1.0, per="body"),
            "Uniform: per is 'body': allowed are 'element', 'component'",
        ),
    ],
)
def test_bad_distributions(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
