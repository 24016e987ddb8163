"""What a process is sent, and what it answers."""

import io
import tempfile

import numpy as np
import pytest

from whyword import InputError, WhywordError
from whyword.base.errors import Argument
from whyword.batch.worker import Raised, Returned, pack, receive, send, unpack


class Work:
    """Holds arrays of several kinds."""

    def __init__(self) -> None:
        self.written = np.arange(1_000, dtype=np.float32)
        self.fixed = np.arange(7)
        self.fixed.flags.writeable = False
        self.column_wise = np.asfortranarray(np.arange(12.0).reshape(3, 4))
        self.part = np.arange(20)[::3]
        self.none = np.empty((0, 5))

    def __call__(self, number: int) -> int:
        """Write to an array."""
        self.written[0] += number
        return int(self.written[0])


def test_arrays_are_those_that_were_sent_and_the_file_stays_as_it_is() -> None:
    work = Work()
    with tempfile.TemporaryFile() as file:
        sent = pack(work, file)
        assert len(sent.pickled) < 2_000
        assert all(start % 64 == 0 for start, _ in sent.spans)
        one, other = unpack(sent), unpack(sent)
        assert (one(3), one(4), other(1)) == (3, 7, 1)
    assert isinstance(one, Work)  # and the file is closed
    for name, array in vars(work).items():
        if name != "written":
            np.testing.assert_array_equal(getattr(one, name), array)
    assert not one.fixed.flags.writeable
    assert work.written[0] == 0


def test_work_without_arrays() -> None:
    with tempfile.TemporaryFile() as file:
        assert unpack(pack(len, file)) is len


def test_no_room() -> None:
    with (
        open("/dev/full", "wb", buffering=0) as file,
        pytest.raises(WhywordError, match=r"cannot be handed over in .* set TMPDIR"),
    ):
        pack(Work(), file)


def test_messages() -> None:
    stream = io.BytesIO()
    for message in ("two" * 100_000, 1, None):
        send(stream, message)
    whole = stream.getvalue()
    stream.seek(0)
    assert [receive(stream) for _ in range(3)] == ["two" * 100_000, 1, None]
    for end in (0, 3, 8, 9, 100):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole[:end]))


def test_answers() -> None:
    assert Returned(3).unwrap() == 3
    error = InputError("say ", Argument("top", 3))
    assert Raised.of(error).error is error
    assert not hasattr(error, "__notes__")
    with pytest.raises(InputError):
        Raised.of(error).unwrap()
