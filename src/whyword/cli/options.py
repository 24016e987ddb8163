"""Arguments and options that several commands have, each said once."""

from pathlib import Path
from typing import Annotated

import typer

from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.methods.registry import METHODS

# what is read

Source = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help="20newsgroups, reuters-21578, a folder with one sub-folder per class, or a CSV, TSV, "
        "JSON Lines or Parquet file; ':train' or ':test' behind it takes that part.",
    ),
]
TextColumn = Annotated[str | None, typer.Option("--text", help="The column that holds the text.")]
LabelColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        help="The column with the label, or with lists of labels. Repeated: columns that are a "
        "label each, 0 or 1.",
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        "--label-separator", help="What stands between several labels in the label's column."
    ),
]
TestShare = Annotated[
    float, typer.Option("--test", help="Share held out when the source has no split of its own.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of that split.")]
Remove = Annotated[
    str | None,
    typer.Option(
        "--remove",
        help="What to cut from posts and mails: headers,quotes,footers or 'nothing'. "
        "(default: headers for newsgroups)",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="What the texts are: 'text', 'mail' (raw mails, decoded) or 'html' (tags taken out). "
        "(default: by the endings of files, else text)",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="WORD|PHRASE|/PATTERN/|@FILE|FILE.csv|FOLDER",
        help="A word that is not to be read, or 'several words' in a row; a pattern of such words "
        "between slashes; '@' and a file with one of these a line; or a table with a column 'word' "
        "(and 'artefact', if only rows with a yes count), or the folder of `whyword suspects` that "
        "has it. Repeatable.",
    ),
]
WordRule = Annotated[
    str,
    typer.Option(
        "--words",
        help="What a word is: 'words', of scripts that part them by spaces; 'unicode', of any "
        "script; 'characters', each by itself.",
    ),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of text files (default: what they look like).")
]

# which model, on which documents, by which method

ModelFolder = Annotated[
    str,  # as a Path, ./hf:x/y would be hf:x/y
    typer.Argument(
        metavar="MODEL",
        help="A folder that `whyword train` wrote, or a Hugging Face one; hf:owner/name of the "
        "hub; or module:name, a model in your code, module:name() what makes one "
        "(py:module:name where there is a folder of that name).",
    ),
]
ModelFolders = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...",
        help="At least two: folders that `whyword train` wrote, or Hugging Face ones; hf:owner/name"
        " of the hub; module:name, models in your code, module:name() what makes one.",
    ),
]
LabelledSource = Annotated[
    str, typer.Option("--corpus", metavar="CORPUS", help="Labelled texts: as for whyword evaluate.")
]
Documents = Annotated[
    str,
    typer.Argument(
        metavar="FILE|-|CORPUS",
        help="A text file, mail or mbox, '-' for stdin, or a corpus (a table, folder or name).",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help=f"One of {', '.join(METHODS)}. (default: the first that the model is able to)",
    ),
]

DeletionSteps = Annotated[
    str | None,
    typer.Option(
        "--steps",
        metavar="N|N,N,…",
        help="Words to delete, one after the other; or after which numbers of them the model is "
        "asked, as 0,1,2,5,10,20,50. (default: 50, fewer if texts are short)",
    ),
]
LeastWords = Annotated[
    int | None,
    typer.Option(
        "--least-words",
        help="Of texts with so many words at least (default: 2 × the last step).",
        min=1,
    ),
]

# what is written

OutFolder = Annotated[Path, typer.Option("--out", help="The folder to write.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]

# runs over a corpus of any size, into a folder

Resume = Annotated[
    bool, typer.Option("--resume", help="For a folder: go on with a run that was interrupted.")
]
Engines = Annotated[
    str, typer.Option("--engine", help="For a folder: 'local', all cores, or 'ray', a cluster.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", help="For a folder: processes (default: one per core).", min=1),
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Of a running Ray cluster (default: one is started here)."),
]


# what is written with commas


def whole_numbers(name: str, given: str, example: str) -> list[int]:
    """Return the numbers of an option; raise if they are none."""
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise InputError(
            Argument(name), f" takes numbers as in {example}; not {shown(given)}"
        ) from None


def deletion_steps(given: str | None) -> int | list[int] | None:
    """Return the steps of a deletion: one number is how many words go."""
    if given is None:
        return None
    numbers = whole_numbers("steps", given, "50 or 0,1,2,5,10,20,50")
    return numbers if len(numbers) > 1 else numbers[0]
