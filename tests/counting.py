"""A black box that counts what it is asked, and a clock that goes with it."""

from whyword import BlackBox

LETTERS = ("a", "b", "c")


class Counting:
    """Says what a text's letters make of it; each text takes so many seconds of its clock."""

    def __init__(self, seconds: float = 0.0, start: float = 0.0) -> None:
        self.seconds, self.start = seconds, start  # the first answer takes longer
        self.asked: list[int] = []
        self.most = 10**9  # texts
        self.now = 0.0

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return probabilities of three classes."""
        if self.total + len(texts) > self.most:
            raise ValueError("enough")
        self.now += len(texts) * self.seconds + (0 if self.asked else self.start)
        self.asked.append(len(texts))
        counts = [[1 + text.count(letter) for letter in LETTERS] for text in texts]
        return [[count / sum(each) for count in each] for each in counts]

    def clock(self) -> float:
        """Return the time."""
        return self.now

    @property
    def total(self) -> int:
        """How many texts it was asked about."""
        return sum(self.asked)

    def box(self) -> BlackBox:
        """Return it as a model."""
        return BlackBox(self, LETTERS)
