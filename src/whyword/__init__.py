"""Which words made the classifier say that; how far to trust the answer.

The names for daily use are here; the rest is one step inside: ``whyword.analysis``,
``whyword.evaluation``, ``whyword.audit``, ``whyword.batch``, ``whyword.explanation``,
``whyword.words``, ``whyword.corpora``; ``whyword.models`` and ``whyword.methods`` for those who add
their own.
"""

import typing as _typing
from importlib import import_module as _import_module

if _typing.TYPE_CHECKING:
    from whyword.public import *  # noqa: F403 - its __all__ says which
    from whyword.public import __all__ as __all__

    __version__: str
else:  # when one of them is first used: a command must not wait for them to answer Ctrl-C

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return _import_module("whyword.base.versions").VERSION
        if name == "__all__" or not name.startswith("_"):
            there = _import_module("whyword.public")
            if hasattr(there, name):
                return globals().setdefault(name, getattr(there, name))
            if name in globals():  # a package that was imported just now
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        names = _import_module("whyword.public").__all__
        return sorted({*globals(), *names, "__version__"})
