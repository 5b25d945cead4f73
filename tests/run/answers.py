#!/usr/bin/env python3
"""The commands of "Six problems" in docs/PROFILING.md, word for word: tests/profiler/planted/Main.java has one problem of
each kind, and the first screen of each answer must name it, with native and with green threads."""
import os, re, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import expect, run_tests, test

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
WORK = os.path.join(BUILD, "tests", "answers")
SCREEN, LIMIT = 24, 300


def commands():
    """{problem: its commands}. A problem is a line of text that ends with a colon; its commands are indented."""
    with open(os.path.join(ROOT, "docs", "PROFILING.md")) as f:
        section = f.read().split("\n## Six problems\n")[1].split("\n## ")[0]
    return {m[1]: [line[4:] for line in m[2].splitlines()]
            for m in re.finditer(r"^\*\*(.*)\*\*.*\n\n((?:    .*\n)+)", section, re.M)}


def shell(command, green):
    """The lines that the command prints on a terminal. It is written for a path that has the programs."""
    environment = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"], **({"JDK_JAVA_OPTIONS": "-Xthreads:green"} if green else {}))
    done = subprocess.run(command, shell=True, cwd=WORK, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    expect("exit code of %s (%s)" % (command, done.stdout), done.returncode, 0)
    return [line for line in done.stdout.splitlines() if not line.startswith(("NOTE: Picked up", "sold "))]


def answer(problem, pattern):
    """A row or a finding on the first screen of the last command matches the pattern."""
    for green in False, True:
        printed = [shell(command, green) for command in commands()[problem]]
        screen = "\n".join(printed[-1][:SCREEN])
        if not re.search(pattern, screen, re.M):
            raise AssertionError("green=%s: %s is not in:\n%s" % (green, pattern, screen))


@test
def every_problem_is_tested():
    expect("problems", list(commands()), ["A slow method", "An allocation site", "An exception storm", "A contended lock", "A race", "A dead branch"])


@test
def slow_method():
    answer("A slow method", r"^ +[4-9]\d\.\d +[4-9]\d\.\d  Prices\.forecast$")


@test
def allocation_site():
    answer("An allocation site", r"\bcount +% .*\n +[\d,]+ +(9\d|100)\.\d .*Report\.render\(Main\.java:\d+\) @\d+ byte\[\]$")


@test
def exception_storm():
    answer("An exception storm", r"^ +600 +100\.0 .*Numbers\.number\(Main\.java:\d+\)")


@test
def contended_lock():
    """On a busy machine, the sellers can keep the auditor waiting even longer than he keeps them."""
    answer("A contended lock", r"^findings:\n(?:  auditor .*\n)?  seller-# waited [\d.]+ m?s for Catalogue's lock, held by auditor in Catalogue\.audit\(Main\.java:\d+\), at Catalogue\.find")


@test
def race():
    answer("A race", r"variable +Visits\.visits\n +at +Visits\.count\(Main\.java:\d+\)")


@test
def dead_branch():
    answer("A dead branch", r"^branches of which one way was never taken: .*(\n.*)*Discount\.of\(Main\.java:\d+\) @\d+ edge 1 always, edge 0 never$")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(os.path.join(WORK, "classes"))
subprocess.run(["javac", "-d", "classes", os.path.join(ROOT, "tests", "profiler", "planted", "Main.java")], cwd=WORK, check=True)
subprocess.run(["jar", "cf", "app.jar", "-C", "classes", "."], cwd=WORK, check=True)
sys.exit(run_tests())
