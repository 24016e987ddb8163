import pytest
import torch
from torch import nn

from whyword import InputError
from whyword.models.pytorch.tables import tables_of


class Own(nn.Module):
    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        self.words, self.places, self.fails = nn.Embedding(4, 2), nn.Embedding(3, 2), fails

    def get_input_embeddings(self) -> nn.Embedding:
        if self.fails:
            raise NotImplementedError
        return self.words


@pytest.mark.parametrize("by_name", [True, False])
def test_named_by_the_user(by_name: bool) -> None:
    module = Own()
    tables = tables_of(module, "places" if by_name else module.places)
    assert (tables.has(module.places.weight), tables.has(module.words.weight)) == (True, False)
    assert tables.named == "places"


def test_named_by_the_module() -> None:
    module = Own()
    assert tables_of(module, None).has(module.words.weight)
    assert tables_of(module, None).named is None
    assert tables_of(Own(fails=True), None).weights == ()
    assert tables_of(nn.Embedding(2, 2), None).weights == ()


def test_those_of_a_copy() -> None:
    module, copied = Own(), Own()
    copied.load_state_dict(module.state_dict())
    tables = tables_of(module, "words").of_copy(copied, module)
    assert (tables.has(copied.words.weight), tables.has(module.words.weight)) == (True, False)


@pytest.mark.parametrize("wrong", ["letters", 7, nn.Linear(2, 2), torch.ones(2)])
def test_what_is_none(wrong: object) -> None:
    with pytest.raises(InputError, match="embeddings"):
        tables_of(Own(), wrong)
