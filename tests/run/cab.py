#!/usr/bin/env python3
"""Concurrent analysis (transport=cab, and the queues that it is compared with): the profile equals that of the inline analyses in both tiers and both thread
modes, even with rings so small that threads constantly wait for their consumers; the program's behaviour does not
change."""
import contextlib, importlib.machinery, importlib.util, io, json, os, re, shutil, signal, subprocess, sys, tempfile, types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "cab")
CLASSES = os.path.join(WORK, "classes")
SMALL = "buffer=16k:chunk=4k"  # the smallest valid sizes
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT, cwd="/", **more)


# Analyses for which a consumer merges the rings of all threads; with them compiled code writes no rings by itself.
PARTS = "threads", "locks", "dependency", "concurrency", "quanta", "tasks", "updates"
ORDERED = ("hot-stream", "lock-order", "races", "sharing", "alloc-lifetime", "alloc-tree") + PARTS
QUEUES = "cab", "nway", "fastforward", "lamport", "tee"
# Rows of analyses that depend on addresses, on time or on chance.
UNDETERMINED = "cache", "reuse-distance", "value", "events", "sharing", "alloc-lifetime", "alloc-tree"


def names_of_analyses():
    for line in run([VM, "-Xprofile:help=all"]).stdout.split("Questions:")[0].splitlines():
        word = re.match(r"  (\S+) +(.*)", line)
        if word and "[not built yet]" not in line:
            yield word.group(1)


NO_EVENTS = ("cpu", "wall", "counters")  # these take samples and counts, which no ring has


def analyses():
    """All analyses of events whose rings need no order, except `events`, which events_of_all_kinds tests, and those whose rows depend
    on addresses: `value`, and `cache` and `reuse-distance` (tests/run/cache.py)."""
    names = []
    for name in names_of_analyses():
        if name not in ORDERED + ("events", "value", "cache", "reuse-distance") + NO_EVENTS:
            done = run([VM, "-Xprofile:%s:transport=cab:message=off:file=%s" % (name, os.path.join(WORK, "x.prof")), "-version"])
            if done.returncode == 0:
                names.append(name)
            else:
                expect(done.stderr, "transport=direct" in done.stderr or "needs productions=" in done.stderr, True)
    return ",".join(names)


def profile(options, main, args=(), mode=(), code=0):
    """The program's output, the exported lines, and the report as JSON, whose numbers must add up."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        done = run([VM, *mode, "-Xss4m", "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, main, *args])
        expect("%s %s: exit code (%s)" % (options, mode, done.stderr), done.returncode, code)
        report = json.loads(run([PROF, "report", "--json", file]).stdout)
        for a in report["analyses"]:
            expect("%s %s: %s" % (options, mode, a["name"]), (a["produced"], a["lost"]), (a["recorded"], 0))
        return done.stdout, run([PROF, "export", "--lines", "--filter", main, file]).stdout.splitlines(), report


EXACT = "only=Exact*.*"
MODES = (["-Xint"], ["-Xjit:compile-all,strip-length=3," + EXACT],
         ["-Xjit:blocking,osr=8,optimize=40," + EXACT, "-Xthreads:green"],
         ["-Xjit:compile-all,deopt-stress=3," + EXACT, "-Xthreads:green:carriers=1"])


@test
def values_are_sequential():
    """The same number of events, and at each place the same share of the most frequent value."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        files = [os.path.join(scratch, name) for name in "ab"]
        for mode, options, file in ("-Xint", "value", files[0]), ("-Xjit:compile-all," + EXACT, "value:transport=cab:" + SMALL, files[1]):
            done = run([VM, mode, "-Xss4m", "-Xprofile:%s:scope=Exact*:message=off:file=%s" % (options, file),
                        "-cp", CLASSES, "Exact", "targets"])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
        said = json.loads(run([PROF, "overlap", "--json", *files]).stdout)["analyses"][0]
        expect("events, and what differs of %d places" % said["placesOfBoth"],
               (said["totalA"] == said["totalB"] > 0, said["invarianceDifference"]), (True, 0.0))


@test
def concurrent_is_sequential():
    """Every analysis in every mode, with threads that wait for room. Paths through the class library's method handles
    differ in every run, so they are limited to the program."""
    names, waits, beside = analyses(), 0, "interprocedural-path"
    expect("there are some", len(names.split(",")) >= 6, True)
    together = ",".join(name for name in names.split(",") if name != beside)
    for how, code, ring in ("exceptions", 0, SMALL), ("targets", 0, "buffer=256k"), ("deoptimisation", 0, "buffer=2m"), ("exit", 3, "buffer=1m"):
        for names in together, beside + ":scope=Exact*":
            printed, wanted, _ = profile(names, "Exact", [how], ["-Xint"], code)
            expect("%s: rows" % how, len(wanted) > 5, True)
            for mode in MODES if how == "targets" else MODES[1:2]:
                said, got, report = profile("%s:transport=cab:%s" % (names, ring), "Exact", [how], mode, code)
                expect("%s %s: output" % (how, mode), said, printed)
                expect("%s %s: rows that differ" % (how, mode), sorted(set(wanted) ^ set(got))[:10], [])
                waits += int(report["header"]["waits"])
    expect("waits of %d" % waits, waits > 100, True)


