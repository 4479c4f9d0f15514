"""`imove assets annotate`: words for imported objects from two models, and the page for what they disagree on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from imove_bringup.annotation.corpus import Corpus
    from imove_bringup.annotation.folder import AnnotationFolder


def annotate(
    corpus: Annotated[Path, typer.Argument(help="Corpus folder, as `imove assets import` makes it.")],
    model: Annotated[str, typer.Option(help="Model whose answers are taken.")] = "",
    check_model: Annotated[str, typer.Option(help="Another model, which must agree.")] = "",
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Objects to ask about at once.")] = 4,
    timeout: Annotated[float, typer.Option(min=1.0, help="Seconds that an answer may take.")] = 120.0,
    review: Annotated[bool, typer.Option("--review", help="Serve the page on which a person decides.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page on this host; 0 for any.")] = 8765,
    as_json: Annotated[bool, typer.Option("--json", help="Print the totals as JSON.")] = False,
) -> None:
    """Label imported objects with two vision-language models, and review what they disagree on.

    The models are asked through an OpenAI-compatible service: IMOVE_VLM_URL is its base address, IMOVE_VLM_KEY its
    key. Exit status 1 when the service did not answer about some objects; the same command goes on from there.
    """
    from imove_bringup.annotation.corpus import Corpus
    from imove_bringup.annotation.deciding import carry_out
    from imove_bringup.annotation.folder import AnnotationFolder, hold
    from imove_core.errors import ImoveError

    if not review and not (model and check_model):
        raise ImoveError("--model and --check-model are needed, the names of two models; or --review to decide by hand")
    with hold(corpus):
        opened, folder = Corpus(corpus), AnnotationFolder(corpus)
        opened.tidy()
        carry_out(opened, folder)
        if review:
            _review(opened, folder, port)
        else:
            _ask(opened, folder, (model, check_model), jobs, timeout, as_json)


def _review(corpus: Corpus, folder: AnnotationFolder, port: int) -> None:
    from imove_bringup.annotation.server import ReviewServer

    with ReviewServer(corpus, folder, port) as server:
        typer.echo(f"review at {server.url}, objects that wait: {len(folder.waiting())} (end with Ctrl-C)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo(f"objects that still wait: {len(folder.waiting())}")


def _ask(
    corpus: Corpus, folder: AnnotationFolder, models: tuple[str, str], jobs: int, timeout_s: float, as_json: bool
) -> None:
    import json
    import threading

    import numpy as np
    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.annotation.client import Client, Limits
    from imove_bringup.annotation.endpoint import Endpoint
    from imove_bringup.annotation.runner import Runner

    stop = threading.Event()
    client = Client(
        Endpoint.from_environment(os.environ),
        np.random.default_rng(),
        stop.wait,
        Limits(answer_s=timeout_s),
        connections=jobs,
    )
    runner = Runner(corpus, folder, client, models, stop)
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("asking the models", total=len(corpus.rows()))
        totals = runner.run(jobs, lambda: progress.advance(bar))
    waiting = len(folder.waiting())
    if as_json:
        typer.echo(json.dumps({**vars(totals), "waiting": waiting}, indent=2))
    else:
        for line in totals.unanswered:
            typer.echo(line)
        typer.echo(
            f"{corpus.root}: {totals.accepted} accepted, {totals.queued} queued, {len(totals.unanswered)} without an "
            f"answer, {totals.done_before} done before; {totals.tokens} tokens"
        )
        if waiting:
            typer.echo(f"objects that wait for a person: {waiting}; imove assets annotate {corpus.root} --review")
    if totals.unanswered:
        raise typer.Exit(1)
