"""Those who are timed on a torch model, each in a process of its own that waits to be asked.

A process loads the model, then does its work once for each line it gets, and answers with what that
took. So rounds of all can take turns, and each has its own peak of memory.
"""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

Work: TypeAlias = Callable[[], dict[str, float]]

STEPS = 50  # of integrated gradients
FEW = {"captum": 4, "shap": 1}  # texts for those that take long


class Contender:
    """A process that does one kind of work when it is asked.

    Parameters
    ----------
    name : str
        Of :data:`CONTENDERS`.
    folder : Path
        With the model and the texts.
    python : str
        The interpreter.
    """

    def __init__(self, name: str, folder: Path, python: str = sys.executable) -> None:
        self.name = name
        self.answers: list[dict[str, float]] = []
        code = "import contenders; contenders.serve()"
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [python, "-W", "ignore", "-c", code, name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.communicate()

    def ask(self) -> None:
        """Have the work done once more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} failed")
        self.answers.append(json.loads(line))

    @property
    def seconds(self) -> list[float]:
        """What the rounds took, the first aside, which warms up."""
        return [answer["seconds"] for answer in self.answers[1:]]

    def median(self, what: str = "seconds") -> float:
        """Return the median over the rounds, the first aside, which warms up."""
        return statistics.median(answer[what] for answer in self.answers[1:])

    @property
    def spread(self) -> float:
        """How many times longer the slowest of these rounds took than the fastest."""
        return max(self.seconds) / min(self.seconds)

    @property
    def megabytes(self) -> float:
        """The most memory that the work took beyond model and texts."""
        return self.answers[-1]["megabytes"]


def serve() -> None:
    """Do the work that the command line names, once for each line that comes in."""
    name, folder = sys.argv[1:]
    work = CONTENDERS[name](Path(folder))
    before = _peak()
    for _ in sys.stdin:
        start = time.perf_counter()
        facts = work()
        seconds = (time.perf_counter() - start) / FEW.get(name, 1)
        answer = {"seconds": seconds, "megabytes": _peak() - before, **facts}
        print(json.dumps(answer), flush=True)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# A BERT of random weights: its folder has the texts, too


def save_bert(folder: Path, texts: int, words: int, classes: int) -> None:
    """Write a BERT of 6 × 384 and texts of as many words, by chance with a fixed seed."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=2000,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        num_labels=classes,
        initializer_range=0.05,
    )
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    save_ids(folder, texts, words)


def save_ids(folder: Path, texts: int, words: int) -> None:
    """Write the ids of texts, by chance with a fixed seed."""
    import torch

    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1, 2000, (texts, words), generator=generator)
    (folder / "ids.json").write_text(json.dumps(ids.tolist()))


def load_bert(folder: Path) -> tuple[Any, Any]:
    """Return the BERT and the ids (B, T) of its texts."""
    import torch
    from transformers import BertForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()
    ids = torch.tensor(json.loads((folder / "ids.json").read_text()))
    return BertForSequenceClassification.from_pretrained(folder).eval(), ids


def text_of(ids: list[int]) -> str:
    """Return a text whose words are numbers, written with letters."""
    return " ".join("".join("abcdefghij"[int(digit)] for digit in f"{one:04}") for one in ids)


