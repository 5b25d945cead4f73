#!/usr/bin/env python3
"""Simulated caches (-Xprofile:cache), reuse distances and sharing: numbers that follow from the sources of
tests/profiler/CacheWalks.java and SharedLines.java, in every tier and both thread modes, inline and concurrent; what
the option cache= accepts; the report."""
import glob, json, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "cache")
CLASSES = os.path.join(WORK, "classes")
LIMIT = 120
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import NEVER, expect, expect_in, run_tests, test

OWN = "only=CacheWalks.*"
MODES = (["-Xint"], ["-Xjit:template-threshold=1," + NEVER], [], ["-Xcomp", "-Xjit:" + NEVER],
         ["-Xjit:compile-all," + OWN], ["-Xjit:template-threshold=1,optimize=300,osr=300,blocking," + OWN],
         ["-Xint", "-Xthreads:green"], ["-Xjit:compile-all," + OWN, "-Xthreads:green:carriers=2"])
WALKS, LINES = 3, (2 << 20) // 16
SIDE, REPEATS = 1024, 100000
TABLES = "cache", "cache-l1", "cache-l2"


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, cwd="/", **more)


def profile(mode, options="", file=None):
    """The report of a run as JSON, whose numbers must add up."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = file or os.path.join(scratch, "x.prof")
        done = run([VM, *mode, "-Xprofile:cache%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "CacheWalks"])
        expect("%s %s: exit code (%s)" % (mode, options, done.stderr), (done.returncode, done.stderr), (0, ""))
        said = json.loads(run([PROF, "report", "--json", file]).stdout)
    expect("tables", [a["name"] for a in said["analyses"]], list(TABLES))
    for a in said["analyses"]:
        expect("%s: lost" % a["name"], (a["produced"], a["lost"]), (a["recorded"], 0))
        expect("%s: sum of rows" % a["name"], sum(r["count"] for r in a["rows"]), a["recorded"])
    return said


def own(said):
    """{(method, field): [accesses, misses of the first level, misses of both]} of the program."""
    found = {}
    for i, a in enumerate(a for a in said["analyses"] if a["name"] in TABLES):
        for r in a["rows"]:
            if r["method"].get("class") == "CacheWalks":
                key = r["method"]["name"], "%s.%s" % (r["field"]["class"], r["field"]["name"])
                found.setdefault(key, [0, 0, 0])[i] += r["count"]
    return found


def accesses(found):
    return {key: counts[0] for key, counts in found.items()}


WANTED = {
    ("walk", "int[].element"): WALKS * LINES,
    ("byRows", "int[].element"): SIDE * SIDE, ("byRows", "java.lang.Object[].element"): SIDE * SIDE,
    ("byColumns", "int[].element"): SIDE * SIDE, ("byColumns", "java.lang.Object[].element"): SIDE * SIDE,
    ("repeat", "CacheWalks.count"): 3 * REPEATS, ("repeat", "CacheWalks.total"): 2 * REPEATS,
    ("repeat", "long[].element"): 2 * REPEATS,
    ("main", "CacheWalks.total"): WALKS * 2 + 3, ("main", "java.lang.System.out"): 1,
}


def check(what, said):
    found = own(said)
    expect("%s: accesses" % what, accesses(found), WANTED)
    for key, (_, first, both) in found.items():
        expect("%s: both levels miss at most as often as the first at %s" % (what, key), both <= first, True)
    # The array is larger than the caches: each access is to a line that is in neither.
    expect("%s: walk" % what, found["walk", "int[].element"], [WALKS * LINES] * 3)
    # A row takes 64 lines, or 66 with parts of two more.
    rows, columns = found["byRows", "int[].element"], found["byColumns", "int[].element"]
    expect("%s: rows miss %d times" % (what, rows[1]), 64 * SIDE <= rows[1] <= 67 * SIDE, True)
    # A column has twice as many lines as the first level.
    expect("%s: columns miss %d times" % (what, columns[1]), columns[1] >= 0.99 * SIDE * SIDE, True)
    repeated = sum(counts[1] for (method, _), counts in found.items() if method == "repeat")
    expect("%s: repeated accesses miss %d times" % (what, repeated), repeated <= 5, True)


@test
def counts_in_every_tier():
    for mode in MODES:
        check(mode, profile(mode))


@test
def concurrent():
    """Through the ring, also with threads that wait for their consumer."""
    for mode in MODES[0], MODES[1], MODES[4], MODES[7]:
        for ring in "buffer=16k:chunk=4k", "consumers=2", "shards=2", "shards=4:consumers=2:buffer=32k:chunk=4k:grow=1m":
            check("%s %s" % (mode, ring), profile(mode, ":transport=cab:" + ring))


@test
def shared_out():
    """The rows of several consumers that share out the sets are those of the thread's own simulation."""
    file = os.path.join(WORK, "shards.prof")
    for mode in MODES[0], MODES[1], MODES[2], MODES[7]:
        for ring, cache in ("shards=2", "lru,noninclusive"), ("shards=8:buffer=64k", "fifo"), ("shards=4:consumers=1", "l1=4k/2"):
            done = run([VM, *mode, "-Xprofile:cache,call-edge:transport=tee:%s:cache=%s:message=off:file=%s" % (ring, cache, file),
                        "-cp", CLASSES, "CacheWalks"])
            expect("%s %s: exit code and stderr" % (mode, ring), (done.returncode, done.stderr), (0, ""))
            said = json.loads(run([PROF, "report", "--json", file]).stdout)
            expect("%s %s: accesses" % (mode, ring), accesses(own(said)), WANTED)
            expect("%s %s: differences" % (mode, ring), said["header"]["tee-differences"], "0")


