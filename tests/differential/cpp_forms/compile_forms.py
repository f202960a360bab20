"""Compiles forms into a library that the forms driver loads, as users compile and link."""

import dataclasses
import json
import os
import pathlib
import subprocess

from .print_form import function_name

FORM_HEADER = pathlib.Path(__file__).resolve().parents[1] / "driver"
SECONDS = 600
TEXT = """#include <form.hpp>

namespace {{
using namespace sinter;
using namespace differential;

{functions}

const named_form forms[] = {{
{rows}
    {{nullptr, nullptr}}}};
}}  // namespace

extern "C" const differential::named_form* differential_forms() {{ return forms; }}
"""


@dataclasses.dataclass
class Compiler:
    """The compiler that built the project, and the build's folders for programs."""

    compiler: str
    include: str
    library: str

    @classmethod
    def of_build(cls, path):
        found = cls(**json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        found.compiler = os.environ.get("CXX", found.compiler)
        return found

    def compile(self, forms, path):
        """Writes path.cpp and path.so; returns None, or the first line of the compiler's errors."""
        functions = "\n\n".join(form.text for form in forms)
        rows = "\n".join(
            f'    {{"{form.program.identifier}", {function_name(form.program)}}},' for form in forms
        )
        source, library = path.with_suffix(".cpp"), path.with_suffix(".so")
        source.write_text(TEXT.format(functions=functions, rows=rows), encoding="utf-8")
        command = [self.compiler, "-std=c++20", "-O0", "-w", "-fPIC", "-shared"]
        command += ["-I", self.include, "-I", str(FORM_HEADER), str(source), "-o", str(library), self.library]
        command += [f"-Wl,-rpath,{os.path.dirname(self.library)}"]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"no library within {SECONDS} seconds"
        if ended.returncode == 0:
            return None
        lines = ended.stderr.splitlines()
        errors = [line for line in lines if "error:" in line or "undefined reference" in line]
        return (errors or lines or ["the compiler failed"])[0]
