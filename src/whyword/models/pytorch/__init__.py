"""Anybody's PyTorch text classifier, explained exactly."""

from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.rules import freeze, rule

__all__ = ["TorchClassifier", "freeze", "rule"]
