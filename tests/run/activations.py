#!/usr/bin/env python3
"""Sampled profiles of activations, their paths and their calling contexts. With interval=1 they equal the exact
profile, and so do all phases of a longer interval together, whichever engine executes the program. Exports of them are
marked as samples. The timer's samples are timely, with and without skipped checks (docs/PROFILING.md, "Sampling")."""
import collections, gzip, json, os, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "activations")
CLASSES = os.path.join(WORK, "classes")
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, turn

# Only the program's classes: the class library stays interpreted, otherwise this would take minutes.
OWN = "verify,only=Copies*.*"
VMS = {
    "interpreter": ["-Xint"],
    "optimized": ["-Xjit:compile-all," + OWN],
    "tiers": ["-Xjit:blocking,osr=10,optimize=30," + OWN],
    "stress": ["-Xjit:compile-all,deopt-stress=3," + OWN],
    "stress, no inlining": ["-Xjit:compile-all,inline=off,deopt-stress=3," + OWN],
    "no inlining": ["-Xjit:compile-all,inline=off," + OWN],
    "replacing": ["-Xjit:blocking,optimize=1000000,osr=10," + OWN],
    "templates": [],
    "green": ["-Xthreads:green", "-Xjit:compile-all," + OWN],
}
PROGRAMS = "Copies", "CopiesLoops", "CopiesVirtual", "CopiesChains"
MODES = "path", "call-tree", "call-tree:recursion=3", "path,call-tree,call-edge,branch"
IDEAL = 1.5  # allowed distance, in points, from the overlap expected of as many events drawn at random


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120 * SLOWER)


def profile(vm, options, program, file=None):
    """The program's output, and the count of each line about its methods."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = file or os.path.join(scratch, "x.prof")
        done = run([VM, *vm, "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, program])
        expect("exit code and messages", (done.returncode, done.stderr), (0, ""))
        lines = run([PROF, "export", "--lines", file]).stdout.splitlines()
    counts = collections.Counter()
    for line in lines:
        name, count = line.rsplit(" ", 1)
        if "Copies" in name and int(count):
            counts[name] += int(count)
    return done.stdout, counts


exact_profiles = {}


def exact(mode, program):
    """The interpreter's exact profile, cached."""
    key = mode, program
    if key not in exact_profiles:
        exact_profiles[key] = profile(["-Xint", "-Xdeterministic"], mode, program)
        if len(exact_profiles[key][1]) < 20:
            raise AssertionError("the exact profile has %d lines" % len(exact_profiles[key][1]))
    return exact_profiles[key]


def every_check(vm, mode, program):
    out, counts = profile(["-Xdeterministic", *VMS[vm]] if vm != "green" else VMS[vm], mode + ":sampling=counter:interval=1", program)
    expect("output", out, exact(mode, program)[0])
    expect("profile", counts, exact(mode, program)[1])


def leave_out_of_samples(counts, program):
    """The VM calls the main class's initialiser; unless that makes a check, no sample contains it."""
    return {line: count for line, count in counts.items() if " %s.<clinit>" % program not in line}


def all_phases(vm, mode, interval, program):
    """Each check is a sample in exactly one phase of the interval, so all phases together record everything once. Not with
    inlining: what is inlined makes no check where it belongs to an activation, and makes one after code was left."""
    counts = collections.Counter()
    for phase in range(1, interval + 1):
        out, part = profile(["-Xdeterministic", *VMS[vm]], "%s:sampling=counter:interval=%d:phase=%d" % (mode, interval, phase), program)
        expect("output", out, exact(mode, program)[0])
        counts += part
    expect("profile", leave_out_of_samples(counts, program), leave_out_of_samples(exact(mode, program)[1], program))


