"""Shared code of the Python programs in tests/run: their tests, expectations, and the result line that scripts/test
reads. Each program runs VMs and builds its inputs separately."""
import os, sys, time, traceback, zlib

_tests = []
_lasting = []  # (seconds, test)
TURNS = 6
# Factor of time limits: builds with assertions or sanitizers are several times slower.
SLOWER = 1 if os.path.basename(os.path.abspath(os.environ.get("BUILD") or "build")) == "build" else 4
# Suboptions of -Xjit: the optimising tier compiles nothing of the class library, or nothing at all.
NO_LIBRARY = "exclude=java/*,exclude=javax/*,exclude=jdk/*,exclude=sun/*,exclude=com/*"
NEVER = "optimize=4000000000,osr=4000000000"


def turn():
    """The share of the long tests to run: TURN=N, which scripts/test derives from the commit's hash. Nothing else may
    decide it, so that a commit has the same tests on every day. None: all of them."""
    chosen = os.environ.get("TURN") or "all"
    return None if chosen == "all" else int(chosen)


def has_turn(number, parts=3):
    """Whether item `number` of a long list runs now; each of `parts` turns (3 or TURNS) runs one share of the list."""
    return turn() is None or number % parts == turn() % parts


def say_turn(what):
    """Prints which third of a long list runs, for scripts/test."""
    print("in turn: " + (what if turn() is None else "%s, the third that begins with number %d" % (what, turn() % 3)), flush=True)


def test(function):
    """A test: a function that raises when it fails."""
    _tests.append(function)
    return function


def test_lasting(seconds):
    """A test that takes about this many seconds. A part's lasting tests are spread over TURNS turns of nearly equal
    length, unless they are selected by name."""
    def add(function):
        _lasting.append((seconds, function))
        return test(function)
    return add


def _of_this_turn():
    """The tests of _lasting that run in this turn. From the longest on, each is assigned to the turn with the least
    time so far. The offset depends on the part, so the parts have their longest tests in different turns."""
    if turn() is None:
        return {t for _, t in _lasting}
    part = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    first = zlib.crc32(part.encode())
    turns = [(0, n, set()) for n in range(TURNS)]
    for seconds, t in sorted(_lasting, key=lambda s: -s[0]):
        so_far, n, tests = min(turns, key=lambda s: s[:2])
        turns[n] = (so_far + seconds, n, tests | {t})
    return turns[(turn() + first) % TURNS][2]


def expect(what, got, want):
    if got == want:
        return
    if isinstance(got, dict) and isinstance(want, dict):
        different = sorted((k for k in {*got, *want} if got.get(k) != want.get(k)), key=repr)
        shown = ", ".join("%r: expected %r, got %r" % (k, want.get(k), got.get(k)) for k in different[:10])
        raise AssertionError("%s: %d differences: %s" % (what, len(different), shown or "%r and %r" % (got, want)))
    raise AssertionError("%s: expected %r, got %r" % (what, want, got))


def expect_in(part, text):
    if part not in text:
        raise AssertionError("expected %r in:\n%s" % (part, text))


def between(what, got, least, most):
    if not least <= got <= most:
        raise AssertionError("%s: %r is not between %r and %r" % (what, got, least, most))


def run_tests():
    """Runs the tests whose names contain one of the command line's words, or all of them. Returns the exit code."""
    named = sys.argv[1:]
    left_out = {t for _, t in _lasting} - _of_this_turn()
    chosen = [t for t in _tests if (any(word in t.__name__ for word in named) if named else t not in left_out)]
    if _lasting and not named:
        print("in turn: %s; %d left to other turns" % (", ".join(t.__name__ for _, t in _lasting if t not in left_out) or "none", len(left_out)), flush=True)
    failed = 0
    for t in chosen:
        start = time.monotonic()
        try:
            t()
            print("ok      %s (%.1f s)" % (t.__name__, time.monotonic() - start), flush=True)
        except Exception:
            failed += 1
            print("FAILED  %s\n%s" % (t.__name__, traceback.format_exc()), flush=True)
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed else 0
