"""`riverboat devices`: what a long computation can run on."""

from __future__ import annotations

from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag
from riverboat.runtime.devices import list_devices, why_no_gpu

app = App()


@app.command("devices")
def devices(as_json: JsonFlag = False) -> None:
    """List the CPU and the GPUs that `--device` can name, or say why there is no GPU.

    \b
    Example:
    riverboat devices
    """
    available = list_devices()
    if as_json:
        emit({"devices": [device.as_dict() for device in available], "why_no_gpu": why_no_gpu()})
        return

    table = columns("--device", "what", ">cores", ">memory")
    for device in available:
        memory = "" if device.memory is None else f"{device.memory / 2**30:.1f} GiB"
        table.add_row(device.name, device.title, str(device.cores), memory)
    output().print(table)
    if why_no_gpu():
        output().print(f"No GPU: {why_no_gpu()}", markup=False)
