"""The paper's networks, trained once with the default settings and kept in the cache folder."""

from pathlib import Path

from whyword import CNNClassifier, Corpus, SVMClassifier, load_model
from whyword.storage import cache_folder

SIZES = {"cnn1": (1, 600), "cnn2": (2, 800), "cnn3": (3, 600)}
PRETRAINED = "cnn2-glove"  # with pre-trained vectors alone


def trained(
    name: str, news: Corpus, folder: Path | None = None, seed: int = 0
) -> CNNClassifier | SVMClassifier:
    """Return cnn1, cnn2, cnn3, cnn2-glove or svm: the first 400 words of each document."""
    ending = f"-seed{seed}" if seed else ""
    folder = folder or cache_folder() / f"benchmark-{name}{ending}"
    if folder.exists():
        return load_model(folder)
    print(f"training {name}{ending} (once; it is kept in {folder}) …", flush=True)
    model: CNNClassifier | SVMClassifier
    if name == "svm":
        model = SVMClassifier(max_words=400, seed=seed)
    else:
        width, filters = SIZES[name.partition("-")[0]]
        vectors = "glove-6b-50d" if name == PRETRAINED else None
        model = CNNClassifier(
            vectors=vectors, width=width, filters=filters, max_words=400, validation=1000, seed=seed
        )
    model.fit(news.train.texts, news.train.labels or [])
    model.save(folder)
    return model