# Productions of all kinds of decisions: without a test, by operands, by counters of the thread, by its name.
PRODUCTIONS = r"""counter 2 = -5;
names: entry && method == Exact.* => count(method);  callers: entry && method == Exact.* => count(caller);
news: allocation && method == Exact.* => count(site, type);  reads: get && method == Exact.* => count(site);
begin: entry && method == Exact.* => set_2(-3);  turn: method == Exact.* && backward_branch => inc_2;
long_loop: method == Exact.* && backward_branch && overflow_2 => count(site);
edges: branch && method == Exact.* => count(site, edge);  own: entry && method == Exact.* && thread == main => count(method);"""


@test_lasting(60)
def every_combination():
    """Each analysis with each queue, in a mode that changes from cell to cell, gives the rows of transport=direct, or is
    refused with a reason. ALL_MODES=1: in all modes."""
    file, cell, cells, refused = os.path.join(WORK, "all.prod"), 0, 0, []
    with open(file, "w") as f:
        f.write(PRODUCTIONS)
    for name in names_of_analyses():
        options = "productions:productions=" + file if name == "productions" else name
        if name in NO_EVENTS:
            continue
        wanted = None
        for queue in QUEUES:
            cell += 1
            done = run([VM, "-Xprofile:%s:transport=%s:message=off:file=%s" % (options, queue, os.path.join(WORK, "x.prof")), "-version"])
            if done.returncode:
                expect_reason(name, queue, done.stderr)
                refused.append(name)
                continue
            wanted = wanted or profile(options + ":scope=Exact*", "Exact", ["exceptions"], ["-Xint"])
            for mode in MODES if os.environ.get("ALL_MODES") else [MODES[cell % len(MODES)]]:
                cells += 1
                said, got, report = profile("%s:scope=Exact*:transport=%s:%s" % (options, queue, SMALL), "Exact", ["exceptions"], mode)
                expect("%s %s %s: output" % (name, queue, mode), said, wanted[0])
                if name not in UNDETERMINED:
                    expect("%s %s %s: rows that differ" % (name, queue, mode), sorted(set(wanted[1]) ^ set(got))[:10], [])
                if queue == "tee" and name not in UNDETERMINED:
                    expect("%s %s: rows of the two sides that differ" % (name, mode), report["header"]["tee-differences"], "0")
    expect("cells: %d" % cells, cells >= 90, True)
    expect("refused", sorted(set(refused)), [])


def expect_reason(name, queue, said):
    expect("%s %s: %s" % (name, queue, said), False, True)


@test_lasting(20)
def stacks_of_allocations_are_those_of_the_thread():
    """alloc-tree behind each queue: a tee's two sides have the same rows, and each queue has the bytes of all samples, below main, and the
    whole of a deep stack."""
    cell = 0
    for queue in QUEUES:
        for mode in MODES[cell % 2], MODES[2 + cell % 2]:
            cell += 1
            file = os.path.join(WORK, "stacks.prof")
            done = run([VM, *mode, "-Xprofile:alloc,alloc-tree:every=4k:transport=%s:message=off:file=%s" % (queue, file),
                        "-cp", CLASSES, "SampledAllocations", "20000", "60"])
            expect("%s %s: output (%s)" % (queue, mode, done.stderr), done.stdout, "20000\n")
            report = json.loads(run([PROF, "report", "--json", file]).stdout)
            of = {a["name"]: a for a in report["analyses"]}
            exact, tree = of["alloc-bytes"]["recorded"], of["alloc-tree"]
            expect("%s %s: lost" % (queue, mode), (tree["produced"], tree["lost"]), (tree["recorded"], 0))
            expect("%s %s: %d bytes of %d" % (queue, mode, tree["recorded"], exact), abs(tree["recorded"] - exact) < 0.1 * exact, True)
            if queue == "tee":
                expect("%s: rows of the two sides that differ" % mode, report["header"]["tee-differences"], "0")
            deep = 0
            for stack in run([PROF, "export", "--collapsed", "--all", "--analysis", "alloc-tree", file]).stdout.splitlines():
                if ";SampledAllocations.deep" in stack:
                    deep = max(deep, stack.count(";"))
                    expect("%s %s: the whole stack" % (queue, mode), "SampledAllocations.main" in stack, True)
            expect("%s %s: frames %d" % (queue, mode, deep), deep > 40, True)


@test_lasting(60)
def other_queues_are_sequential():
    """The queues that the ring is compared with, in both thread modes, with threads that wait for room."""
    names = ",".join(name for name in analyses().split(",") if name != "interprocedural-path")
    printed, wanted, _ = profile(names, "Exact", ["targets"], ["-Xint"])
    for queue, mode in ("nway", MODES[1]), ("nway", MODES[2]), ("fastforward", MODES[1]), ("lamport", MODES[1]), ("lamport", MODES[2]):
        said, got, report = profile("%s:transport=%s:%s" % (names, queue, SMALL), "Exact", ["targets"], mode)
        expect("%s %s: output" % (queue, mode), said, printed)
        expect("%s %s: rows that differ" % (queue, mode), sorted(set(wanted) ^ set(got))[:10], [])
        expect("transport", report["header"]["transport"], queue)
        waits = int(report["header"]["waits"])
        expect("%s %s: waits of %d" % (queue, mode, waits), waits > 100, True)


