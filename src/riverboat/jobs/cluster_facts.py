"""What a Ray cluster has: nodes, cores, GPUs, memory, and versions that differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from riverboat.jobs.ray_crew import connect

__all__ = ["Cluster", "Node", "read_cluster"]

ANSWER_SECONDS = 60.0
PACKAGES = ("riverboat", "ray", "numpy", "numba")


@dataclass(frozen=True)
class Node:
    """A machine of a cluster."""

    name: str
    address: str
    cores: float
    gpus: float
    gpu_kinds: tuple[str, ...]
    memory: int
    """Bytes that jobs may use."""
    versions: dict[str, str]
    """Of Python, the operating system and packages; empty where the node did not answer."""
    fault: str
    """Why it did not answer; empty where it did."""

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "gpu_kinds": list(self.gpu_kinds)}


@dataclass(frozen=True)
class Cluster:
    """The nodes that are alive, and this process to compare with."""

    address: str
    nodes: tuple[Node, ...]
    here: dict[str, str]

    @property
    def cores(self) -> float:
        return sum(node.cores for node in self.nodes)

    @property
    def gpus(self) -> float:
        return sum(node.gpus for node in self.nodes)

    def differences(self) -> list[str]:
        """One sentence for each thing that is not the same everywhere."""
        found = [f"{node.name} did not answer: {node.fault}" for node in self.nodes if node.fault]
        for what, mine in self.here.items():
            others: dict[str, list[str]] = {}
            for node in self.nodes:
                theirs = node.versions.get(what)
                if theirs is not None and theirs != mine:
                    others.setdefault(theirs, []).append(node.name)
            for theirs, names in others.items():
                found.append(f"{what} is {theirs} on {', '.join(names)} and {mine} here.")
        return found

    def as_dict(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "cores": self.cores,
            "gpus": self.gpus,
            "nodes": [node.as_dict() for node in self.nodes],
            "here": self.here,
            "differences": self.differences(),
        }


def version_reader() -> Callable[[], dict[str, str]]:
    """A function that tells versions, made so that it travels whole: a node may lack this one."""
    packages = PACKAGES

    def versions() -> dict[str, str]:
        import platform
        from importlib import metadata

        found = {"Python": platform.python_version(), "system": platform.system()}
        for name in packages:
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = "missing"
        return found

    return versions


def read_cluster(address: str = "auto") -> Cluster:
    """Ask a cluster, and every node for its versions."""
    ray = connect(address)
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ask = ray.remote(num_cpus=0, max_retries=0)(version_reader())
    alive = sorted(
        (node for node in ray.nodes() if node["Alive"]),
        key=lambda node: (str(node["NodeManagerAddress"]), str(node["NodeID"])),
    )
    asked = [
        ask.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote()
        for node in alive
    ]
    ready, _ = (
        ray.wait(asked, num_returns=len(asked), timeout=ANSWER_SECONDS) if asked else ([], [])
    )
    nodes = []
    for node, answer in zip(alive, asked, strict=True):
        versions, fault = {}, f"nothing came for {ANSWER_SECONDS:.0f} seconds."
        if answer in ready:
            try:
                versions, fault = ray.get(answer), ""
            except ray.exceptions.RayError as error:
                fault = str(error).strip().splitlines()[-1][:200]
        nodes.append(_node(node, versions, fault))
    here = version_reader()()
    return Cluster(address, tuple(nodes), here)


def _node(facts: dict[str, Any], versions: dict[str, str], fault: str) -> Node:
    resources = facts["Resources"]
    kinds = (name for name in resources if name.startswith("accelerator_type:"))
    return Node(
        f"{facts['NodeManagerHostname']}/{str(facts['NodeID'])[:6]}",
        str(facts["NodeManagerAddress"]),
        float(resources.get("CPU", 0)),
        float(resources.get("GPU", 0)),
        tuple(sorted(name.partition(":")[2] for name in kinds)),
        int(resources.get("memory", 0)),
        versions,
        fault,
    )
