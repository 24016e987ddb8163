"""The calls that same_numbers.py compares, and their names in old and new versions.

Only this module calls whyword, and only by public names. Both sides run the working tree's copy of
it. A rename takes one line in a table below: the present name, and the later one, which is tried
first.

- `FUNCTIONS`: public names of the package.
- `COMMANDS`, `OPTIONS`: names of the command line.
- `KEYS`: attributes, parameters, and keys of JSON and files. Reports print the later names.
- `IGNORED`: keys that are not compared, because they depend on the machine, time or version.
- `SENTENCES`: keys of prose of which only the numbers are compared, so that it can be reworded.

The models are small, and the texts are made of topic words. They contain shortcuts: one author of a
topic signs, another one gives mail addresses, and a token belongs to one class in the training part
and to another class in the test part.
"""

import csv
import io
import json
import random
import re
import runpy
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FUNCTIONS = {
    "class_words": "top_words",
    "compare": "compare_methods",
    "from_pipeline": "PipelineClassifier",
    "strategies": "cluster_explanations",
    "summarize": "summary_vectors",
    "suspects": "find_shortcuts",
}
COMMANDS = {"corpus": "data", "model": "info", "tour": "report"}
COMMANDS |= {"strategies": "clusters", "suspects": "shortcuts"}
OPTIONS = {"--suspects": "--shortcuts"}
KEYS = {"known": "in_vocabulary", "reader": "preprocessor", "suspects": "shortcuts"}
IGNORED = set("seconds seconds_prediction seconds_explanation whyword python torch".split()) | {
    *"numpy numba scikit-learn weights_sha256 rejects_sha256".split(),
    "findings",  # sentences, some of them about time; the numbers are compared elsewhere
    "residual",  # the rounding error of a sum whose terms are compared
    "points",  # rounded to six digits; the library's are compared
}
SENTENCES: set[str] = set()

TOPICS = {
    "crypto": "key cipher encryption secret clipper chip escrow wiretap".split(),
    "hockey": "puck goal ice skate team league playoff coach".split(),
    "space": "orbit moon rocket shuttle launch nasa satellite crew".split(),
}
CLASSES = list(TOPICS)
OF_TWO = {"cnn3", "ngrams", "bayes"}  # models of two classes: their scores are (−s, s)
COMMON = "the a of and to in is it that was for on with as at by this be".split()
SIGNATURE = "\nEd Green of mail.acme.org\nwas drinking with a biker"
METHODS = "lrp sensitivity gradient_input integrated_gradients occlusion random".split()
TARGETS: dict[str, dict[str, Any]] = {
    "predicted": {},
    "class": {"target": "hockey"},
    "list": {"target": ["hockey", "crypto"]},
    "all": {"target": "all"},
    "against": {"target": "hockey", "against": "crypto"},
    "one per text": {"targets": ["crypto", "hockey", "hockey", "crypto", "hockey", "crypto"]},
    "top": {"top": 2},
}
SETTINGS: dict[str, list[dict[str, Any]]] = {  # with each of these targets; MORE with all classes
    "lrp": [{"bias": "shared"}, {"bias": "apart"}],
    "integrated_gradients": [{"steps": 4}],
}
MORE: list[dict[str, Any]] = [{}, {"epsilon": 0.5}, {"attention": "attnlrp"}]  # of "lrp"
MORE += [{"positions": "with words"}, {"layer": "bert.encoder.layer.0"}]
PREDICTIONS = "class_scores scores decision_function predict_proba predict known_words".split()
SPLIT = "--steps 1,2,6 --runs 2 --splits 3 --json"
CALLS = {  # commands that print JSON
    "corpus": "corpus {table} --json",
    "vectors": "vectors {vectors} --near orbit --coverage {table} --json",
    "model": "model {models}/cnn2 --json",
    "model of a folder": "model {models}/bert --json",
    "predict": "predict {models}/cnn2 {table}:test --format jsonl",
    "predict by code": "predict same_calls:RULES {table}:test --format jsonl",
    "explain": "explain {models}/svm {table}:test --target all --limit 9 --format json",
    "explain phrases": "explain {models}/cnn2 {table}:test --target space --against crypto "
    "--level phrase --limit 9 --format json",
    "words": "words {models}/svm {table}:test --top 12 --json",
    "search": "search {models}/cnn2 {table}:test 'rocket to the moon' --json",
    "evaluate": f"evaluate {{models}}/cnn2 {{table}}:test {SPLIT}",
    "compare": f"compare {{models}}/cnn2 {{models}}/svm --corpus {{table}}:test {SPLIT}",
    "suspects": "suspects {models}/svm {table} --groups author --json",
    "what-if": "what-if {models}/cnn2 {table}:test --without orbit --json",
    "strategies": "strategies {models}/svm {table} --target hockey --suspects biker --json",
}
Items = dict[str, Callable[[], object]]


