"""The functions of torch by what they do with numbers: move, compare, make them.

A function is known under several names (``torch.add``, ``Tensor.add``, ``x + y``); here they are
one.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_OWNERS = (torch, Tensor, functional, torch._C._nn, torch.special, torch.linalg, torch._VF)
Function = Callable[..., Any]


def functions(names: str) -> frozenset[Function]:
    """Return all functions that have one of these names."""
    found = set()
    for name in names.split():
        for owner in _OWNERS:
            for one in (getattr(owner, name, None), getattr(owner, f"__{name}__", None)):
                if callable(one):
                    found.add(one)
    return frozenset(found)


def name_of(func: Function) -> str:
    """Return what a function is called."""
    if getattr(func, "__name__", "") == "__get__":
        return _attribute(func)
    return getattr(func, "__name__", None) or str(func)


def _attribute(func: Function) -> str:
    """Return the name of the attribute that a getter gets."""
    return str(getattr(getattr(func, "__self__", None), "__name__", ""))


SET_GRADIENT = torch._C._set_grad_enabled
EMBEDDING = functions("embedding")
EMBEDDING_BAG = functions("embedding_bag")
ENDS = functions("softmax log_softmax sigmoid")  # what a module may make of its scores
COMPARISONS = functions(
    "eq ne lt le gt ge equal not_equal less less_equal greater greater_equal isnan isinf isfinite "
    "isin bool any all logical_not logical_and logical_or logical_xor isclose allclose is_nonzero "
    "argmax argmin argsort searchsorted bucketize bitwise_not bitwise_and bitwise_or invert and or "
    "eq_ ne_ nonzero count_nonzero signbit _nested_tensor_from_mask_left_aligned"
)
ROUNDINGS = functions("long int short byte char round floor ceil trunc fix")
# whatever they are told, it is a shape
BLANKS = functions("zeros ones empty zeros_like ones_like empty_like new_zeros new_ones new_empty")
FACTORIES = functions(
    "zeros_like ones_like full_like empty_like rand_like randn_like new_zeros new_ones new_full "
    "new_empty new_tensor zeros ones full empty arange tensor linspace eye"
)
# of whole numbers, each number by itself
ELEMENTWISE = ROUNDINGS | functions(
    "add sub subtract mul multiply div divide floor_divide remainder fmod clamp clamp_min "
    "clamp_max clip abs absolute neg negative pow maximum minimum bitwise_and bitwise_or "
    "bitwise_xor bitwise_left_shift bitwise_right_shift radd rsub rmul rfloordiv rmod rpow and or "
    "xor lshift rshift floordiv mod iadd isub imul ifloordiv imod add_ sub_ mul_ remainder_ "
    "fmod_ clamp_ floor_divide_"
)
# what takes numbers from a table, at the places that its last tensor says
TAKING = functions("getitem index_select gather take_along_dim take")
# the same numbers at other places; those that keep their order are reshapes
RESHAPES = functions(
    "view reshape flatten unflatten view_as reshape_as contiguous clone squeeze unsqueeze ravel "
    "alias to type type_as float double cpu detach_ requires_grad_"
) - {Tensor.__float__}
MOVEMENTS = RESHAPES | functions(
    "transpose permute t swapaxes swapdims movedim moveaxis adjoint getitem select narrow "
    "index_select gather take_along_dim masked_select unfold split chunk unbind tensor_split "
    "split_with_sizes expand expand_as repeat repeat_interleave tile flip fliplr roll broadcast_to "
    "rot90 take diagonal _pack_padded_sequence unsafe_chunk unsafe_split atleast_1d atleast_2d "
    "atleast_3d broadcast_tensors pixel_shuffle hsplit vsplit dsplit swapaxes movedim tril triu "
    "resolve_conj resolve_neg"
)
# several numbers, each at its place, and perhaps a filler
PUTTING = functions("cat concat concatenate stack hstack vstack where masked_fill masked_fill_ pad")
_OF_GATES = functions(
    "add sub subtract radd rsub neg mul multiply rmul div divide true_divide rtruediv sum mean "
    "cumsum clamp clamp_min clamp_max clip maximum minimum amax amin max min dropout masked_fill "
    "where cat stack"
)
_FILLERS = {"masked_fill": 2, "masked_fill_": 2, "pad": 3}
_MOVING_ATTRIBUTES = ("T", "mT", "H", "mH", "real")
# what says something of a tensor and returns none
_PASSIVE = functions(
    "size dim ndimension numel nelement len stride is_contiguous is_floating_point is_complex "
    "element_size get_device is_signed dtype hash repr is_tensor format storage_offset data_ptr "
    "is_pinned is_inference untyped_storage register_hook retain_grad is_shared is_same_size "
    "is_nested is_conj is_neg typename is_storage _is_view reduce_ex deepcopy dir"
)


def is_passive(func: Function) -> bool:
    """Return whether a function only asks what a tensor is like."""
    if getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
        name = _attribute(func)
        return name not in _MOVING_ATTRIBUTES and name != "data"
    return func in _PASSIVE


def is_movement(func: Function) -> bool:
    """Return whether a function puts the same numbers at other places."""
    if getattr(func, "__name__", "") == "__get__":
        return _attribute(func) in _MOVING_ATTRIBUTES
    return func in MOVEMENTS


def is_in_place(func: Function) -> bool:
    """Return whether a function changes its first argument."""
    name = name_of(func)
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def keeps_end(func: Function, end: str) -> bool:
    """Return whether what a function makes of probabilities is what it makes of their scores."""
    return func in RESHAPES or (end == "sigmoid" and is_movement(func))


def keeps_gates(func: Function) -> bool:
    """Return whether what a function makes of gates is one: moved, shared out, 1 − gate."""
    return is_movement(func) or func in _OF_GATES


def fill_replaced(func: Function, args: Any, kwargs: Any, filler: int) -> tuple[Any, Any]:
    """Return the arguments of a :data:`PUTTING` function with another filler."""
    place = _FILLERS.get(name_of(func))
    if place is None:
        is_where = name_of(func) == "where"
        numbers = [filler if isinstance(one, int | float) and is_where else one for one in args]
        return tuple(numbers), kwargs
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
    if name_of(func) == "pad" and mode != "constant":
        return args, kwargs
    if len(args) > place:
        return (*args[:place], filler, *args[place + 1 :]), kwargs
    return args, kwargs | {"value": filler}


def tensors_in(value: Any) -> Iterator[Tensor]:  # arguments of any function
    """Yield the tensors in a value: itself, or those in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from tensors_in(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)


def map_tensors(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """Return a value with each tensor in it changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(one, change) for one in value))
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, tuple | list):
        return type(value)(map_tensors(one, change) for one in value)
    if isinstance(value, dict):
        return {name: map_tensors(one, change) for name, one in value.items()}
    return value


def two_arguments(args: Any, kwargs: Any, first: str, second: str) -> tuple[Any, Any]:
    """Return the two arguments of a function, by their names or in their order."""
    named = dict(zip((first, second), args, strict=False)) | kwargs
    return named[first], named[second]
