"""`imove assets`: lists, shows and writes the objects of the library; one command a module."""

import typer

app = typer.Typer(help="List, show and write the objects of the library.", no_args_is_help=True)
