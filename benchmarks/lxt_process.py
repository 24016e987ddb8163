"""LXT's efficient mode on a saved BERT, in an environment of its own.

LXT does not import beside transformers 5. Its environment has transformers 4, and takes torch and
the rest from the one this runs in.
"""

import json
import subprocess
import sys
import sysconfig
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES = (
    "transformers==4.52.4",
    "tokenizers==0.21.4",
    "huggingface_hub==0.36.0",
    "zennit==0.5.1",
    "lxt==2.1",
)


def lxt_python() -> str:
    """Return the Python of LXT's environment, which is made if it is not there."""
    from whyword.base.files import cache_folder  # LXT's own process has no whyword

    home = cache_folder() / "benchmarks" / "lxt-2.1"
    python = home / "bin" / "python"
    if not (home / "whole").exists():
        print("making LXT's environment (once)", file=sys.stderr)
        home.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", home], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        subprocess.run([*pip, "--no-deps", *PACKAGES], check=True)
        # last on the path: what it has itself comes first. After pip, which must not see it
        (site,) = home.glob("lib/python*/site-packages")
        (site / "parent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
        (home / "whole").touch()
    return str(python)


def by_lxt(folder: Path) -> Callable[[], dict[str, float]]:
    """Return what explains one class of a batch; it runs in LXT's environment."""
    import torch
    from transformers.models.bert import modeling_bert

    _stub_torchvision(torch.nn)  # after transformers, which looks whether it is there
    from lxt.efficient import monkey_patch

    monkey_patch(modeling_bert)
    model = modeling_bert.BertForSequenceClassification.from_pretrained(folder).eval()
    for parameter in model.parameters():
        parameter.requires_grad = False
    ids = torch.tensor(json.loads((folder / "ids.json").read_text()))
    mask = torch.ones_like(ids)

    def work() -> dict[str, float]:
        vectors = model.bert.get_input_embeddings()(ids).requires_grad_()
        scores = model(inputs_embeds=vectors, attention_mask=mask).logits[:, 0]
        scores.sum().backward()
        relevance = (vectors * vectors.grad).sum(-1).detach()
        scores = scores.detach()
        lost = (relevance.sum(1) - scores).abs() / scores.abs()
        return {"score": float(scores[0]), "lost": float(lost.median())}

    return work


def _stub_torchvision(layers: Any) -> None:  # noqa: ANN401 - a module
    """Put an empty torchvision in place: zennit and LXT want it for pictures."""
    names = ("", ".models", ".models.resnet", ".models.vision_transformer")
    stubs = [types.ModuleType(f"torchvision{name}") for name in names]
    sys.modules.update({stub.__name__: stub for stub in stubs})
    for block in ("Bottleneck", "BasicBlock"):
        setattr(stubs[2], block, type(block, (), {}))
    vars(stubs[3])["nn"] = layers
    vars(stubs[1])["vision_transformer"] = stubs[3]
