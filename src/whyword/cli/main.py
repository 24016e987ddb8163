"""The command line: one command is one call, results on stdout, messages on stderr."""

import inspect
import io
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

from whyword.base.compiled import CompilationNotice
from whyword.base.errors import WhywordError
from whyword.base.progress import lines_in_a_pipe, seconds_between_lines
from whyword.base.versions import version_lines
from whyword.cli.base import base
from whyword.cli.compare import compare
from whyword.cli.corpus import corpus
from whyword.cli.evaluate import evaluate
from whyword.cli.explain import explain
from whyword.cli.groups import with_options_of_groups
from whyword.cli.map import map_documents
from whyword.cli.messages import Command, Commands, print_error, print_stop
from whyword.cli.model import model
from whyword.cli.outputs import flushed
from whyword.cli.parameters import takes_parameters, with_method_parameters
from whyword.cli.predict import predict
from whyword.cli.reproduce import reproduce
from whyword.cli.search import search
from whyword.cli.serve import serve
from whyword.cli.strategies import strategies
from whyword.cli.suspects import suspects
from whyword.cli.tour import tour
from whyword.cli.train import train
from whyword.cli.vectors import vectors
from whyword.cli.what_if import what_if
from whyword.cli.words import words
from whyword.models.imported import import_module_of, names_import

# A name, the function in the file of that name, the example that ends its help; in help's order.
_COMMANDS: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("corpus", corpus, "whyword corpus mails.csv --label folder --test 0.3"),
    ("vectors", vectors, "whyword vectors glove-6b-50d --near orbit --near hockey"),
    ("base", base, "whyword base minilm-l6 --out models/minilm"),
    ("train", train, "whyword train 20newsgroups --model cnn --width 2 --out models/cnn2"),
    ("model", model, "whyword model models/cnn2"),
    ("predict", predict, "echo 'The shuttle reached orbit.' | whyword predict models/cnn2 -"),
    (
        "explain",
        explain,
        "whyword explain models/cnn2 mail.txt --target sci.space --against sci.med",
    ),
    ("words", words, "whyword words models/cnn2 20newsgroups:test --target sci.space --top 30"),
    ("search", search, "whyword search models/cnn2 20newsgroups:test 'motion sickness in orbit'"),
    ("map", map_documents, "whyword map models/cnn2 20newsgroups:test --out map.html"),
    ("evaluate", evaluate, "whyword evaluate models/cnn2 20newsgroups:test --out report.html"),
    (
        "compare",
        compare,
        "whyword compare models/cnn2 models/svm --corpus 20newsgroups:test --out compare.html",
    ),
    ("suspects", suspects, "whyword suspects models/cnn2 20newsgroups --out suspects"),
    ("what-if", what_if, "whyword what-if models/cnn2 20newsgroups:test --without suspects"),
    (
        "strategies",
        strategies,
        "whyword strategies models/cnn2 20newsgroups:test --target sci.space --out ways.html",
    ),
    ("tour", tour, "whyword tour models/cnn2 20newsgroups:test --out tour"),
    ("reproduce", reproduce, "whyword reproduce --out report --quick"),
    ("serve", serve, "whyword serve models/cnn2 20newsgroups:test"),
)
_INTERRUPTED, _TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM  # a shell's exit codes


def _version(value: bool) -> None:
    if value:
        print("\n".join(version_lines()))
        raise typer.Exit


def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the versions.")
    ] = False,
) -> None:
    """Keep `whyword COMMAND` the form of every call, even while there are few commands."""


def command_line() -> typer.Typer:
    """Return the command line, with options for the methods that are registered by now."""
    app = typer.Typer(
        cls=Commands,
        help="Which words made the classifier say that, and how far can you trust the answer?",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name, command, example in _COMMANDS:
        whole = with_options_of_groups(command)
        if takes_parameters(whole):
            whole = with_method_parameters(whole)
        app.command(name, cls=Command, epilog=f"Example:  {example}")(whole)
    return app


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 1."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))  # and tidy up
    code: str | int | None = _INTERRUPTED
    try:
        with _interruptible():
            _run()
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit):
            code = end.code
        if code in (_INTERRUPTED, _TERMINATED):
            if sys.argv[1:2] != ["serve"]:  # which has no other end
                print_stop(end)
            # Python remembers Ctrl-C that came in an exec, as dataclasses use it, until the next,
            # and dies of the signal at its end
            exec("")  # noqa: S102
    sys.exit(flushed(code))


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt in the block, so that all is tidied up, if it is heeded."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # nohup has the caller ignore it
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _takes_model(name: str) -> bool:
    """Whether what follows a command's name is a model."""
    commands = {own: command for own, command, _ in _COMMANDS}
    return name in commands and "model" in list(inspect.signature(commands[name]).parameters)[:1]


def _run() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the encoding lacks is shown as \\u…
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(format="%(message)s")
    logging.raiseExceptions = False  # a stderr that takes nothing cannot be told about it either
    logging.getLogger("whyword").setLevel(logging.INFO)  # not what matplotlib has to say
    try:
        for source in sys.argv[2:3]:
            if _takes_model(sys.argv[1]) and names_import(source):
                import_module_of(source)  # it may register a method, which has options, too
        if seconds_between_lines() == 0:  # nor that loops are compiled
            logging.getLogger(CompilationNotice.__module__).setLevel(logging.WARNING)
        command = "".join(sys.argv[1:2])  # one that serves is at work for ever
        with lines_in_a_pipe(None if command == "serve" else f"{command}: at work"):
            command_line()(prog_name="whyword")  # as completion knows it, be it python -m whyword
    except (WhywordError, OSError) as error:
        print_error(error)  # of what comes before a command
        sys.exit(1)
    sys.exit(0)
