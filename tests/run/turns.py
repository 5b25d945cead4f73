#!/usr/bin/env python3
"""The commit and TURN decide which tests run, never the date (scripts/test, tests/harness.py). Every part and every
long test has a turn, and the result names it. Results are recorded unchanged."""
import os, re, subprocess, sys, tempfile, textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import expect, run_tests, test

TEST = os.path.join(ROOT, "scripts", "test")
PROGRAMS = [entry.path for entry in os.scandir(os.path.join(ROOT, "tests", "run")) if entry.is_file()]
PARTS = {os.path.splitext(os.path.basename(path))[0] for path in PROGRAMS}
BY_HAND = {"apps", "apps-oracle", "apps-profile", "stress"}  # make test-apps, make stress


def listing(**environment):
    """{first words: parts} from the lists that scripts/test --list prints."""
    env = {k: v for k, v in os.environ.items() if k != "TURN"}
    done = subprocess.run([TEST, "--list"], capture_output=True, text=True, env={**env, **environment})
    expect("exit status", (done.returncode, done.stderr), (0, ""))
    return {what: words.split() for what, words in re.findall(r"^(turn|always:|in turn:|left to other turns:) ?(.*)$", done.stdout, re.M)}


@test
def every_part_has_its_turn():
    turns = [listing(TURN=str(n)) for n in range(72)]
    always = turns[0]["always:"]
    for lists in turns:
        expect("what always runs", lists["always:"], always)
    expect("parts in turn", sorted(part for lists in turns[:6] for part in lists["in turn:"]), sorted({part for lists in turns for part in lists["in turn:"]}))
    for lists in turns:
        expect("all parts", set(always) | set(lists["in turn:"]) | set(lists["left to other turns:"]) | BY_HAND, PARTS)
    everything = listing(TURN="all")
    expect("TURN=all", (everything["turn"], everything["left to other turns:"]), (["all"], []))
    for needed in "unit", "asserts", "oracle", "cab":
        expect(needed + " always runs", needed in always, True)


@test
def the_commit_chooses():
    with tempfile.TemporaryDirectory() as directory:
        git = ["git", "-C", directory, "-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run([*git, "init", "-q"], check=True)
        for number in range(6):
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", str(number)], check=True)
            commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
            expect("turn of " + commit, listing(GIT_DIR=os.path.join(directory, ".git"))["turn"], [str(int(commit[:7], 16) % 72)])
    expect("without a commit", listing(GIT_DIR="/nonexistent")["turn"], ["0"])


@test
def the_day_does_not():
    with tempfile.TemporaryDirectory() as directory:
        lists = []
        for day in 20000, 20001, 20002:
            with open(os.path.join(directory, "date"), "w") as f:
                f.write("#!/bin/sh\necho %d\n" % (day * 86400))
            os.chmod(os.path.join(directory, "date"), 0o755)
            lists.append(listing(PATH=directory + ":" + os.environ["PATH"]))
        expect("lists of other days", lists[1:], [lists[0]] * 2)
    runners = [TEST, os.path.join(ROOT, "tests", "harness.py"), *PROGRAMS]
    for path in runners:
        with open(path) as f:
            if path != os.path.abspath(__file__):
                expect(path + " reads the calendar", re.findall(r"\bdate \+|localtime|gmtime|datetime|% 7\b|86400", f.read()), [])


@test
def every_long_test_has_its_turn():
    program = textwrap.dedent("""
        import sys
        sys.path.insert(0, %r)
        from harness import has_turn, run_tests, test, test_lasting
        def make(n):
            def f(): print("ran", n)
            f.__name__ = "long_%%d" %% n
            return f
        for n in range(25): test_lasting(n * 7 %% 11 + 1)(make(n))
        @test
        def short(): print("ran short", [n for n in range(9) if has_turn(n)])
        sys.exit(run_tests())
        """ % os.path.join(ROOT, "tests"))

    def ran(turn):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "TURN": turn})
        expect("exit status", done.returncode, 0)
        names = re.findall(r"^ran (\d+)$", done.stdout, re.M)
        expect("what is said to run", re.findall(r"long_(\d+)", re.search(r"^in turn: (.*)$", done.stdout, re.M)[1]), names)
        return names, re.search(r"^ran short (.*)$", done.stdout, re.M)[1]

    turns = [ran(str(n)) for n in range(6)]
    expect("all of them, once", sorted((n for names, _ in turns for n in names), key=int), [str(n) for n in range(25)])
    expect("turns repeat", [ran("6"), ran("71")], [turns[0], turns[5]])
    expect("thirds", [thirds for _, thirds in turns[:3]], ["[0, 3, 6]", "[1, 4, 7]", "[2, 5, 8]"])
    expect("TURN=all", len(ran("all")[0]), 25)


@test
def wrong_turns_are_refused():
    for wrong in "72", "-1", "monday", "1.5":
        done = subprocess.run([TEST, "--list"], capture_output=True, text=True, env={**os.environ, "TURN": wrong})
        expect("TURN=" + wrong, (done.returncode, done.stdout, done.stderr), (2, "", "scripts/test: TURN=%s: a number from 0 to 71, or all\n" % wrong))


@test
def names_of_parts():
    """Programs of tests/run can be imported, and must not hide modules of the language from each other."""
    expect("parts with two programs", len(PROGRAMS), len(PARTS))
    expect("modules of the language", sorted(PARTS & set(sys.stdlib_module_names)), [])
    done = subprocess.run([TEST, "build", "tables", "nothing"], capture_output=True, text=True)
    expect("exit status", (done.returncode, done.stdout), (2, ""))
    expect("message", done.stderr.startswith("scripts/test: no part nothing; the parts: layers tables "), True)


@test
def a_run_is_announced():
    about = {turn: subprocess.run([TEST, "--about"], capture_output=True, text=True, env={**os.environ, "TURN": turn}).stdout for turn in ("0", "all")}
    counts = {turn: len(lists["always:"]) + len(lists["in turn:"]) for turn in about for lists in [listing(TURN=turn)]}
    for turn, said in about.items():
        expect("parts in %r" % said, int(re.search(r"(\d+) parts", said)[1]), counts[turn])


@test
def results_are_recorded():
    """Each run replaces the rows of its parts; a part without a result is an error that leaves the page unchanged."""
    def run_of(build, parts):
        for part, result in parts.items():
            with open(os.path.join(build, "tests", part + ".result"), "w") as f:
                f.write(result + "\n")
        return record(build, *parts)

    def record(build, *parts):
        return subprocess.run([os.path.join(ROOT, "scripts", "record-tests"), os.path.join(build, "page.md"), *parts], capture_output=True,
                              text=True, env={**os.environ, "BUILD": build}).returncode

    def page_of(build):
        with open(os.path.join(build, "page.md")) as f:
            return f.read()

    with tempfile.TemporaryDirectory() as build:
        os.mkdir(os.path.join(build, "tests"))
        expect("first run", run_of(build, {"first": "12 1 61", "second": "3 4 5"}), 0)
        expect("second run", run_of(build, {"second": "7 0 60"}), 0)
        page = page_of(build)
        expect("a part without a result", record(build, "third") != 0, True)
        expect("the page after it", page_of(build), page)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")][1:]
    expect("parts", [row[:4] for row in rows], [["first", "12", "1", "61"], ["second", "7", "0", "60"]])
    expect("date and commit", all(re.fullmatch(r"\d+-\d+-\d+", row[4]) and row[5] for row in rows), True)
    expect("sums", ": 19 passed, 1 failed, 3 minutes." in page, True)


sys.exit(run_tests())
