#!/usr/bin/env python3
"""The analysis "threads" on programs of known behaviour (tests/profiler/Behaviour.java). Counts are exact; times have
lower bounds, which hold on a loaded machine too."""
import collections, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "threads")
CLASSES = os.path.join(WORK, "classes")
MS = 1000 * 1000
# The program and the library classes that it calls; all of the library would take half a minute.
COMPILED = "-Xjit:compile-all,only=Behaviour*.*,only=java/util/concurrent/*"
MODES = (["-Xint"], ["-Xcomp"], [COMPILED], [], ["-Xint", "-Xthreads:green:carriers=1"], [COMPILED, "-Xthreads:green:carriers=2"],
         ["-Xint", "ring=tee"], [COMPILED, "ring=cab"], [COMPILED, "-Xthreads:green:carriers=2", "ring=tee"])
OWN_MODES = (["-Xint"], ["-Xjit:compile-all,only=Behaviour*.*"], ["-Xint", "-Xthreads:green:carriers=1"],
             ["-Xjit:compile-all,only=Behaviour*.*", "ring=tee"], ["-Xint", "-Xthreads:green:carriers=1", "ring=cab"])
NATIVE, GREEN = [], ["-Xthreads:green"]
# The word ring=QUEUE in a mode: consumers analyse the events from rings so small that threads wait.
RINGS = (["ring=cab"], ["-Xthreads:green", "ring=tee"])
EITHER = (NATIVE, GREEN) + RINGS
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "profiler"))
import race_programs
from harness import SLOWER, expect, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds
SMALL = "buffer=16k:chunk=4k"  # the smallest valid rings


def at_least(what, got, least):
    if got < least:
        raise AssertionError("%s: at least %r, got %r" % (what, least, got))


def run(command, cwd="/", **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT, cwd=cwd, **more)


class Profile:
    """A run's lines and sections."""
    def __init__(self, mode, program, analyses="threads", options="", main="Behaviour", classes=CLASSES):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = os.path.join(scratch, "x.prof")
            self.mode = " ".join(mode) or "default"
            queues = [word[len("ring="):] for word in mode if word.startswith("ring=")]
            mode = [word for word in mode if not word.startswith("ring=")]
            if queues:
                options += ":transport=%s:%s" % (queues[0], SMALL)
            done = run([VM, *mode, "-Xprofile:%s:message=off:file=%s%s" % (analyses, file, options), "-cp", classes, main,
                        *program.split()], cwd=scratch)
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            self.output, self.errors = done.stdout, done.stderr
            self.lines = run([PROF, "export", "--lines", file]).stdout.splitlines()
            said = run([PROF, "report", "--json", file])
            expect("exit code of the report (%s)" % said.stderr, said.returncode, 0)
            self.json = json.loads(said.stdout)
            if "tee" in queues:
                expect("%s %s: differences of the two sides" % (self.mode, program), self.json["header"]["tee-differences"], "0")
            self.text = run([PROF, "report", "--verbose", "--top", "0", file]).stdout
            self.html = run([PROF, "report", "--html", file]).stdout
            self.trace = None
            if os.path.exists(os.path.join(scratch, "x.trace")):
                made = run([PROF, "trace", os.path.join(scratch, "x.trace")])
                expect("exit code of trace (%s)" % made.stderr, made.returncode, 0)
                self.trace = json.loads(made.stdout)["traceEvents"]
        for a in self.json["analyses"]:
            expect("lost", a["lost"], 0)
            expect("recorded", a["recorded"], a["produced"])

    def rows(self, section, **cells):
        """The rows of a section whose cells have these values; for stacks, the innermost frame begins with the
        value."""
        found = [s for s in self.json["sections"] if s["name"] == section]
        expect("sections %s" % section, len(found), 1)

        def fits(row):
            return all((row[k] + [""])[0].startswith(v) if isinstance(row[k], list) else row[k] == v
                       for k, v in ((k.replace("_", " "), v) for k, v in cells.items()))
        return [r for r in found[0]["rows"] if fits(r)]

    def row(self, section, **cells):
        rows = self.rows(section, **cells)
        expect("%s: rows of %s with %s" % (self.mode, section, cells), len(rows), 1)
        return rows[0]

    def own(self):
        return sorted(l for l in self.lines if l.startswith("lock Behaviour."))


