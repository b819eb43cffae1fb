"""Background jobs: what runs and what ran, how far each is, stopping it and going on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riverboat.web.app.problems import REFUSED
from riverboat.web.background import Job, Jobs
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/jobs", tags=["Jobs"], responses=REFUSED)
NUM_SHOWN = 50


class PartFacts(BaseModel):
    """One part of a job, such as an algorithm."""

    name: str
    state: str = Field(
        description="waiting, starting, running, done, stopped, or a sentence on what went wrong."
    )
    facts: dict[str, Any] = Field(description="What it found so far; depends on the kind of job.")


class JobFacts(BaseModel):
    """A job of the server."""

    name: str
    title: str
    page: str = Field(description="The address of its page.")
    running: bool
    unfinished: bool = Field(description="Whether it ended before it was done, and can go on.")
    words: str = Field(description="How far it is.")
    place: int | None = Field(description="In the queue of its kind, from 1; none once it began.")
    waiting: int = Field(description="Jobs of its kind that wait for their turn.")
    changed: datetime = Field(description="When it last reported.")
    parts: list[PartFacts]


def job_facts(jobs: Jobs[Any], job: Job[Any]) -> JobFacts:
    """Return what is known of a job."""
    queue = jobs.queue()
    parts = [PartFacts(name=part.name, state=part.state, facts=part.facts) for part in job.parts]
    return JobFacts(
        name=job.name,
        title=job.title,
        page=jobs.address.format(job.name),
        running=job.running,
        unfinished=job.unfinished,
        words=job.words,
        place=queue.index(job) + 1 if job in queue else None,
        waiting=len(queue),
        changed=datetime.fromtimestamp(job.changed),
        parts=parts,
    )


def all_jobs(site: Site) -> list[JobFacts]:
    """Return the newest jobs: those that run, the queue in its order, then those that ended."""
    found = [job_facts(jobs, job) for jobs, job in site.recent_jobs(NUM_SHOWN)]
    return sorted(found, key=lambda job: (not job.running, job.place or 0))


def find(site: Site, name: str) -> JobFacts:
    """Return a job by its name."""
    return job_facts(*site.find_job(name))


def stop(site: Site, name: str) -> JobFacts:
    """End a job after its current step; what it found is kept."""
    site.find_job(name)[1].stop()
    return find(site, name)


def go_on(site: Site, name: str) -> JobFacts:
    """Take a job up again that was stopped or failed."""
    jobs, job = site.find_job(name)
    jobs.go_on(job)
    return find(site, name)


def move(site: Site, name: str, places: int) -> JobFacts:
    """Move a job in the queue of its kind: -1 is one place earlier, 1 one later."""
    jobs, job = site.find_job(name)
    jobs.move(job, places)
    return find(site, name)


@router.get("")
def list_jobs(site: AskedSite) -> list[JobFacts]:
    """List the newest jobs, those that run first."""
    return all_jobs(site)


@router.get("/{name}")
def get_job(name: str, site: AskedSite) -> JobFacts:
    """Return one job."""
    return find(site, name)


@router.post("/{name}/stop")
def stop_job(name: str, site: AskedSite) -> JobFacts:
    """End a job after its current step; what it found is kept."""
    return stop(site, name)


@router.post("/{name}/continue")
def continue_job(name: str, site: AskedSite) -> JobFacts:
    """Take a job up again that was stopped or failed, from what it kept."""
    return go_on(site, name)


@router.post("/{name}/earlier")
def move_earlier(name: str, site: AskedSite) -> JobFacts:
    """Move a job that waits one place forward in the queue."""
    return move(site, name, -1)


@router.post("/{name}/later")
def move_later(name: str, site: AskedSite) -> JobFacts:
    """Move a job that waits one place back in the queue."""
    return move(site, name, 1)
