"""The imove command: one verb a module in `imove_bringup.commands`."""

import sys

import typer

from imove_bringup.commands import contract, doctor, evaluate, launch, suite
from imove_core.errors import ImoveError

EXIT_USER_ERROR = 2

app = typer.Typer(
    name="imove",
    help="A language-grounded pick-and-place benchmark, in simulation and on real arms.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(launch.launch)
app.command("eval")(evaluate.evaluate)
app.add_typer(suite.app, name="suite")
app.command()(contract.contract)
app.command()(doctor.doctor)


def main() -> None:
    """Runs a verb; a mistake of the user becomes one line on stderr and exit status 2."""
    try:
        app(prog_name="imove")
    except ImoveError as error:
        print(f"imove: {error}", file=sys.stderr)
        sys.exit(EXIT_USER_ERROR)


if __name__ == "__main__":
    main()