@test_lasting(20)
def steps_record_nothing():
    """Consumers that only read the events, or that do not exist."""
    printed = profile("method-count", "Exact", ["targets"], ["-Xint"])[0]
    for how in "transport=word", "transport=cab:consume=none", "transport=nway:consume=none", "transport=lamport:consume=none", \
            "transport=cab:consume=discard", "transport=nway:consume=discard", "transport=lamport:consume=discard":
        small = how if how == "transport=word" else how + ":" + SMALL
        said, got, report = profile("method-count:" + small, "Exact", ["targets"], MODES[1])
        expect("%s: output and rows" % how, (said, got), (printed, []))
        if "discard" in how:
            words = int(report["header"]["words-transferred"])
            expect("%s: words %d" % (how, words), words > 100 * 2048, True)


@test
def other_queues_of_many_threads():
    """Two thousand short threads, of which each has a queue of the same size."""
    printed, wanted, _ = profile("method-count,call-edge", "Exact", ["threads"], ["-Xint"])
    for queue in "nway", "fastforward", "lamport", "tee":
        for mode in MODES[1:3] if queue == "nway" else MODES[2:3]:
            said, got, _ = profile("method-count,call-edge:transport=%s:consumers=3" % queue, "Exact", ["threads"], mode)
            expect("%s %s: output" % (queue, mode), said, printed)
            expect("%s %s: rows that differ" % (queue, mode), sorted(set(wanted) ^ set(got))[:10], [])


@test
def both_sides_of_a_tee_agree():
    """Each thread analyses its events itself, and a consumer does."""
    names = analyses()
    for how, mode in ("exceptions", MODES[0]), ("targets", MODES[1]), ("targets", MODES[2]), ("deoptimisation", MODES[3]):
        scope = ":scope=Exact*"
        printed, wanted, _ = profile(names + scope, "Exact", [how], ["-Xint"])
        said, got, report = profile("%s%s:transport=tee:%s" % (names, scope, SMALL), "Exact", [how], mode)
        expect("%s: output" % mode, said, printed)
        expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
        expect("%s: rows of the two sides that differ" % mode, report["header"]["tee-differences"], "0")


@test
def of_many_threads():
    """Two thousand short threads, with rings of the default size and one or several consumers."""
    printed, wanted, _ = profile("method-count,call-edge", "Exact", ["threads"], ["-Xint"])
    for mode, consumers in (MODES[0], 3), (MODES[2], 1), (MODES[2], 7):
        said, got, report = profile("concurrent:consumers=%d" % consumers, "Exact", ["threads"], mode)
        expect("output", said, printed)
        expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
        expect("consumers", report["header"]["consumers"], str(consumers))


@test
def rings_grow():
    """Small rings that are full double up to the limit, and lose nothing; rings of threads with few events stay small. With little
    to read, they never grow. Queues that cannot grow refuse it."""
    for how, options in ("targets", "method-count,branch,path"), ("threads", "method-count,call-edge"):
        printed, wanted, _ = profile(options, "Exact", [how], ["-Xint"])
        for mode in MODES[1], MODES[2]:
            for limit in "64k", "1m":
                said, got, report = profile(options + ":transport=cab:%s:grow=%s" % (SMALL, limit), "Exact", [how], mode)
                expect("%s: output" % mode, said, printed)
                expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
                if how == "targets":
                    times = int(report["header"]["grown"])
                    expect("%s: doubled %d times" % (limit, times), 0 < times <= (2 if limit == "64k" else 6) * int(report["header"]["threads"]), True)
    _, _, report = profile("method-count:transport=cab:buffer=64m:grow=128m", "Exact", ["targets"], MODES[1])
    expect("never full", (report["header"]["grow"], report["header"]["grown"]), (str(128 << 20), "0"))
    for options in "transport=nway:grow=8m", "transport=cab:consume=sampled:grow=8m", "grow=8m", "transport=cab:grow=64k":
        done = run([VM, "-Xprofile:method-count:" + options, "-version"])
        expect("%s (%s)" % (options, done.stderr), (done.returncode != 0, "grow=" in done.stderr), (True, True))


CARRIERS = (["-Xint", "-Xthreads:green:carriers=2"], ["-Xjit:compile-all,strip-length=3," + EXACT, "-Xthreads:green:carriers=1"],
            ["-Xjit:blocking,osr=8,optimize=40," + EXACT, "-Xthreads:green:carriers=2"],
            ["-Xjit:compile-all,deopt-stress=3," + EXACT, "-Xthreads:green:carriers=3:quantum=1ms"])


