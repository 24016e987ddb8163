"""What a stored pipeline is made of: which tensors, of which shapes, and which settings.

Nodes are numbered in their order, and the names of their tensors end with the number.

=====================  ===============  ========================================================
``output_weight``      (P, C) float64   of what the last node makes
``output_bias``        (C,) float64
``vocabulary_0``       V words          of a vectoriser that knows its features
``idf_0``              (V,) float64     of one that weighs them
``scale_1``            (P,) float64     of what scales
``shift_1``            (P,) float64     of what centres
``chosen_1``           (P,) int64       of what selects
``components_1``       (K, P) float64   of what projects
=====================  ===============  ========================================================
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from numpy.typing import NDArray

from whyword.base.checks import one_of
from whyword.base.errors import InputError
from whyword.base.tensors import Tensors
from whyword.models.linear.stored import CHECKS
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.graph import Graph, Union, Work
from whyword.models.pipeline.steps import STEPS
from whyword.models.pipeline.vectorizer import Vectorizer
from whyword.models.stored import StoredModel, StoredSettings
from whyword.models.stored_reader import own_reader_settings, reader_settings, stored_reader
from whyword.words.tokenizer import Tokenizer

_NAMES = (Vectorizer.name, Union.name, *STEPS)
_MOST_NODES = 1_000


def to_stored(features: PipelineFeatures) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the tensors and settings of a pipeline's features; raise if they hold code."""
    tensors: dict[str, NDArray[Any]] = {}
    nodes = []
    for number, (work, inputs) in enumerate(features.graph.nodes):
        own, settings = ({}, {}) if isinstance(work, Union) else work.stored()
        tensors |= {f"{name}_{number}": tensor for name, tensor in own.items()}
        nodes.append({"node": work.name, "inputs": list(inputs), **settings})
    reader = features.reader
    usual = reader.tokenizer == Tokenizer()
    reading = own_reader_settings(reader) if usual else reader_settings(reader)
    return tensors, {"nodes": nodes, **reading}


def from_stored(stored: StoredModel) -> PipelineFeatures:
    """Return the features; raise unless nodes and numbers fit each other."""
    settings = stored.settings.section("features")
    graph = Graph()
    for number, node in enumerate(settings.sections("nodes", most=_MOST_NODES)):
        _add(graph, stored, node, f"_{number}")
    # vectorisers cut words themselves; by the reader's it is decided which are ignored
    tokenizer = None if "tokenizer" in settings else Tokenizer()
    return PipelineFeatures(graph, stored_reader(settings, tokenizer))


def _add(graph: Graph, stored: StoredModel, node: StoredSettings, end: str) -> None:
    """Add a node to a graph; raise unless it fits."""
    name = node.take("node", partial(one_of, choices=_NAMES))
    inputs = node.take("inputs", partial(_numbers, most=len(graph.nodes)))
    wanted = 0 if name == Vectorizer.name else 1
    if len(inputs) != wanted and not (name == Union.name and len(inputs) > 1):
        raise stored.fault(f"node {end[1:]} ({name}) is given {len(inputs)} nodes")
    work: Work = Union()
    if name == Vectorizer.name:
        work = Vectorizer.restore(stored, node, end)
    elif name != Union.name:
        work = STEPS[name].restore(stored, node, end, graph.widths[inputs[0]])
    try:
        graph.add(work, inputs)
    except InputError as error:
        raise stored.fault(f"node {end[1:]}: {error}") from None


def _numbers(name: str, value: object, most: int) -> tuple[int, ...]:
    """Return the numbers of nodes that were there before."""
    if isinstance(value, list) and len(value) <= _MOST_NODES:
        fit = [type(one) is int and 0 <= one < most for one in value]
        if all(fit):
            return tuple(value)
    raise InputError(f"{name} must be numbers of nodes before it, not {value!r:.60}")


def upgraded(
    tensors: Tensors, configuration: Mapping[str, Any]
) -> tuple[Tensors, Mapping[str, Any]]:
    """Return what was read as it is stored today: a pipeline was once a kind of SVM."""
    features = configuration.get("features")
    if configuration.get("kind") != "svm" or not isinstance(features, dict):
        return tensors, configuration
    if "vectorizer" not in features:
        return tensors, configuration
    node = {"node": Vectorizer.name, "inputs": []}
    node |= {name: features[name] for name in ("vectorizer", "parameters") if name in features}
    parameters = node.get("parameters")
    weighs = isinstance(parameters, dict) and parameters.get("use_idf", False)
    own = {"vocabulary": "vocabulary_0"} | ({"idf": "idf_0"} if weighs else {})
    reading = {name: one for name, one in features.items() if name not in node}
    said = configuration.get("parameters")
    kept = said
    if isinstance(said, dict):  # those that a bag of words is made with
        kept = {name: one for name, one in said.items() if name not in {*CHECKS, "class_weight"}}
    changed = {
        "kind": "pipeline",
        "parameters": kept,
        "features": {"nodes": [node], **reading},
        "link": {"name": "softmax", "temperature": configuration.get("temperature")},
    }
    rest = {name: one for name, one in configuration.items() if name != "temperature"}
    renamed = {own.get(name, name): one for name, one in tensors.items() if name != "idf" or weighs}
    return renamed, rest | changed
