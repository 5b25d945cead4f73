#!/usr/bin/env python3
"""Template code (vm/template): random and chosen sequences of instructions, the programs of tests/e2e, and profiles
that begin while template code runs. The results must equal the interpreter's, and those of programs java's.

  CABERNET_SEED=N   the number of the first random sequence (default 1)
  tests/run/template.py [WORD...]   the tests whose names contain one of the words"""
import difflib, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "template")
CLASSES, SEQUENCES = os.path.join(WORK, "classes"), os.path.join(WORK, "sequences")
ASM = "/usr/share/java/asm.jar"
SEED, COUNT = int(os.environ.get("CABERNET_SEED") or 1), 250
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 300 * SLOWER  # seconds

NEVER = "optimize=4000000000,osr=4000000000"
ALONE = "-Xjit:template-threshold=1," + NEVER
# Code at the first call of methods whose instructions are resolved ahead of execution as far as possible.
AT_ONCE = "-Xcomp", "-Xjit:" + NEVER
LIBRARY = ",".join("exclude=%s/*" % name for name in ("java", "javax", "jdk", "sun", "com"))
# Transitions in both directions between template and optimised code. The library has no optimised code, otherwise this
# would take hours.
MIXED = "-Xjit:template-threshold=1,optimize=300,osr=300,blocking," + LIBRARY


def run(command, limit=LIMIT, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit, **more)


def output(*command):
    done = run(command)
    expect("%s (%s)" % (" ".join(command[:-1]), done.stderr[-2000:]), done.returncode, 0)
    return done.stdout


def programs(options, *which):
    """Runs the programs of a long list that are due in this turn."""
    done = run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--vm-args=" + options, "--in-turn", *which], 3600, env={**os.environ, "BUILD": BUILD})
    last = done.stdout.strip().split("\n")[-1]
    match = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    print("%s %s: %s" % (options, " ".join(which), last), flush=True)
    if not match or match[2] != "0":
        raise AssertionError(done.stdout[-4000:] + done.stderr[-4000:])


_expected = {}


def sequences(count, *options):
    """Runs `count` sequences and S0 with these options, and compares with java."""
    names = ["0", "1"], [str(SEED), str(count)]
    for first, number in names:
        key = first, number
        if key not in _expected:
            _expected[key] = output("java", "-XX:TieredStopAtLevel=1", "-cp", CLASSES + ":" + SEQUENCES, "Run", first, number)
        got = output(VM, *options, "-cp", CLASSES + ":" + SEQUENCES, "Run", first, number)
        if got != _expected[key]:
            lines = list(difflib.unified_diff(_expected[key].split("\n"), got.split("\n"), "java", " ".join(options), lineterm="", n=0))
            raise AssertionError("CABERNET_SEED=%d\n%s" % (SEED, "\n".join(lines[:20])))


def places(*options):
    if "places" not in _expected:
        _expected["places"] = output("java", "-cp", CLASSES, "Places")
    expect("Places %s" % " ".join(options), output(VM, *options, "-cp", CLASSES, "Places"), _expected["places"])


# ---- sequences of instructions ----------------------------------------------------------------------


@test
def sequences_interpreted():
    """Other differences from java, which template code does not cause."""
    sequences(60, "-Xint")
    places("-Xint")


@test
def sequences_in_template_code():
    sequences(COUNT, ALONE)
    places(ALONE)
    places(ALONE, "-Xss256k")


@test_lasting(20)
def sequences_in_both():
    sequences(30, MIXED)
    places(MIXED)


@test_lasting(20)
def sequences_deoptimised():
    sequences(20, MIXED + ",deopt-stress")
    sequences(10, MIXED + ",deopt-stress=7")


@test_lasting(20)
def sequences_collecting():
    sequences(40, ALONE, "-Xgcstress:100")
    places(ALONE, "-Xgcstress:1000")


@test
def sequences_at_the_first_call():
    sequences(COUNT, *AT_ONCE)
    places(*AT_ONCE)


@test_lasting(20)
def sequences_at_the_first_call_in_both():
    sequences(30, "-Xcomp", MIXED)
    places("-Xcomp", MIXED)