@test
def carriers_have_rings():
    """Green threads that share the rings of their carriers, and change their carriers all the time: the same rows as with
    analyses inline, and no difference between the two sides of a tee. Rows of the library depend on how threads meet."""
    scope = ":scope=Exact*"
    names = ",".join(name for name in analyses().split(",") if name != "interprocedural-path")
    for main, args in ("ExactMovers", []), ("Exact", ["threads"]):
        printed, wanted, _ = profile(names + scope, main, args, ["-Xint"])
        expect("%s: rows" % main, len(wanted) > 20, True)
        for mode in CARRIERS if main == "ExactMovers" else CARRIERS[2:3]:
            for transport in "cab", "tee":
                said, got, report = profile("%s%s:transport=%s:rings=carrier:%s" % (names, scope, transport, SMALL), main, args, mode)
                expect("%s %s: output" % (main, mode), said, printed)
                expect("%s %s: rows that differ" % (main, mode), sorted(set(wanted) ^ set(got))[:10], [])
                header = report["header"]
                expect("%s: switch events %s" % (mode, header["switch-events"]), int(header["switch-events"]) > 300, True)
                # Pthreads of the VM that attach and report for an instant may need one more.
                expect("%s: rings %s" % (mode, header["carriers-rings"]), 1 <= int(header["carriers-rings"]) <= 6, True)
                if transport == "tee":
                    expect("%s %s: rows of the two sides that differ" % (main, mode), header["tee-differences"], "0")


@test
def carriers_wait_for_room():
    """Threads whose carrier's ring is full wait, and lose nothing."""
    printed, wanted, _ = profile("method-count,branch,path", "Exact", ["targets"], ["-Xint"])
    for mode in CARRIERS:
        said, got, report = profile("method-count,branch,path:transport=cab:rings=carrier:" + SMALL, "Exact", ["targets"], mode)
        expect("%s: output" % mode, said, printed)
        expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
        expect("%s: waits %s" % (mode, report["header"]["waits"]), int(report["header"]["waits"]) > 20, True)


def productions_file():
    file = os.path.join(WORK, "carriers.prod")
    with open(file, "w") as f:
        f.write(PRODUCTIONS.replace("Exact.", "ExactMovers."))
    return file


@test
def carriers_keep_the_order_of_all_threads():
    """Analyses that compare the events of all threads: both sides of a tee have the same rows where these do not depend on
    time, or a run is complete."""
    for name in "lock-order", "hot-stream", "threads", "races", "productions:productions=" + productions_file():
        for mode in CARRIERS[1], CARRIERS[2]:
            done, _, report = profile("%s:scope=Exact*:transport=tee:rings=carrier:%s" % (name, SMALL), "ExactMovers", [], mode)
            expect("%s %s" % (name, mode), done, "taken 1200, ended 300\n")
            expect("%s %s: switch events" % (name, mode), int(report["header"]["switch-events"]) > 30, True)
            if name != "threads":
                expect("%s %s: rows of the two sides that differ" % (name, mode), report["header"]["tee-differences"], "0")


