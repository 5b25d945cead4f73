#!/usr/bin/env python3
"""The programs of tests/e2e in every mode: each way of executing bytecode, on native and green threads, without a
profile, with an exact and with a sampled one, and with each kind of stress.

A mode takes minutes, so a turn runs one mode with a share of the programs. TURN=all runs all modes with all programs;
MODES=N (0, 1...) runs the modes with those numbers, as in MODES=3,17."""
import os, re, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import NEVER, NO_LIBRARY, turn

# The library is left to the interpreter and template code where everything is optimised at the first call.
TIERS = {
    "interpreter": "-Xint",
    "template": "-Xcomp -Xjit:" + NEVER,
    "optimising": "-Xjit:template=off,compile-all," + NO_LIBRARY,
    "mixed": "-Xjit:template-threshold=2,osr=40,optimize=60,blocking," + NO_LIBRARY,
}
PROFILED = "-Xprofile:method-count,call-edge,field-access,branch:message=off:file=x.prof"
PROFILES = {
    "": "",
    "exact": PROFILED,
    "sampled": PROFILED + ":sampling=counter:interval=101",
}
STRESSES = {
    "deoptimisation": "-Xjit:compile-all,deopt-stress," + NO_LIBRARY,
    "deoptimisation, mixed": TIERS["mixed"] + ",deopt-stress=7",
    "polls, optimising": "-Xjit:compile-all,poll-stress=499," + NO_LIBRARY,
    "polls, mixed": TIERS["mixed"] + ",poll-stress=499",
    "collections, interpreter": "-Xint -Xgcstress:500",
    "collections, template": "-Xcomp -Xgcstress:500 -Xjit:" + NEVER,
    "collections, optimising": "-Xgcstress:500 -Xjit:compile-all," + NO_LIBRARY,
    "young collections, mixed, each compared with a full mark": "-Xgc-verify -Xgcstress-young:20000 " + TIERS["mixed"],
}
SHARES = 12  # of the programs, in a turn


def modes():
    for tier, options in TIERS.items():
        for threads in "native", "green":
            for profile, more in PROFILES.items():
                name = ", ".join(filter(None, (tier, threads, profile)))
                yield name, " ".join(filter(None, ("-Xthreads:green" if threads == "green" else "", options, more)))
    yield from STRESSES.items()


def chosen():
    every = list(enumerate(modes()))
    if os.environ.get("MODES"):
        return [every[int(n)] for n in os.environ["MODES"].split(",")]
    return every if turn() is None else [every[turn() * 5 % len(every)]]


def main():
    passed = failed = 0
    for number, (name, options) in chosen():
        command = [os.path.join(ROOT, "tests", "run", "e2e.py"), "--timeout=180", "--vm-args=" + options]
        if turn() is not None:
            command.append("--share=%d/%d" % (turn() % SHARES, SHARES))
        print("in turn: mode %d: %s" % (number, name), flush=True)
        start = time.monotonic()
        done = subprocess.run([*command, *sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout, flush=True)
        result = re.findall(r"^(\d+) passed, (\d+) failed$", done.stdout, re.MULTILINE)
        passed_now, failed_now = map(int, result[-1]) if result else (0, 1)
        # scripts/record-tests reads this line.
        print("mode %s: %d passed, %d failed (%d s)" % (name, passed_now, failed_now, time.monotonic() - start), flush=True)
        passed += passed_now
        failed += failed_now
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
