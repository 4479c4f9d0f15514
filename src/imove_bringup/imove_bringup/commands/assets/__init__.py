"""`imove assets`: lists, shows and writes the objects of the library; one command a module."""

import typer

from imove_bringup.commands.assets import annotate, build, check, export, import_, listing, show, snapshot

app = typer.Typer(help="List, show and write the objects of the library.", no_args_is_help=True)
app.command("list")(listing.list_assets)
app.command()(show.show)
app.command()(show.sheet)
app.command()(build.build)
app.command()(export.export)
app.command()(snapshot.snapshot)
app.command()(annotate.annotate)
app.command()(check.check)
app.command("import")(import_.import_assets)
