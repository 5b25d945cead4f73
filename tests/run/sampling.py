#!/usr/bin/env python3
"""Sampled profiles: with interval=1 they equal the interpreter's exact profile, whatever executes the code. When a
sample begins, optimised and template code exit to the interpreter. Without inlining, neither shifts a check: under
-Xdeterministic the samples of an interval and a phase are the same in the interpreter, in template code and in optimised
code, and all phases together are the exact profile. Inlined methods make no checks, so samples with inlining are others; every event is nevertheless recorded as often as any other. With copies=inline, kept for comparison, compiled
code executes samples itself.

Which checks are samples depends on the number of checks that the class library made before, and so on the JDK. Tests of
samples therefore fix a phase of the interval, and their claims hold for all phases. A third of the tests runs in each
turn (TURN=all: all of them)."""
import collections, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import NEVER, SLOWER, has_turn, say_turn

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "sampling")
ALL = "method-count,call-edge,field-access,branch"
# Only the program's classes: the class library stays interpreted, otherwise this would take minutes.
OWN = "verify,only=Copies*.*"
VMS = {
    "interpreter": ["-Xint"],
    "template": ["-Xjit:template-threshold=1," + NEVER],
    "template, first call": ["-Xcomp", "-Xjit:" + NEVER],
    "template and optimized": ["-Xjit:template-threshold=1,optimize=300,osr=300,blocking," + OWN],
    "optimized": ["-Xjit:compile-all," + OWN],
    "tiers": ["-Xjit:blocking,osr=10,optimize=30," + OWN],
    "stress": ["-Xjit:compile-all,deopt-stress," + OWN],
    "optimized, stress": ["-Xjit:compile-all,deopt-stress=3," + OWN],
    "optimized, poll stress": ["-Xjit:compile-all,poll-stress=499," + OWN],
    "no inlining": ["-Xjit:compile-all,inline=off," + OWN],
    "green": ["-Xthreads:green", "-Xjit:compile-all," + OWN],
}
# Template code counts for a while where events are counted; code for paths not seen by then is left to the interpreter.
ADAPTIVE = ["-Xadaptive", "-Xjit:blocking,osr=10,optimize=7000," + OWN]
# Only loops are compiled, by OSR from the interpreter.
REPLACING = ["-Xjit:blocking,optimize=1000000,osr=10," + OWN]
# The modes with identical samples. Not stress, where code deoptimises elsewhere for other reasons, nor green threads.
# With -Xint the library makes different checks before main, because it reads a VM property for that mode.
ALIKE = "template", "no inlining"
ALONE = ["-Xjit:template=off," + NEVER]  # the interpreter
# Threads take turns, and nothing depends on addresses or the clock.
REPEATABLE = ["-Xdeterministic"]
TURNS = 70000  # iterations of each loop of CopiesRets
DUPS = "full", "partial", "no", "auto"
PROGRAMS = "Copies", "CopiesApart", "CopiesChains", "CopiesDeep", "CopiesLoops", "CopiesVirtual"
CLOSE = 95  # per cent; recording at every call rather than at samples alone gave less than 60


