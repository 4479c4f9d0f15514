"""The imove command: one verb a module in `imove_bringup.commands`."""

import sys

import typer
from typer.exceptions import TyperException

from imove_bringup.commands import (
    assets,
    bag,
    card,
    compare,
    contract,
    doctor,
    evaluate,
    export,
    failures,
    language,
    launch,
    layouts,
    mix,
    motion,
    moveit,
    recipes,
    report,
    rescore,
    rig,
    serve,
    stop,
    suite,
    synth,
    tables,
    teleop,
    train,
    video,
)
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
app.command()(language.language)
app.command()(failures.failures)
app.command()(tables.tables)
app.command()(card.card)
app.command()(report.report)
app.command()(motion.motion)
app.command()(rescore.rescore)
app.command()(video.video)
app.command()(synth.synth)
app.command()(compare.compare)
app.command()(compare.repeatability)
app.add_typer(suite.app, name="suite")
app.add_typer(assets.app, name="assets")
app.add_typer(bag.app, name="bag")
app.command()(export.export)
app.command()(mix.mix)
app.add_typer(recipes.app, name="recipes")
app.add_typer(train.app, name="train")
app.command()(serve.serve)
app.add_typer(rig.app, name="rig")
app.command()(contract.contract)
app.command()(moveit.moveit)
app.command()(layouts.layouts)
app.command()(teleop.teleop)
app.command()(stop.stop)
app.command()(doctor.doctor)


def main() -> None:
    """Runs a verb; a mistake of the user becomes one line on stderr and exit status 2."""
    try:
        status = app(prog_name="imove", standalone_mode=False)
    except ImoveError as error:
        print(f"imove: {error}", file=sys.stderr)
        status = EXIT_USER_ERROR
    except TyperException as error:
        _explain(error)
        status = EXIT_USER_ERROR
    sys.exit(status)


def _explain(error: TyperException) -> None:
    """Says in one line what is wrong with the words of a command line."""
    message = error.format_message().strip().rstrip(".")
    # Empty where a verb without arguments has printed its help instead.
    if message:
        context = getattr(error, "ctx", None)
        hint = f"; see {context.command_path} --help" if context else ""
        print(f"imove: {message[0].lower()}{message[1:]}{hint}", file=sys.stderr)


if __name__ == "__main__":
    main()
