"""Modules that are not explained: each fault is one clear line."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_networks import Vote, encode, enliven

import whyword as ww
from whyword.base.errors import InputError
from whyword.models.pytorch.module_checks import check_module, sample_texts, takes_mask


def vote() -> Vote:
    module = enliven(Vote())
    assert isinstance(module, Vote)
    return module


def half(kind: torch.dtype) -> nn.Module:
    return vote().to(kind)


def scripted() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace: Any = torch.jit.trace
        module: nn.Module = trace(nn.Linear(2, 2).eval(), torch.ones(1, 2))
    return nn.Sequential(module).eval()


def compiled() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.compile(vote())


def compiled_in_place() -> nn.Module:
    module = vote()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module.compile()
    return module


def quantised() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantise: Any = torch.ao.quantization.quantize_dynamic
        module: nn.Module = quantise(vote(), {nn.Linear})
    return module


FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "no module": (lambda: "module.pt", "must be a torch.nn.Module, not 'module.pt'"),
    "a class": (lambda: Vote, "must be a torch.nn.Module"),
    "training": (lambda: vote().train(), r"is in training mode .*; call module.eval\(\)"),
    "half": (lambda: half(torch.float16), r"computes in float16 .*; call module.float\(\)"),
    "bfloat16": (lambda: half(torch.bfloat16), r"computes in bfloat16 .*call module.float\(\)"),
    "another device": (lambda: vote().to("meta"), r"is on the device meta .*; call module.cpu\(\)"),
    "scripted": (scripted, "is scripted"),
    "compiled": (compiled, "is compiled"),
    "compiled in place": (compiled_in_place, "is compiled"),
    "quantised": (quantised, "is quantised"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_line(name: str) -> None:
    make, said = FAULTS[name]
    module: Any = make()
    with pytest.raises(InputError, match=said) as error:
        ww.TorchClassifier(module, encode, ["a", "b", "c"])
    assert "\n" not in str(error.value)


def test_a_part_in_training_mode_counts() -> None:
    module = vote()
    module.output.train()
    with pytest.raises(InputError, match="training mode"):
        check_module(module)


def test_float64_is_as_good() -> None:
    module = vote().double()
    assert check_module(module) is module


class Forward(nn.Module):
    """Modules with other arguments."""

    def forward(self, ids: Tensor, lengths: Tensor, *, kind: str) -> Tensor:
        return ids


class Nothing(nn.Module):
    def forward(self) -> int:
        return 0


class Anything(nn.Module):
    def forward(self, *args: Tensor, **kwargs: Tensor) -> Tensor:
        return args[0]


def test_what_a_module_is_called_with() -> None:
    assert takes_mask(vote())
    assert not takes_mask(nn.Identity())
    assert not takes_mask(Anything())
    with pytest.raises(InputError, match=r"Forward.forward needs lengths, kind"):
        takes_mask(Forward())
    with pytest.raises(InputError, match=r"Nothing.forward needs no input"):
        takes_mask(Nothing())


def test_sample_texts() -> None:
    assert sample_texts(["a", "b"], 1)[:3] == ["a", "a b", "a b a"]
    assert [len(one.split()) for one in sample_texts({"a": 1}, 20)] == [
        *range(1, 13),
        *range(20, 27),
    ]
    assert sample_texts(None, 1)[-1].endswith("10 of 10!")
    assert set(sample_texts([], 3)) == {""}