def profile(vm, options, program="Copies"):
    """The program's output, and the profile's lines about its methods and fields. CopiesLate starts its profile
    itself."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        what = "%s:message=off:file=%s" % (options, file)
        late = program == "CopiesLate"
        command = [VM, *vm, *([] if late else ["-Xprofile:" + what]), "-cp", WORK, program, *([what] if late else [])]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120 * SLOWER)
        if done.returncode != 0 or done.stderr:
            raise AssertionError("exit code %d: %s" % (done.returncode, done.stderr[-2000:]))
        lines = subprocess.run([PROF, "export", "--lines", file], stdout=subprocess.PIPE, text=True, check=True).stdout
        return done.stdout, [line for line in lines.splitlines() if "Copies" in line]


_exact = {}


def exact_of(program):
    """The exact profile of the interpreter."""
    if program not in _exact:
        _exact[program] = profile(["-Xint"], ALL, program)
        if len(_exact[program][1]) < 30:
            raise AssertionError("the exact profile of %s has %d lines" % (program, len(_exact[program][1])))
    return _exact[program]


def difference(got, want):
    return ["-" + l for l in want if l not in set(got)][:5] + ["+" + l for l in got if l not in set(want)][:5]


def same(got, want):
    if got[0] != want[0]:
        raise AssertionError("printed %r, not %r" % (got[0], want[0]))
    if got[1] != want[1]:
        raise AssertionError("profiles differ:\n" + "\n".join(difference(got[1], want[1])))


def twice(vm, options, exact, program):
    """Two equal runs give equal samples, which are a part of all events."""
    first = profile([*REPEATABLE, *vm], options, program)
    if not first[1] or first[1] == exact[1]:
        raise AssertionError("nothing was sampled, or everything")
    same(profile([*REPEATABLE, *vm], options, program), first)


def total(profiles):
    """The summed lines of several profiles."""
    counts = collections.Counter()
    for line in (line for p in profiles for line in p[1]):
        name, count = line.rsplit(" ", 1)
        counts[name] += int(count)
    return sorted("%s %d" % row for row in counts.items())


def all_phases(vm, dup, interval, exact, program="Copies"):
    """Each check is a sample in exactly one phase of the interval, so all phases together record everything once."""
    same((exact[0], total(profile([*REPEATABLE, *vm], "%s:sampling=counter:interval=%d:phase=%d:dup=%s" %
                                  (ALL, interval, phase, dup), program) for phase in range(1, interval + 1))),
         (exact[0], total([exact])))


def unbiased(program, vm="optimized"):
    """Inlined methods are part of the activation that they are inlined into. Every event is nevertheless recorded as often
    as any other. Where template code executes some iterations after a sample, with a check in each call, the interval must
    be longer than that."""
    interval, runs = (31, 24) if "tiers" in vm or "and" in vm else (10, 8)
    exact = dict(line.rsplit(" ", 1) for line in exact_of(program)[1])
    how = ALL + ":sampling=jitter:interval=%d:jitter=%d:seed=%%d" % (interval, interval // 2)
    got = dict(line.rsplit(" ", 1) for line in total(profile([*REPEATABLE, *VMS[vm]], how % seed, program)
                                                     for seed in range(1, runs + 1)))
    most = sum(map(int, exact.values())) * runs / interval
    if not 0.95 < sum(map(int, got.values())) / most < 1.05:
        raise AssertionError("%s of %d events are recorded" % (sum(map(int, got.values())), most))
    for row, count in exact.items():  # events of a sample belong together, so counts scatter more than single draws
        expected = int(count) * runs / interval
        if expected >= 400 and not 0.65 < int(got.get(row, 0)) / expected < 1.35:
            raise AssertionError("%s: %s, expected %d" % (row, got.get(row), expected))


def no_check_twice(exact):
    """With checks at backedges alone, a callee records nothing before its first check; but nothing is counted twice."""
    most = dict(line.rsplit(" ", 1) for line in exact[1])
    how = ALL + ":sampling=counter:checks=backedges:interval=2:phase=%d"
    got = total(profile([*REPEATABLE, *REPLACING], how % phase) for phase in (1, 2))
    more = [line for line in got for name, count in [line.rsplit(" ", 1)] if int(count) > int(most.get(name, 0))]
    if len(got) < 60 or more:
        raise AssertionError("%d lines, too much in %s" % (len(got), more[:5]))


def calls_profile(sampling, program, vm):
    file = os.path.join(WORK, "%s-%s.prof" % (program, sampling.split(":")[0]))
    subprocess.run([VM, *VMS[vm], "-Xprofile:call-edge:message=off:sampling=%s:file=%s" % (sampling, file), "-cp", WORK, program, "10000"],
                   stdout=subprocess.DEVNULL, check=True, timeout=120 * SLOWER)
    return file


def close(dup, program="CopiesLeaves", vm="optimized"):
    """Samples of compiled code that calls VM-implemented methods, or methods without checks, have the exact profile's
    shares."""
    exact = calls_profile("off", program, vm)
    for phase in 1, 9:
        sampled = calls_profile("counter:interval=17:phase=%d:dup=%s" % (phase, dup), program, vm)
        answer = json.loads(subprocess.run([PROF, "overlap", "--json", exact, sampled], stdout=subprocess.PIPE,
                                           check=True).stdout)
        overlap = answer["analyses"][0]["overlap"]
        if overlap < CLOSE:
            raise AssertionError("phase %d: overlap with the exact profile: %s %%" % (phase, overlap))


def subroutines(vm, loops):
    """Each iteration of a loop whose body is a subroutine is one check, in any tier and wherever its header is. Its
    test executes once more than the body, the first time before any check of the loop, so that execution is never in a
    sample. Phases differ by one iteration, and by one more where the tier changes. The interpreter checks at a branch
    of the iteration, compiled code at its ret; so in each run the iteration that switches tiers may count for either or
    for both."""
    interval = 3
    how = "branch:sampling=counter:checks=backedges:interval=%d:phase=%d"
    found = [profile([*REPEATABLE, *vm], how % (interval, phase), "CopiesRets")[1] for phase in range(1, interval + 1)]
    for loop in loops:
        counts = [sum(int(l.split()[-1]) for l in lines if "CopiesRet." + loop in l) for lines in found]
        if abs(sum(counts) - TURNS) > interval or max(counts) - min(counts) > 2:
            raise AssertionError("%s: samples %s of %d turns" % (loop, counts, TURNS))


# Events between CopiesLate's start of its profile and the next check of the activations then on the stack, which no
# sample contains: the first of the ten calls in starts, and the rest of that iteration in main.
BEFORE_A_CHECK = ("method CopiesLate.twist(I)I", "edge CopiesLate.starts(ILjava/lang/String;)I 40 CopiesLate.twist(I)I",
                  "branch CopiesLate.starts(ILjava/lang/String;)I 36 0", "branch CopiesLate.main([Ljava/lang/String;)V 38 1",
                  "branch CopiesLate.main([Ljava/lang/String;)V 58 1", "field CopiesLate.turns:I get", "field CopiesLate.turns:I put")


def late_tests():
    """A profile that starts while the program is in compiled code, in the middle of main's only loop."""
    exact = profile(["-Xint"], ALL, "CopiesLate")
    if not any("CopiesLate.turns:I put 60000" in line for line in exact[1]):
        raise AssertionError("the exact profile: %s" % exact[1])
    counts = [line.rsplit(" ", 1) for line in exact[1]]
    sampled, no = ((exact[0], ["%s %d" % (name, int(count) - (name in missing)) for name, count in counts])
                   # With dup=no, twist makes a check, although it has neither loops nor calls.
                   for missing in (BEFORE_A_CHECK, BEFORE_A_CHECK[2:]))
    hows = ["sampling=off"] + ["sampling=counter:interval=1:dup=" + dup for dup in DUPS]
    pairs = [("tiers", how) for how in hows] + [(vm, how) for vm in ("interpreter", "template", "no inlining", "stress", "green") for how in hows[:2]]
    for vm, how in pairs:
        want = exact if how == hows[0] else no if how.endswith("dup=no") else sampled
        yield "late, %s, %s" % (vm, how), lambda vm=vm, how=how, want=want: same(profile(VMS[vm], ALL + ":" + how, "CopiesLate"), want)
    yield "late, background", lambda: same(profile([], ALL + ":" + hows[1], "CopiesLate"), sampled)
    yield "late, twice the same", lambda: twice(VMS["tiers"], ALL + ":sampling=counter:interval=11", exact, "CopiesLate")


