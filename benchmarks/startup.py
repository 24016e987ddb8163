"""From the command to the answer: `whyword predict` on one text, with a full-sized model.

The model has the default vectors (GloVe's 400,000 words beside CBOW) and 800 filters. The first
call after an installation compiles; it is not counted. Also looks for what must not be imported.

    python benchmarks/startup.py [--rounds 5]
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time

from figures import keep

from whyword import CNNClassifier, Vectors, load_corpus

TARGET_SECONDS = 1.5
TEXT = "The shuttle reached orbit after the launch."
BANNED = ("torch", "sklearn", "pandas")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    train = load_corpus("20newsgroups:train").train
    vectors = Vectors.for_texts(train.texts, epochs=1)  # any of this size will do
    model = CNNClassifier(vectors=vectors, epochs=1)
    model.fit(train.texts[::40], (train.labels or [])[::40])
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        code = (
            "import sys; from whyword.cli.main import command_line\n"
            f"command_line()(['predict', {folder + '/model'!r}, '-'], standalone_mode=False)\n"
            f"print([name for name in {BANNED} if name in sys.modules], file=sys.stderr)"
        )
        seconds = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "whyword", "predict", f"{folder}/model", "-"],
                input=TEXT,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds.append(time.perf_counter() - start)
        print(done.stdout.rstrip())
        imported = subprocess.run(
            [sys.executable, "-c", code], input=TEXT, capture_output=True, text=True, check=True
        ).stderr.strip()
    median = statistics.median(seconds[1:])
    keep("startup", {"seconds": seconds[1:]})
    print(f"{median:.2f} s from command to answer (must be < {TARGET_SECONDS})")
    print(f"imported of {', '.join(BANNED)}: {imported}")
    if median >= TARGET_SECONDS or imported != "[]":
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
