"""Anybody's PyTorch text classifier, explained exactly."""

from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.rules import freeze, rule
from whyword.models.pytorch.stored import builder

__all__ = ["TorchClassifier", "builder", "freeze", "rule"]