@test
def the_same_misses():
    """Without randomised addresses the rows are the same in every tier, inline and concurrent. Rows of a few accesses may
    differ, because the VM's own allocations move objects that compete for a set."""
    fixed = ["setarch", "-R"]
    if run([*fixed, "true"]).returncode:
        print("the_same_misses: left out, because this system always randomises addresses")
        return
    first, file = None, os.path.join(WORK, "fixed.prof")
    for mode in MODES[:2] + MODES[4:7]:
        for transport in "direct", "cab:buffer=16k:chunk=4k":
            done = run([*fixed, VM, *mode, "-Xprofile:cache:transport=%s:message=off:file=%s" % (transport, file), "-cp", CLASSES, "CacheWalks"])
            expect("%s %s: exit code" % (mode, transport), done.returncode, 0)
            lines = run([PROF, "export", "--lines", "--filter", "CacheWalks", file]).stdout.splitlines()
            lines = [l for l in lines if int(l.rsplit(" ", 1)[1]) > 10]
            first = first or lines
            expect("%s %s: rows that differ" % (mode, transport), sorted(set(first) ^ set(lines)), [])
    expect("there are rows of all tables", len({l.split(" ")[0] for l in first}), 3)


@test
def consumers_sample():
    """Nearly all accesses of the walk that consumers see miss: each is to another line, and few lines stay from walk to
    walk."""
    file = os.path.join(WORK, "sampled.prof")
    for mode in MODES[0], MODES[4]:
        run([VM, *mode, "-Xprofile:cache:transport=cab:consume=sampled:lines=16:message=off:file=" + file, "-cp", CLASSES, "CacheWalks"])
        seen = own(json.loads(run([PROF, "report", "--json", file]).stdout))["walk", "int[].element"]
        expect("%s: %s" % (mode, seen), 0 < 0.95 * seen[0] < seen[1] <= seen[0] <= WALKS * LINES, True)


