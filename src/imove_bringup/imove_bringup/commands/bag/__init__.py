"""`imove bag`: looks into episode bags, verifies and recovers them."""

import typer

from imove_bringup.commands.bag import info, recover, verify

app = typer.Typer(help="Look into episode bags, verify and recover them.", no_args_is_help=True)
app.command("info")(info.info)
app.command("verify")(verify.verify)
app.command("recover")(recover.recover)