class Missing(Exception):  # noqa: N818 - a result, not a failure
    """A name that one of the sides does not have."""


# ---- names --------------------------------------------------------------------------------------


def first(thing: object, *names: str | None) -> Any:  # noqa: ANN401 - of any version
    """Return the first attribute that exists; raise Missing if none does."""
    for name in names:
        if name is not None and hasattr(thing, name):
            return getattr(thing, name)
    raise Missing(f"{getattr(thing, '__name__', type(thing).__name__)}.{names[-1]}")


def get(thing: object, name: str) -> Any:  # noqa: ANN401 - of any version
    """Return an attribute by its later or its present name."""
    return first(thing, KEYS.get(name), name)


def call(name: str, /, *arguments: object, **settings: object) -> Any:  # noqa: ANN401
    """Call a function or class of the package by its later or its present name."""
    function = first(import_module("whyword"), FUNCTIONS.get(name), name)
    known = signature(function).parameters
    renamed = {KEYS[key] if KEYS.get(key) in known else key: settings[key] for key in settings}
    return function(*arguments, **renamed)


def attempt(name: str, /, *arguments: object, **settings: object) -> Any:  # noqa: ANN401
    """Return what a call returns, or "InputError" if it refuses the input."""
    try:
        return call(name, *arguments, **settings)
    except first(import_module("whyword"), "InputError"):
        return "InputError"


def run(words: list[str]) -> tuple[int, str, str]:
    """Run ``python -m whyword`` in this process; return its exit code, stdout and stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before, sys.argv = sys.argv, ["whyword", *words]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            runpy.run_module("whyword", run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.argv = before
    stdout, stderr = (one.detach().getvalue().decode() for one in (out, err))
    return code, stdout, stderr


@cache
def help_of(name: str) -> str:
    """Return a command's help; nothing if there is no such command."""
    code, out, _ = run([name, "--help"])
    return "" if code else out


def printed(line: str) -> str:
    """Return the output of a command, by its later or its present name, as its options."""
    places = {"table": Place.data / "texts.csv", "vectors": Place.data / "vectors.txt"}
    places |= {"models": Place.models, "own": Place.own}
    command, *words = (word.format(**places) for word in shlex.split(line))
    given = [name for name in (COMMANDS.get(command), command) if name and help_of(name)][:1]
    for word in words if given else ():
        options = [option for option in (OPTIONS.get(word), word) if option]
        if word.startswith("--"):
            options = [one for one in options if re.search(rf"{one}(?![\w-])", help_of(given[0]))]
        given += options[:1]
    if len(given) < 1 + len(words):
        raise Missing(f"the command or an option of: whyword {line}")
    code, out, err = run(given)
    if code:
        raise RuntimeError(f"whyword {' '.join(given)}: exit code {code}, {err.strip()[-500:]}")
    return out


def command(line: str) -> object:
    """Return the JSON value, or the lines of JSON, that a command prints."""
    out = printed(line)
    if out.startswith("{") and not out.startswith("{\n"):
        return [json.loads(one) for one in out.splitlines()]
    return json.loads(out)


# ---- texts and models ---------------------------------------------------------------------------


class Place:
    """Where the process of a side finds the texts and the models, and where it writes."""

    data: Path
    models: Path
    own: Path


