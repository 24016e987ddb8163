import numpy as np
import torch
from networks import some_vectors, topical

from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Convolution, Network
from whyword.words import Reader


def random_network(widths: tuple[int, ...], filters: int = 10, classes: int = 4) -> Network:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    return Network(
        tuple(Convolution(draw(width, filters, 8), draw(filters)) for width in widths),
        draw(filters * len(widths), classes),
        draw(classes),
    )


def test_forward_equals_torchs_conv1d() -> None:
    network = random_network((1, 2, 4))
    texts, _ = topical(15)
    batch = Inputs(Reader(), some_vectors(), 0.1, 1.5, 4).batch([*texts, "", "moon"])
    scores = network.forward(batch)
    for number in range(len(batch)):
        ids = batch.ids[batch.offsets[number] : batch.offsets[number + 1]]
        inputs = torch.from_numpy(batch.vectors[ids].T.copy())[None]
        pooled = []
        for convolution in network.convolutions:
            weight = torch.from_numpy(convolution.weight.transpose(1, 2, 0).copy())
            bias = torch.from_numpy(convolution.bias)
            responses = torch.nn.functional.conv1d(inputs, weight, bias)
            pooled.append(torch.relu(responses).amax(dim=2)[0])
        expected = torch.cat(pooled).numpy() @ network.output_weight + network.output_bias
        np.testing.assert_allclose(scores[number], expected, atol=1e-4)


def test_the_table_stays_within_its_budget() -> None:
    network = random_network((2,), filters=1000)
    assert network.most_rows() * 2 * 1000 * 4 <= 256 << 20
    assert network.most_rows() > 30_000