@test
def sequences_on_green_threads():
    sequences(40, ALONE, "-Xthreads:green:carriers=2")
    places(ALONE, "-Xthreads:green:carriers=2")


@test
def counted_for_plans():
    """Template code that counts its blocks for plans that are never made."""
    counting = "-Xjit:template-threshold=1,optimize=4,osr=4000000000,only=none.*"
    sequences(60, counting)
    places(counting)


@test_lasting(10)
def unloaded():
    want = output(VM, "-Xint", "-cp", CLASSES, "Unload", CLASSES, SEQUENCES, str(SEED), "4")
    for options in ALONE, "-Xjit:template-threshold=1,optimize=1000,osr=1000," + LIBRARY:
        got = output(VM, options, "-cp", CLASSES, "Unload", CLASSES, SEQUENCES, str(SEED), "4")
        expect("Unload", got, want)
        expect_in("unloaded true", got)


# ---- programs ---------------------------------------------------------------------------------------


@test
def programs_in_template_code():
    programs(ALONE, "lang/", "exc/", "init/", "indy/", "jit/", "num/", "string/", "coll/", "gc/", "regression/")


@test_lasting(40)
def other_programs_in_template_code():
    programs(ALONE, "linkage/", "loader/", "limit/", "verify/", "reflect/", "thread/", "time/", "io/", "net/", "mgmt/", "proc/", "sys/", "xml/")


@test_lasting(40)
def programs_in_both():
    programs(MIXED, "lang/", "exc/", "init/", "indy/", "jit/", "num/")


@test_lasting(40)
def programs_deoptimised():
    programs(MIXED + ",deopt-stress", "lang/", "exc/", "jit/")


@test_lasting(40)
def programs_collecting():
    programs(ALONE + " -Xgcstress:200", "lang/I", "lang/E", "lang/S", "exc/[!O]*", "init/", "coll/", "gc/")  # exc/Overflow_*: too slow, interpreted as well


@test_lasting(40)
def programs_on_green_threads():
    programs(ALONE + " -Xthreads:green:carriers=2", "thread/", "gc/", "exc/", "lang/", "net/", "indy/")


@test_lasting(40)
def programs_with_late_threads():
    programs(ALONE + " -Xthreadstress:1000", "thread/", "gc/", "init/", "jit/Locks")
    programs(MIXED + " -Xthreadstress:1000 -Xthreads:green:carriers=2", "thread/", "jit/Locks")


@test_lasting(20)
def programs_at_the_first_call():
    programs(" ".join(AT_ONCE), "exc/", "lang/", "init/", "indy/", "loader/", "thread/")


@test_lasting(20)
def programs_at_the_first_call_in_both():
    programs("-Xcomp " + MIXED, "exc/", "lang/", "jit/")
    programs("-Xcomp -Xthreads:green:carriers=2 " + MIXED, "exc/", "lang/E", "thread/")


# ---- calls between template code and optimised code -------------------------------------------------

# The methods of Crossings whose names begin with `o` are optimised, and nothing is inlined.
CROSSING = "-Xjit:template-threshold=1,optimize=300,osr=300,blocking,inline=off,only=Crossings.o*"


def crossings(*options):
    if "crossings" not in _expected:
        _expected["crossings"] = output("java", "-cp", CLASSES, "Crossings")
    expect("Crossings %s" % " ".join(options), output(VM, *options, "-cp", CLASSES, "Crossings"), _expected["crossings"])


@test
def crossings_both_ways():
    crossings(CROSSING)
    crossings(CROSSING, "-Xss256k")
    crossings(CROSSING, "-Xthreads:green:carriers=2")
    crossings(CROSSING + ",deopt-stress=7")


@test
def crossings_have_adapters():
    """perf receives the adapters' names."""
    process = subprocess.Popen([VM, CROSSING + ",perf-map", "-cp", CLASSES, "Crossings"], stdout=subprocess.PIPE, text=True)
    process.communicate(timeout=LIMIT)
    expect("Crossings", process.returncode, 0)
    path = "/tmp/perf-%d.map" % process.pid
    with open(path) as file:
        named = file.read()
    os.remove(path)
    # oInt, tInt, tVirtual, Array.setDouble
    for name in "template code calls (II)I", "compiled code calls (II)", "compiled code calls (LIJ)", "compiled code calls (LID)":
        expect_in(name, named)


