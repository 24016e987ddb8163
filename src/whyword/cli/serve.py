"""``whyword serve``: the page and its API."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from whyword.audit.suspicion.stored import read_suspects
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line
from whyword.base.progress import counted, progress_bar
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.options import ModelFolder
from whyword.cli.price import asks_anew, say_price
from whyword.cli.tables import some_of
from whyword.web.access import (
    LOCAL_HOSTS,
    Access,
    checked_origin,
    checked_token,
    host_of,
    in_address,
)
from whyword.web.app import create_app
from whyword.web.engine import CACHE_BYTES, Engine
from whyword.web.library import library_price, open_library
from whyword.web.limits import Limits
from whyword.web.serving import (
    PORT,
    address_of,
    bound_socket,
    check_extra,
    checked_processes,
    open_page,
    run,
    usual_processes,
)
from whyword.web.suspects import SuspectList

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LimitOptions:
    """How much may be asked for; the fields are options."""

    max_words: Annotated[int, typer.Option(help="Of a request's texts together.", min=1)] = (
        Limits.words
    )
    workers: Annotated[
        int, typer.Option(help="Long texts that a process computes at a time.", min=1, max=256)
    ] = Limits.workers
    waiting: Annotated[
        int, typer.Option(help="Requests that may wait in a process; others are refused.", min=0)
    ] = Limits.waiting
    timeout: Annotated[
        float, typer.Option(help="Seconds until an answer is given up.", min=0.1)
    ] = Limits.work_seconds

    def limits(self) -> Limits:
        """Return what a server lets one request ask for."""
        return Limits(
            words=self.max_words,
            workers=self.workers,
            waiting=self.waiting,
            work_seconds=self.timeout,
        )


def serve(
    model: ModelFolder,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[CORPUS]",
            help="Documents to look at: a table, a folder or a name.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help=f"(default: the first free one from {PORT} on)", min=0, max=65535),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="WHYWORD_TOKEN", help="What requests must bear; better in the environment."
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A site whose pages may use the API. Repeatable."),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    limit: Annotated[
        int | None, typer.Option(help="Take so many documents of the corpus, by chance.", min=3)
    ] = None,
    suspects: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="What whyword suspects --out wrote, to be worked through on the page.",
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            help=f"That share the work (default here: {usual_processes()}).",
            min=1,
            max=64,
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        int, typer.Option(help="MB for a network's answers to words met before, in all.", min=0)
    ] = CACHE_BYTES >> 20,
    log_texts: Annotated[
        bool, typer.Option("--log-texts", help="Let the log show what was sent.")
    ] = False,
    *,
    limited: LimitOptions,
    reading: TextOptions,
) -> None:
    """Open the page: paste a text, see why, change it; look through a corpus and its errors."""
    check_extra()
    limits = limited.limits()
    local = in_address(host) in LOCAL_HOSTS
    access = Access(
        token=checked_token(token),
        origins=tuple(map(checked_origin, allow_origin or ())),
        hosts=(*LOCAL_HOSTS, *map(host_of, allow_origin or ())) if local else (),
        log_texts=log_texts,
    )
    if suspects is not None and source is None:
        raise InputError(Argument("suspects"), " needs a corpus: name it behind the model")
    bound = bound_socket(host, port)  # a port that is taken should not cost a minute's wait
    count = checked_processes(processes)
    engine = Engine(open_model(model), limits, (memory << 20) // count)
    found = None if suspects is None else SuspectList(read_suspects(suspects), engine.identity)
    if found is not None and found.warning is not None:
        log.warning("%s", found.warning)
    library = None
    if source is not None:
        read = reading.open(source, engine.model)
        records = list(counted(read, "reading"))
        chosen = [records[number] for number in some_of(len(records), limit, reading.seed)]
        if asks_anew(engine.model):
            say_price("the view of the corpus", library_price(engine.model, chosen))
        with progress_bar("preparing") as report:
            library = open_library(engine.model, chosen, Path(source).name, report)
        if library.judged.labels_are_foreign:
            log.warning("none of the labels of %s is a class of the model", one_line(source))
    application = create_app(engine, library, access, found)
    address = address_of(bound, host)
    if not local and token is None:
        log.warning("everybody who reaches this machine may use the model; --token asks for one")

    def ready() -> None:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if open_browser:
            open_page(address)

    run(application, bound, limits, ready, count)
