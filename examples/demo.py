"""What `make demo` shows: from raw text to classes and the words behind them, on 20 Newsgroups."""

import logging
import textwrap
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import whyword as ww
from whyword.overview import describe
from whyword.storage import cache_folder

console = Console(highlight=False)
CBOW_EPOCHS = 5  # the default is 40; enough for a first look
FILTERS, CNN_EPOCHS = 200, 5
SENTENCES = (
    "The shuttle reached orbit after the launch.",
    "My doctor said the patients had no infection.",
    "The goalie stopped every puck in the playoffs.",
)


def step(title: str) -> None:
    """Announce the next step."""
    console.print(f"\n[bold]{title}[/bold]")


def main() -> None:
    """Run the demo."""
    logging.basicConfig(level=logging.INFO, format="  %(message)s")
    start = time.perf_counter()

    step("1. A corpus: 20 Newsgroups (downloaded once, then from the cache)")
    news = ww.load_corpus("20newsgroups")
    figures = describe(news)
    table = Table("", "here", "in the paper", box=None, header_style="bold")
    for row in (
        ("training posts", f"{figures.train.documents:,}", "11,314"),
        ("test posts", f"{figures.test.documents:,}", "7,532"),
        ("  of at most 1 word", f"{figures.test.short:,}", "25"),
        ("  of at least 100 words", f"{figures.test.long:,}", "4,963"),
        ("distinct training words", f"{figures.train.vocabulary_400:,}", "70,631"),
    ):
        table.add_row(*row)
    console.print(table)
    console.print(
        "[dim]Distinct words: lower-cased, in the first 400 words of each post. The paper used "
        "NLTK; our tokeniser agrees with it on 99.76 % of the tokens, hence the small "
        "differences.[/dim]"
    )

    step("2. Words, each with its place in the text")
    text = news.test.texts[news.test.ids.index("sci.space/61393")]
    document = ww.tokenize(text)
    console.print(textwrap.shorten(text, 150, placeholder=" …"), markup=False)
    shown = zip(document.words, document.spans.tolist(), strict=True)
    console.print("  ".join(f"{w}[dim]\\[{s}–{e}][/dim]" for w, (s, e) in list(shown)[:14]), "…")

    step(f"3. Vectors: GloVe 50d beside CBOW trained on these posts ({CBOW_EPOCHS} epochs)")
    glove = ww.Vectors.load("glove-6b-50d")
    cbow = ww.Vectors.train_cbow(news.train.texts, epochs=CBOW_EPOCHS)
    stacked = ww.Vectors.stack(glove, cbow)
    sample = news.test.texts[::10]
    console.print(
        f"GloVe knows {glove.coverage(sample):.1%} of the test words, CBOW "
        f"{cbow.coverage(sample):.1%}, together {stacked.coverage(sample):.1%}."
    )
    table = Table("nearest to", "GloVe", "CBOW", "both", box=None, header_style="bold")
    for word in ("orbit", "windows", "hockey", "encryption"):
        found = (vectors.nearest(word, 4) for vectors in (glove, cbow, stacked))
        table.add_row(word, *(", ".join(n.word for n in near) for near in found))
    console.print(table)

    step("4. A classifier: the paper's CNN, small and quickly trained")
    folder = cache_folder() / "demo-model"
    if folder.exists():
        model = ww.load_model(folder)
        console.print("[dim]loaded; a first run trains it[/dim]")
    else:
        console.print(
            f"training {FILTERS} filters of two words for {CNN_EPOCHS} epochs "
            "(the defaults, 800 and 15, and 40 of CBOW, take four minutes and reach 81 %) …"
        )
        model = ww.CNNClassifier(
            vectors=stacked, filters=FILTERS, epochs=CNN_EPOCHS, max_words=400
        ).fit(news.train.texts, news.train.labels or [])
        model.save(folder)
    accuracy = model.score(news.test.texts, news.test.labels or [])
    console.print(f"It is right about {accuracy:.1%} of the {len(news.test):,} test posts.")
    for sentence in SENTENCES:
        chances = model.predict_proba([sentence])[0]
        best = chances.argmax()
        console.print(f"  {model.classes_[best]:24} {chances[best]:4.0%}  [dim]{sentence}[/dim]")

    step("5. Which words made it say that: red for the class, blue (underlined) against it")
    explanation = ww.explain(model, [text], ["sci.space", "sci.med"], ids=["sci.space/61393"])[0]
    console.print(explanation)
    residual = np.abs(explanation.residual).max()
    console.print(f"The words' relevance adds up to each score; what is left is {residual:.0e}.")
    page = Path("demo.html").resolve()
    start_explaining = time.perf_counter()
    explained = ww.explain(model, news.test.texts, "all", ids=news.test.ids)
    seconds = time.perf_counter() - start_explaining
    wrong = [
        one
        for one, label in zip(explained, news.test.labels or (), strict=True)
        if one.predicted != label
    ]
    ww.Explanations([explanation, *wrong[:20]]).to_html(page)
    console.print(
        f"All {len(explained):,} test posts, every word for all 20 classes: {seconds:.1f} s. "
        "The post above and twenty that the model got wrong, as a page:"
    )
    console.print(f"  {page.as_uri()}", soft_wrap=True)
    console.print(f"\n[dim]Done in {time.perf_counter() - start:.0f} s. Next: README.md[/dim]")


if __name__ == "__main__":
    main()
