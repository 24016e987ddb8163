"""The network of characters beside a literal one."""

import numpy as np
import torch
from torch_networks import enliven

from whyword.models.pytorch.character_network import CharacterNetwork


def network(hidden: int = 0) -> CharacterNetwork:
    module = CharacterNetwork(7, 4, (2, 3), 5, hidden, 3)
    enliven(module)
    with torch.no_grad():
        module.characters.weight[0] = 0.0
    return module


def by_hand(
    module: CharacterNetwork, ids: list[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the scores of one text, filter by filter and place by place."""
    weights = {name: one.detach().double().numpy() for name, one in module.named_parameters()}
    vectors = weights["characters.weight"][ids]
    best = []
    for number, width in enumerate(module.widths):
        for own in weights[f"convolutions.{number}.weight"]:
            answers = []
            for place in range(len(ids)):
                answer = 0.0
                for offset in range(width):
                    at = place + offset - (width - 1) // 2
                    answer += own[:, offset] @ vectors[at] if 0 <= at < len(ids) else 0.0
                answers.append(answer)
            best.append(max(answers))
    pooled = np.maximum(np.array(best) + weights["biases"], 0)
    if module.dense is not None:
        pooled = np.maximum(weights["dense.weight"] @ pooled + weights["dense.bias"], 0)
    scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    scores = weights["output.weight"] @ pooled + weights["output.bias"]
    return scores


def test_equals_the_formula_whatever_stands_beside() -> None:
    texts = [[1, 2, 0, 3, 3, 6], [4], [0, 0, 5]]
    ids = torch.tensor([one + [0] * (6 - len(one)) for one in texts])
    mask = torch.tensor([[1] * len(one) + [0] * (6 - len(one)) for one in texts])
    for hidden in (0, 4):
        module = network(hidden)
        said = module(ids, mask).detach().numpy()
        for row, one in zip(said, texts, strict=True):
            np.testing.assert_allclose(row, by_hand(module, one), atol=1e-5)
        assert np.abs(said).max() <= module.largest()


def test_filters_begin_at_the_mean_of_what_they_say() -> None:
    module = network()
    random = torch.Generator().manual_seed(0)
    several = [torch.randint(0, 7, (2, length), generator=random) for length in (6, 9)]
    batches = [(ids, torch.ones_like(ids)) for ids in several]
    module.centre(batches)
    with torch.no_grad():
        said = torch.cat([module.answers(*batch) for batch in batches]) + module.biases
    torch.testing.assert_close(said.mean(0), torch.zeros(10), atol=1e-6, rtol=0)


def test_a_bound_of_what_is_computed() -> None:
    for name in ("characters.weight", "biases", "output.bias", "dense.weight"):
        module = network(3)
        with torch.no_grad():
            module.get_parameter(name).view(-1)[-1] = 1e30
        assert module.largest() > 1e29