def encode(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the numbers of such a text again, and where they stand; of other words, 1."""
    ids, spans = [], []
    for match in re.finditer(r"\S+", text):
        digits = ["abcdefghij".find(letter) for letter in match[0]]
        known = len(digits) == 4 and min(digits) >= 0
        ids.append(int("".join(map(str, digits))) if known else 1)
        spans.append(match.span())
    return ids, spans


def _wrapped(folder: Path) -> tuple[Any, list[str]]:
    import whyword as ww

    module, ids = load_bert(folder)
    classes = [f"class {number}" for number in range(module.config.num_labels)]
    model = ww.TorchClassifier(module, encode, classes, pad=0)
    return model, [text_of(one) for one in ids.tolist()]


def forward(folder: Path) -> Work:
    """Return a plain forward pass of the BERT."""
    import torch

    module, ids = load_bert(folder)
    mask = torch.ones_like(ids)

    def work() -> dict[str, float]:
        with torch.inference_mode():
            scores = module(input_ids=ids, attention_mask=mask).logits
        return {"score": float(scores[0, 0])}

    return work


def one_class(folder: Path, **parameters: Any) -> Work:  # noqa: ANN401 - of the method
    """Return our explanation of one class, from texts to explanations."""
    import whyword as ww

    model, texts = _wrapped(folder)

    def work() -> dict[str, float]:
        explained = ww.explain(model, texts, target="class 0", **parameters)
        first = explained[0]
        lost = statistics.median(abs(one.residual / one.score) for one in explained)
        return {"score": float(first.score), "lost": lost}

    return work


def attnlrp(folder: Path) -> Work:
    """Return the same by LXT's rule for attention."""
    return one_class(folder, attention="attnlrp")


def all_classes(folder: Path) -> Work:
    """Return our explanation of all classes at once."""
    import whyword as ww

    model, texts = _wrapped(folder)

    def work() -> dict[str, float]:
        ww.explain(model, texts, target="all")
        return {}

    return work


def class_by_class(folder: Path) -> Work:
    """Return our explanation of all classes, a call for each."""
    import whyword as ww

    model, texts = _wrapped(folder)

    def work() -> dict[str, float]:
        for label in model.classes_:
            ww.explain(model, texts, target=label)
        return {}

    return work


def captum(folder: Path) -> Work:
    """Return captum's integrated gradients of one class, a few texts."""
    import torch
    from captum.attr import LayerIntegratedGradients

    module, ids = load_bert(folder)
    few = ids[: FEW["captum"]]
    method = LayerIntegratedGradients(
        lambda chosen: module(input_ids=chosen).logits, module.bert.embeddings.word_embeddings
    )

    def work() -> dict[str, float]:
        method.attribute(
            few, torch.zeros_like(few), target=0, n_steps=STEPS, internal_batch_size=32
        )
        return {}

    return work


def shap(folder: Path) -> Work:
    """Return SHAP's partition explainer with its defaults, a few texts, all classes."""
    import numpy as np
    import shap
    import torch

    module, ids = load_bert(folder)
    texts = [text_of(one) for one in ids[: FEW["shap"]].tolist()]

    def predict(masked: Any) -> Any:  # noqa: ANN401 - an array of texts
        words = [re.findall(r"[a-j]{4}|[.]{3}", text) or ["..."] for text in masked]
        rows = [[0 if word == "..." else encode(word)[0][0] for word in text] for text in words]
        longest = max(map(len, rows))
        found = []
        for first in range(0, len(rows), 32):
            padded = [one + [0] * (longest - len(one)) for one in rows[first : first + 32]]
            with torch.inference_mode():
                found.append(module(input_ids=torch.tensor(padded)).logits.numpy())
        return np.concatenate(found)

    explainer = shap.Explainer(
        predict, shap.maskers.Text(r"\W+"), algorithm="partition", silent=True
    )

    def work() -> dict[str, float]:
        explainer(texts)
        return {}

    return work


# A bi-LSTM of random weights


def _lstm(folder: Path) -> tuple[Any, Any]:
    import torch
    from torch import Tensor, nn

    class PooledLSTM(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(2000, 100)
            self.lstm = nn.LSTM(100, 128, batch_first=True, bidirectional=True)
            self.output = nn.Linear(256, 2)

        def forward(self, input_ids: Tensor) -> Tensor:
            states, _ = self.lstm(self.embedding(input_ids))
            scores: Tensor = self.output(states.max(dim=1).values)
            return scores

    torch.manual_seed(0)
    return PooledLSTM().eval(), torch.tensor(json.loads((folder / "ids.json").read_text()))


def lstm_forward(folder: Path) -> Work:
    """Return the bi-LSTM's fused forward pass."""
    import torch

    module, ids = _lstm(folder)

    def work() -> dict[str, float]:
        with torch.inference_mode():
            return {"score": float(module(ids)[0, 0])}

    return work


def lstm_one_class(folder: Path) -> Work:
    """Return our explanation of one of its classes."""
    import whyword as ww

    module, ids = _lstm(folder)
    model = ww.TorchClassifier(module, encode, ["bad", "good"], pad=0)
    texts = [text_of(one) for one in ids.tolist()]

    def work() -> dict[str, float]:
        return {"score": float(ww.explain(model, texts, target="bad")[0].score)}

    return work


def _by_lxt(folder: Path) -> Work:
    from lxt_process import by_lxt

    return by_lxt(folder)


CONTENDERS: dict[str, Callable[[Path], Work]] = {
    "forward": forward,
    "one class": one_class,
    "attnlrp": attnlrp,
    "all classes": all_classes,
    "class by class": class_by_class,
    "lxt": _by_lxt,
    "captum": captum,
    "shap": shap,
    "lstm forward": lstm_forward,
    "lstm one class": lstm_one_class,
}
