"""Models, and the protocol that makes one: a trace of texts, and what the trace can do.

:mod:`whyword.models.protocol` has the abilities, :mod:`whyword.models.loading` the kinds by name,
:mod:`whyword.models.blackbox` anything with ``predict_proba``; a folder is a kind of model.
"""

from whyword.models.pipeline import wrapping as _wrapping  # noqa: F401 - so that explain knows it