def same_samples(program, interval, phase):
    """Every tier makes the same samples as the interpreter, as long as nothing is inlined."""
    options = ALL + ":dup=full:sampling=counter:interval=%d:phase=%d" % (interval, phase)
    want = profile([*REPEATABLE, *ALONE], options, program)
    if len(want[1]) < 8 or want[1] == exact_of(program)[1]:
        raise AssertionError("%d lines" % len(want[1]))
    for name in ALIKE:
        try:
            same(profile([*REPEATABLE, *VMS[name]], options, program), want)
        except AssertionError as e:
            raise AssertionError("%s: %s" % (name, e)) from e


def same_samples_in_strips(interval, phase):
    """Strip-mined loops make the same checks as plain ones, and so the same samples."""
    options = ALL + ":dup=full:sampling=counter:interval=%d:phase=%d" % (interval, phase)
    without, strips = (profile([*REPEATABLE, "-Xjit:compile-all,strips=%s,only=Copies*.*" % s], options, "CopiesLoops")
                       for s in ("off", "on"))
    if len(without[1]) < 30:
        raise AssertionError("only %d lines" % len(without[1]))
    same(strips, without)


def overflows(vm, interval):
    """A recursion that ends with StackOverflowError, in which a sample begins every few calls."""
    how = "call-edge:message=off:file=%s:sampling=counter:interval=%d" % (os.path.join(WORK, "overflow.prof"), interval)
    done = subprocess.run([VM, *VMS[vm], "-Xprofile:" + how, "-cp", WORK, "CopiesDeep", "overflow"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120 * SLOWER)
    if (done.returncode, done.stdout, done.stderr) != (0, "true\n" + exact_of("CopiesDeep")[0], ""):
        raise AssertionError("%d %r %s" % (done.returncode, done.stdout, done.stderr[-2000:]))


def declines():
    """An intrinsic that declines is not tried for ever where its method's check is due."""
    command = [VM, "-Xjit:blocking,optimize=3000,osr=3000,exclude=Declines*.*",
               "-Xprofile:call-edge:sampling=jitter:interval=21:jitter=15:message=off:file=" + os.path.join(WORK, "declines.prof"),
               "-cp", WORK, "Declines"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if (done.returncode, done.stdout) != (0, "2050790176\n"):
        raise AssertionError("%d %r" % (done.returncode, done.stdout[-2000:]))


def loops_check_free():
    """Only loops with constant bounds have a check-free version."""
    expected = {"fixedNested": True, "fixedLeft": True, "fixedDown": True, "up": False, "nested": False}
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        dump = os.path.join(scratch, "code")
        subprocess.run([VM, "-Xjit:compile-all,inline=off,dump=i,dump-filter=CopiesLoops.*,dump-file=%s,%s" % (dump, OWN),
                        "-Xprofile:field-access:message=off:file=%s.prof:sampling=counter:dup=full" % dump,
                        "-cp", WORK, "CopiesLoops"], stdout=subprocess.DEVNULL, check=True, timeout=120 * SLOWER)
        with open(dump, encoding="utf-8") as f:
            parts = f.read().split("==== IR: CopiesLoops.")[1:]
    got = {part.split("(")[0]: bool(re.search(r"^free[0-9]+\.[0-9]+:", part, re.MULTILINE)) for part in parts
           if part.split("(")[0] in expected}
    if got != expected:
        raise AssertionError(str(got))


def dump_of(vm, what, sampling, program="CopiesVirtual"):
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        dump = os.path.join(scratch, "code")
        subprocess.run([VM, *vm[:-1], vm[-1] + ",dump=%s,dump-filter=%s*.*,dump-file=%s" % (what, program, dump),
                        "-Xprofile:%s:message=off:file=%s.prof:%s" % (ALL, dump, sampling), "-cp", WORK, program],
                       stdout=subprocess.DEVNULL, check=True, timeout=120 * SLOWER)
        with open(dump, encoding="utf-8") as f:
            return f.read()


def vanish():
    """Objects that are live at checks of loops are not allocated in checking code."""
    dump = dump_of(VMS["optimized"], "e", "sampling=counter:interval=1000000:dup=full")
    for method in ("another(I)D",):
        part = dump.split("==== allocations: CopiesVirtual.%s\n" % method)[1].split("====")[0].splitlines()
        if not part or any(not line.endswith(": vanishes") for line in part):
            raise AssertionError("\n".join([method, *part]))


def leaves_never():
    """As without a profile, code with events has no code for paths never taken. Template code counts, where all events
    are counted."""
    dump = dump_of(ADAPTIVE, "p", "sampling=off")
    if " leaves=1" not in dump or " never=" not in dump:
        raise AssertionError(dump[-2000:])


def is_stopped(sampling, least):
    """Code that makes millions of calls without a loop can be stopped, and its recursions are sampled."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        done = subprocess.run([VM, *VMS["no inlining"], "-Xprofile:call-edge:message=off:file=%s:%s" % (file, sampling), "-cp", WORK, "CopiesTree"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        lines = subprocess.run([PROF, "export", "--lines", file], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    if (done.returncode, done.stdout, done.stderr) != (0, "true\n", ""):
        raise AssertionError("%d %r %s" % (done.returncode, done.stdout, done.stderr[-2000:]))
    # No sample covers all of the tree: between two checks there are few calls of its nodes.
    counts = [int(line.split()[-1]) for line in lines if re.search(r"CopiesTree\.(odd|even|node\d+)\(", line)]
    if not least <= sum(counts) < 1000000:
        raise AssertionError("%d calls in samples" % sum(counts))


def interval_1(program, vm, how="dup=full"):
    same(profile(VMS[vm], ALL + ":sampling=counter:interval=1:" + how, program), exact_of(program))


def exact_tests():
    """An interval of 1 gives the exact profile."""
    for vm in VMS:
        for dup in DUPS if vm in ("optimized", "tiers", "no inlining", "stress", "green") else DUPS[:1]:
            yield "interval 1, %s, %s" % (vm, dup), lambda vm=vm, dup=dup: interval_1("Copies", vm, "dup=" + dup)
        for program in PROGRAMS[1:]:
            if vm in ("optimized", "tiers", "stress") or program not in ("CopiesApart", "CopiesVirtual"):
                yield "interval 1, %s, %s" % (program, vm), lambda program=program, vm=vm: interval_1(program, vm)
        yield "exact, leaves, " + vm, lambda vm=vm: same(profile(VMS[vm], ALL, "CopiesLeaves"), exact_of("CopiesLeaves"))
    for program in "CopiesChains", "CopiesDeep", "CopiesLoops", "CopiesLeaves":
        for dup in DUPS[1:] if program != "CopiesLeaves" else DUPS:
            yield "interval 1, %s, %s" % (program, dup), lambda program=program, dup=dup: interval_1(program, "optimized", "dup=" + dup)
    for how in "dup=full:burst=3", "dup=no:burst=3":
        yield "interval 1, " + how, lambda how=how: interval_1("Copies", "optimized", how)
    for program in "Copies", "CopiesDeep":
        for dup in DUPS:
            yield "interval 1, copies within code, %s, %s" % (program, dup), lambda program=program, dup=dup: (
                interval_1(program, "optimized", "copies=inline:dup=" + dup))
    for vm in "template and optimized", "stress":
        yield "interval 1, copies within code, " + vm, lambda vm=vm: interval_1("Copies", vm, "copies=inline:dup=full")
    yield "interval 1, chains, adaptive", lambda: same(profile(ADAPTIVE, ALL + ":sampling=counter:interval=1:dup=full", "CopiesChains"), exact_of("CopiesChains"))
    for how in "sampling=off", *("sampling=counter:interval=1:dup=" + dup for dup in DUPS):
        yield "virtual, adaptive, " + how, lambda how=how: same(profile(ADAPTIVE, ALL + ":" + how, "CopiesVirtual"), exact_of("CopiesVirtual"))


def sum_tests():
    """All phases together give the exact profile where the number of checks before an event does not depend on the
    samples: an activation that leaves optimised code may enter other code again, into which other methods are inlined."""
    for vm in "interpreter", "template", "no inlining", "optimized":
        for program, phases in ("Copies", 2), ("CopiesChains", 3), ("CopiesDeep", 3), ("CopiesVirtual", 2), ("CopiesLoops", 2):
            if program in ("CopiesChains", "CopiesVirtual") if vm == "optimized" else vm == "no inlining" or phases == 3 or program == "Copies":
                yield "all phases, %s, %s" % (program, vm), lambda vm=vm, program=program, phases=phases: (
                    all_phases(VMS[vm], "full", phases, exact_of(program), program))
    for vm in "optimized", "template and optimized", "tiers", "stress":
        for program in PROGRAMS if vm == "optimized" else ("Copies", "CopiesVirtual"):
            yield "unbiased, %s, %s" % (program, vm), lambda vm=vm, program=program: unbiased(program, vm)
    for dup in DUPS[:3]:
        yield "all phases, replacement, " + dup, lambda dup=dup: all_phases(REPLACING, dup, 2, exact_of("Copies"))
    yield "all phases, chains, replacement", lambda: all_phases(REPLACING, "full", 3, exact_of("CopiesChains"), "CopiesChains")
    yield "both phases, backedges, replacement", lambda: no_check_twice(exact_of("Copies"))


def sample_tests():
    """Properties of samples."""
    for program in PROGRAMS:
        for interval, phase in ((7, 4), (101, 101)) if program in ("Copies", "CopiesLoops") else ((101, 101),):
            yield "the same samples, %s, %d from %d" % (program, interval, phase), lambda program=program, interval=interval, phase=phase: (
                same_samples(program, interval, phase))
    yield "an intrinsic that declines", declines
    yield "loops with a check-free version", loops_check_free
    for interval, phase in (2, 2), (7, 4), (101, 101), (1009, 500):
        yield "loops, with and without strips, %d from %d" % (interval, phase), lambda interval=interval, phase=phase: (
            same_samples_in_strips(interval, phase))
    for vm in "interpreter", "template", "optimized", "no inlining":
        for interval in 1, 3:
            yield "to the end of the stack, %s, %d" % (vm, interval), lambda vm=vm, interval=interval: overflows(vm, interval)
    yield "vanish in checking code", vanish
    yield "left for what never came", leaves_never
    for dup in DUPS:
        yield "close to exact, " + dup, lambda dup=dup: close(dup)
    yield "close to exact, chains", lambda: close("full", "CopiesChains", "no inlining")
    for how in "dup=full", "dup=partial", "dup=no", "dup=auto:burst=4", "dup=full:checks=backedges":
        yield "twice the same, " + how, lambda how=how: twice(
            VMS["optimized"], ALL + ":sampling=counter:interval=7:" + how, exact_of("Copies"), "Copies")
    yield "twice the same, chains", lambda: twice(
        VMS["no inlining"], ALL + ":sampling=counter:interval=7:dup=full", exact_of("CopiesChains"), "CopiesChains")
    yield "stopped in a tree of calls", lambda: is_stopped("sampling=counter:interval=10000:dup=full", 100)
    yield "stopped in a tree of calls, timer", lambda: is_stopped("sampling=timer:interval=1ms:dup=full", 20)
    # Without bottom's loop in OSR code, which has another loop header than the interpreter.
    top, bottom = "top(I)I 3 ", "bottom(I)I 12 "
    for name, loops in ("interpreter", (top, bottom)), ("template", (top, bottom)), ("optimized", (top,)), ("tiers", (top,)):
        yield "subroutines, " + name, lambda name=name, loops=loops: subroutines(VMS[name], loops)


def tests():
    yield from exact_tests()
    yield from sum_tests()
    yield from sample_tests()
    yield from late_tests()


def main():
    os.makedirs(WORK, exist_ok=True)
    sources = [os.path.join(ROOT, "tests", "profiler", name + ".java")
               for name in ("Copies", "CopiesLeaves", "CopiesLoops", "CopiesRets", "CopiesLate",
                            "CopiesApart", "CopiesVirtual", "CopiesChains", "CopiesTree", "CopiesDeep", "Declines")]
    sources.append(os.path.join(ROOT, "tests", "e2e", "linkage", "Class_writer.java"))
    library = os.path.join(BUILD, "lib", "java")
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-cp", library, "-d", WORK, *sources], check=True)
    if not sys.argv[1:]:
        say_turn("checks")
    count = failed = 0
    for number, (name, test) in enumerate(tests()):
        if not any(a in name for a in sys.argv[1:]) if sys.argv[1:] else not has_turn(number):
            continue
        count += 1
        try:
            test()
        except (AssertionError, subprocess.SubprocessError) as e:
            failed += 1
            print("FAIL sampling/%s: %s" % (name, e))
    print("%d passed, %d failed" % (count - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
