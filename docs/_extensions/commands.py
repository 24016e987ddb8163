"""The command line's reference, from the program itself: ``.. commands::`` lists every command."""

from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from whyword.cli.main import command_line


def paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph in which what stands between backticks is code."""
    made = nodes.paragraph()
    for number, part in enumerate(text.split("`")):
        made += nodes.literal(text=part) if number % 2 else nodes.Text(part)
    return made


def described(parameter: Any) -> nodes.definition_list_item:  # noqa: ANN401 - typer's
    """Return an argument or an option, what it is, and its default."""
    term = nodes.term()
    for spelled in [*parameter.opts, *parameter.secondary_opts]:
        if parameter.param_type_name == "argument":
            spelled = parameter.metavar or spelled.upper()
        term += [nodes.literal(text=spelled), nodes.Text(" ")]
    plain = isinstance(parameter.default, (str, int, float)) and type(parameter.default) is not bool
    shown = f" Default: {parameter.default}." if plain and parameter.show_default else ""
    meaning = paragraph(f"{parameter.help or ''}{shown}")
    return nodes.definition_list_item("", term, nodes.definition("", meaning))


class Commands(SphinxDirective):
    """Every command with its example, arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each."""
        group: Any = typer.main.get_command(command_line())
        sections: list[nodes.Node] = []
        for name, command in sorted(group.commands.items()):
            section = nodes.section(ids=[f"whyword-{name}"], names=[name])
            section += nodes.title(text=name)
            section += [paragraph(line) for line in (command.help or "").split("\n\n")]
            if command.epilog:
                example = command.epilog.replace("Example:", "").strip()
                section += nodes.literal_block(text=example, language="none")
            wanted = [one for one in command.params if not getattr(one, "hidden", False)]
            section += nodes.definition_list("", *map(described, wanted))
            sections.append(section)
        return sections


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
