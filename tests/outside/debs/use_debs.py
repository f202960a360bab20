"""Makes the Debian packages, installs them into root folders that have nothing but what packages declare to need, and uses
them there.

The folders are made of the files of this machine's packages, and dpkg itself installs the new ones: it refuses them where a
package that they need is not there, and programs do not start where one is not declared. Needs root, for chroot.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

build, folder, program, page = (pathlib.Path(each) for each in sys.argv[1:5])
environment = {"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/", "SINTER_CACHE": "off", "LC_ALL": "C"}


def output_of(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def skip(why):
    if "dpkg" in os.environ.get("SINTER_EXPECT", "").split(","):
        sys.exit(f"SINTER_EXPECT says that there is 'dpkg', and it cannot be used: {why}")
    print(f"skipped, without dpkg: 1 ({why})")
    sys.exit(0)


def installed_package(name):
    """The stanza of an installed package that has this name or provides it."""
    asked = subprocess.run(("dpkg-query", "--status", name), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if asked.returncode == 0 and "\nStatus: install ok installed\n" in asked.stdout:
        return asked.stdout
    provided = re.escape(name)
    for line in output_of("dpkg-query", "--show", "--showformat=${Package}\t${Provides}\n").splitlines():
        package, provides = line.split("\t")
        if re.search(rf"(^|, ){provided}( |,|$)", provides):
            return output_of("dpkg-query", "--status", package)
    return None


def field_of(stanza, name):
    found = re.search(rf"^{name}: (.*)$", stanza, re.MULTILINE)
    return found[1] if found else ""


def needed_by(stanza):
    """Names of needed packages, of each the alternatives."""
    for name in ("Pre-Depends", "Depends"):
        for choice in filter(None, field_of(stanza, name).split(", ")):
            yield [re.match(r"[^ :(]+", each.strip())[0] for each in choice.split("|")]


def closure(stanzas, here):
    """The stanzas of the packages that these need, and that those need, of this machine; without those in `here`."""
    found, open_ = {}, list(stanzas)
    while open_:
        for choice in needed_by(open_.pop()):
            if any(name in here for name in choice):
                continue
            candidates = [stanza for stanza in map(installed_package, choice) if stanza]
            if not candidates:
                skip(f"the package {choice[0]} is not installed here, and so cannot be copied")
            name = field_of(candidates[0], "Package")
            if name not in found:
                found[name] = candidates[0]
                open_.append(candidates[0])
    return found


def make_root(root, packages):
    """A folder with the files of packages, and dpkg's list of them."""
    for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "tmp", "proc", "dev", "var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    files = set()
    for name, stanza in packages.items():
        qualified = name
        if field_of(stanza, "Multi-Arch") == "same":
            qualified += ":" + field_of(stanza, "Architecture")
        files.update(output_of("dpkg-query", "--listfiles", qualified).splitlines())
    existing = []
    for file in sorted(files):
        path = os.path.realpath(os.path.dirname(file)) + "/" + os.path.basename(file)  # /lib is /usr/lib
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
            existing.append(path.lstrip("/"))
    listed = "\0".join(existing).encode()
    packed = subprocess.Popen(("tar", "-C", "/", "--null", "-cf", "-", "-T", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacking = subprocess.Popen(("tar", "-C", root, "-xf", "-"), stdin=packed.stdout)
    packed.stdin.write(listed)
    packed.stdin.close()
    if packed.wait() or unpacking.wait():
        sys.exit("the packages of this machine could not be copied")
    (root / "var/lib/dpkg/status").write_text("\n".join(packages.values()))
    # Links that packages make when they are configured, which no list of files has.
    for name in ("c++", "cc"):
        if not (root / "usr/bin" / name).exists():
            (root / "usr/bin" / name).symlink_to("g++" if name == "c++" else "gcc")


def run_in(root, *words):
    """What a command prints in a root folder, with /proc there, by which kernels are linked and loaded from memory."""
    print("$", " ".join(words), flush=True)
    script = 'mount --bind /proc "$1/proc" && exec chroot "$@"'
    return output_of("unshare", "--mount", "sh", "-c", script, "sh", root, *words, env=environment)


# A mistake that compilers let pass, in a program that includes the C++ library but, as nothing of Sinter is installed,
# declares what the check looks for.
MISTAKE = """#include <cmath>
namespace sinter { template <class Body> int fuse(Body) { return 0; } }
float gain = 2;
int made = sinter::fuse([](auto x) { return gain * std::exp(x); });
"""


def check_in(root, essential, stanza, made):
    """sinter-check from its package, alone but for a C++ library, finds a mistake."""
    tools = "Package: tools\nDepends: g++\n"
    make_root(root, closure([essential, tools, stanza], {}))
    subprocess.run(("dpkg", f"--root={root}", "--install", made["sinter-check"]), check=True)
    (root / "tmp/mistake.cpp").write_text(MISTAKE)
    found = run_in(root, "/usr/bin/sinter-check", "--exit-zero", "/tmp/mistake.cpp", "--", "-std=c++20")
    if "`gain` is read once" not in found:
        sys.exit(f"sinter-check found {found!r}")


def main():
    may_mount = ("unshare", "--mount", "mount", "--bind", "/proc", "/proc")
    if subprocess.run(may_mount, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        skip("this process may not mount file systems")
    shutil.rmtree(folder, ignore_errors=True)
    debs = folder / "debs"
    subprocess.run(("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", debs), check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(debs / "_CPack_Packages", ignore_errors=True)
    made = {output_of("dpkg-deb", "--field", deb, "Package").strip(): deb for deb in debs.glob("*.deb")}
    stanzas = {name: output_of("dpkg-deb", "--field", deb) for name, deb in made.items()}
    runtime = next(name for name in made if re.fullmatch(r"libsinter\d+", name))

    # What programs need to run, and the command; besides, what every Debian system has and no package names: a shell for
    # what packages do when they are installed, and ldconfig.
    essential = "Package: essential\nDepends: dash, libc-bin\n"
    used = [runtime, "sinter"] if "sinter" in made else [runtime]
    root = folder / "root"
    make_root(root, closure([essential, *(stanzas[name] for name in used)], made))
    subprocess.run(("dpkg", f"--root={root}", "--install", *(made[name] for name in used)), check=True)
    shutil.copy(program, root / "tmp/app")
    print(run_in(root, "/tmp/app"))
    if "sinter" in made:
        print(run_in(root, "/usr/bin/sinter", "doctor"))

    if "sinter-check" in made:
        check_in(folder / "check_root", essential, stanzas["sinter-check"], made)

    # What programs need to be built, by the page on make.
    tools = "Package: tools\nDepends: g++, make, pkg-config | pkgconf\n"
    root = folder / "dev_root"
    make_root(root, closure([essential, tools, stanzas[runtime], stanzas["libsinter-dev"]], made))
    subprocess.run(("dpkg", f"--root={root}", "--install", made[runtime], made["libsinter-dev"]), check=True)
    shown = dict(re.findall(r"`([\w.]+)`:\n\n```\w*\n(.*?)```\n", page.read_text(), re.DOTALL))
    for name in ("main.cpp", "Makefile"):
        (root / "tmp" / name).write_text(shown[name])
    print(run_in(root, "/usr/bin/make", "-C", "/tmp"))
    answer = run_in(root, "/tmp/program")
    if answer != "3\n5\n7\n":
        sys.exit(f"the program printed {answer!r}")
    shutil.rmtree(folder)


main()
