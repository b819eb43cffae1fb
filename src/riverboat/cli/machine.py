"""`riverboat devices` and `riverboat cluster`: what a long computation can run on."""

from __future__ import annotations

from typing import Annotated

import typer

from riverboat.cli.console import columns, emit, output
from riverboat.cli.options import JsonFlag, option
from riverboat.jobs.ray_crew import read_cluster
from riverboat.runtime.devices import list_devices, why_no_gpu

app = typer.Typer()


@app.command("devices")
def devices(as_json: JsonFlag = False) -> None:
    """List the CPU and the GPUs that `--device` can name, or say why there is no GPU.

    Example: riverboat devices
    """
    found = list_devices()
    if as_json:
        emit({"devices": [device.as_dict() for device in found], "why_no_gpu": why_no_gpu()})
        return

    table = columns("--device", "what", ">cores", ">memory")
    for device in found:
        memory = "" if device.memory is None else f"{device.memory / 2**30:.1f} GiB"
        table.add_row(device.name, device.title, str(device.cores), memory)
    output().print(table)
    if why_no_gpu():
        output().print(f"No GPU: {why_no_gpu()}", markup=False)


@app.command("cluster")
def cluster(
    ray: Annotated[
        str, option("auto (this machine's), local, or HOST:PORT.", metavar="ADDRESS")
    ] = "auto",
    as_json: JsonFlag = False,
) -> None:
    """Show the nodes of a Ray cluster: cores, GPUs, memory, and versions that differ.

    A job on Ray needs the same riverboat on every node. Exit code 1 says that something differs.

    Example: riverboat cluster --ray auto
    """
    found = read_cluster(ray)
    wrong = found.differences()
    if as_json:
        emit(found.as_dict())
    else:
        heads = ("node", "address", ">cores", ">GPUs", ">memory", "riverboat", "Python")
        table = columns(*heads)
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
