"""Rules of recurrent layers: gates are frozen, the states are linear in the words.

What the cells say comes from torch's own kernels; the way back goes through the recurrence once,
docs/method.md (39).
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from whyword.models.pytorch.functions import Function, name_of
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import rule_for
from whyword.models.pytorch.tags import Role


class Cells(torch.autograd.Function):
    """h[t] = [k]·c[t],  c[t] = [f]·c[t−1] + [j]·(a[t] + U·h[t−1]): an LSTM, all but a frozen."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, h0: Tensor, c0: Tensor, values: Any, factors: Any) -> Any:  # noqa: D102
        ctx.factors = factors
        ctx.set_materialize_grads(False)
        return values

    @staticmethod
    def backward(  # noqa: D102
        ctx: Any, from_h: Tensor | None, from_c: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        keep, forget, join, matrix = ctx.factors
        given: list[Tensor] = []
        carry_h: Tensor | None = None
        cell = torch.zeros_like(keep[0])
        for t in reversed(range(len(keep))):
            if given:
                cell = cell * forget[t + 1]
            for said in (carry_h, None if from_h is None else from_h[t]):
                if said is not None:
                    cell = cell + said * keep[t]
            if from_c is not None:
                cell = cell + from_c[t]
            given.append(cell * join[t])
            carry_h = given[-1] @ matrix
        return torch.stack(given[::-1]), carry_h, cell * forget[0], None, None


class States(torch.autograd.Function):
    """h[t] = [p]·(a[t] + [r]·U·h[t−1]) + [z]·h[t−1]: a GRU; a plain network with r = 1, z = 0."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, h0: Tensor, hs: list[Tensor], factors: Any) -> Tensor:  # noqa: D102
        ctx.factors = factors
        return hs[0]

    @staticmethod
    def backward(ctx: Any, from_h: Tensor) -> tuple[Tensor | None, ...]:  # noqa: D102
        join, reset, keep, matrix = ctx.factors
        carry, given = torch.zeros_like(from_h[0]), []
        for t in reversed(range(len(join))):
            state = from_h[t] + carry
            into = state * join[t]
            given.append(into)
            carry = (into if reset is None else into * reset[t]) @ matrix
            if keep is not None:
                carry = torch.addcmul(carry, state, keep[t])
        return torch.stack(given[::-1]), carry, None, None


class _Weights(NamedTuple):
    """Of one direction of one layer; the names are those of what is booked."""

    inputs: Tensor
    states: Tensor
    input_bias: Tensor | None
    state_bias: Tensor | None


def _ratio(value: Tensor, of: Tensor) -> Tensor:
    """Return f(x)/x of an activation with f(0) = 0, f′(0) = 1."""
    return torch.where(of == 0, 1.0, value / of)


def _project(run: Propagation, x: Tensor, own: _Weights, part: slice) -> Tensor:
    """Return W·x + b of some rows of W, booked."""
    bias = (
        None
        if own.input_bias is None
        else run.constant(own.input_bias.detach()[part], run.tag(own.input_bias).name)
    )
    weight = run.constant(own.inputs.detach()[part])
    made: Tensor = run.apply(torch.nn.functional.linear, (x, weight, bias), {})
    return made


def _add_state_bias(
    run: Propagation, a: Tensor, own: _Weights, part: slice, factor: Tensor | None = None
) -> Tensor:
    if own.state_bias is None:
        return a
    bias = own.state_bias.detach()[part]
    said = bias if factor is None else factor * bias
    made = run.result(a + said, run.tag(a).rows)
    return run.book(made, bias, run.tag(own.state_bias).name, factor)


def _lstm(
    run: Propagation, x: Tensor, h0: Tensor, c0: Tensor, own: _Weights
) -> tuple[Tensor, Tensor]:
    """Return h and c of all steps, (T, B, H) each."""
    size = h0.shape[-1]
    flat = [one.detach() for one in own if one is not None]
    with torch.no_grad():
        first = (h0.detach().unsqueeze(0), c0.detach().unsqueeze(0))
        hs, _, _ = torch.lstm(
            x.detach(), first, flat, own.input_bias is not None, 1, 0.0, False, False, False
        )
        before = torch.cat([first[0], hs[:-1]])
        gates = x.detach() @ flat[0].T + before @ flat[1].T
        for bias in flat[2:]:
            gates += bias
        i, f, a, o = gates.chunk(4, -1)
        i, f, o, g = i.sigmoid(), f.sigmoid(), o.sigmoid(), a.tanh()
        added = i * g
        c, cells = c0.detach(), []
        for t in range(len(added)):
            c = torch.addcmul(added[t], f[t], c)
            cells.append(c)
        cs = torch.stack(cells)
        factors = (o * _ratio(cs.tanh(), cs), f, i * _ratio(g, a), flat[1][2 * size : 3 * size])
    part = slice(2 * size, 3 * size)
    into = _add_state_bias(run, _project(run, x, own, part), own, part)
    rows = run.tag(into).rows
    out, cells_out = Cells.apply(into, h0, c0, (hs, cs), factors)  # type: ignore[no-untyped-call]
    return run.result(out, rows), run.result(cells_out, rows)


def _gru(run: Propagation, x: Tensor, h0: Tensor, own: _Weights) -> Tensor:
    size = h0.shape[-1]
    flat = [one.detach() for one in own if one is not None]
    with torch.no_grad():
        first = h0.detach().unsqueeze(0)
        hs, _ = torch.gru(
            x.detach(), first, flat, own.input_bias is not None, 1, 0.0, False, False, False
        )
        before = torch.cat([first, hs[:-1]])
        of_x, of_h = x.detach() @ flat[0].T, before @ flat[1].T
        if len(flat) == 4:
            of_x, of_h = of_x + flat[2], of_h + flat[3]
        r = (of_x[..., :size] + of_h[..., :size]).sigmoid()
        z = (of_x[..., size : 2 * size] + of_h[..., size : 2 * size]).sigmoid()
        a = of_x[..., 2 * size :] + r * of_h[..., 2 * size :]
        factors = ((1 - z) * _ratio(a.tanh(), a), r, z, flat[1][2 * size :])
    part = slice(2 * size, 3 * size)
    into = _add_state_bias(run, _project(run, x, own, part), own, part, r)
    out: Tensor = States.apply(into, h0, [hs], factors)  # type: ignore[no-untyped-call]
    return run.result(out, run.tag(into).rows)


def _plain(run: Propagation, x: Tensor, h0: Tensor, own: _Weights, relu: bool) -> Tensor:
    flat = [one.detach() for one in own if one is not None]
    with torch.no_grad():
        first = h0.detach().unsqueeze(0)
        kernel = torch.rnn_relu if relu else torch.rnn_tanh
        hs, _ = kernel(
            x.detach(), first, flat, own.input_bias is not None, 1, 0.0, False, False, False
        )
        a = x.detach() @ flat[0].T + torch.cat([first, hs[:-1]]) @ flat[1].T
        for bias in flat[2:]:
            a += bias
        join = (a > 0).to(a.dtype) if relu else _ratio(hs, a)
    everything = slice(None)
    into = _add_state_bias(run, _project(run, x, own, everything), own, everything)
    out: Tensor = States.apply(into, h0, [hs], (join, None, None, flat[1]))  # type: ignore[no-untyped-call]
    return run.result(out, run.tag(into).rows)


class _Call(NamedTuple):
    """The arguments of a recurrent function."""

    x: Tensor  # (T, B, I), or (ΣT, I) packed
    sizes: Tensor | None  # of a packed sequence: (T,)
    states: list[Tensor]
    flat: list[Tensor]
    has_biases: bool
    layers: int
    both: bool
    batch_first: bool


def _call(run: Propagation, args: Any, kwargs: Any, lstm: bool) -> _Call:
    if kwargs:
        raise run.refuse("calls a recurrent function with named arguments")
    packed = isinstance(args[1], Tensor) and not args[1].is_floating_point()
    rest = args[2:] if packed else args[1:]
    states = list(rest[0]) if lstm else [rest[0]]
    flat, has_biases, layers, dropout, training, both = rest[1:7]
    if training and dropout:
        raise run.refuse("drops out at random; call module.eval()")
    each = 4 if has_biases else 2
    if len(flat) != each * layers * (1 + both):
        raise run.refuse("is an LSTM with projections (proj_size), for which there is no rule")
    batch_first = bool(rest[7]) if len(rest) > 7 else False
    return _Call(
        args[0],
        args[1] if packed else None,
        states,
        list(flat),
        has_biases,
        layers,
        both,
        batch_first,
    )


@rule_for("lstm gru rnn_tanh rnn_relu")
def recurrent(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Layer after layer, direction after direction, with the same weights."""
    name = name_of(func)
    call = _call(run, args, kwargs, name == "lstm")
    with run:
        x, lengths = call.x, None
        if call.sizes is not None:
            x, lengths = torch._VF._pad_packed_sequence(x, call.sizes, False, 0.0, len(call.sizes))
        elif call.batch_first:
            x = x.transpose(0, 1)
        unbatched = x.dim() == 2
        if unbatched:
            x = x.unsqueeze(1)
        states = [one.unsqueeze(1) if one.dim() == 2 else one for one in call.states]
        x, ends = _layers(run, name, call, x, states, lengths)
        if lengths is not None:
            x, _ = torch._VF._pack_padded_sequence(x, lengths, False)
        elif unbatched:
            x, ends = x.squeeze(1), [one.squeeze(1) for one in ends]
        elif call.batch_first:
            x = x.transpose(0, 1)
    return (x, *ends)


def _layers(
    run: Propagation,
    name: str,
    call: _Call,
    x: Tensor,
    states: list[Tensor],
    lengths: Tensor | None,
) -> tuple[Tensor, list[Tensor]]:
    """Return the outputs of the last layer, (T, B, D), and the last states of all."""
    steps, each = x.shape[0], 4 if call.has_biases else 2
    back = _backwards(steps, lengths, x.shape[1])
    hidden_ends, cell_ends = [], []
    for layer in range(call.layers):
        outputs = []
        for direction in range(1 + call.both):
            number = layer * (1 + call.both) + direction
            some = call.flat[each * number : each * (number + 1)]
            own = _Weights(*some, *([None] * (4 - each)))
            ordered = _reorder(x, back) if direction else x
            out, *cells = _direction(run, name, ordered, [one[number] for one in states], own)
            hidden_ends.append(_at_end(out, lengths))
            cell_ends += [_at_end(one, lengths) for one in cells]
            outputs.append(_reorder(out, back) if direction else out)
        x = torch.cat(outputs, -1) if len(outputs) > 1 else outputs[0]
    ends = [torch.stack(some) for some in (hidden_ends, cell_ends) if some]
    return x, ends


def _direction(
    run: Propagation, name: str, x: Tensor, states: list[Tensor], own: _Weights
) -> tuple[Tensor, ...]:
    """Return what one direction of one layer says at all steps; of an LSTM, its cells, too."""
    with torch._C.DisableTorchFunction():  # each step by itself would be looked up among the rules
        x = run.signal(x)
        first, *second = (_start(run, one, x) for one in states)
        if name == "lstm":
            return _lstm(run, x, first, second[0], own)
        if name == "gru":
            return (_gru(run, x, first, own),)
        return (_plain(run, x, first, own, name == "rnn_relu"),)


def _start(run: Propagation, state: Tensor, x: Tensor) -> Tensor:
    """Return an initial state, (B, H): a signal, or a constant that is booked."""
    state = run.signal(state)
    if run.role(state) is Role.SIGNAL:
        return state
    rows = run.tag(x).rows
    found = None if rows is None else rows.axis(x.shape)
    own = None if rows is None or found is None else rows.along(state.shape, 0, found[1])
    return run.book(run.result(state.detach().clone(), own), state, run.tag(state).name)


def _backwards(steps: int, lengths: Tensor | None, batch: int) -> Tensor:
    """Return the order of steps from the last to the first of each text, (T, B)."""
    t = torch.arange(steps).unsqueeze(1)
    if lengths is None:
        return (steps - 1 - t).expand(steps, batch)
    return torch.where(t < lengths, lengths - 1 - t, t)


def _reorder(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(0, order.unsqueeze(-1).expand(x.shape))


def _at_end(out: Tensor, lengths: Tensor | None) -> Tensor:
    """Return the state after the last word, (B, D)."""
    if lengths is None:
        return out[-1]
    last = (lengths - 1).reshape(1, -1, 1).expand(1, *out.shape[1:])
    return out.gather(0, last)[0]


# ---- packed sequences, single cells -------------------------------------------------------------


@rule_for("_pad_packed_sequence")
def unpack(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Texts of several lengths, side by side again."""
    packed, sizes, batch_first, filler = args[:4]
    packed = run.signal(packed)
    out, lengths = func(packed, *args[1:], **kwargs)
    rows = run.tag(packed).rows
    if rows is not None:
        first = rows.index(packed.shape)[: int(sizes[0]), 0].long()
        rows = rows.along(out.shape, 0 if batch_first else 1, first)
    made = run.result(out, rows)
    if filler:
        with torch.no_grad():
            empty, _ = func(torch.zeros_like(packed), *args[1:], **kwargs)
        made = run.book(made, empty)
    return made, run.constant(lengths)


@rule_for("lstm_cell")
def lstm_cell(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """One step: c′ = [f]·c + [i]·tanh(a), h′ = [o]·tanh(c′)."""
    x, states, *flat = args
    h, c = _starts(run, x, states)
    with run:
        i, f, a, o = _cell_inputs(x, h, flat).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * a.tanh()
        return o.sigmoid() * c.tanh(), c


@rule_for("gru_cell")
def gru_cell(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """One step: h′ = [1 − z]·tanh(W·x + [r]·U·h) + [z]·h."""
    x, h, *flat = args
    (h,) = _starts(run, x, [h])
    with run:
        of_x = torch.nn.functional.linear(x, flat[0], flat[2] if len(flat) > 2 else None)
        of_h = torch.nn.functional.linear(h, flat[1], flat[3] if len(flat) > 3 else None)
        (xr, xz, xa), (hr, hz, ha) = of_x.chunk(3, -1), of_h.chunk(3, -1)
        z = (xz + hz).sigmoid()
        return (1 - z) * (xa + (xr + hr).sigmoid() * ha).tanh() + z * h


@rule_for("rnn_tanh_cell rnn_relu_cell")
def plain_cell(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """One step: h′ = f(W·x + U·h + b)."""
    x, h, *flat = args
    with run:
        a = _cell_inputs(x, h, flat)
        return a.relu() if "relu" in name_of(func) else a.tanh()


def _starts(run: Propagation, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    """Return a cell's states as signals, as a layer's are: of a constant, gates are factors."""
    return [_start(run, one, run.signal(x)) for one in states]


def _cell_inputs(x: Tensor, h: Tensor, flat: list[Tensor]) -> Tensor:
    biases: list[Tensor] | list[None] = flat[2:] or [None, None]
    linear = torch.nn.functional.linear
    return linear(x, flat[0], biases[0]) + linear(h, flat[1], biases[1])