@test_lasting(20)
def crossings_under_stress():
    crossings(CROSSING + ",deopt-stress")
    crossings(CROSSING, "-Xgcstress:500")
    crossings(CROSSING, "-Xthreadstress:1000")
    crossings(CROSSING + ",poll-stress=2000", "-Xthreads:green:carriers=2")


@test
def crossings_counted():
    """An exact profile of calls, except those that overflow the stack, whose number depends on its size."""
    found = []
    for mode in "-Xint", CROSSING:
        with Profiled() as file:
            output(VM, mode, "-Xprofile:method-count,call-edge:message=off:file=" + file, "-cp", CLASSES, "Crossings")
            lines = output(PROF, "export", "--lines", "--filter", "Crossings", file).splitlines()
            found.append(sorted(line for line in lines if "Down(" not in line))
    expect("rows", len(found[0]) > 100, True)
    expect("rows that differ", sorted(set(found[0]) ^ set(found[1]))[:10], [])


@test
def crossings_sampled():
    """Sampled code has no adapters."""
    for analyses in "method-count:sampling=counter:interval=100", "sampled":
        with Profiled() as file:
            crossings(CROSSING, "-Xprofile:%s:message=off:file=%s" % (analyses, file))


# ---- profiles ---------------------------------------------------------------------------------------


class Profiled:
    """A directory for profiles."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(dir=WORK)
        return os.path.join(self.path, "x.prof")

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def rows(file):
    """The profile's rows of Starts, except those that depend on time."""
    lines = output(PROF, "export", "--lines", "--filter", "Starts", file).splitlines()
    return sorted(line for line in lines if "gate" not in line and "Starts.open" not in line)


def profiled(how, analyses, *options):
    with Profiled() as file:
        said = output(VM, *options, "-cp", CLASSES, "Starts", "%s:message=off:file=%s" % (analyses, file), how)
        return said, rows(file)


def same_profiles(how, analyses, modes):
    said, want = profiled(how, analyses, "-Xint")
    expect("rows of %s" % analyses, len(want) > 15, True)
    for mode in modes:
        got_said, got = profiled(how, analyses, *mode)
        what = "%s %s %s" % (how, analyses, " ".join(mode))
        expect(what + ": output", got_said, said)
        expect(what + ": rows that differ", sorted(set(want) ^ set(got))[:10], [])


OWN = "only=Starts*.*"
STARTS = ["-Xjit:template-threshold=1,optimize=300,osr=300,blocking," + OWN]


@test
def profile_begins_under_way():
    """Profiles of threads in loops, deep in recursions, in monitors and in native code; they also stop and restart."""
    for analyses in "method-count,call-edge,field-access,branch", "call-edge,call-tree":
        same_profiles("twice", analyses, [[ALONE], [ALONE, "-Xthreads:green:carriers=2"]])
    same_profiles("once", "exact", [[ALONE]])


@test_lasting(20)
def profile_begins_in_both():
    for analyses in "method-count,call-edge,field-access,branch", "call-edge,call-tree", "exact":
        same_profiles("twice", analyses, [STARTS, [ALONE, "-Xthreadstress:500"], [*AT_ONCE], ["-Xjit:compile-all," + OWN]])


@test
def profile_switched():
    """The profile is switched on and off all the time; the program's results are the interpreter's."""
    want = None
    for options in ["-Xint"], [ALONE], [ALONE, "-Xthreads:green:carriers=2"], ["-Xjit:template-threshold=1,optimize=3000,osr=3000," + OWN]:
        for analyses in "exact", "call-edge,call-tree", "method-count,branch:sampling=counter:interval=3", "locks", "sampled":
            got, _ = profiled("switched", analyses, *options)
            want = want or got
            expect("switched %s %s" % (analyses, options), got, want)


@test
def profile_from_main():
    """Code from before main has no counting template code; code after that is counted nevertheless."""
    with Profiled() as file:
        found = []
        for mode in "-Xint", ALONE:
            output(VM, mode, "-Xprofile:method-count,call-edge,branch:from=main:message=off:file=" + file, "-cp", CLASSES, "Places")
            lines = output(PROF, "export", "--lines", "--filter", "Places", file).splitlines()
            found.append(sorted(line for line in lines if not re.search(r"down|overflows", line)))
        expect("rows", len(found[0]) > 15, True)
        expect("rows that differ", sorted(set(found[0]) ^ set(found[1]))[:10], [])


