"""`imove bag`: looks into episode bags, verifies, recovers, checks and plays them."""

import typer

from imove_bringup.commands.bag import check, info, play, recover, verify

app = typer.Typer(help="Look into episode bags; verify, recover, check and play them.", no_args_is_help=True)
app.command("info")(info.info)
app.command("verify")(verify.verify)
app.command("recover")(recover.recover)
app.command("check")(check.check)
app.command("play")(play.play)