@test_lasting(45)
def entries_are_counted_exactly():
    """Counts by place, in both tiers and both thread modes; also together with analyses that are counted."""
    want = {"step()V -1": 3000, "own()V -1": 2000, "thrown()V 5": 500}
    for mode, analyses in [(mode, "locks") for mode in MODES] + [(MODES[0], "threads,branch"), ([], "call-tree,branch,threads")]:
        p = Profile(mode, "counts", analyses)
        found = {l[len("lock Behaviour."):].rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in p.own()}
        nested = [n for k, n in found.items() if k.startswith("counts()V ")]
        expect("%s: nested" % p.mode, sorted(nested), [1000, 1000])
        expect("%s: others" % p.mode, {k: n for k, n in found.items() if not k.startswith("counts()V ")}, want)


@test
def holding_and_waiting_times():
    """Main holds the lock ten times for at least 20 ms while a thread waits; the wait is attributed to main."""
    for mode in EITHER:
        p = Profile(mode, "holders")
        place = p.row("lock-places", place="Behaviour.holders")
        at_least("holdings that were timed: all behind the first wait", place["hold"]["count"], 9)
        at_least("shortest holding", place["hold"]["min"], 20 * MS)
        waits = p.rows("lock-places", place="Behaviour.lambda$holders")
        expect("places that waited", len(waits), 1)
        expect("waits", (waits[0]["contended"], waits[0]["wait"]["count"]), (10, 10))
        at_least("shortest wait", waits[0]["wait"]["min"], 20 * MS)
        at_least("median wait", waits[0]["wait"]["p50"], 20 * MS * 63 // 64)
        at_least("waits because of holdings that were timed", place["blocked others"], 9 * 20 * MS)
        edge = p.row("who-waits-for-whom", waiter="waiter-#", how="monitor", because_of="main", that_was_at="Behaviour.holders")
        expect("waits because of main", edge["wait"]["count"] >= 10, True)
        at_least("of the path, holding", sum(r["time"] for r in p.rows("critical-path", threads="main")), 150 * MS)


JFC = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="jdk.JavaMonitorEnter"><setting name="enabled">true</setting>
<setting name="threshold">0 ms</setting><setting name="stackTrace">true</setting></event></configuration>
"""


@test
def contended_entries_are_those_of_flight_recorder():
    """For a program with scripted waits: as many contended entries at each place as HotSpot's jdk.JavaMonitorEnter
    without a threshold."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        config, recording = os.path.join(scratch, "enter.jfc"), os.path.join(scratch, "x.jfr")
        with open(config, "w") as f:
            f.write(JFC)
        run(["java", "-XX:StartFlightRecording=filename=%s,settings=%s" % (recording, config), "-cp", CLASSES, "Behaviour", "holders"])
        events = json.loads(run(["jfr", "print", "--events", "jdk.JavaMonitorEnter", "--json", recording]).stdout)["recording"]["events"]
    theirs = collections.Counter(e["values"]["stackTrace"]["frames"][0]["method"]["name"] for e in events
                                 if e["values"]["monitorClass"]["name"] == "java/lang/Object")
    own = {r["place"][0].split(":")[0][len("Behaviour."):]: r["contended"] for r in
           Profile(NATIVE, "holders", "locks").rows("lock-places", **{"class": "java.lang.Object", "place": "Behaviour."}) if r["contended"]}
    expect("contended entries by method", own, dict(theirs))


@test
def a_buffer_has_its_two_sides_wait_for_each_other():
    for mode in EITHER:
        p = Profile(mode, "buffer")
        for one, other in ("producer", "consumer"), ("consumer", "producer"):
            edges = p.rows("who-waits-for-whom", waiter=one, how="Object.wait", because_of=other)
            expect("%s: %s waits for %s" % (p.mode, one, other), len(edges) >= 1, True)
        for one in "producer", "consumer":
            expect("waits for itself", p.rows("who-waits-for-whom", waiter=one, how="Object.wait", because_of=one), [])


@test
def a_ring_has_its_members_wait_for_the_one_before():
    """Every awaited thread calls notifyAll, so all of them in turn cause waits to end."""
    p = Profile(["-Xthreads:green:carriers=1"], "ring")
    edges = p.rows("who-waits-for-whom", how="Object.wait", waiter_at="Behaviour.pass")
    at_least("edges", len(edges), 4)
    expect("only members", {e["because of"] for e in edges} <= {"member" + c for c in "ABCD"}, True)


@test
def priority_inversion_is_seen():
    for mode in EITHER:
        p = Profile(mode, "inversion", "dependency")
        # At their ends they may also contend for the lock of their ThreadGroup.
        row = p.row("priority-inversion", waiter="high", holder="low", **{"class": "java.lang.Object"})
        expect("%s: ran instead" % p.mode, row["ran instead"], "middle")
        at_least("%s: the wait" % p.mode, row["wait"]["min"], 10 * MS)


@test
def a_deadlock_is_reported():
    for mode in EITHER:
        p = Profile(mode, "philosophers", "dependency")
        rows = p.rows("deadlocks", threads="philosopher-#")
        expect("%s: in a circle" % p.mode, len(rows), 3)
        expect("they wait for each other", {r["thread"] for r in rows}, {r["owner thread"] for r in rows})
        still = p.rows("waits", how="monitor", place="Behaviour.lambda$philosophers")
        expect("waits without an end", sum(r["still waiting"] for r in still), 3)


@test
def levels_of_concurrency():
    for mode in EITHER:
        p = Profile(mode, "levels", "concurrency")
        nobody = p.row("concurrency", threads=0)
        at_least("%s: time in which nobody ran" % p.mode, nobody["time"], 290 * MS)
        expect("parts add up", 0.99 < sum(r["of the run"] for r in p.rows("concurrency")) <= 1.001, True)


@test_lasting(50)
def locks_of_java_util_concurrent():
    """Each acquisition except nested ones, in both tiers; main holds the lock for at least 20 ms while a thread
    waits."""
    for mode in MODES:
        p = Profile(mode, "owners", "locks")
        own = p.row("owners", **{"class": "java.util.concurrent.locks.ReentrantLock$NonfairSync"})
        expect("%s: acquisitions" % p.mode, own["acquisitions"], 5002)
    for mode in EITHER:
        p = Profile(mode, "owners")
        waiter = p.row("lock-places", kind="lock", place="Behaviour.lambda$owners")
        expect("%s: waits" % p.mode, (waiter["contended"], waiter["wait"]["count"]), (1, 1))
        at_least("%s: the wait" % p.mode, waiter["wait"]["min"], 20 * MS)
        at_least("%s: because of others" % p.mode, sum(r["blocked others"] for r in p.rows("lock-places", kind="lock")), 20 * MS)
        edge = p.rows("who-waits-for-whom", waiter="waiter", how="park", because_of="main")
        at_least("%s: edges" % p.mode, len(edge), 1)


@test
def a_deadlock_of_a_monitor_and_a_lock():
    for mode in EITHER:
        p = Profile(mode, "mixed")
        expect("%s: in a circle" % p.mode, sorted(r["threads"] for r in p.rows("deadlocks")), ["one", "other"])


@test_lasting(15)
def tasks_of_executors():
    for mode in (["-Xint"], [COMPILED], ["-Xthreads:green"]) + RINGS:
        p = Profile(mode, "executor", "tasks")
        job = p.row("tasks", **{"class": "Behaviour$Job"})
        expect("%s: jobs" % p.mode, (job["queued"], job["started"], job["ended"]), (10, 10, 10))
        expect("%s: latencies" % p.mode, (job["latency"]["count"], job["service"]["count"], job["jitter"]["count"]), (10, 10, 9))
        at_least("%s: shortest service" % p.mode, job["service"]["min"], 5 * MS)
        at_least("%s: longest latency" % p.mode, job["latency"]["max"], 9 * 5 * MS - job["service"]["min"])
        command = p.row("tasks", **{"class": "Behaviour$Command"})
        expect("%s: one object many times" % p.mode, (command["queued"], command["started"], command["ended"], command["latency"]["count"]),
               (20, 20, 20, 20))
        value = p.row("tasks", **{"class": "Behaviour$Value"})
        expect("%s: of a CompletableFuture" % p.mode, (value["queued"], value["started"], value["ended"]), (1, 1, 1))


@test_lasting(38)
def tasks_of_fork_join():
    for mode in (["-Xint"], [COMPILED], ["-Xthreads:green"]) + RINGS:
        p = Profile(mode, "forkjoin", "tasks")
        expect("output", p.output, "forkjoin 2016\n")
        row = p.row("tasks", **{"class": "Behaviour$Sum"})
        expect("%s: forks and the first" % p.mode, (row["queued"], row["started"], row["ended"]), (64, 64, 64))


@test_lasting(35)
def times_between_points():
    pairs = r":between=mark\:begin..mark\:end,Behaviour.slow..Behaviour.slow/exit,mark\:sent@key..mark\:received@key"
    for mode in (["-Xint"], [COMPILED], ["-Xthreads:green"]) + RINGS:
        p = Profile(mode, "marks", "tasks", pairs)
        marks, method, keys = (p.row("between", **{"from": f}) for f in ("mark:begin", "Behaviour.slow", "mark:sent@key"))
        expect("%s: how often" % p.mode, [r["time"]["count"] for r in (marks, method, keys)], [5, 5, 3])
        expect("%s: unmatched" % p.mode, [r["unmatched"] for r in (marks, method, keys)], [0, 0, 1])
        for r in marks, method, keys:
            at_least("%s: shortest from %s" % (p.mode, r["from"]), r["time"]["min"], 10 * MS)
        at_least("the longest", marks["longest"], marks["time"]["min"])
    call = line_of("Behaviour.java", "slow();")
    lines = r":between=Behaviour.marks\:%d..Behaviour.marks\:%d" % (call, call + 1)
    for mode in (["-Xint"], ["-Xjit:compile-all,only=Behaviour.*"], ["-Xthreads:green"]) + RINGS:
        p = Profile(mode, "marks", "tasks", lines)
        row = p.row("between", **{"from": "Behaviour.marks:%d" % call})
        expect("%s: lines" % p.mode, (row["time"]["count"], row["unmatched"]), (5, 0))
        at_least("%s: from line to line" % p.mode, row["time"]["min"], 10 * MS)
    for wrong in "nonsense", r"A.b\:x..A.c", r"A.b\:1@key..A.c@key", r"A.b\:1/exit..A.c", r"A.b\:0..A.c":
        expect("refused: " + wrong, run([VM, "-Xprofile:tasks:between=" + wrong, "-version"]).returncode != 0, True)


@test
def one_carrier_repeats():
    """Counts of waits, causes and entries follow from the schedule. A native call longer than 250 ms, possible on a
    busy machine, lets others run (docs/THREADS.md). Then two runs differ, and further runs are made until one equals
    another."""
    mode = ["-Xdeterministic", "-Xthreads:green:carriers=1:quantum=500"]
    for program in "buffer", "ring":
        runs = [Profile(mode, program).lines]
        for _ in range(9):
            runs.append(Profile(mode, program).lines)
            differ = min((sorted(set(runs[-1]) ^ set(r)) for r in runs[:-1]), key=len)
            if not differ:
                break
        expect("lines of %s that differ" % program, differ[:6], [])


@test
def a_trace_is_whole():
    p = Profile(NATIVE, "holders", "threads", ":trace=x.trace")
    names = [e["args"]["name"] for e in p.trace if e["ph"] == "M"]
    expect("waiters", sum(n.startswith("waiter-") for n in names), 10)
    expect("monitors waited for", sum(e["ph"] == "B" and e["name"] == "monitor java.lang.Object" for e in p.trace) >= 10, True)
    for thread in {e["tid"] for e in p.trace}:
        depth = 0
        for e in (e for e in p.trace if e["tid"] == thread and e["ph"] in "BE"):
            depth += 1 if e["ph"] == "B" else -1
            expect("ends without a beginning", depth >= 0, True)
        expect("slices of thread %d that have no end" % thread, depth, 0)
    times = [e["ts"] for e in p.trace if "ts" in e]
    expect("times in order but for a little", all(b >= a - 100 for a, b in zip(times, times[1:])), True)


@test
def reports_have_every_section():
    """Text, JSON and page are consistent; the survey's tables are complete."""
    p = Profile(NATIVE, "holders")
    for section in p.json["sections"]:
        expect("text has %s" % section["name"], "\n%s: " % section["name"] in p.text, True)
        expect("page has %s" % section["name"], "<h2>%s</h2>" % section["name"] in p.html, True)
    expect("timelines are drawn", p.html.count("<polyline") >= 6, True)
    expect("rows of Table 7", len(p.rows("characteristics")), 9)
    rate = p.row("event-rates", what="monitors entered")
    expect("events of the table and of the analysis", rate["count"], p.json["analyses"][0]["produced"])
    at_least("costs are measured", sum(r["all"] for r in p.rows("overhead")), 1)


def line_of(file, text):
    """The first line of a source that begins with this text."""
    with open(os.path.join(ROOT, "tests", "profiler", file)) as f:
        return next(i for i, line in enumerate(f, 1) if line.strip().startswith(text))


def pairs_of(stacks):
    """The pairs of tests/profiler/Races.java whose code is in one of these stacks."""
    return {m.group(1) for stack in stacks for frame in stack for m in [re.match(r"Races\$(\w+)", frame)] if m}


RANDOM_RACES = (["-Xint"], ["-Xjit:compile-all,only=P*.*"], ["-Xthreads:green:carriers=1"],
                ["-Xjit:compile-all,only=P*.*", "-Xthreads:green:carriers=2"])
RACES = (["-Xint"], ["-Xjit:compile-all,only=Races*.*"], ["-Xthreads:green:carriers=2"])


@test_lasting(13)
def races_are_found_and_repaired_ones_are_none():
    """Every pair's race is found, with both places, and its twin has none, in both tiers and thread modes."""
    for mode, options in (*((m, "races") for m in RACES), (RACES[1], "races:transport=cab:" + SMALL), (RACES[2], "races:transport=nway")):
        p = Profile(mode, "racy", options, main="Races")
        names = set(p.output.split())
        at_least("pairs", len(names), 55)
        rows = p.rows("races")
        missing = names - pairs_of(r["at"] for r in rows)
        if "transport" in options:  # races in the class library have no callers there
            missing -= {"Copies", "Lists", "Maps", "Builders"}
            at_least("races in the class library", len(p.rows("library-races")) + len(rows), len(names))
        expect("%s: races not found" % p.mode, missing, set())
        expect("%s: the earlier access" % p.mode, [r for r in rows if not r["earlier at"] or r["earlier at"][0].endswith("?")], [])
        row = p.rows("races", variable="Races$DifferentLocks.x")
        expect("%s: places" % p.mode, {r["at"][0].split(":")[0] for r in row} <= {"Races$DifferentLocks.one", "Races$DifferentLocks.two"}, True)
        expect("%s: callers" % p.mode, all(len(r["at"]) > 1 for r in row), "transport" not in options)
        repaired = Profile(mode, "fixed", options, main="Races")
        expect("%s: false alarms" % p.mode, repaired.rows("races"), [])
        expect("output", repaired.output, p.output)


@test_lasting(32)
def races_of_random_programs():
    """Programs of several threads against a reference with full vector clocks (tests/profiler/race_programs.py), in
    both tiers and thread modes: every racing variable is found, and no ordered accesses are reported. RACE_PROGRAMS=N
    runs N programs, RACE_FIRST=N begins with the N-th."""
    count, first = int(os.environ.get("RACE_PROGRAMS", "30")), int(os.environ.get("RACE_FIRST", "1"))
    for begin in range(first, first + count, 60):
        programs, source = race_programs.batch(range(begin, min(begin + 60, first + count)))
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = os.path.join(scratch, "RacePrograms.java")
            with open(file, "w") as f:
                f.write(source)
            made = run(["javac", "-g", "-nowarn", "-XDignore.symbol.file", "-d", scratch, file])
            expect("javac: " + made.stderr, made.returncode, 0)
            for mode, options in (*((m, "races") for m in RANDOM_RACES), (RANDOM_RACES[0], "races:transport=cab"),
                                  (RANDOM_RACES[3], "races:transport=cab:" + SMALL)):
                p = Profile(mode, "", options, main="RacePrograms", classes=scratch)
                expect("%s: programs from %d on" % (p.mode, begin), race_programs.disagreements(programs, p.rows("races")), [])
        if count > 60:
            print("races of random programs: %d of %d agree in %d modes" % (begin - first + len(programs), count, len(RANDOM_RACES)), flush=True)


@test
def deadlocks_that_could_happen():
    """No deadlock happens in these runs (tests/profiler/LockOrders.java). Expected: lengths of the cycles."""
    for name, want in (("inverted", [2]), ("gated", []), ("consistent", []), ("started", []), ("joined", []), ("alone", []),
                       ("locks", [2]), ("mixed", [2]), ("waiting", [2]), ("philosophers", [5]), ("ordered", []), ("passing", [])):
        for mode, ring in ((["-Xint"], ""), (["-Xjit:compile-all,only=LockOrders*.*"], ""), (["-Xthreads:green:carriers=2"], ""),
                           (["-Xjit:compile-all,only=LockOrders*.*"], ":transport=cab:" + SMALL),
                           (["-Xthreads:green:carriers=2"], ":transport=tee")):
            p = Profile(mode, name, "lock-order" + ring, main="LockOrders")
            rows = [r for r in p.rows("possible-deadlocks") if any(f.startswith("LockOrders") for f in r["at"])]
            lengths = collections.Counter(r["circle"] for r in rows)
            expect("%s, %s" % (p.mode, name), sorted(lengths.values()), want)
            for circle in lengths:
                own = [r for r in rows if r["circle"] == circle]
                expect("each has another's", sorted(r["holds"] for r in own), sorted(r["wants"] for r in own))
                expect("threads", len({r["thread"] for r in own}), len(own))
                if name == "inverted":
                    expect("%s: where it has the one and where it wants the other" % p.mode,
                           {(r["since"][0], r["at"][0]) for r in own},
                           {tuple("LockOrders.both:%d" % line_of("LockOrders.java", "synchronized (%s) {" % o) for o in ("first", "second"))})
                    expect("callers of both", all(r["since"][1] == r["at"][1] for r in own), True)
    p = Profile(NATIVE, "mixed", "lock-order", main="LockOrders")
    expect("classes", {r["of class"] for r in p.rows("possible-deadlocks")},
           {"java.lang.Object", "java.util.concurrent.locks.ReentrantLock$NonfairSync"})
    expect("acquisitions of monitors by class", [l for l in Profile(NATIVE, "counts", "lock-order").lines if "Behaviour" in l][:1],
           ["lock-order Behaviour 2000"])


@test_lasting(14)
def locks_by_site_and_instance():
    """Acquisitions of each lock are exact, in both tiers and thread modes; a lock is named by its allocation site and
    its number there."""
    for mode in OWN_MODES + (["-Xcomp"], [COMPILED]):
        p = Profile(mode, "sites", "locks", ":locks=instance")
        monitors = {r["made at"][0].split(":")[0]: r["acquisitions"] for r in p.rows("lock-sites", kind="monitor", made_at="Behaviour.")}
        expect("%s: monitors by site" % p.mode, monitors, {"Behaviour.one": 300, "Behaviour.another": 400})
        one = {r["number"]: r["acquisitions"] for r in p.rows("lock-instances", made_at="Behaviour.one")}
        expect("%s: monitors of a site" % p.mode, one, {1: 100, 2: 200})
        own = [r for r in p.rows("lock-instances", kind="lock", made_at="java.util.concurrent.locks.ReentrantLock.<init>")
               if r["made at"][1].startswith("Behaviour.owned")]
        expect("%s: locks that a constructor of the library makes" % p.mode, sorted(r["acquisitions"] for r in own), [50, 70])
        expect("%s: their numbers" % p.mode, len({r["number"] for r in own}), 2)
    p = Profile(NATIVE, "holders", "locks", ":locks=site")
    waited = p.row("lock-sites", **{"kind": "monitor", "made at": "Behaviour.<clinit>"})
    expect("waits and what they are because of", (waited["contended"], waited["wait"]["count"]), (10, 10))
    expect("no instances", [s["name"] for s in p.json["sections"] if s["name"] == "lock-instances"], [])
    expect("by default neither", [s["name"] for s in Profile(NATIVE, "counts", "locks").json["sections"] if "sites" in s["name"]], [])
    expect("refused", run([VM, "-Xprofile:tasks:locks=site", "-version"]).returncode != 0, True)


@test
def attempts_without_success():
    """The number of consecutive failures is exact; successful attempts are not reported."""
    for mode in OWN_MODES:
        p = Profile(mode, "retries", "dependency,updates")
        found = {r["what"]: (r["most in a row"], r["at"][-4].split(":")[0]) for r in p.rows("retries", threads="loser")}
        expect("%s: attempts" % p.mode, found, {"tryLock": (200, "Behaviour.tryIt"), "compare-and-set": (300, "Behaviour.compare"),
                                                "yield or spin hint": (400, "Behaviour.giveWay")})
        expect("%s: of success" % p.mode, Profile(mode, "progress", "dependency,updates").rows("retries", threads="winner"), [])
    for mode in EITHER:
        p = Profile(mode, "interrupts", "dependency")
        at_least("%s: waits that nobody ended" % p.mode, p.row("progress", threads="polite-#")["fruitless waits in a row"], 40)


@test_lasting(14)
def waits_that_others_overtake():
    p = Profile(["-Xint", "-Xthreads:green:carriers=1:quantum=100000"], "overtaken", "dependency")
    row = p.row("starvation", threads="starved")
    at_least("how often main had it", row["others had it"], 100)
    expect("where", row["at"][0].split(":")[0], "Behaviour.lambda$overtaken$16")
    for mode in EITHER + (["-Xcomp"], [COMPILED]):
        expect("in turns", Profile(mode, "taking-turns", "dependency").rows("starvation", threads="turn-#"), [])


@test
def races_of_samples():
    """More recording finds more races, and never a false one. With every check a sample, nearly all are found."""
    p = Profile([], "racy", "races", ":sampling=counter:interval=1", main="Races")
    found = pairs_of(r["at"] for r in p.rows("races"))
    at_least("found with every check a sample", len(found), 40)
    chance = p.row("race-detection", what="of a million occurrences of a race, found on average")
    expect("chance with every check", chance["number"], 1000000)
    for options in ":sampling=counter:interval=10:burst=2", ":sampling=jitter:interval=100:burst=10:dup=partial":
        p = Profile([], "fixed", "races", options, main="Races")
        expect("false alarms", p.rows("races"), [])
    expect("chance", p.row("race-detection", what="of a million occurrences of a race, found on average")["number"], 10000)


@test
def nothing_is_printed_by_the_profile():
    for program in "counts", "buffer":
        without = run([VM, "-cp", CLASSES, "Behaviour", program])
        expect("output", Profile(NATIVE, program).output, without.stdout)


def main():
    os.makedirs(CLASSES, exist_ok=True)
    sources = [os.path.join(ROOT, "tests", "profiler", n) for n in ("Behaviour.java", "LockOrders.java", "Races.java")]
    made = run(["javac", "-g", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, *sources])
    if made.returncode:
        sys.exit(made.stderr)
    return run_tests()


sys.exit(main())
