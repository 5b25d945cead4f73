#!/usr/bin/env python3
"""The VM's mutexes have one order: no two runs of these programs may take two mutexes in opposite orders, one under the
other. The orders around a fork (vm/boot/subsystems.def) are included. tests/locks/recordlocks.c records the
acquisitions."""
import bisect, os, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import run_tests, test

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.chdir(ROOT)
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
T = os.path.join(BUILD, "tests", "locks")
EDGES = os.path.join(T, "edges")
RECORDER = os.path.join(T, "librecordlocks.so")
HOME = os.path.dirname(os.path.dirname(os.path.realpath(subprocess.run(["which", "javac"], capture_output=True, text=True).stdout.strip())))
OURS = ("libjvm.so", "libcabernet-jit.so")


def build():
    os.makedirs(T, exist_ok=True)
    compiler = os.environ.get("CC", "gcc").split() + ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(compiler + ["tests/locks/recordlocks.c", "-o", RECORDER, "-ldl"], check=True)
    subprocess.run(compiler + ["-isystem", HOME + "/include", "-isystem", HOME + "/include/linux", "tests/fork/forks.c", "-o", T + "/libforks.so", "-ldl"],
                   check=True)
    subprocess.run(["javac", "-cp", BUILD + "/lib/java", "-d", T, "tests/fork/Forks.java", "tests/fork/ForkProfiles.java", "tests/locks/Loaders.java"],
                   check=True)


def run(program, *options):
    environment = dict(os.environ, LOCK_EDGES=EDGES, LD_PRELOAD=RECORDER)
    command = ["timeout", "-k", "10", "120", BUILD + "/cabernet", *options, "-cp", ".", *program]
    done = subprocess.run(command, cwd=T, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise AssertionError("%s: exit %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))


FORKS = ["Forks", T + "/libforks.so", "4"]


def profile(analyses):
    return "-Xprofile:%s:message=off:file=locks.prof" % analyses


@test
def forks():
    run(FORKS, "-Xint")
    run(FORKS, "-Xjit:optimize=300,perf-map,jitdump")
    run(FORKS, "-Xjit:optimize=300", "-Xthreads:green:carriers=2")
    run(FORKS, "-Xjit:optimize=300", profile("call-edge,field-access"))
    run(FORKS, "-Xint", profile("method-count:sampling=timer:interval=1ms"))
    run(["ForkProfiles", T + "/libforks.so", "method-count:transport=cab:message=off:file=child.prof"], "-Xint")


@test
def classes_that_are_unloaded():
    for options in ([], ["-Xint"], ["-Xjit:optimize=300"], ["-Xthreads:green:carriers=2"]):
        for of_profile in ([], [profile("call-edge,branch,field-access")], [profile("call-tree:transport=cab")], [profile("call-edge:sampling=rate")]):
            run(["Loaders"], *options, *of_profile)


@test
def a_compiler():
    for of_profile in ([], [profile("method-count,call-edge")], [profile("path:sampling=rate")], [profile("locks")], [profile("call-edge:where=shadow")]):
        run(["com.sun.tools.javac.Main", "-proc:none", "-d", T + "/out", os.path.abspath("tests/fork/Forks.java")], "-Xjit:optimize=500", *of_profile)


def symbols(module):
    out = subprocess.run(["nm", "-n", "--defined-only", BUILD + "/lib/" + module], capture_output=True, text=True, check=True).stdout
    return [(int(a, 16), kind in "tT", name) for a, kind, name in (line.split() for line in out.splitlines())]


class Namer:
    def __init__(self):
        self.tables = {m: symbols(m) for m in OURS}

    def find(self, place):
        module, offset = place.split("+")
        table, at = self.tables.get(module), int(offset, 16)
        if not table:
            return place, False
        base, is_code, symbol = table[bisect.bisect(table, at, key=lambda row: row[0]) - 1]
        return (symbol if is_code or at == base else "%s+%d" % (symbol, at - base)), is_code

    def mutex(self, place):
        return self.find(place)[0]

    def callers(self, frames):
        """The functions that the words of a stack point into."""
        return " < ".join(name for name, is_code in map(self.find, frames) if is_code)


def cycles(edges):
    """For each edge on a cycle the shortest such cycle; each cycle once."""
    found = {}
    for start in edges:
        for first in edges[start]:
            before, queue = {first: start}, [first]
            while queue and start not in before:
                v = queue.pop(0)
                for w in edges.get(v, ()):
                    if w not in before:
                        before[w] = v
                        queue.append(w)
            if start in before:
                cycle = [start]
                while before[cycle[-1]] != start:
                    cycle.append(before[cycle[-1]])
                found.setdefault(frozenset(cycle), cycle[::-1])
    return sorted(found.values(), key=len)


@test
def one_order():
    edges, where, namer = {}, {}, Namer()
    with open(EDGES) as lines:
        for line in lines:
            start, end, *frames = line.split()
            edges.setdefault(start, set()).add(end)
            where.setdefault((start, end), frames)
    ours = [v for v in edges if v.startswith(OURS)]
    if len(ours) < 10:
        raise AssertionError("only %d mutexes of the VM are ever held while others are taken" % len(ours))
    wrong = ""
    for cycle in [c for c in cycles(edges) if any(v.startswith(OURS) for v in c)][:10]:
        wrong += "a cycle of %d:\n" % len(cycle)
        for pair in zip(cycle, cycle[1:] + cycle[:1]):
            wrong += "    %s before %s: %s\n" % (namer.mutex(pair[0]), namer.mutex(pair[1]), namer.callers(where[pair]))
    if wrong:
        raise AssertionError("mutexes that are taken in more than one order:\n" + wrong)


build()
if os.path.exists(EDGES):
    os.remove(EDGES)
sys.exit(run_tests())
