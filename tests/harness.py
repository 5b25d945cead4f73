"""What the Python programs of tests/run share: their tests, what these expect, and the line that scripts/test reads. Each has its own way to run
programs and to build what it needs."""
import sys, time, traceback

_tests = []


def test(function):
    """A test: a function that raises when it fails."""
    _tests.append(function)
    return function


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
    chosen = [t for t in _tests if not sys.argv[1:] or any(word in t.__name__ for word in sys.argv[1:])]
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