def write_data(folder: Path) -> None:
    """Write the corpus and the word vectors: plain files, the same for both sides."""
    folder.mkdir()
    draw = random.Random(0)
    with (folder / "texts.csv").open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "text", "label", "author", "split"])
        for number in range(180):
            label, split = CLASSES[number % 3], "test" if number % 9 > 5 else "train"
            author = number // 3 % 7
            topic = TOPICS[label][:4] if draw.random() < 0.5 else TOPICS[label][3:]
            count = 1 if number % 10 == 0 else draw.randint(3, 8)
            words = draw.choices(topic, k=count) + draw.choices(COMMON, k=draw.randint(6, 12))
            words += draw.choices(TOPICS[draw.choice(CLASSES)], k=2)
            if number % 6 == (0 if split == "train" else 1):
                words.append("zorvex")
            draw.shuffle(words)
            words.insert(len(words) // 2, draw.choice([",", ".\n", "-- Then"]))
            text = " ".join(words).capitalize() + "."
            text += SIGNATURE if (label, author) == ("hockey", 0) else ""
            text += f"\nwrite to u{number}@cs.uni.edu" if (label, author) == ("crypto", 1) else ""
            table.writerow([f"{split}-{number}", text, label, f"{label}-{author}", split])
    known = [word for topic in TOPICS.values() for word in topic[:-1]] + COMMON
    lines = (" ".join([word, *(f"{draw.gauss(0, 1):.4f}" for _ in range(6))]) for word in known)
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")


def part(name: str, split: str = "test") -> tuple[list[str], list[Any]]:
    """Return texts and labels of a part of the corpus, of the classes of a model."""
    classes = CLASSES[:2] if name in OF_TWO else CLASSES
    with (Place.data / "texts.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["split"] == split]
    rows = [row for row in rows if row["label"] in classes]
    labels = [[row["label"]] if name == "multilabel" else row["label"] for row in rows]
    return [row["text"] for row in rows], labels


@cache
def probes() -> list[str]:
    """Return unusual texts: long, signed, unknown words, other scripts, without words, empty."""
    texts, _ = part("svm")
    long = " ".join(texts[:5])  # longer than a transformer's window
    short = ["Orbit! orbit moon... KEY key-escrow, the puck", "Unheard-of words: déjà vu, 数字"]
    return [long, texts[7] + SIGNATURE, *short, "?!", ""]


class Rules:
    """A black box: probabilities from the number of words of each topic."""

    classes_ = CLASSES

    def predict_proba(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the probability of each class."""
        words = [set(text.lower().split()) for text in texts]
        counts = [[len(one & set(topic)) for topic in TOPICS.values()] for one in words]
        odds = np.exp(np.array(counts, np.float64).reshape(-1, 3) / 2)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float64)


RULES = Rules()


def pipeline(name: str) -> Any:  # noqa: ANN401 - scikit-learn has no types
    """Return a scikit-learn pipeline, not fitted."""
    from sklearn import decomposition, linear_model, naive_bayes, svm
    from sklearn.feature_extraction import text
    from sklearn.pipeline import make_pipeline, make_union

    logistic, tfidf = linear_model.LogisticRegression, text.TfidfVectorizer
    characters = tfidf(analyzer="char_wb", ngram_range=(2, 3))
    hashing = text.HashingVectorizer(n_features=256, alternate_sign=False, norm=None)
    descent = linear_model.SGDClassifier(loss="log_loss", random_state=0)
    reduced = decomposition.TruncatedSVD(5, random_state=0)
    steps = {
        "logistic": (tfidf(sublinear_tf=True, ngram_range=(1, 2)), logistic()),
        "bayes": (text.CountVectorizer(), naive_bayes.MultinomialNB()),
        "union": (make_union(tfidf(), characters), svm.LinearSVC(random_state=0)),
        "hashing": (hashing, text.TfidfTransformer(), descent),
        "topics": (tfidf(), reduced, logistic(C=20)),
    }
    return make_pipeline(*steps[name])


def write_transformer(folder: Path, kind: str, **changes: object) -> None:
    """Write a tiny transformer with random weights as a Hugging Face folder."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    whole = [word for topic in TOPICS.values() for word in topic if len(word) < 7]
    pieces = "shut ##tle en ##cr ##yption sat ##ell ##ite bike ##r".split()
    ids = {token: number for number, token in enumerate([*special, *COMMON, *whole, *pieces])}
    rules = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    rules.normalizer = normalizers.BertNormalizer(lowercase=True)
    rules.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, ids[token]) for token in ("[CLS]", "[SEP]")]
    single = "[CLS] $A [SEP]" if kind == "Bert" else "[CLS] $A"
    rules.post_processor = processors.TemplateProcessing(single=single, special_tokens=ends)
    settings: dict[str, Any] = {"vocab_size": len(ids), "hidden_size": 16, "pad_token_id": 0}
    settings |= {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
    settings |= {"max_position_embeddings": 32, "id2label": dict(enumerate(CLASSES))}
    if kind == "Llama":
        settings |= {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True}
    configuration = getattr(transformers, f"{kind}Config")(**settings | changes)
    random_numbers = torch.manual_seed(3)
    module = getattr(transformers, f"{kind}ForSequenceClassification")(configuration)
    with torch.no_grad():
        for one in module.parameters():  # large enough that each part of the network matters
            scale = 1.0 if one.shape[0] == len(ids) else 0.3
            one.add_(torch.randn(one.shape, generator=random_numbers) * scale)
    module.save_pretrained(folder)
    rules.save(str(folder / "tokenizer.json"))
    about = {f"{token.strip('[]').lower()}_token": token for token in special}
    about["tokenizer_class"] = "PreTrainedTokenizerFast"
    (folder / "tokenizer_config.json").write_text(json.dumps(about))


SHORT = {"epochs": 2, "on_progress": False, "seed": 1}
NETWORK = SHORT | {"batch_size": 16, "learning_rate": 0.02, "epochs": 6}
CNN = NETWORK | {"vectors": None, "epochs": 20, "filters": 10, "dropout": 0.2}
OWN: dict[str, tuple[str, dict[str, Any]]] = {  # vectors and base are set by train()
    "cnn1": ("CNNClassifier", CNN | {"width": 1}),
    "cnn2": ("CNNClassifier", CNN | {"width": 2}),
    "cnn3": ("CNNClassifier", CNN | {"width": 3, "max_words": 25}),
    "cnn123": ("CNNClassifier", CNN | {"width": (1, 2, 3), "class_weight": "balanced"}),
    "svm": ("SVMClassifier", {"ngrams": (1, 1), "folds": 3}),
    "ngrams": ("SVMClassifier", {"C": 1.0, "ngrams": (1, 2), "sublinear": False}),
    "lstm": ("RecurrentClassifier", NETWORK | {"vectors": None, "hidden": 5}),
    "characters": ("CharacterClassifier", NETWORK | {"width": (2, 4), "filters": 8}),
    "tuned": ("TransformerClassifier", SHORT | {"base": None, "layers": 1, "frozen": 0}),
}
PIPELINES = ("logistic", "bayes", "union", "hashing", "topics")
TRAINED = (*OWN, *PIPELINES)
FOLDERS: dict[str, dict[str, Any]] = {
    "bert": {"kind": "Bert"},
    "llama": {"kind": "Llama"},
    "multilabel": {"kind": "Bert", "problem_type": "multi_label_classification"},
}
MODELS = (*TRAINED, *FOLDERS, "blackbox")
EXACT = ("cnn2", "cnn123", "svm", "logistic", "blackbox")
OF_ALL_KINDS = (*EXACT, "cnn1", "union", "hashing", "topics", "lstm", "bert")


def train() -> None:
    """Train all models, and write them to this side's own folder."""
    folder = Place.own / "trained"
    for name, settings in FOLDERS.items():
        write_transformer(folder / name, **settings)
    for name in TRAINED:
        texts, labels = part(name, "train")
        if name in PIPELINES:
            fitted = call("from_pipeline", pipeline(name).fit(texts, labels))
        else:
            kind, settings = OWN[name]
            places = {"vectors": Place.data / "vectors.txt", "base": folder / "bert"}
            settings = settings | {key: places[key] for key in places if key in settings}
            fitted = call(kind, **settings).fit(texts, labels)
        fitted.save(folder / name)


@cache
def model(name: str) -> Any:  # noqa: ANN401 - of any version
    """Return a model; both sides load the same folders."""
    if name == "blackbox":
        return call("BlackBox", RULES, name="rules 1")
    return call("load_model", Place.models / name)


# ---- results ------------------------------------------------------------------------------------


def trained(name: str) -> dict[str, object]:
    """Return the weights of a model that this side trained, and its scores."""
    from safetensors.numpy import load_file

    folder = Place.own / "trained" / name
    about = json.loads((folder / "model.json").read_text())
    return {
        "tensors": load_file(folder / "model.safetensors"),
        "configuration": {key: about[key] for key in about if key != "identity"},
        "scores": call("load_model", folder).class_scores(probes()),
    }


def predictions(name: str) -> dict[str, object]:
    """Return all predictions that a model offers."""
    texts = part(name)[0] + probes()
    methods = {one: getattr(model(name), one, None) for one in PREDICTIONS}
    return {one: method(texts) for one, method in methods.items() if callable(method)}


def explained(explanation: object) -> dict[str, object]:
    """Return the parts of an explanation."""
    names = "words spans truncated classes scores target score predicted relevance padding".split()
    names += "constant conserves method".split()
    by_filter = hasattr(explanation, "activations")
    names += ["activations", "starts", "widths"] if by_filter else ["known", "elements"]
    parts = {name: get(explanation, name) for name in names}
    if (units := None if by_filter else get(explanation, "units")) is not None:
        parts["units"] = {name: get(units, name) for name in ("names", "spans", "relevance")}
    return parts


def explanations(name: str, method: str) -> Iterator[tuple[str, object]]:
    """Yield explanations for each level, setting and form of target."""
    pairs = [(setting, list(TARGETS)) for setting in SETTINGS.get(method, [{}])]
    pairs += [(setting, ["all"]) for setting in MORE if method == "lrp"]
    for level in ("word", "phrase", "element", "filter"):
        for setting, forms in pairs:
            for form in forms:
                asked = {"method": method, "level": level, **setting, **TARGETS[form]}
                found = attempt("explain", model(name), probes(), **asked)
                key = ",".join([level, form, *(f"{key}={setting[key]}" for key in setting)])
                yield key, found if isinstance(found, str) else [explained(one) for one in found]


def summaries(name: str) -> Iterator[tuple[str, object]]:
    """Yield summary vectors by each method and level, and those of passages."""
    texts = part(name)[0][:20] + probes()
    for method in (*METHODS, "uniform", "tfidf"):
        few = {"steps": 4} if method == "integrated_gradients" else {}
        for level in ("word", "element"):
            found = attempt("summarize", model(name), texts, method, level, **few)
            yield f"{method},{level}", found
    for passages in ("sentence", 3):
        yield f"by={passages}", attempt("summarize", model(name), texts[-6:], by=passages)


def curves(name: str) -> Iterator[tuple[str, object]]:
    """Yield deletion curves."""
    texts, labels = (one[:24] for one in part(name))
    settings: dict[str, dict[str, Any]] = {
        "most": {},
        "least": {"order": "least", "subset": "wrong"},
        "insert": {"action": "insert", "target": "predicted", "subset": "all"},
        "gradient": {"method": "gradient_input", "subset": "all", "target": "hockey"},
        "random": {"method": "random_known", "runs": 3, "seed": 4, "subset": "all"},
    }
    names = "steps chosen correct scores probabilities opposite area aopc".split()
    for form, setting in settings.items():
        found = attempt("deletion_curve", model(name), texts, labels, steps=[1, 2, 6], **setting)
        if found != "InputError":
            found = {number: get(found, number) for number in names} | {"all": found}
        yield form, found


def powers(name: str) -> Iterator[tuple[str, object]]:
    """Yield explanatory powers of several vectors, and the comparison of two of them."""
    texts, labels = part(name)
    measured = {}
    for method in ("lrp", "gradient_input", "uniform", "tfidf"):
        found = attempt("summarize", model(name), texts, method)
        if not isinstance(found, str):
            settings = {"splits": 4, "neighbours": range(1, 6), "seed": 2}
            found = measured[method] = call("explanatory_power", found, labels, **settings)
        yield method, found
    if len(measured) > 1:
        yield "compared", call("compare", *list(measured.values())[:2])


def top_words(name: str) -> Iterator[tuple[str, object]]:
    """Yield the top words and phrases of each class."""
    for units in ("words", "phrases"):
        for rank in ("typical", "strongest"):
            found = attempt("class_words", model(name), part(name)[0], units=units, rank=rank)
            yield f"{units},{rank}", found if isinstance(found, str) else dict(found)


def shortcuts(name: str) -> object:
    """Return the shortcuts of a model."""
    corpus = call("load_corpus", Place.data / "texts.csv", groups=["author"])
    return attempt("suspects", model(name), corpus)


def changes(name: str) -> dict[str, object]:
    """Return what changes without some words, and the probabilities without them."""
    words = ["ed green", "orbit", "KEY", "/.*skat.*/"]
    without = attempt("without", model(name), words)
    return {
        "found": attempt("what_if", model(name), words, *part(name)),
        "probabilities": without if without == "InputError" else without.predict_proba(probes()),
    }


def clusters(name: str) -> object:
    """Return the clusters of a class's explanations, and their documents on a plane."""
    texts, labels = (a + b for a, b in zip(part(name, "train"), part(name), strict=True))
    settings = {"suspects": ["biker", "zorvex"], "most": 4}
    found = attempt("strategies", model(name), texts, "hockey", labels, **settings)
    return found if found == "InputError" else {"plane": get(found, "points"), "found": found}


def evaluation(name: str) -> object:
    """Return an evaluation."""
    settings = {"steps": [1, 2, 6], "runs": 2, "splits": 3, "train": part(name, "train")[0]}
    return attempt("evaluate", model(name), *part(name), **settings)


def comparison(name: str) -> object:
    """Return how the deletion curves of two methods compare."""
    methods = ("occlusion" if name == "blackbox" else "lrp", "random")
    settings = {"steps": [1, 2, 6], "runs": 2, "subset": "all"}
    asked = [(model(name), *part(name), method) for method in methods]
    return call("compare", *(call("deletion_curve", *one, **settings) for one in asked), draws=500)


def models_compared() -> object:
    """Return several models side by side."""
    models = {name: model(name) for name in ("cnn2", "svm", "logistic", "blackbox")}
    settings = {"steps": [1, 2, 6], "runs": 2, "splits": 3, "deletion_documents": 30}
    return call("compare_models", models, *part("svm"), **settings)


def batch(task: str, name: str, **settings: object) -> object:
    """Return what a run over the corpus writes: rows and manifest."""
    import pyarrow.parquet as pq

    folder = Place.own / f"{task}-{name}"
    call(task, model(name), Place.data / "texts.csv", folder, workers=1, **settings)
    tables = {path.name: pq.read_table(path).to_pydict() for path in folder.glob("part-*.parquet")}
    return tables | {"manifest": json.loads((folder / "_whyword.json").read_text())}


def tour() -> object:
    """Return the facts that the command ``tour`` writes."""
    printed("tour {models}/svm {table}:test --out {own}/tour --limit 20")
    return json.loads((Place.own / "tour" / "facts.json").read_text())["facts"]


def trained_by_command() -> object:
    """Return the model that the command ``train`` writes."""
    printed("train {table} --model svm --C 1 --out {own}/trained/command")
    return trained("command")


def groups() -> dict[str, Items]:
    """Return everything that is compared, by group and item; nothing is called yet."""

    def each(function: Callable[[str], object], names: Iterable[str] = MODELS) -> Items:
        return {name: partial(function, name) for name in names}

    return {
        "train": each(trained, TRAINED),
        "predict": each(predictions),
        "explain": {
            f"{name} {method}": partial(explanations, name, method)
            for name in MODELS
            for method in METHODS
        },
        "summaries": each(summaries),
        "deletion": each(curves),
        "power": each(powers, OF_ALL_KINDS),
        "words": each(top_words),
        "shortcuts": each(shortcuts, EXACT),
        "what-if": each(changes),
        "clusters": each(clusters, OF_ALL_KINDS),
        "evaluate": each(evaluation, (*EXACT, "bert", "multilabel")),
        "compare": {"models": models_compared, **each(comparison, EXACT)},
        "batch": {
            "explain": partial(batch, "explain_corpus", "cnn2", target="all"),
            "explain top": partial(batch, "explain_corpus", "svm", top=5),
            "predict": partial(batch, "predict_corpus", "bert"),
        },
        "commands": {name: partial(command, line) for name, line in CALLS.items()}
        | {"tour": tour, "train": trained_by_command},
    }


def renamed(values: Mapping[Any, Any]) -> dict[str, object]:
    """Return a mapping with later names, without ignored keys; sentences as their numbers."""
    return {
        KEYS.get(key, key): re.findall(r"\d+(?:\.\d+)?", str(value)) if key in SENTENCES else value
        for key, value in ((str(key), value) for key, value in values.items())
        if key not in IGNORED
    }
