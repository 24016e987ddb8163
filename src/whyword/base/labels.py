"""What a class may be called."""

from typing import TypeAlias

Label: TypeAlias = str | bool | int | float
