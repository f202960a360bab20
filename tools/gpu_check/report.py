"""The table of a check, and below it what its faults are."""
import datetime

# Characters of a fault, and faults of a part; the rest is in the logs.
MAX_OF_A_FAULT, MAX_FAULTS = 5000, 10


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def line(*cells):
    return "| " + " | ".join(cell(text) for text in cells) + " |\n"


def facts_of(settings, machine, seconds):
    device, driver = machine
    return [("device", device), ("driver", driver), ("new", settings.bundle.commit()),
            ("base", settings.base.commit() if settings.base else "none"), ("seconds in all", f"{seconds:.0f}")]


def shown_faults(part):
    left = len(part.faults) - MAX_FAULTS
    return part.faults[:MAX_FAULTS] + ([f"and {left} more: see the logs"] if left > 0 else [])


def report(settings, parts, machine, seconds):
    text = f"# Check on {machine[0]}, {datetime.datetime.now(datetime.timezone.utc).date().isoformat()}\n\n"
    text += "| part | done | seconds | faults |\n|---|---|--:|--:|\n"
    for part in parts:
        text += line(part.name, part.done, f"{part.seconds:.0f}", len(part.faults))
    for name, figure in [*(pair for part in parts for pair in part.figures), *facts_of(settings, machine, seconds)]:
        text += line(name, figure, "", "")
    for part in parts:
        if part.details:
            text += "\n## Kernels slower by more than 3%\n\n" + "\n".join(part.details)
    notes = [f"- {part.name}: {note}\n" for part in parts for note in part.notes]
    if notes:
        text += "\n## Notes\n\n" + "".join(notes)
    faults = [(part.name, fault) for part in parts for fault in shown_faults(part)]
    if faults:
        text += "\n## Faults\n"
    for name, fault in faults:
        text += f"\n{name}:\n\n```\n{fault[:MAX_OF_A_FAULT].rstrip()}\n```\n"
    return text
