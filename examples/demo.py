"""What `make demo` shows: a network trained on 20 Newsgroups, and the words it goes by."""

import logging
import time
from pathlib import Path

import numpy as np
from rich.console import Console

import whyword as ww
from whyword.base.files import cache_folder
from whyword.base.progress import progress_bar
from whyword.corpora.corpus import Part
from whyword.reports.stages import Stages, digest_of
from whyword.reports.tour import write_tour

console = Console(highlight=False)
CBOW_EPOCHS = 10  # the default is 40, which takes two minutes instead of half a minute
TRAINING = "training CNN2"
MODEL = Path("demo") / "model"
EXAMPLE = "sci.space/61393"
TARGETS = ["sci.space", "sci.med"]


def step(title: str) -> None:
    """Announce the next step."""
    console.print(f"\n[bold]{title}[/bold]")


def trained(train: Part) -> ww.CNNClassifier | ww.SVMClassifier:
    """Return the paper's CNN2, trained unless an earlier run has done so."""

    def fit() -> ww.CNNClassifier:
        console.print(
            "[dim]Three minutes. Word vectors: GloVe 50d beside CBOW of these posts, "
            f"{CBOW_EPOCHS} epochs instead of 40, which costs a little accuracy.[/dim]"
        )
        vectors = ww.Vectors.for_texts(train.texts, epochs=CBOW_EPOCHS)
        model = ww.CNNClassifier(vectors=vectors, width=2, filters=800, max_words=400)
        return model.fit(train.texts, train.labels or [])

    kept = Stages(cache_folder() / "demo", {TRAINING: 120}, lambda _: None)
    settings = {"train": digest_of(train), "epochs": CBOW_EPOCHS}
    model: ww.CNNClassifier | ww.SVMClassifier = kept.model(TRAINING, settings, fit).load()
    return model


def main() -> None:
    """Run the demo."""
    logging.basicConfig(level=logging.WARNING, format="  %(message)s")
    start = time.perf_counter()

    step("1. 20 Newsgroups")
    news = ww.load_corpus("20newsgroups")
    groups = len(set(news.train.labels or []))
    console.print(
        f"{len(news.train):,} posts to learn from, {len(news.test):,} later ones to test on, "
        f"{groups} groups."
    )

    step("2. The paper's network: 800 filters over two words each")
    model = trained(news.train)
    with progress_bar("preparing") as report:
        tour = write_tour(
            model,
            news.test,
            Path("demo"),
            title="20 Newsgroups: the words a network goes by",
            train=news.train,
            examples=[(EXAMPLE, TARGETS)],
            on_progress=report,
        )
    facts = tour.facts
    console.print(
        f"It is right about [bold]{facts['accuracy']:.1%}[/bold] of the test posts (the paper's: "
        "80.2%)."
    )

    step(f"3. Why? {EXAMPLE}: red words speak for the group, blue (underlined) ones against it")
    text = news.test.texts[news.test.ids.index(EXAMPLE)]
    explanation = ww.explain(model, [text], TARGETS, ids=[EXAMPLE])[0]
    console.print(explanation)
    residual = np.abs(explanation.residual).max()
    console.print(f"The words add up to each score; what is left over is {residual:.0e}.")
    begun = time.perf_counter()
    explained = ww.explain(model, news.test.texts, "all")
    seconds = time.perf_counter() - begun
    console.print(
        f"Every word of all {len(explained):,} test posts for all {groups} groups: {seconds:.1f} s."
    )

    step("4. How far can you trust it?")
    by_lrp, by_chance = facts["still_right"]["lrp"], facts["still_right"]["random"]
    console.print(
        f"Without its ten most relevant words a post that was right is still right in "
        f"[bold]{by_lrp:.0%}[/bold] of all cases; without ten words by chance in "
        f"[bold]{by_chance:.0%}[/bold] ({facts['deleted_from']:,} posts of at least 100 words)."
    )

    step("5. Look")
    console.print("Heatmaps, mistakes, the words of each group, a map, an evaluation:")
    console.print(f"  {tour.page.resolve().as_uri()}", soft_wrap=True)
    model.save(MODEL)
    console.print("Paste your own texts, delete words, look through maps, search and mistakes:")
    console.print(f"  .venv/bin/whyword serve {MODEL} 20newsgroups:test", soft_wrap=True)
    console.print(
        f"\n[dim]Done in {time.perf_counter() - start:.0f} s. Your own texts: README.md. "
        "The whole paper: .venv/bin/whyword reproduce --out report[/dim]"
    )


if __name__ == "__main__":
    main()
