"""What the Python programs of tests/run share: their tests, what these expect, and the line that scripts/test reads. Each has its own way to run
programs and to build what it needs."""
import os, sys, time, traceback

_tests = []
_in_turn = []
TURNS = 3


def turn():
    """Which part of what takes long is to run (0...2): TURN=N, which scripts/test sets so that each has its day. All of them: None."""
    chosen = os.environ.get("TURN") or "all"
    return None if chosen == "all" else int(chosen)


def has_turn(number):
    return turn() is None or number % TURNS == turn()


def test(function):
    """A test: a function that raises when it fails."""
    _tests.append(function)
    return function


def test_in_turn(function):
    """One that takes long. Those of a part take turns, unless it is asked for by name."""
    _in_turn.append(function)
    return test(function)


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


def run_tests():
    """Runs the tests whose names have one of the command line's words in them, or all. Returns the exit code."""
    named = sys.argv[1:]
    chosen = [t for t in _tests if (any(word in t.__name__ for word in named) if named
                                    else t not in _in_turn or has_turn(_in_turn.index(t)))]
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
