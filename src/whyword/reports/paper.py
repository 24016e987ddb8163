"""What the paper found (Arras et al., "What is Relevant in a Text Document?")."""

from typing import NamedTuple

EXAMPLE = "sci.space/61393"  # the document of the heatmaps
EXAMPLE_TARGETS = ("sci.space", "sci.med")
WORD_CLASSES = ("comp.graphics", "sci.med", "sci.space")
LEAST_WORDS, STEPS, RUNS = 100, 50, 10  # of word deletion
SPLITS, NEIGHBOURS = 10, 30  # of the explanatory power
MOST_WORDS = 400  # of a document that are read

GROUPS = {
    "comp": "comp",
    "rec": "rec",
    "sci": "sci",
    "misc": "misc",
    "talk.politics": "politics",
    "talk.religion": "religion",
    "alt.atheism": "religion",
    "soc.religion": "religion",
}

METHODS = {  # our names, and the paper's
    "lrp": "LRP",
    "sensitivity": "SA",
    "random": "random",
    "random_known": "random, known",
}


class Corpus(NamedTuple):
    """Figures of the preprocessed corpus."""

    long_documents: int
    short_documents: int
    vocabulary: int


CORPUS = Corpus(long_documents=4963, short_documents=25, vocabulary=70_631)

ACCURACY = {"SVM": 80.10, "CNN1": 79.79, "CNN2": 80.19, "CNN3": 79.75}  # Table 1, %
FILTERS = {"CNN1": (1, 600), "CNN2": (2, 800), "CNN3": (3, 600)}  # width and number
PRETRAINED = "CNN2, GloVe alone"  # ours: a network that has no vectors of the corpus's own
PRETRAINED_VECTORS = "glove-6b-50d"
RANDOM_DEVIATION = 0.0141  # of the accuracy over runs of random deletion, at most
UNSEEN_WORD = "weightlessness"  # in the example document, in no training document
MEDICAL_WORDS = ("sickness", "mental", "distress")  # of the example document


class Power(NamedTuple):
    """A row of Table 2: whose vectors, weighted by what, and their explanatory power."""

    vectors: str
    weighting: str
    epi: float
    deviation: float
    k: int

    @property
    def name(self) -> str:
        """The row's name."""
        return f"{self.vectors} {self.weighting}"

    @property
    def model(self) -> str:
        """The model whose input the vectors are."""
        return {"word vectors": "CNN2", "BoW": "SVM"}.get(self.vectors, self.vectors)


POWERS = (
    Power("CNN1", "LRP (ew)", 0.8045, 0.0044, 10),
    Power("CNN1", "SA (ew)", 0.7924, 0.0052, 9),
    Power("CNN1", "LRP", 0.7792, 0.0047, 8),
    Power("CNN1", "SA", 0.7773, 0.0041, 6),
    Power("CNN2", "LRP (ew)", 0.8076, 0.0041, 10),
    Power("CNN2", "SA (ew)", 0.7993, 0.0045, 9),
    Power("CNN2", "LRP", 0.7847, 0.0043, 8),
    Power("CNN2", "SA", 0.7767, 0.0053, 8),
    Power("CNN3", "LRP (ew)", 0.8034, 0.0039, 13),
    Power("CNN3", "SA (ew)", 0.7931, 0.0048, 10),
    Power("CNN3", "LRP", 0.7793, 0.0037, 7),
    Power("CNN3", "SA", 0.7739, 0.0054, 6),
    Power("word vectors", "TFIDF", 0.6816, 0.0044, 1),
    Power("word vectors", "uniform", 0.6208, 0.0052, 1),
    Power("SVM", "LRP", 0.7978, 0.0048, 14),
    Power("SVM", "SA", 0.7837, 0.0047, 17),
    Power("BoW", "TFIDF", 0.7592, 0.0039, 1),
    Power("BoW", "uniform", 0.6669, 0.0061, 1),
)


def group_of(label: str) -> str:
    """Return which of the dataset's six top-level groups a newsgroup belongs to."""
    return next((group for start, group in GROUPS.items() if label.startswith(start)), label)
