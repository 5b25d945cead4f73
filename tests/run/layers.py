#!/usr/bin/env python3
"""The rooms of scripts/layers.txt and the state of scripts/state.txt: the tree obeys them, and scripts/check-layers
detects violations. The same for the wording of comments, scripts/words.txt and scripts/check-words.

Nine different violations are planted one by one in a copy of the tree. Each must be found (violations by the headers
that it includes may be reported too), and none may be reported after it is removed.
"""
import os, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", "build")

# (name, file, line inserted at the start of the file, objects to rebuild, expected message)
PLANTED = [
    ("an include", "vm/objects/layout.c", '#include "vm/interp/interp.h"', ["vm/objects/layout"],
     "vm/objects may not see vm/interp"),
    ("an include with another spelling", "vm/threads/roots.c", '  #  include "../../vm/threads/../linking/link.h"',
     ["vm/threads/roots"], "vm/threads may not see vm/linking"),
    ("an include through another header", "profiler/analyses/table.h", '#include "vm/model/class.h"',
     ["profiler/analyses/table"], "profiler/analyses may not see vm/model"),
    ("a library's header behind a macro", "vm/jvm/jio.c", "#define COLLECTOR <gc/gc.h>\n#include COLLECTOR",
     ["vm/jvm/jio"], "only gc may include <gc/>"),
    ("a call without any include", "vm/base/javahome.c",
     "void tiering_print(void *out);\nvoid (*planted_call)(void *out) = tiering_print;", ["vm/base/javahome"],
     "vm/base may not call vm/adaptive"),
    ("a variable of a file that had none", "vm/base/arena.c", "int planted_state;", ["vm/base/arena"],
     "planted_state is not in scripts/state.txt"),
    ("a variable beside the structure of its file", "vm/base/exithooks.c", "_Atomic int planted_state;",
     ["vm/base/exithooks"], "the variables exithooks and planted_state belong into one structure"),
    ("a variable of each thread", "vm/base/arena.c", "_Thread_local int planted_state;", ["vm/base/arena"],
     "planted_state is not in scripts/state.txt"),
    ("a row for nothing", "scripts/state.txt", "vm/base/arena.c | planted_state | nothing | nobody", [],
     "planted_state of scripts/state.txt is not there"),
]


def check(root):
    result = subprocess.run([os.path.join(root, "scripts", "check-layers"), "build"], capture_output=True, text=True)
    return result.returncode, result.stderr.strip()


def copy_tree(to):
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in names:
        path = os.path.join(ROOT, name)
        if not name or name.startswith(("tests/", "benchmarks/apps/")) or not os.path.isfile(path):
            continue
        os.makedirs(os.path.dirname(os.path.join(to, name)) or to, exist_ok=True)
        shutil.copy2(path, os.path.join(to, name))
    shutil.copytree(os.path.join(ROOT, BUILD, "obj"), os.path.join(to, "build", "obj"))


def planted(tree, path, text, objects, expected):
    original = open(os.path.join(tree, path)).read()
    with open(os.path.join(tree, path), "w") as out:
        out.write(text + "\n" + original)
    names = ["build/obj/%s.o" % name for name in objects]
    # The objects of another build than "build" have dependency files that name other targets.
    for name in names:
        os.remove(os.path.join(tree, name))
    made = names and subprocess.run(["make", "-s"] + names, cwd=tree, capture_output=True, text=True)
    if made and made.returncode:
        return "does not compile: " + made.stderr[-500:]
    code, said = check(tree)
    with open(os.path.join(tree, path), "w") as out:
        out.write(original)
    for name in names:
        os.remove(os.path.join(tree, name))
    if names:
        subprocess.run(["make", "-s"] + names, cwd=tree, capture_output=True, text=True, check=True)
    rules = {line.split(":")[0] for line in said.split("\n") if line}
    return None if code == 1 and expected in rules else "said %r" % said


# (name, file, its text, whether scripts/check-words accepts it)
WORDING = [
    ("plain comments", "room/plain.c", "// Frees the queue after the last element.\nint x;  // the count\n", True),
    ("a hit in a comment at the end of a line", "room/code.c", "int x;  // the lock is taken anew\n", False),
    ("no comment, but a string", "room/string.c", 'const char *x = "behind // in front of";\n', True),
    ("a hit over two lines", "room/lines.h", "// The header stands in\n// front of the data, and is written in\n// front of it.\n", False),
    ("one hit in a hundred lines", "room/long.c", "// It counts.\n" * 99 + "// It is behind.\n", True),
    ("two hits in a hundred lines", "room/long.c", "// It counts.\n" * 98 + "// It is behind.\n" * 2, False),
    ("a document", "docs/PAGE.md", "# A page\n\n    indented behind\n\n```\nbehind\n```\n", True),
    ("a script", "room/script", "#!/bin/sh\n# Whoever calls it waits.\n", False),
]


def wording(path, text, accepted):
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(os.path.join(tree, "scripts"))
        os.makedirs(os.path.dirname(os.path.join(tree, path)))
        for name in "check-words", "words.txt":
            shutil.copy2(os.path.join(ROOT, "scripts", name), os.path.join(tree, "scripts", name))
        with open(os.path.join(tree, path), "w") as out:
            out.write(text)
        subprocess.run(["git", "init", "-q", tree], check=True)
        done = subprocess.run([os.path.join(tree, "scripts", "check-words")], capture_output=True, text=True)
    room = os.path.dirname(path)
    seen = any(line.split()[0] == room for line in done.stdout.split("\n") if line)
    if done.returncode == (0 if accepted else 1) and seen == (not accepted):
        return None
    return "exit code %d, said %r" % (done.returncode, done.stdout + done.stderr)


def main():
    failures = []
    words = subprocess.run([os.path.join(ROOT, "scripts", "check-words")], capture_output=True, text=True)
    if words.returncode:
        failures.append("wording of the tree:\n" + words.stdout + words.stderr)
    for what, path, text, accepted in WORDING:
        wrong = wording(path, text, accepted)
        if wrong:
            failures.append("wording, %s: %s" % (what, wrong))
    code, said = check(ROOT) if BUILD == "build" else (0, "")
    if code:
        failures.append("the tree:\n" + said)
    with tempfile.TemporaryDirectory() as tree:
        copy_tree(tree)
        for what, path, text, objects, expected in PLANTED:
            wrong = planted(tree, path, text, objects, expected)
            if wrong:
                failures.append("%s: %s" % (what, wrong))
        if check(tree)[0] and not code:
            failures.append("the copy is not what it was")
    for failure in failures:
        print(failure)
    print("%d passed, %d failed" % (len(PLANTED) + len(WORDING) + 2 - len(failures), len(failures)))
    sys.exit(1 if failures else 0)


main()