@test
def carriers_are_controlled():
    """Profiles that start, are dumped, stop recording and end while green threads run: no file lacks an event."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        for carriers in "1", "2":
            done = run([VM, "-Xthreads:green:quantum=1ms:carriers=" + carriers, "-cp", CLASSES, "CarrierControls", scratch,
                        "method-count,call-tree:transport=cab:rings=carrier:message=off:" + SMALL])
            expect("exit code, output (%s)" % done.stderr, (done.returncode, done.stdout), (0, "12 files\n"))
            for file in os.listdir(scratch):
                report = json.loads(run([PROF, "report", "--json", os.path.join(scratch, file)]).stdout)
                expect(file + ": switch events", int(report["header"]["switch-events"]) > 0, True)
                for a in report["analyses"]:
                    expect("%s: %s" % (file, a["name"]), (a["produced"] > 0, a["produced"], a["lost"]), (True, a["recorded"], 0))


@test
def many_threads_take_little_memory():
    """Bytes that a profile takes for each of very many green threads that have run some code and wait."""
    count = 20000
    subprocess.run(["javac", "-d", CLASSES, os.path.join(ROOT, "benchmarks", "cab", "Many.java")], check=True)

    def memory(options):
        profile = ["-Xprofile:%s:message=off:file=%s" % (options, os.path.join(WORK, "many.prof"))] if options else []
        done = run([VM, "-Xthreads:green:carriers=2", "-Xmx4g", *profile, "-cp", CLASSES, "Many", "parked", str(count)])
        expect("%s: exit code (%s)" % (options, done.stderr), done.returncode, 0)
        return int(done.stdout) * 1024

    without = memory("")
    for options, most in ("call-edge:transport=cab:rings=carrier", 4000), ("method-count:transport=cab:rings=carrier", 4000), \
                         ("call-tree", 10000):
        bytes_each = (memory(options) - without) / count
        expect("%s: %d bytes for a thread" % (options, bytes_each), bytes_each < most, True)


@test
def carriers_need_green_threads():
    """Analyses and options that cannot share rings are refused with the reason."""
    for options, mode, reason in (
            ("rings=carrier:transport=cab", "-Xthreads:native", "a native thread is its own carrier"), ("rings=carrier", "-Xthreads:green", "needs transport=cab"),
            ("rings=carrier:transport=nway", "-Xthreads:green", "needs transport=cab"), ("rings=carrier:transport=cab:consumers=2", "-Xthreads:green", "consumers=1"),
            ("rings=carrier:transport=cab:grow=8m", "-Xthreads:green", "as many rings as carriers"),
            ("rings=carrier:transport=cab:consume=sampled", "-Xthreads:green", "consumers that read everything")):
        done = run([VM, mode, "-Xprofile:method-count:message=off:%s:file=%s" % (options, os.path.join(WORK, "x.prof")), "-version"])
        expect("%s (%s)" % (options, done.stderr), (done.returncode != 0, reason in done.stderr), (True, True))


@test
def in_sampled_code():
    """With interval 1, concurrent analysis records everything."""
    _, wanted, _ = profile("method-count,branch", "Exact", ["targets"], ["-Xint"])
    for dup in "full", "partial", "no":
        _, got, _ = profile("method-count,branch:sampling=counter:interval=1:dup=%s:transport=cab:%s" % (dup, SMALL), "Exact",
                            ["targets"], ["-Xjit:compile-all," + EXACT])
        expect("dup=%s: rows that differ" % dup, sorted(set(wanted) ^ set(got))[:10], [])


def sampled(how, options, mode, names="method-count,branch,path"):
    """A run whose consumers sample: its output, its rows, and the words written, sampled and overwritten, which must be
    consistent."""
    printed, rows, report = profile(names + ":transport=cab:consume=sampled:" + options, "Exact", [how], mode)
    words = [int(report["header"]["words-" + w]) for w in ("written", "sampled", "overwritten")]
    if "rate=100" in options:
        expect("%s %s: words" % (options, mode), words[1] + words[2], words[0])
    expect("%s %s: words %s" % (options, mode, words), words[1] + words[2] <= words[0], True)
    return printed, rows, words


@test
def consumers_sample():
    """In rings larger than the run's events, consumers see all of them, or the requested rate. In small rings threads
    overwrite rather than wait; samples that consumers have not reached are kept for them."""
    printed, wanted, _ = profile("method-count,branch,path", "Exact", ["targets"], ["-Xint"])
    for mode in MODES:
        said, got, words = sampled("targets", "rate=100:buffer=64m:chunk=16k", mode)
        expect("%s: output" % mode, said, printed)
        expect("%s: words" % mode, (words[1], words[2]), (words[0], 0))
        expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
    for rate, lines in (5, 1), (20, 4):
        _, _, words = sampled("targets", "rate=%d:lines=%d:buffer=64m:chunk=16k" % (rate, lines), MODES[1])
        share = 100.0 * words[1] / words[0]
        expect("%d %%: %.2f %%" % (rate, share), 0.8 * rate < share < 1.3 * rate, True)
    for mode in MODES[:3]:
        said, got, words = sampled("targets", "rate=100:" + SMALL, mode)
        expect("%s: output" % mode, said, printed)
        expect("%s: written %d" % (mode, words[0]), words[0] > 100 * 2048, True)
        if words[2] == 0:
            expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])


def lines_of(file):
    return {key: int(n) for key, n in (line.rsplit(" ", 1) for line in run([PROF, "export", "--lines", file]).stdout.splitlines())}


@test
def errors_by_the_formula():
    """cabernet-prof overlap computes the errors of the exported lines by the paper's formula, in either order of the files. Two
    exact profiles have a rate of 1 and no ideal sample."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        exact, part = (os.path.join(scratch, name) for name in ("exact", "part"))
        for options, file in ("", exact), (":consume=sampled:rate=20", part):
            done = run([VM, "-Xprofile:call-edge:transport=cab%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "Exact", "targets"])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
        whole, sample = lines_of(exact), lines_of(part)
        header = json.loads(run([PROF, "report", "--json", part]).stdout)["header"]
        rate = int(header["words-sampled"]) / int(header["words-written"])
        for files in (exact, part), (part, exact):
            said = json.loads(run([PROF, "overlap", "--json", *files]).stdout)["analyses"][0]["errors"]
            expect("rate", round(said["rate"], 9), round(rate, 9))
            expect("counts", [row["least"] for row in said["byCount"]], [1, 100, 1000, 30000])
            for row in said["byCount"]:
                errors = [abs(n - sample.get(key, 0) / rate) / n for key, n in whole.items() if n >= row["least"]]
                expect("rows of %d and more" % row["least"], row["rows"], len(errors))
                if errors:
                    expect("error of %d and more" % row["least"], round(row["error"], 6), round(100 * sum(errors) / len(errors), 6))
                    expect("ideal %s" % row, 0 < row["ideal"] < 200, True)
        expect("all rows and large ones", said["byCount"][0]["rows"] > said["byCount"][1]["rows"] > 0, True)
        expect("text", "if each event were in the sample independently" in run([PROF, "overlap", exact, part]).stdout, True)
        same = json.loads(run([PROF, "overlap", "--json", exact, exact]).stdout)["analyses"][0]["errors"]
        expect("itself", (same["rate"], [(r.get("error", 0), "ideal" in r) for r in same["byCount"]]), (1, 4 * [(0, False)]))


def bench():
    loader = importlib.machinery.SourceFileLoader("cab_bench", os.path.join(ROOT, "benchmarks", "cab", "bench"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("cab_bench", loader))
    loader.exec_module(module)
    return module


def made_up_row(program, rate, a_i, a_q, p_c, p, p_i):
    """The steps of a program that obeys the model, in percent of its time: `rate` events per us, terms in ns per event."""
    def step(thread, consumers):
        thread, consumers = rate * thread / 10, rate * consumers / 10
        return {"thread": thread, "consumers": consumers, "time": max(thread, consumers - 100), "wall": 0}
    return {"program": program, "analysis": "call-edge", "rate": rate, "word": step(a_i, 0), "enqueue": step(a_i + a_q / 2, 0),
            "transfer": step(a_i + a_q, p_c), "concurrent": step(a_i + a_q, p_c + p), "sequential": step(a_i + p_i, 0)}


@test
def cost_model():
    """The benchmark recovers the terms of programs that obey the model, and then forecasts exactly: who dominates, and the gain."""
    b = bench()
    rows = [made_up_row(name, rate, 1, 2, 3, 8, 9) for name, rate in (("low", 10), ("middle", 100), ("high", 400))]
    found = b.model(rows)
    for term, wanted in ("A_i", 1), ("enqueue", 1), ("A_q", 2), ("P_c", 3), ("P", 8), ("P+I_ap", 9):
        expect(term, round(found["nsPerEvent"]["call-edge"][term], 9), wanted)
    for row in found["rows"]:
        for what in "concurrent", "sequential", "gain":
            expect("%s of %s" % (what, row["program"]), round(row[what]["forecast"], 9), round(row[what]["measured"], 9))
    # Application: 3 ns an event and 1,000 between two of 1 event per us. Analyser: 11 ns. They meet at 125 events per us.
    expect("dominates", [r["analyserDominates"]["forecast"] for r in found["rows"]], [False, False, True])
    expect("gains", [round(r["gain"]["forecast"], 9) for r in found["rows"]], [7, 70, 60])
    light = b.model([made_up_row(name, 100, 1, 2, 0.1, 0.2, 0.5) for name in "ab"])
    expect("light", [b.verdict(r["gain"]["forecast"]) for r in light["rows"]], ["loses", "loses"])
    expect("one program", b.model(rows[:1])["rows"], [])
    outlier = made_up_row("other", 100, 1, 2, 3, 80, 9)
    expect("without its own row", round([r for r in b.model(rows + [outlier])["rows"] if r["program"] == "other"][0]["concurrent"]["forecast"], 9), 30)
    expect("count for an error of 3 %", b.counts_needed(0.03, 0.05), 13440)


@test
def bench_places():
    """Figure 12's pairs of processors by what the system says of their caches, and the reasons for those that do not exist."""
    b = bench()

    def places(caches):
        b.os = types.SimpleNamespace(sched_getaffinity=lambda pid: set(caches))
        b.caches_of = lambda cpu: caches[cpu]
        return b.places()
    dies = {c: [(1, {c}), (2, {0, 1} if c < 2 else {2, 3})] for c in range(4)}
    expect("two dies", places(dies)[0], {"shared": (0, 1), "apart": (0, 2)})
    where, why = places({c: [(1, {c}), (3, {0, 1})] for c in (0, 1)})
    expect("one cache", (where, why["apart"]), ({"shared": (0, 1), "apart": None}, "all processors share the cache of level 3"))
    where, why = places({c: [(2, {c})] for c in (0, 1)})
    expect("none", (where, why["shared"]), ({"shared": None, "apart": (0, 1)}, "no two processors share a cache"))
    expect("one processor", places({0: [(1, {0})]}), ({"shared": None, "apart": None}, dict.fromkeys(("shared", "apart"), "this process may use one processor")))
    expect("no description", places({0: [], 1: []})[1]["shared"], "the system does not say which processors share a cache")


@test
def bench_figures():
    """Figures 10 and 12 of a made-up program, and the table of what a run has and lacks."""
    b = bench()
    b.OUT, b.BUFFERS, b.FIGURES, b.MODES = tempfile.mkdtemp(), ["16k", "1m", "8m"], "ac", ["native"]
    b.places = lambda: ({"shared": (0, 1), "apart": None}, {"shared": "", "apart": "they all share one"})
    ns = {"none": (100, 100, 100, 0), "ring-16k": (300, 200, 180, 90), "ring-1m": (130, 121, 121, 90), "ring-8m": (130, 120, 120, 90),
          "sequential": (250, 250, 250, 0), "shared": (150, 140, 140, 90)}
    measured = []
    b.measure = lambda program, profiles, pins={}: (measured.append((profiles, pins)) or {k: ns[k] for k in profiles}, 3.0)
    b.report = lambda file: {"header": {"waits": "7", "waits-ns": "1000" if "16k" in file else "250"}}
    b.misses = lambda program, profile: (None, "no such counter")
    result = {}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for letter in "ac":
            b.measure_figure(letter, "native", {"made-up": None, "late": None}, result, 0.5)
        b.spent["slow"] = 600.0, 10
        b.now["end"] = b.time.monotonic() + 100
        b.figure12({"later": "slow"}, result)
        b.timed = b.measure = lambda *of, **more: (_ for _ in ()).throw(subprocess.TimeoutExpired("vm", 1))
        b.measure_figure("a", "native", {"stuck": None}, result, 1)
        b.now["end"] = 0
        b.figure12({"later": None}, result)
        b.print_filled(result)
    rows = [r for r in result["figure10"] if r["program"] == "made-up"]
    expect("sizes", [(r["buffer"], round(r["time"], 9), r["waited"], r["cache-misses"]) for r in rows],
           [("16k", 100, 1, None), ("1m", 21, 0.25, None), ("8m", 20, 0.25, None)])
    expect_in("from 1m to 8m are 0.8 % apart: the same", said.getvalue())
    expect("chunks", ["chunk=%d" % n in measured[0][0]["ring-" + k] for k, n in (("16k", 4096), ("1m", 131072), ("8m", 131072))], [True] * 3)
    r = result["figure12"][0]
    expect("places", (r["sequential"]["time"], r["shared"]["time"], r["apart"], r["shared"]["wall"]), (2.5, 1.4, None, 1.5))
    expect("processors", (measured[-1][0]["shared"], measured[-1][1]["shared"], measured[-1][1]["none"]),
           ("path:transport=cab:affinity=1", ("taskset", "-c", "0"), ("taskset", "-c", "0")))
    with contextlib.redirect_stdout(io.StringIO()) as said:
        b.print_taken_away([{"analysis": a, "sequential": {"time": s}, "concurrent": {"time": c}} for a, s, c in
                            (("path", 100, 30), ("path", 60, 34), ("cache", 900, 950), ("method-count", 10, 12.2))])
    expect("taken away", [line.split("; ")[0].split(None, 1)[1] for line in said.getvalue().splitlines()[1:]],
           ["2.0 % more time", "60 % less overhead", "50 points of the program's time more"])
    filled = result["filled"]
    expect("filled", (filled["Figures 10 and 17, native threads"], filled["Figure 12, native threads"], filled["Figure 7, native threads"]),
           ("2 programs; no time for 1 of its rows", "2 programs; no time for 2 of its rows", "not requested"))
    expect("why", (filled["Figure 12, apart"], filled["Figures 10 and 17, misses of the cache, native threads"]), ("they all share one", "no such counter"))
    with open(os.path.join(b.OUT, "cab.json")) as f:
        expect("rows are kept", len(json.load(f)["figure10"]), 6)
    shutil.rmtree(b.OUT)


@test
def all_kinds_of_events():
    """The analysis `events` listens to everything, including edges between interpreted and compiled methods."""
    names = "events:scope=Exact.*"
    for how in "targets", "exceptions":
        _, wanted, _ = profile(names, "Exact", [how], ["-Xint"])
        expect("%s: kinds of events" % how, len({l.split()[-2] for l in wanted}) >= 5, True)
        for mode in MODES[1:3] if how == "targets" else MODES[1:2]:
            _, got, _ = profile(names + ":transport=cab:buffer=256k", "Exact", [how], mode)
            expect("%s %s: rows that differ" % (how, mode), sorted(set(wanted) ^ set(got))[:10], [])


@test
def by_calls():
    """With transport=call compiled code does no counting, but calls every analysis."""
    names = "method-count,call-edge,call-tree,branch,receiver,field-access,path:scope=Exact.*"
    _, wanted, _ = profile(names, "Exact", ["targets"], ["-Xint"])
    expect("rows", len(wanted) > 40, True)
    for mode in MODES[1:2]:
        _, got, report = profile(names + ":transport=call", "Exact", ["targets"], mode)
        expect("%s: rows that differ" % mode, sorted(set(wanted) ^ set(got))[:10], [])
        expect("transport", report["header"]["transport"], "call")


@test
def crashes_are_drained():
    """When a signal kills the process, the contents of the rings are analysed first."""
    for number, queue in (signal.SIGSEGV, "cab"), (signal.SIGABRT, "cab"), (signal.SIGABRT, "nway"), (signal.SIGABRT, "lamport"), (signal.SIGABRT, "fastforward"):
        for mode in ([], ["-Xthreads:green"]) if queue == "cab" else ([],):
            with tempfile.TemporaryDirectory(dir=WORK) as scratch:
                file = os.path.join(scratch, "x.prof")
                p = subprocess.Popen([VM, *mode, "-Xprofile:method-count,call-edge:transport=%s:message=off:file=%s" % (queue, file), "-cp", CLASSES,
                                      "Ends", "sleep"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True, cwd=scratch)
                try:
                    expect("first line", p.stdout.readline(), "ready\n")
                    p.send_signal(number)
                    p.communicate(timeout=LIMIT)
                finally:
                    p.kill()
                expect("signal", p.returncode, -signal.SIGABRT)
                lines = run([PROF, "export", "--lines", "--filter", "Ends", file]).stdout.splitlines()
                expect("%s %s: calls of work" % (queue, mode), [l.split()[-1] for l in lines if l.startswith("method Ends.work(")], ["1000"])
                expect("%s: edges to work" % mode, sum(int(l.split()[-1]) for l in lines if l.startswith("edge ") and " Ends.work(" in l), 1000)
                expect("%s: lost" % mode, run([PROF, "report", "--json", file]).stdout.count('"lost": 0'), 2)


@test
def six_instructions():
    """The instructions that compiled code executes for an event with a known payload: Figure 6a of the paper."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        dump = os.path.join(scratch, "dump")
        done = run([VM, "-Xjit:compile-all,only=Exact.thrower*,dump=a,dump-file=" + dump,
                    "-Xprofile:method-count:transport=cab:message=off:file=" + os.path.join(scratch, "x.prof"),
                    "-cp", CLASSES, "Exact", "exceptions"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        with open(dump) as f:
            code = [re.sub(r"^\s*[0-9a-f]+:\s*", "", line).strip() for line in f]
        at = [i for i, line in enumerate(code) if re.match(r"cmpq\s+\$0, 2040\(", line)]
        expect("there is one", len(at) > 0, True)
        for i in at:
            # Other instructions may be interleaved.
            load = re.match(r"movq\s+(\d+\(%r13\)), (%\w+)", code[i - 1])
            place, register = map(re.escape, load.groups())
            expect("%s" % code[i + 1], code[i + 1].startswith("jne"), True)
            for pattern in (r"movq\s+\$\d+, \(%s\)" % register, r"(addq\s+\$8, |leaq\s+8\()%s" % register, r"movq\s+%%\w+, %s" % place):
                expect(pattern + " in %s" % code[i - 1:i + 9], sum(bool(re.match(pattern, c)) for c in code[i + 2:i + 9]) >= 1, True)


@test
def instructions_of_other_queues():
    """The instructions that compiled code executes for an event: it makes no call unless there is no room. Without write
    barriers, whose instructions are mixed with them."""
    for queue, test_, more in (("fastforward", r"cmpq\s+\$0, \((%\w+)\)", []), ("nway", r"testl\s+\$131071, %e(\w\w)", []),
                               ("lamport", r"movq\s+-64\((%\w+)\), %\w+", [r"cmov\w+\s+", r"movq\s+%\w+, -128\("])):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            dump = os.path.join(scratch, "dump")
            done = run([VM, "-Xgc-full", "-Xjit:compile-all,only=Exact.thrower*,dump=a,dump-file=" + dump,
                        "-Xprofile:method-count:transport=%s:buffer=2m:chunk=128k:message=off:file=%s" % (queue, os.path.join(scratch, "x.prof")),
                        "-cp", CLASSES, "Exact", "exceptions"])
            expect("%s: exit code (%s)" % (queue, done.stderr), done.returncode, 0)
            with open(dump) as f:
                code = [re.sub(r"^\s*[0-9a-f]+:\s*", "", line).strip() for line in f]
            at = [i for i, line in enumerate(code) if re.match(test_, line)]
            expect("%s: there is one" % queue, len(at) > 0, True)
            for i in at:
                for pattern in [r"j(n?e)\s", r"movq\s+\$\d+, \(", r"(addq\s+\$8, |leaq\s+8\()", r"movq\s+%\w+, \d+\(%r13\)", *more]:
                    expect("%s: %s in %s" % (queue, pattern, code[i - 1:i + 14]), any(re.match(pattern, c) for c in code[i:i + 14]), True)


@test
def where_consumers_run():
    for text, reason in (("affinity=fast", "must be shared, or processors"), ("affinity=4000", "Invalid argument")):
        done = run([VM, "-Xprofile:concurrent:" + text, "-cp", CLASSES, "Exact", "loops"])
        expect(text, (done.returncode, reason in done.stderr), (1, True))
    for text in "shared", "0", "0-1":
        _, _, report = profile("concurrent:affinity=" + text, "Exact", ["loops"])
        expect("affinity", report["header"]["affinity"], text)


@test
def samples_follow_their_consumer():
    """When analyses with small rings are too slow for the rate, samples become rarer, and threads wait less often than
    for samples at fixed distances. Otherwise the rate is kept."""
    def header(options, mode=(), ring=SMALL):
        said, _, report = profile("%s:transport=cab:%s" % (options, ring), "CacheWalks", mode=mode)
        expect("%s: output" % options, said, printed)
        return {key: int(report["header"].get(key, 0)) for key in ("waits", "waits-ns", "pace-mean", "pace-most")}
    printed = run([VM, "-cp", CLASSES, "CacheWalks"]).stdout
    for name in "cache", "hot-stream":
        for mode in (), ("-Xthreads:green",):
            fixed = header(name + ":sampling=jitter:interval=1000:jitter=100:burst=100", mode)
            fast = header(name + ":sampling=rate:rate=1000000:burst=100", mode)
            expect("%s %s: a fixed interval has no pace" % (name, mode), fixed["pace-most"], 0)
            expect("%s %s: %s, fixed %s" % (name, mode, fast, fixed), 0 < 4 * fast["waits"] < fixed["waits"], True)
            expect("%s %s: time of waits: %s, fixed %s" % (name, mode, fast, fixed), 2 * fast["waits-ns"] < fixed["waits-ns"], True)
            expect("%s %s: distances %s" % (name, mode, fast), 200 <= fast["pace-most"] <= 102400, True)
            expect("%s %s: they change: %s" % (name, mode, fast), 100 < fast["pace-mean"] < fast["pace-most"], True)
    easy = header("method-count:sampling=rate:rate=1000", (), "buffer=2m")
    expect("the rate is kept", (easy["pace-mean"], easy["pace-most"], easy["waits"]), (100, 100, 0))


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(CLASSES)
    sources = [os.path.join(ROOT, "tests", "profiler", name + ".java") for name in ("Exact", "ExactMovers", "CarrierControls", "Waiting", "Ends", "CacheWalks", "SampledAllocations")]
    subprocess.run(["javac", "-nowarn", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, *sources], check=True)
    return run_tests()


sys.exit(main())
