"""Interprocedural paths of a program from its trace (oracle.Steps), as defined at the head of
profiler/analyses/interprocedural_path.c, and the paths of a profile. A path is a tuple of steps (method, bytecode
index, what)."""
from collections import Counter

STEPS = 32
OTHER = ("-", -1, "return")  # return into code outside the program


class Frame:
    def __init__(self, method, caller, bci):
        self.method, self.caller, self.bci = method, caller, int(bci)


class Thread:
    """Every frame is an object; `been` holds the frames that the current path has visited."""

    def __init__(self, found):
        self.found, self.frames, self.path, self.been = found, [], [], set()

    def step(self, step, ends=False):
        self.path.append(step)
        if ends or len(self.path) > STEPS:
            self.found[tuple(self.path)] += 1
            self.path, self.been = [step], set()
        if self.frames:
            self.been.add(self.frames[-1])

    def outermost_is_left(self, step):
        if self.path:
            self.found[tuple(self.path + [step])] += 1
        self.path, self.been = [], set()

    def take(self, words):
        method = self.frames[-1].method if self.frames else None
        if words[0] == "enter":
            again = any(f in self.been and f.method == words[1] for f in self.frames)
            self.frames.append(Frame(*words[1:]))
            self.step((words[1], -1, "enter"), bool(again and self.path))
        elif words[0] == "leave":
            left = self.frames.pop()
            if self.frames:
                self.step(OTHER if left.caller == "-" else (left.caller, left.bci, "return"))
            else:
                self.outermost_is_left(OTHER)
        elif words[0] == "unwind":
            self.frames.pop()
            if self.frames:
                self.been.add(self.frames[-1])
            else:
                self.path, self.been = [], set()  # it contains only the exception that ended the previous path
        elif words[0] == "branch":
            self.step((method, int(words[1]), "edge:" + words[2]))
        elif words[0] == "back":
            self.step((method, int(words[1]), "back"), True)
        else:
            self.step((method, int(words[1]), "throw"), True)


def told(lines):
    found, thread = Counter(), None
    for line in lines:
        words = line.split()
        if words == ["thread"]:
            thread = Thread(found)
        else:
            thread.take(words)
    return found


def profiled(lines, classes):
    """The paths in the output of `export --lines`."""
    rows = {}
    for line in lines:
        word, node, parent, method, bci, what, count = line.split()
        owner = method.partition("(")[0].rpartition(".")[0].replace(".", "/")
        rows[node] = (parent, OTHER if what == "return" and owner not in classes else (method, int(bci), what), int(count))
    found = Counter()
    for node, (_, _, count) in rows.items():
        path = []
        while count and node in rows:
            path.insert(0, rows[node][1])
            node = rows[node][0]
        if count:
            found[tuple(path)] += count
    return found


def differences(lines, profile, classes):
    want, got = told(lines), profiled(profile, classes)
    text = lambda path: ", ".join("%s @%d %s" % step for step in path)
    complaints = ["path %s: expected %d, got %d" % (text(p), want[p], got[p]) for p in sorted(set(want) | set(got)) if want[p] != got[p]]
    return complaints if want else ["no paths"]