@test
def geometry():
    """Data that fit in a larger cache miss once; the header has the caches that were simulated."""
    said = profile(MODES[4], ":cache=l1=16m/16,l2=32m/16,lru")
    expect("caches", said["header"]["cache"], "l1=16777216/16,l2=33554432/16,line=64,lru,inclusive")
    found = own(said)
    expect("walk", found["walk", "int[].element"], [WALKS * LINES, LINES, LINES])
    expect("columns", found["byColumns", "int[].element"][1] <= 0.02 * SIDE * SIDE, True)
    first, both = own(profile(["-Xint"], ":cache=line=128,lru,noninclusive"))["walk", "int[].element"][1:]
    expect("lines of 128 bytes", (first in range(WALKS * LINES // 2, WALKS * (LINES // 2 + 1) + 1), both), (True, first))
    # A random choice keeps few of the lines from one walk to the next.
    both = own(profile(["-Xint"], ":cache=random"))["walk", "int[].element"][2]
    expect("random: %d misses" % both, 0.95 * WALKS * LINES < both <= WALKS * LINES, True)


@test
def samples_are_whole_activations():
    """A sample of consecutive accesses is simulated. One of single accesses is refused."""
    said = profile(MODES[4], ":sampling=counter:interval=1")
    expect("interval 1: accesses", accesses(own(said)), WANTED)
    for options in ":sampling=counter:dup=no", ":sampling=counter:dup=partial":
        done = run([VM, "-Xprofile:cache" + options, "-cp", CLASSES, "CacheWalks"])
        expect("exit code", done.returncode, 1)
        expect_in("cache cannot be sampled", done.stderr)


@test
def reuse_distances():
    """Distances that follow from the source, in each tier and through the ring."""
    file = os.path.join(WORK, "reuse.prof")
    for mode, more in (MODES[0], ""), (MODES[1], ""), (MODES[4], ""), (MODES[0], ":transport=cab:buffer=16k:chunk=4k"), (MODES[7], ":transport=cab"):
        run([VM, *mode, "-Xprofile:reuse-distance%s:message=off:file=%s" % (more, file), "-cp", CLASSES, "CacheWalks"])
        a = json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"][0]
        expect("%s: lost" % mode, (a["produced"], a["lost"]), (a["recorded"], 0))
        found = {}
        for r in a["rows"]:
            if r["method"].get("class") == "CacheWalks" and (r["method"]["name"], r["bci"]) != ("main", -1):
                of = found.setdefault(r["method"]["name"], {})
                of[r["distance"]] = of.get(r["distance"], 0) + r["count"]
        for method in "walk", "byRows", "byColumns", "repeat":
            expect("%s: %s" % (mode, method), sum(found[method].values()), sum(n for (m, _), n in WANTED.items() if m == method))
        # The first walk finds new lines, and each other one passes the whole array before it returns to a line.
        walk = found["walk"]
        expect("%s: walk %s" % (mode, walk), (walk["first"], walk["131072"] + walk.get("65536", 0)), (LINES, (WALKS - 1) * LINES))
        near = sum(n for distance, n in found["repeat"].items() if distance in ("0", "1", "2", "4"))
        expect("%s: repeat %s" % (mode, found["repeat"]), near >= 7 * REPEATS - 5, True)
        # In a column an int and a reference alternate; a line of ints comes back after SIDE others.
        far = sum(n for distance, n in found["byColumns"].items() if distance in ("1024", "first"))
        expect("%s: byColumns %s" % (mode, found["byColumns"]), far >= 0.99 * SIDE * SIDE, True)
    expect_in("lines accessed since the last access", run([PROF, "report", file]).stdout)


ROUNDS = 500


@test
def sharing():
    """Threads that take turns take a line from each other with each write but the first, and lines that they do not
    share never. Lines of 16 bytes have no false sharing."""
    file = os.path.join(WORK, "sharing.prof")
    own = "only=SharedLines.*"
    for mode, cache in ((["-Xint"], ""), (["-Xjit:template-threshold=1," + NEVER], ""), (["-Xjit:compile-all," + own], ""),
                        (["-Xint", "-Xthreads:green"], ""), (["-Xjit:compile-all," + own, "-Xthreads:green:carriers=2"], ""),
                        (["-Xint"], ":transport=cab:buffer=16k:chunk=4k"), (["-Xjit:compile-all," + own], ":transport=tee"),
                        (["-Xjit:compile-all," + own, "-Xthreads:green:carriers=2"], ":transport=cab:buffer=16k:chunk=4k"),
                        (["-Xint"], ":cache=line=16")):
        done = run([VM, *mode, "-Xprofile:sharing%s:message=off:file=%s" % (cache, file), "-cp", CLASSES, "SharedLines"])
        expect("%s: exit code and output" % mode, (done.returncode, done.stdout), (0, "%d\n" % (6 * ROUNDS)))
        said = json.loads(run([PROF, "report", "--json", file]).stdout)
        found = {(a["name"], r["method"]["name"], r["field"]["name"]): r["count"] for a in said["analyses"] for r in a["rows"]
                 if r["method"].get("class") == "SharedLines" and r["method"]["name"].startswith("write")}
        wanted = {("true-sharing", "writeOne", "one"): 2 * ROUNDS - 1, ("false-sharing", "writeOther", "element"): 2 * ROUNDS - 1}
        if "line=16" in cache:  # the two elements are 16 bytes apart
            del wanted["false-sharing", "writeOther", "element"]
        expect("%s %s: lines taken" % (mode, cache), found, wanted)
        if "tee" in cache:
            expect("rows of the two sides that differ", said["header"]["tee-differences"], "0")
    lines = run([PROF, "report", "--verbose", file]).stdout
    expect("shared lines are listed", re.search(r"written +SharedLines\.one\n +at +SharedLines\.writeOne\(", lines) is not None, True)


@test
def refusals():
    for options, why in (("cache:cache=l3=1m/4", "there is no l3"), ("cache:cache=l1=32k/3", "power of two"),
                         ("method-count:cache=lru", "needs cache, reuse-distance or sharing"), ("cache:cache=", "cache="),
                         ("sharing:transport=cab:consumers=2", "consumers=1"), ("sharing:cache=line=128", "at most 64 bytes"),
                         ("sharing:sampling=counter", "sharing cannot be sampled"),
                         ("cache:shards=2", "shards= needs transport=cab"),
                         ("cache:transport=cab:shards=3", "a power of two"),
                         ("cache:transport=cab:shards=128", "must be 2...64"),
                         ("cache:transport=nway:shards=2", "only that ring can have several readers"),
                         ("cache:transport=cab:consume=sampled:shards=2", "only that ring can have several readers"),
                         ("call-edge:transport=cab:shards=2", "independent of each other: cache"),
                         ("cache,races:transport=cab:shards=2", "one consumer"),
                         ("cache:transport=cab:shards=2:cache=random", "one sequence"),
                         ("cache:transport=cab:shards=8:cache=l1=1k/4", "has only 4 sets"),
                         ("reuse-distance:sampling=counter", "reuse-distance cannot be sampled")):
        done = run([VM, "-Xprofile:" + options, "-cp", CLASSES, "CacheWalks"])
        expect("%s: exit code" % options, done.returncode, 1)
        expect_in(why, done.stderr)


@test
def host():
    """The caches of this machine, or the reason why they are unknown."""
    file = os.path.join(WORK, "host.prof")
    done = run([VM, "-Xprofile:cache:cache=host:message=off:file=" + file, "-cp", CLASSES, "CacheWalks"])
    if done.returncode:
        expect_in("cache=host: ", done.stderr)
    else:
        expect_in("lru,noninclusive", run([PROF, "report", file]).stdout)


# The first level's sets and the bytes of a line multiplied must not exceed the chunk of tests/profiler/cache_trace.h.
CACHEGRIND = ("l1=32k/4,l2=512k/8,line=64", "l1=2k/1,l2=8k/4,line=64", "l1=48k/12,l2=1m/16,line=128")
PLAYER = os.path.join(ROOT, "tests", "profiler", "cache_play.c")


def recorded(mode, cache):
    """The accesses and misses of all caches of a run by its report, and files of what each cache saw."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        traces, file = os.path.join(WORK, "trace"), os.path.join(scratch, "x.prof")
        for old in glob.glob(traces + "*"):
            os.remove(old)
        library = os.path.join(BUILD, "tests", "profiler", "cache_record")
        done = run([VM, *mode, "-Xprofile:cache:cache=%s,lru,noninclusive:message=off:file=%s" % (cache, file), "-cp", CLASSES, "CacheWalks"],
                   env={**os.environ, "CACHE_TRACE": traces, "LD_LIBRARY_PATH": library})
        expect("%s: exit code (%s)" % (cache, done.stderr), done.returncode, 0)
        return [a["recorded"] for a in json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"]], glob.glob(traces + "*")


def cachegrind(cache, traces):
    """[accesses, misses of the first level, misses of both] of the recorded accesses."""
    size, line = re.findall(r"l[12]=(\d+)([km])/(\d+)", cache), int(re.search(r"line=(\d+)", cache)[1])
    levels = [(int(n) << {"k": 10, "m": 20}[unit], int(ways)) for n, unit, ways in size]
    out = os.path.join(WORK, "cachegrind.out")
    done = run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,128", "--cachegrind-out-file=" + out,
                *("--%s=%d,%d,%d" % (name, *level, line) for name, level in zip(("D1", "LL"), levels)),
                os.path.join(BUILD, "tests", "profiler", "cache_play"), str(levels[0][0] // levels[0][1]), str(line), *traces])
    expect("%s: cachegrind (%s)" % (cache, done.stderr), done.returncode, 0)
    with open(PLAYER) as f:
        played = next(i for i, text in enumerate(f, 1) if "PLAYED */" in text)
    with open(out) as f:
        text = f.read()
    counts = re.search(r"^fn=play\n(?:\d.*\n)*?%d (.*)" % played, text, re.M)[1]
    found = dict(zip(re.search(r"^events: (.*)", text, re.M)[1].split(), map(int, counts.split())))
    return [found["Dr"], found["D1mr"], found["DLmr"]]


@test
def equals_cachegrind():
    """The accesses of a run have the same misses in valgrind's simulation, whose policy is LRU without inclusion."""
    if not shutil.which("valgrind"):
        print("equals_cachegrind: left out, because valgrind is not installed (make setup-test)")
        return
    variables = ["DEBUG=1"] if BUILD.endswith("/debug") else ["SANITIZE=1"] if BUILD.endswith("/sanitize") else []
    targets = [os.path.relpath(os.path.join(BUILD, "tests", "profiler", name), ROOT) for name in ("cache_record/libjvm.so", "cache_play")]
    made = subprocess.run(["make", "--no-print-directory", *variables, *targets], cwd=ROOT, capture_output=True, text=True)
    expect("make (%s)" % made.stderr, made.returncode, 0)
    for cache, mode in zip(CACHEGRIND, (MODES[0], MODES[4], MODES[6])):
        counts, traces = recorded(mode, cache)
        expect("%s: there are accesses and misses: %s" % (cache, counts), counts[0] > counts[1] > counts[2] > WALKS * LINES / 2, True)
        expect("%s: accesses and misses by cachegrind" % cache, cachegrind(cache, traces), counts)


@test
def report():
    """Rates in the head; tables by method, line, field and class, the most misses first."""
    file = os.path.join(WORK, "report.prof")
    profile(["-Xint"], file=file)
    said = run([PROF, "report", file]).stdout
    head = re.search(r"cache +of ([\d,]+) accesses ([\d.]+) % missed L1, and ([\d.]+) %\s+L2 as well", said)
    expect("rates in the head", head is not None and float(head[2]) >= float(head[3]) > 0, True)
    tables = dict(re.findall(r"L2 misses +% +by (\w+)\n((?:  .*\n)+)", said))
    first = {by: rows.split("\n")[0].split() for by, rows in tables.items()}
    columns = "%d" % own(json.loads(run([PROF, "report", "--json", file]).stdout))["byColumns", "int[].element"][1]
    with open(os.path.join(ROOT, "tests", "profiler", "CacheWalks.java")) as f:
        line = next(i for i, l in enumerate(f, 1) if "for (int r = 0; r < SIDE; r++) sum" in l)
    expect("by method", first["method"][-1], "CacheWalks.byColumns(int[][])")
    expect("by line", first["line"][-1], "CacheWalks.byColumns:%d" % line)
    expect("by field", first["field"][-1], "int[].element")
    expect("by class", first["class"][-1], "int[]")
    expect("misses of columns and of their rows", int(first["line"][1].replace(",", "")) >= int(columns), True)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(CLASSES)
    subprocess.run(["javac", "-nowarn", "-d", CLASSES, *(os.path.join(ROOT, "tests", "profiler", name + ".java") for name in ("CacheWalks", "SharedLines"))],
                   check=True)
    return run_tests()


sys.exit(main())