def record(options, file, *vm):
    done = run([VM, *vm, "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "CopiesLeaves", "10000"])
    expect("exit code and messages", (done.returncode, done.stderr), (0, ""))
    return json.loads(run([PROF, "report", "--json", file]).stdout)


@test
def samples_are_close():
    """Calls in their contexts have the exact profile's shares, within chance."""
    for mode, least in ("call-tree", IDEAL), ("path", IDEAL):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            exact_file, file = os.path.join(scratch, "exact.prof"), os.path.join(scratch, "x.prof")
            record(mode, exact_file)
            for how in "counter:interval=17:phase=5", "jitter:interval=23":
                record("%s:sampling=%s" % (mode, how), file)
                answer = json.loads(run([PROF, "overlap", "--json", exact_file, file]).stdout)["analyses"][0]
                if not answer["overlap"] >= answer["ideal"]["expected"] - least:
                    raise AssertionError("%s, %s: %s of %s" % (mode, how, answer["overlap"], answer["ideal"]["expected"]))


@test
def exports_say_that_they_are_samples():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file, out = os.path.join(scratch, "x.prof"), os.path.join(scratch, "out")
        for sampled, options in (False, "call-tree"), (True, "call-tree:sampling=counter:interval=7:phase=3"):
            profile = record(options, file)
            entries = profile["analyses"][0]["recorded"]
            stacks = run([PROF, "export", "--collapsed", "--all", file]).stdout.splitlines()
            expect("entries in collapsed stacks", sum(int(line.rsplit(" ", 1)[1]) for line in stacks), entries)
            if not any("CopiesLeaves.main" in line and ";CopiesLeaves.count" in line for line in stacks):
                raise AssertionError("no stack leads to CopiesLeaves.count")
            speedscope = json.loads(run([PROF, "export", "--speedscope", "--all", file]).stdout)
            expect("name in speedscope", "sampled" in speedscope["profiles"][0]["name"], sampled)
            expect("entries in speedscope", speedscope["profiles"][0]["endValue"], entries)
            for form, unpack in ("--pprof", gzip.decompress), ("--otlp", bytes):
                expect(form, run([PROF, "export", form, "-o", out, file]).returncode, 0)
                with open(out, "rb") as f:
                    expect("samples in " + form, b"sampled_entries" in unpack(f.read()), sampled)


@test
def rate_comes_to_an_interval():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        head = record("call-tree,path:sampling=rate:rate=50000", file, "-Xint")["header"]
        checks, samples = int(head["checks"]), int(head["samples"])
        expect("interval", int(head["interval"]), checks // samples)
        expect_in("50,000 in a second of processor time, which came to one in {:,} checks".format(checks // samples),
                  " ".join(run([PROF, "report", file]).stdout.split()))


@test
def timer_samples_in_time():
    """With full strides, samples follow the timer soon, and the number of checks is that of a counter's run."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        counted = int(record("call-edge:sampling=counter:interval=1000000", file, "-Xint")["header"]["checks"])
        for skip, words in ("", "by a timer every 1 ms, for 1 of them"), (":skip=300", "by a timer every 1 ms and at random up to 300 checks later, for"):
            profile = record("call-edge:sampling=timer:interval=1ms" + skip, file, "-Xint")
            head, calls = profile["header"], profile["analyses"][0]["recorded"]
            expect_in(words, " ".join(run([PROF, "report", file]).stdout.split()))
            checks, samples = int(head["checks"]), int(head["samples"])
            if not 0.98 * counted < checks < 1.02 * counted:
                raise AssertionError("%d checks, and %d of a counter" % (checks, counted))
            if samples < 10 or not calls:
                raise AssertionError("%d samples of %d checks, %d calls" % (samples, checks, calls))


PARTS = 6
_defined = 0


def define(name, function, *values):
    """Defines a test of a long list, of which a sixth runs in each turn. All turns of this part have the same remainder
    modulo 6, so the quotient selects the sixth."""
    global _defined
    _defined += 1
    if not sys.argv[1:] and turn() is not None and _defined % PARTS != turn() // PARTS % PARTS:
        return

    def body():
        function(*values)
    body.__name__ = name
    test(body)


for vm in VMS:
    for i, mode in enumerate(MODES):
        for program in PROGRAMS if vm == "optimized" else PROGRAMS[i % 2::2]:
            define("interval 1, %s, %s, %s" % (vm, mode, program), every_check, vm, mode, program)
for vm in "interpreter", "no inlining", "replacing", "templates", "stress, no inlining":
    for mode in MODES:
        define("all phases, %s, %s" % (vm, mode), all_phases, vm, mode, 3, PROGRAMS[(len(vm) + len(mode)) % 4])
    define("all phases of 2, %s" % vm, all_phases, vm, "path,call-tree", 2, "Copies")


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(CLASSES)
    sources = [os.path.join(ROOT, "tests", "profiler", name + ".java") for name in (*PROGRAMS, "CopiesLeaves", "Trees")]
    sources.append(os.path.join(ROOT, "tests", "e2e", "linkage", "Class_writer.java"))
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, *sources], check=True)
    return run_tests()


if __name__ == "__main__":
    sys.exit(main())