@test
def profile_of_threads():
    """Analyses that a listener to monitors serves, and events of unresolved field accesses."""
    with Profiled() as file:
        for analyses in "lock-order", "races", "locks", "value", "method-count,races":
            want = None
            for options in ["-Xint"], [ALONE], [ALONE, "-Xthreads:green"], STARTS:
                out = output(VM, *options, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", CLASSES, "Guarded")
                expect("output", out, "200010000 199990000\n")
                lines = output(PROF, "export", "--lines", file).splitlines()
                # Without times, addresses and who happened to wait.
                got = sorted(line for line in lines if "Guarded" in line and " ns" not in line and not line.startswith("threads.who") and not re.search(r" is \d{12,} ", line))
                want = want or got
                expect("rows of %s" % analyses, len(want) > 0, True)
                expect("%s %s: rows that differ" % (analyses, options), sorted(set(want) ^ set(got))[:10], [])


# ---- requests from outside --------------------------------------------------------------------------


def jcmd(process, *words):
    # On a busy machine jcmd may give up waiting for the process, with a message on standard error and no output.
    for _ in range(3):
        done = run(["jcmd", str(process.pid), *words])
        if done.returncode == 0:
            break
    return done.stdout


def busy(*options):
    process = subprocess.Popen([VM, *options, "-cp", CLASSES, "Starts", "none", "busy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    expect("the first line", process.stdout.readline(), "ready\n")
    return process


@test
def looked_at_while_it_runs():
    """Dumps of threads, collections and profiles requested from outside, while all threads run template code."""
    for options in [ALONE, "-Xthreads:green:carriers=2"], ["-Xjit:template-threshold=1,optimize=30000,osr=30000," + OWN]:
        with Profiled() as file:
            process = busy(*options)
            try:
                deepest = 0
                for n in range(5):
                    dump = jcmd(process, "Thread.print")
                    expect_in('"busy 0"', dump)
                    for stack in dump.split("\n\n"):
                        frames = re.findall(r"\tat Starts\.(\w+)\(Starts.java:(\d+)\)", stack)
                        recursion = [name for name, _ in frames if name.startswith("deep")]
                        deepest = max(deepest, len(recursion))
                        # deep recurses for odd numbers, and every second time through deepLocked, which calls it.
                        expect("nested deepLocked", [i for i in range(1, len(recursion)) if recursion[i] == recursion[i - 1] == "deepLocked"], [])
                    jcmd(process, "GC.run")
                    if n == 1:
                        expect_in("successfully", jcmd(process, "Profile.start", "exact:message=off:file=" + file))
                    elif n == 3:
                        expect_in("successfully", jcmd(process, "Profile.stop"))
                    elif n == 4:
                        expect_in("successfully", jcmd(process, "Profile.start"))
                expect("deep stacks", deepest > 10, True)
                said, _ = process.communicate("x\n", timeout=LIMIT)
            finally:
                process.kill()
            expect("what it said", said, "wrong: 0\n")
            expect("exit code", process.returncode, 0)
            expect("rows", len(rows(file)) > 15, True)


# ---- preparation ------------------------------------------------------------------------------------


def prepare():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(CLASSES)
    os.makedirs(SEQUENCES)
    sources = os.path.join(ROOT, "tests", "template")
    output("javac", "-nowarn", "-Xlint:none", "-cp", ASM + ":" + os.path.join(BUILD, "lib", "java"), "-d", CLASSES,
           os.path.join(ROOT, "tests", "e2e", "jit", "Crossings.java"), *(os.path.join(sources, name) for name in sorted(os.listdir(sources)) if name.endswith(".java")))
    for first, number in (0, 1), (SEED, COUNT):
        output("java", "-cp", ASM + ":" + CLASSES, "Generate", SEQUENCES, str(first), str(number))


if __name__ == "__main__":
    prepare()
    print("CABERNET_SEED=%d" % SEED, flush=True)
    sys.exit(run_tests())
