"""The paper's networks, trained once with the default settings and kept in the cache folder."""

from pathlib import Path

from whyword import CNNClassifier, Corpus, SVMClassifier, load_model
from whyword.base.files import cache_folder
from whyword.base.progress import Progress
from whyword.reports.stages import Stages, digest_of

SIZES = {"cnn1": (1, 600), "cnn2": (2, 800), "cnn3": (3, 600)}
PRETRAINED = "cnn2-glove"  # with pre-trained vectors alone


def trained(
    name: str, news: Corpus, folder: Path | None = None, seed: int = 0
) -> CNNClassifier | SVMClassifier:
    """Return cnn1, cnn2, cnn3, cnn2-glove or svm: the first 400 words of each document."""
    if folder is not None and folder.exists():
        loaded: CNNClassifier | SVMClassifier = load_model(folder)
        return loaded

    def train() -> CNNClassifier | SVMClassifier:
        texts, labels = news.train.texts, news.train.labels or []
        if name == "svm":
            return SVMClassifier(ngrams=(1, 1), folds=10, max_words=400, seed=seed).fit(
                texts, labels
            )
        width, filters = SIZES[name.partition("-")[0]]
        return CNNClassifier(
            vectors="glove-6b-50d" if name == PRETRAINED else None,
            width=width,
            filters=filters,
            max_words=400,
            validation=1000,
            seed=seed,
        ).fit(texts, labels)

    def report(event: Progress) -> None:
        if not event.kept:
            print(f"training {name}, seed {seed} (once; it is kept) …", flush=True)

    stage = f"{name} seed {seed}"
    stages = Stages(cache_folder() / "benchmarks", {stage: 120}, report)
    model: CNNClassifier | SVMClassifier
    model = stages.model(stage, {"train": digest_of(news.train)}, train).load()
    if folder is not None:
        model.save(folder)
    return model
