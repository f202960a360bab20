"""The command line: draws programs, as graphs and as C++, runs kept ones, prints them, and sweeps special
values."""

import argparse
import json
import os
import pathlib
import sys

from . import profiles
from .cpp_forms.fit_form import FORMS
from .cpp_forms.forms_session import FormOptions, FormsSession
from .corpus import FOLDER, run_corpus, run_file
from .driver_process import DriverProcess
from .program_text import describe, write_program
from .session.fuzz_session import Options, Session
from .session.sessions import run_sessions
from .subjects import draw_subjects
from .sweep_special_values import SWEEPS, run_sweep

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Seeds that a session without a count may use, so that its jobs share none.
UNBOUNDED = 1_000_000_000


def parse_arguments():
    build = pathlib.Path(os.environ.get("SINTER_BUILD", "build"))
    build = build if build.is_absolute() else ROOT / build
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    common.add_argument(
        "--driver",
        default=str(build / "tests" / "sinter_differential_driver"),
        help="the driver's executable",
    )
    common.add_argument(
        "--folder", default=str(build / "differential"), help="for faults, errors and the cache"
    )
    drawn = argparse.ArgumentParser(add_help=False)
    drawn.add_argument("--seed", type=int, default=1)
    drawn.add_argument("--profile", choices=profiles.PROFILES, help="element types and operations")
    drawn.add_argument("--mode", choices=profiles.MODES)
    drawn.add_argument(
        "--structure", action="store_true", help="cheap operations, many reductions, scans and views"
    )
    drawn.add_argument(
        "--subject",
        choices=draw_subjects.SUBJECTS,
        help="what all programs are about; without it, one in eight has a subject",
    )
    session = argparse.ArgumentParser(add_help=False)
    session.add_argument("--jobs", type=int, default=1, help="processes beside each other")
    session.add_argument("--counts", type=pathlib.Path, help="a file of JSON for what was counted")
    session.add_argument(
        "--again-share",
        type=float,
        default=0.25,
        help="of programs that are called a second time, with other arrays and scalars",
    )

    parser = argparse.ArgumentParser(prog="python3 -m tests.differential", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser(
        "draw", parents=[common, drawn, session], help="draw programs from a seed, and run them"
    )
    draw.add_argument("--how", choices=profiles.VARIANTS, default="fused", help="how programs run")
    draw.add_argument("--count", type=int, help="programs; without it and without --minutes, 1000")
    draw.add_argument("--minutes", type=float, help="of each job")
    draw.add_argument("--shrink-seconds", type=float, default=30, help="for each fault")
    draw.add_argument(
        "--unfused-share", type=float, default=0.03, help="of programs that also run one node at a time"
    )
    draw.add_argument(
        "--turns-share",
        type=float,
        default=0.02,
        help="of programs after which some of the last ones are called in turns",
    )
    draw.add_argument(
        "--interpreted-share",
        type=float,
        default=0.02,
        help="of programs that are held to the interpreter, too, in strict mode",
    )
    draw.add_argument("--until-fault", action="store_true", help="each job ends with its first fault")
    show = commands.add_parser("show", parents=[common, drawn], help="print the program of a seed")
    show.add_argument("--how", choices=profiles.VARIANTS, default="fused", help="in the file of the corpus")
    show.add_argument("--text", action="store_true", help="as a file of the corpus")
    forms = commands.add_parser(
        "forms", parents=[common, drawn, session], help="draw programs, compile them as C++, and run them"
    )
    forms.add_argument("--count", type=int, default=100)
    forms.add_argument("--form", choices=FORMS, help="without it, one of those that a program has")
    corpus = commands.add_parser("corpus", parents=[common], help="run the programs of a folder")
    corpus.add_argument("corpus_folder", nargs="?", default=FOLDER)
    replay = commands.add_parser("replay", parents=[common], help="run the program of a file")
    replay.add_argument("file")
    sweep = commands.add_parser(
        "sweep", parents=[common], help="run every operation on special values of all types"
    )
    sweep.add_argument("which", choices=SWEEPS)
    return parser.parse_args()


def common_options_of(arguments, count):
    return {
        "device": arguments.device,
        "folder": arguments.folder,
        "seed": arguments.seed,
        "count": count,
        "profile": arguments.profile,
        "mode": arguments.mode,
        "structure": arguments.structure,
        "subject": arguments.subject,
        "executable": arguments.driver,
    }


def options_of(arguments):
    count = arguments.count or (UNBOUNDED if arguments.minutes else 1000)
    return Options(
        **common_options_of(arguments, count),
        seconds=arguments.minutes * 60 if arguments.minutes else float("inf"),
        variant=arguments.how,
        shrink_seconds=arguments.shrink_seconds,
        unfused_share=arguments.unfused_share,
        again_share=arguments.again_share,
        turns_share=arguments.turns_share,
        until_fault=arguments.until_fault,
        interpreter=str(pathlib.Path(arguments.driver).parent / "sinter_differential_interpreter"),
        interpreted_share=arguments.interpreted_share,
    )


def form_options_of(arguments):
    tests = pathlib.Path(arguments.driver).parent
    return FormOptions(
        **common_options_of(arguments, arguments.count),
        forms_executable=str(tests / "sinter_differential_forms_driver"),
        build_file=str(tests / "differential_forms.json"),
        form=arguments.form,
        again_share=arguments.again_share,
    )


def show(arguments):
    from .draw_programs import Drawer

    program = Drawer(
        arguments.seed, arguments.profile, arguments.mode, arguments.structure, arguments.subject
    ).draw()
    print(write_program(program, arguments.how) if arguments.text else describe(program))


def run_drawn(arguments):
    print(f"seed {arguments.seed}", flush=True)
    if arguments.command == "draw":
        session, options = Session, options_of(arguments)
    else:
        session, options = FormsSession, form_options_of(arguments)
    counts, faults = run_sessions(session, options, arguments.jobs)
    if arguments.counts:
        arguments.counts.write_text(json.dumps(counts), encoding="utf-8")
    return int(faults > 0)


def main():
    arguments = parse_arguments()
    if arguments.command == "show":
        return show(arguments)
    if arguments.command in ("draw", "forms"):
        return run_drawn(arguments)
    driver = DriverProcess(arguments.driver, arguments.device, arguments.folder)
    if arguments.command == "corpus":
        faults = run_corpus(driver, arguments.corpus_folder)
    elif arguments.command == "replay":
        outcome = run_file(driver, arguments.file)
        print(f"{outcome.status} {outcome.text}")
        faults = outcome.is_fault
    else:
        faults = run_sweep(driver, arguments.which)
    driver.stop()
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
