"""Wrapped scikit-learn pipelines: predicting and explaining, beside scikit-learn's own predicting.

Also against asking the vectoriser for one text at a time. 2,000 posts of 20 Newsgroups; minutes.

    python benchmarks/pipelines.py [--texts 2000] [--repeats 3]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC

import whyword as ww


def pipelines() -> dict[str, Any]:
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), min_df=5)
    return {
        "words": make_pipeline(TfidfVectorizer(), LinearSVC()),
        "words, bigrams": make_pipeline(words, LinearSVC()),
        "words, characters": make_pipeline(
            FeatureUnion([("words", words), ("characters", characters)]),
            SGDClassifier(random_state=0),
        ),
        "hashed": make_pipeline(HashingVectorizer(n_features=1 << 18), SGDClassifier()),
        "100 topics": make_pipeline(
            TfidfVectorizer(min_df=2), TruncatedSVD(100, random_state=0), LogisticRegression()
        ),
    }


def fastest(repeats: int, run: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    news = ww.load_corpus("20newsgroups")
    train, texts = news.train, list(news.test.texts[: arguments.texts])
    heading = (
        f"{'pipeline':20} {'scikit-learn':>12} {'one by one':>10} {'predict':>8} {'explain':>8}"
    )
    print(f"{heading}  explain / scikit-learn")
    for name, pipeline in pipelines().items():
        pipeline.fit(train.texts[:2_000], (train.labels or ())[:2_000])
        model = ww.from_pipeline(pipeline)

        def one_by_one(pipeline: Any = pipeline) -> None:  # noqa: ANN401
            for text in texts:
                pipeline[:-1].transform([text])

        def explain(model: Any = model) -> None:  # noqa: ANN401
            for _ in ww.iter_explanations(model, texts):
                pass

        own = fastest(arguments.repeats, lambda pipeline=pipeline: pipeline.predict(texts))  # type: ignore[misc]
        single = fastest(1, one_by_one)
        ours = fastest(arguments.repeats, lambda model=model: model.predict(texts))  # type: ignore[misc]
        explained = fastest(1, explain)
        numbers = f"{own:10.2f} s {single:8.2f} s {ours:6.2f} s {explained:6.2f} s"
        print(f"{name:20} {numbers}  {explained / own:.1f}", flush=True)


if __name__ == "__main__":
    main()
