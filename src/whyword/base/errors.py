"""What whyword raises when the input, not the program, is wrong."""


class WhywordError(Exception):
    """Base of every error a user can cause; its message is one line that says what to do."""


class InputError(WhywordError, ValueError):
    """A file, a row or an argument is not what it should be."""


class NoDocumentsError(InputError):
    """None of the documents is of the kind that was asked for."""


class ModelError(InputError):
    """Somebody's model failed, or said something that is no prediction."""


class ConservationError(WhywordError, ArithmeticError):
    """Relevance does not add up to the score, and the caller insisted that it must."""


class DownloadError(WhywordError, OSError):
    """Data could not be fetched, or what arrived is not what was expected."""


class MissingExtraError(WhywordError, ImportError):
    """An optional dependency is not installed; the message has the pip command."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'whyword[{extra}]'")
