"""Random numbers of torch's by a seed, for whoever asks."""

from threading import Thread

import pytest
import torch

from whyword.models.pytorch.draws import Draws


def test_it_draws_what_torch_does_with_that_seed_and_goes_on() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        expected = torch.randn(9), torch.rand(5)
    draws = Draws(7)
    with draws:
        first = torch.randn(9)
    torch.rand(3)
    with draws:
        second = torch.rand(5)
    assert torch.equal(first, expected[0])
    assert torch.equal(second, expected[1])


def test_torchs_own_random_numbers_are_left_alone() -> None:
    before = torch.random.get_rng_state()
    with Draws(0), Draws(1):
        torch.rand(3)
    with pytest.raises(RuntimeError), Draws(0):
        torch.rand(3, -1)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_threads_do_not_disturb_each_other() -> None:
    before = torch.random.get_rng_state()
    drawn: dict[int, list[float]] = {}

    def draw(number: int) -> None:
        source = Draws(number % 2)
        drawn[number] = []
        for _ in range(300):
            with source:
                drawn[number] += [float(torch.rand(1)) for _ in range(3)]

    threads = [Thread(target=draw, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert drawn[0] == drawn[2] != drawn[1] == drawn[3]
    assert torch.equal(torch.random.get_rng_state(), before)
