"""`riverboat cluster`: what a Ray cluster has, and what is not the same on all its nodes."""

from __future__ import annotations

from typing import Annotated

import typer

from riverboat.cli.console import JsonFlag, emit, output

app = typer.Typer()


@app.command("cluster")
def cluster(
    ray: Annotated[
        str,
        typer.Option(
            "--ray", metavar="ADDRESS", help="auto (this machine's), local, or HOST:PORT."
        ),
    ] = "auto",
    as_json: JsonFlag = False,
) -> None:
    """Show the nodes of a Ray cluster: cores, GPUs, memory, and versions that differ.

    A job on Ray needs the same riverboat on every node. Exit code 1 says that something differs.

    Example: riverboat cluster --ray auto
    """
    from riverboat.jobs.ray_crew import read_cluster

    found = read_cluster(ray)
    wrong = found.differences()
    if as_json:
        emit(found.as_dict())
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for name in ("node", "address", "cores", "GPUs", "memory", "riverboat", "Python"):
            justify = "right" if name in ("cores", "GPUs", "memory") else "left"
            table.add_column(name, justify=justify)  # type: ignore[arg-type]
        for node in found.nodes:
            gpus = f"{node.gpus:g} {' '.join(node.gpu_kinds)}".strip()
            table.add_row(
                node.name,
                node.address,
                f"{node.cores:g}",
                gpus,
                f"{node.memory / 2**30:.1f} GiB",
                node.versions.get("riverboat", "?"),
                node.versions.get("Python", "?"),
            )
        console = output()
        console.print(table)
        plural = "s" * (len(found.nodes) != 1)
        console.print(
            f"{len(found.nodes)} node{plural}, {found.cores:g} cores, {found.gpus:g} GPUs"
        )
        for sentence in wrong:
            console.print(sentence, markup=False, style="yellow")
        if not wrong:
            console.print("Versions are the same everywhere.")
    if wrong:
        raise typer.Exit(1)
