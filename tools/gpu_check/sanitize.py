"""compute-sanitizer over drawn programs, after faults that are planted and that it must find."""
import pathlib
import re
import shutil

from .bundle import HERE
from .fuzz import SEEDS_APART, Session
from .part import Clock, Part, run

TOOLS = ("memcheck", "racecheck")
# Seconds in which the planted faults are found.
PLANTED = 150
# Programs with many reductions and scans: what they share goes through shared memory.
DRAWN = ["--structure", "--unfused-share", 0]
SUMMARY = re.compile(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)")

WRAPPER = """#!/bin/sh
# The driver under compute-sanitizer, whose report must not mix with the driver's answers.
exec '{sanitizer}' --tool {tool} --print-limit 5 --log-file '{folder}/%p.report' '{driver}' "$@"
"""


def find_sanitizer():
    beside_nvcc = pathlib.Path("/usr/local/cuda/bin/compute-sanitizer")
    return shutil.which("compute-sanitizer") or (str(beside_nvcc) if beside_nvcc.exists() else None)


def planted_faults(settings, sanitizer):
    part, clock = Part("planted faults under compute-sanitizer"), Clock(PLANTED)
    script = next(path for path in (HERE.parent / "gpu-sanitize", settings.bundle.folder / "gpu-sanitize") if path.exists())
    environment = settings.bundle.environment()
    environment["PATH"] = f"{pathlib.Path(sanitizer).parent}:{environment['PATH']}"
    program = settings.bundle.program("sinter_planted_faults")
    ended = run(["bash", script, program.parent if program else settings.bundle.folder, 0],
                settings.output_folder / "planted.txt", PLANTED, env=environment)
    part.done = f"{len(re.findall('^ok ', ended.output, re.M))} of 6 are as expected"
    if ended.status != 0:
        part.faults.append(f"status {ended.status}\n{ended.tail(40)}")
    part.seconds = clock.passed()
    return part


def session_under(tool, settings, sanitizer, seconds, seed):
    folder = settings.output_folder / f"{tool}-reports"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wrapper = folder / "driver"
    wrapper.write_text(WRAPPER.format(sanitizer=sanitizer, tool=tool, folder=folder,
                                      driver=settings.bundle.program("sinter_differential_driver")))
    wrapper.chmod(0o755)
    return Session(tool, settings, seed, settings.programs, seconds, max(1, settings.jobs // len(TOOLS)), wrapper, DRAWN)


def findings(folder):
    """A text for each report that has findings, and how many reports end with a summary."""
    texts, ended = [], 0
    for path in sorted(folder.glob("*.report")):
        report = path.read_text(errors="replace")
        counts = [int(count) for count in SUMMARY.findall(report)]
        ended += bool(counts)
        if any(counts) or "Device not supported" in report:
            texts.append(f"{path.name}:\n" + "\n".join(report.splitlines()[:40]))
    return texts, ended


def check_sanitize(settings, seconds):
    sanitizer = find_sanitizer()
    if settings.device == "cpu" or sanitizer is None:
        why = "there is no compute-sanitizer" if sanitizer is None else "it is for GPUs"
        return [Part("compute-sanitizer", faults=[f"nothing ran: {why}"])]
    clock = Clock(seconds)
    parts = [planted_faults(settings, sanitizer)]
    if settings.bundle.program("sinter_differential_driver") is None:
        return [*parts, Part("compute-sanitizer", faults=["there is no sinter_differential_driver"])]
    # Both at once, after the planted faults, which can reach other processes.
    left = max(15.0, clock.left())
    sessions = [session_under(tool, settings, sanitizer, left, settings.seed + (2 + number) * SEEDS_APART)
                for number, tool in enumerate(TOOLS)]
    for tool, session in zip(TOOLS, sessions):
        part = session.part()
        part.name = f"{tool} over drawn programs"
        texts, ended = findings(settings.output_folder / f"{tool}-reports")
        part.faults += texts
        if not ended:
            part.faults.append(f"no report of {tool} has a summary: it did not run")
        parts.append(part)
    return parts
