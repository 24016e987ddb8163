"""The whole paper, stage by stage, from raw posts to results."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whyword.base.checks import check_installed, expand_path
from whyword.base.files import cache_folder, exclusive_folder
from whyword.base.progress import OnProgress
from whyword.corpora.corpus import Corpus, Part, load_corpus
from whyword.corpora.overview import describe
from whyword.evaluation.comparison import Comparison
from whyword.models.estimator import Estimator
from whyword.models.store import provenance
from whyword.reports import paper, study
from whyword.reports.claims import Claim, claims
from whyword.reports.machine import machine, peak_memory
from whyword.reports.plan import Plan
from whyword.reports.stages import Stages, digest_of
from whyword.reports.training import train_models
from whyword.vectors.pretrained import PRETRAINED, no_such_vectors

_SECONDS = {  # of a stage of each kind in a full run on two cores
    "corpus": 3,
    "word vectors": 40,  # beside the SVM
    "training": 90,
    "accuracy": 2,
    "heatmap": 0.1,
    "class words": 6,
    "word deletion": 60,
    "explanatory power": 6,
}
_SMALL_SHARE = 0.1  # of those, for the quick version


@dataclass(frozen=True, eq=False)
class Reproduction:
    """All results, as plain data, and what they say of the paper's claims.

    Attributes
    ----------
    results : dict
    claims : list of Claim
    plan : Plan
    """

    results: dict[str, Any]
    claims: list[Claim]
    plan: Plan


class _ModelStage(NamedTuple):
    """A stage that looks at one model: where its result belongs, and what makes it."""

    group: str
    key: str
    name: str
    model: str
    make: Callable[[Estimator], dict[str, Any]]


def reproduce(
    plan: Plan | None = None,
    vectors: str | Path | None = None,
    on_progress: OnProgress | None = None,
    folder: Path | None = None,
) -> Reproduction:
    """Compute every table and figure of the paper; what was computed before is not computed again.

    Parameters
    ----------
    plan : Plan, optional
        How much of it; all by default.
    vectors : str or Path, optional
        A file of word vectors (GoogleNews, say) instead of GloVe 50d with CBOW.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` as each stage begins.
    folder : Path, optional
        Where results of stages are kept; in the cache folder by default.
    """
    check_installed("report", "torch", "sklearn", "scipy")
    kept = folder or cache_folder() / "reproduce"
    with exclusive_folder(kept):
        return _run_stages(plan or Plan(), vectors, on_progress, kept)


def _run_stages(
    plan: Plan, vectors: str | Path | None, on_progress: OnProgress | None, folder: Path
) -> Reproduction:
    begun = time.perf_counter()
    version = None if vectors is None else _file_version(vectors)
    whole = load_corpus("20newsgroups")
    news = _sample(whole, plan)
    networks = _networks(pretrained=vectors is not None)
    model_stages = list(_model_stages(news.test, plan, networks))
    trained = [f"training {name}" for name in networks]
    names = ["corpus", "training SVM", "word vectors", *trained]
    # model after model, so that one of them is in memory at a time
    order = sorted(model_stages, key=lambda one: ("SVM", *networks).index(one.model))
    stages = Stages(
        folder, _expected_seconds([*names, *(one.name for one in order)], plan), on_progress
    )
    data = {
        "train": digest_of(news.train),
        "test": digest_of(news.test),
        "plan": plan.as_inputs(),
        "vectors": version,
    }
    corpus = stages.result("corpus", data, partial(_corpus, whole))
    models = train_models(stages, news.train, data, plan, vectors, networks)
    load = lru_cache(maxsize=1)(lambda name: models[name].load())
    by_name: dict[str, dict[str, Any]] = {}
    for one in order:
        model = models[one.model]
        inputs = {"test": data["test"], "plan": data["plan"], "model": model.identity}
        by_name[one.name] = stages.result(one.name, inputs, partial(_make, one, load))
    results: dict[str, Any] = {"corpus": corpus}
    for one in model_stages:
        results.setdefault(one.group, {})[one.key] = by_name[one.name]
    results["planes"] = {
        name: row.pop("plane") for name, row in results["powers"].items() if "plane" in row
    }
    tests = _tests(results["powers"], plan)
    results["tests"] = {name: one.to_dict() for name, one in tests.items()}
    results["models"] = {
        name: {"identity": model.identity, **model.provenance} for name, model in models.items()
    }
    results["about"] = {
        "data": data,
        "versions": provenance(),
        "machine": machine(),
        "seconds": {name: round(spent, 1) for name, spent in stages.seconds.items()},
        "this_run": round(time.perf_counter() - begun, 1),
        "memory": peak_memory(),
    }
    return Reproduction(results, claims(results, tests), plan)


def _make(stage: _ModelStage, load: Callable[[str], Estimator]) -> dict[str, Any]:
    return stage.make(load(stage.model))


def _networks(pretrained: bool) -> dict[str, tuple[int, int]]:
    """Return the networks' widths and filters.

    The words that were never seen in training are known from pre-trained vectors only, so unless
    all are, one more network has nothing else.
    """
    more = {} if pretrained else {paper.PRETRAINED: paper.FILTERS["CNN2"]}
    return {**paper.FILTERS, **more}


def _model_stages(
    test: Part, plan: Plan, networks: dict[str, tuple[int, int]]
) -> Iterator[_ModelStage]:
    """Yield everything that is looked at once the models are trained."""
    for name in ("SVM", *networks):
        make: Callable[[Estimator], dict[str, Any]] = partial(study.quality, test=test)
        yield _ModelStage("quality", name, f"accuracy {name}", name, make)
    for name in ("CNN2", "SVM"):
        make = partial(study.heatmaps, test=test)
        yield _ModelStage("heatmaps", name, f"heatmap {name}", name, make)
    for name in ("CNN2", "SVM", *(set(networks) - set(paper.FILTERS))):
        make = partial(study.words, test=test)
        yield _ModelStage("words", name, f"class words {name}", name, make)
    for name in paper.FILTERS:
        make = partial(study.deletion, test=test, plan=plan)
        yield _ModelStage("deletion", name, f"word deletion {name}", name, make)
    for row in paper.POWERS:
        mapped = row.model in ("CNN2", "SVM")
        make = partial(study.power, weighting=row.weighting, test=test, plan=plan, mapped=mapped)
        yield _ModelStage("powers", row.name, f"explanatory power {row.name}", row.model, make)


def _expected_seconds(names: list[str], plan: Plan) -> dict[str, float]:
    """Return about how long each stage takes."""
    share = 1.0 if plan.train is None else _SMALL_SHARE
    return {
        name: next(spent for kind, spent in _SECONDS.items() if name.startswith(kind))
        * (1.0 if name == "corpus" else share)  # which is always described whole
        for name in names
    }


def _file_version(vectors: str | Path) -> str:
    """Return a file's name with its size and age, which change when it does, or a package's."""
    path = expand_path(vectors)
    if str(vectors) in PRETRAINED:
        return str(vectors)
    if not path.is_file():
        raise no_such_vectors(vectors)
    about = path.stat()
    return f"{path.name}, {about.st_size} bytes, {about.st_mtime_ns}"


def _sample(news: Corpus, plan: Plan) -> Corpus:
    """Return as many documents as planned, by chance, the example among them."""
    random = np.random.default_rng(plan.seed)
    parts = []
    for part, count in ((news.train, plan.train), (news.test, plan.test)):
        chosen = list(range(len(part)))
        if count is not None and count < len(part):
            drawn = set(random.choice(len(part), count, replace=False).tolist())
            if paper.EXAMPLE in part.ids:
                drawn.add(part.ids.index(paper.EXAMPLE))
            chosen = sorted(drawn)
        labels = part.labels or []
        parts.append(
            Part(
                [part.texts[n] for n in chosen],
                [labels[n] for n in chosen],
                [part.ids[n] for n in chosen],
            )
        )
    return Corpus(news.name, parts[0], parts[1])


def _corpus(news: Corpus) -> dict[str, Any]:
    figures = describe(news)
    return {
        "train": figures.train.documents,
        "test": figures.test.documents,
        "long_documents": figures.test.long,
        "short_documents": figures.test.short,
        "vocabulary": figures.train.vocabulary_400,
    }


def _tests(rows: dict[str, Any], plan: Plan) -> dict[str, Comparison]:
    """Return the significance statements of the paper, each as a test."""
    pairs = [(f"{name} LRP (ew)", "word vectors TFIDF", 0.05) for name in paper.FILTERS]
    pairs += [("SVM LRP", "BoW TFIDF", 0.05), ("CNN2 LRP (ew)", "SVM LRP", 0.10)]
    return {
        f"{first} > {second}": study.compare_rows(first, second, rows, plan, alpha)
        for first, second, alpha in pairs
    }
