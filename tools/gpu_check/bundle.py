"""Where programs and their sources lie: in a GPU bundle, or in this tree and its build folder."""
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# In a bundle gpu_check/ lies beside the programs, in the tree in tools/.
IN_BUNDLE = (HERE.parent / "commit").exists()
TOP = HERE.parent if IN_BUNDLE else HERE.parents[1]
KERNELS = TOP / "kernels" if IN_BUNDLE else TOP / "bench" / "kernels"
DEFAULT_FOLDER = TOP if IN_BUNDLE else TOP / "build"


class Bundle:
    """The programs of one commit."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()

    def program(self, name):
        """Its path, or None."""
        places = [self.folder / name, self.folder / "tests" / name, self.folder / "bench" / name]
        return next((place for place in places if place.is_file()), None)

    def environment(self, **more):
        paths = [str(self.folder), os.environ.get("LD_LIBRARY_PATH", "")]
        return dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, paths)), **more)

    def commit(self):
        recorded = self.folder / "commit"
        if recorded.exists():
            return recorded.read_text().strip()
        describe = ["git", "-C", str(self.folder), "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty"]
        try:
            head = subprocess.run(describe, capture_output=True, text=True)
        except FileNotFoundError:  # without git
            return "unknown"
        return head.stdout.strip() or "unknown"

    def seed(self):
        """Programs that no earlier commit was tried with, and the same ones whenever this one is tried again."""
        digits = self.commit()[:10]
        return int(digits, 16) if all(digit in "0123456789abcdef" for digit in digits) else 1


def machine_of(device):
    """The device's name and its driver's version."""
    if device == "cpu":
        models = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")]
        return f"{models[0] if models else 'unknown'}, {len(models)} processors", "none"
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                               capture_output=True, text=True, timeout=30)
        name, driver = found.stdout.splitlines()[0].rsplit(",", 1)
        return name.strip(), driver.strip()
    except (OSError, subprocess.TimeoutExpired, IndexError, ValueError):
        return "unknown: nvidia-smi does not answer", "unknown"
