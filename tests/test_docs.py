"""The reference pages beside the code: every key, code and option is there, and nothing else is.

    python tests/test_docs.py

writes the options of the commands into docs/command-line.md anew.
"""

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import typer

from reportgen import cli, model
from reportgen.cli import epilogs
from reportgen.config import read_config
from reportgen.look import Colours, LookTable
from reportgen.policy import Limit, Policy, Waiver
from reportgen.render.page import packaged_templates
from reportgen.running import Running
from reportgen.score_names import SCORES
from reportgen.settings import Settings, Thresholds
from reportgen.stated import SignOff

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def section(file, title):
    """The lines of a page below a heading, up to the next one."""
    text = (DOCS / file).read_text(encoding="utf-8")
    _, _, rest = text.partition(f"## {title}\n")
    assert rest, title
    return rest.partition("\n## ")[0]


def table(text, head):
    """The rows of the table whose first head is this one, by their first cell without its backticks."""
    lines = iter(text.splitlines())
    rows = {}
    for line in lines:
        if line.startswith(f"| {head} |"):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return rows
                cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
                rows[cells[0].strip("`")] = cells[1:]
    assert rows, head
    return rows


@pytest.mark.parametrize(
    ("title", "type_", "tables"),
    [
        ("Settings", Settings, {"thresholds", "declared", "generator_parameters", "sign_off"}),
        ("Sign-off and generator", SignOff, set()),
        ("Limits of the verdict", Thresholds, set()),
        ("How a run is carried out", Running, set()),
        ("The policy", Policy, set()),
    ],
)
def test_every_key_of_the_config_file_is_documented_with_its_default(title, type_, tables):
    documented = table(section("configuration.md", title), "key")
    assert set(documented) == set(type_.model_fields) - tables
    defaults = type_().model_dump(mode="json")
    for key, (default, *_) in documented.items():
        written = None if default == "none" else tomllib.loads(f"x = {default.strip('`')}")["x"]
        assert written == defaults[key], key


def test_every_key_of_a_look_is_documented():
    text = (DOCS / "look.md").read_text(encoding="utf-8")
    assert set(table(text, "key of `[look]`")) == set(LookTable.model_fields)
    assert set(table(text, "key of a colour")) == set(Colours.model_fields)


def test_every_packaged_template_is_documented():
    text = (DOCS / "look.md").read_text(encoding="utf-8")
    listed = " ".join(table(text, "name")) + " ".join(cell for row in table(text, "name").values() for cell in row)
    for name in packaged_templates():
        assert f"`{name}`" in text or f"`{Path(name).stem}`" in listed, name


def test_keys_of_limits_and_waivers_and_main_scores_are_documented():
    text = section("configuration.md", "The policy")
    assert set(table(text, "key of a limit")) == set(Limit.model_fields)
    assert set(table(text, "key of a waiver")) == set(Waiver.model_fields)
    main = {metric: row[0].strip("`") for metric, row in table(text, "metric").items()}
    assert main == {metric: scores[0] for metric, scores in SCORES.items()}


def test_the_example_of_a_config_file_is_valid(tmp_path):
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    (tmp_path / "reportgen.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    assert read_config(tmp_path / "reportgen.toml")["tolerance"] == 1.0


def test_settings_without_an_option_say_so():
    options = {one.name for one in typer.main.get_command(cli.app).commands["assess"].params}
    for key, row in table(section("configuration.md", "Settings"), "key").items():
        assert (key in options) is not row[1].endswith("no option"), key


@pytest.mark.parametrize(
    ("title", "codes"),
    [
        ("Reasons of a verdict", model.ReasonCode),
        ("Metrics without a value", model.NotMeasuredCode),
        ("Findings", model.FindingCode),
        ("Notes", model.NoteCode),
    ],
)
def test_every_code_of_the_result_is_documented(title, codes):
    assert list(table(section("codes.md", title), "code")) == list(get_args(codes))


def test_help_and_docs_list_the_same_codes():
    assert get_args(model.ReasonCode) == epilogs.REASONS
    assert tuple(table(section("codes.md", "Rules of the gate"), "rule")) == epilogs.RULES + epilogs.AGAINST_BASELINE
    exits = table(section("codes.md", "Exit codes"), "code")
    for code in exits:
        assert f"{code} " in epilogs.EXIT_CODES


def commands():
    return typer.main.get_command(cli.app).commands


def documented_options(name):
    """The table of a command's options as Markdown, made from what its --help is made from."""
    rows = []
    for one in commands()[name].params:
        words = ", ".join(one.opts) if "-" in one.opts[0] else one.metavar
        if "-" in one.opts[0] and not one.is_flag:
            words = f"{words} {one.metavar}"
        rows.append(tuple(cell.replace("|", "\\|") for cell in (f"`{words}`", one.help)))
    if not rows:
        return "No options."
    return "\n".join(["| option | meaning |", "|---|---|", *(f"| {words} | {text} |" for words, text in rows)])


def command_page(text):
    """Put the options of every command into the page, between its markers."""
    for name in commands():
        marked = re.compile(rf"(<!-- options of {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = marked.sub(lambda found, name=name: f"{found[1]}\n{documented_options(name)}\n\n{found[2]}", text)
    return text


def test_the_page_of_commands_says_what_help_says():
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert command_page(text) == text, "run: python tests/test_docs.py"
    assert re.findall(r"<!-- options of (\w+) -->", text) == list(commands())


def test_the_readme_lists_every_command_with_the_words_of_help():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = {name.split()[1]: row[0] for name, row in table(text, "command").items()}
    assert listed == {name: one.help.partition("\n")[0].rstrip(".") for name, one in commands().items()}


def test_the_readme_lists_the_exit_codes_that_help_lists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for code in table(text, "exit code"):
        assert f"{code} the" in epilogs.EXIT_CODES or f"{code} it" in epilogs.EXIT_CODES


def test_the_readme_lists_the_reason_codes():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = text[text.index("Each reason in the result has a code") : text.index("## In a pipeline")]
    assert tuple(re.findall(r"`(\w+)`", listed)) == get_args(model.ReasonCode)


def test_links_between_the_pages_lead_somewhere():
    for page in [ROOT / "README.md", *DOCS.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


if __name__ == "__main__":
    page = DOCS / "command-line.md"
    page.write_text(command_page(page.read_text(encoding="utf-8")), encoding="utf-8")
