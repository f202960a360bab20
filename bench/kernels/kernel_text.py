"""Loads a translated program."""
import linecache

loaded = 0


def load(text):
    """The function `kernel` of a text. The text stays known by a name, where compilers look for sources."""
    global loaded
    loaded += 1
    name = f"<kernel {loaded}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made = {}
    exec(compile(text, name, "exec"), made)
    return made["kernel"]
