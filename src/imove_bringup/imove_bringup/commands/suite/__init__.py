"""`imove suite`: lists, freezes, certifies, audits and verifies episode sets."""

import typer

from imove_bringup.commands.suite import audit, certify, freeze, listing, verify, yields

app = typer.Typer(help="List, freeze, certify, audit and verify episode sets.", no_args_is_help=True)
app.command("list")(listing.list_suites)
app.command("freeze")(freeze.freeze)
app.command("certify")(certify.certify)
app.command("audit")(audit.audit)
app.command("verify")(verify.verify)
app.command("yield")(yields.measure_yield)
