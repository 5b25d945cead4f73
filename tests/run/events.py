#!/usr/bin/env python3
"""The events of vm/api/events.def: each happens as often as the source of tests/profiler/EventCounts.java implies, in
both tiers and both thread modes; scope= filters them; following the developers' guides literally works."""
import collections, functools, json, os, random, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "events")
CLASSES = os.path.join(WORK, "classes")
# Compiles the program's methods at their first call; with the library it would take half a minute.
COMPILED = "-Xjit:compile-all," + ",".join("exclude=%s/*" % p for p in ("java", "javax", "jdk", "sun", "com"))
MODES = (["-Xint"], ["-Xcomp"], [COMPILED], ["-Xint", "-Xthreads:green"], [COMPILED, "-Xthreads:green:carriers=2"])
N = 60
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, run_tests, test, test_lasting

LIMIT = 300 * SLOWER  # seconds


def run(command, cwd="/", **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT, cwd=cwd, **more)


def profile(mode, options, vm=VM, prof=PROF, main="EventCounts", args=(str(N),)):
    """The exported lines of a run. All of its events must be accounted for."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        done = run([vm, *mode, "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, main, *args])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        said = run([prof, "report", file]).stdout
        produced, recorded, lost = re.search(r"([\d,]+) [\w ]+ produced, ([\d,]+) recorded, ([\d,]+) lost", said).groups()
        expect("lost", lost, "0")
        expect("recorded", recorded, produced)
        return run([prof, "export", "--lines", file]).stdout.splitlines()


def counts(lines):
    """{(method, event): count}, summed over bytecode indexes, and {event: count} of events without a method."""
    found, vm = collections.Counter(), collections.Counter()
    for line in lines:
        word, method, bci, event, count = line.split(" ")
        if word != "events":
            continue
        if method == "<vm>":
            vm[event] += int(count)
        else:
            found[method.split("(")[0], event] += int(count)
    return found, vm


E = "EventCounts."
OF_METHODS = {
    ("calls", "method_entry"): 4, ("calls", "method_exit"): 4, ("calls", "call_edge"): N + 9,
    ("calls", "backedge"): N + 9, ("calls", "jump"): N + 9, ("calls", "branch"): N + 9 + 4,
    ("leaf", "method_entry"): N + 9, ("leaf", "method_exit"): N + 9, ("leaf", "method_unwind"): 0,
    ("thrower", "method_entry"): N, ("thrower", "method_exit"): 0, ("thrower", "method_unwind"): N,
    ("catcher", "method_exit"): 1, ("catcher", "method_unwind"): 0, ("catcher", "call_edge"): N,
    ("fields", "field_access"): 5 * N, ("fields", "value"): 3 * N,
    ("arrays", "array_access"): 4 * N, ("arrays", "value"): 2 * N,
    ("fields", "shared_access"): 5 * N, ("arrays", "shared_access"): 4 * N, ("failing", "shared_access"): 0,
    # a remainder per access and a sum; a conversion and two sums; the length that is not an index
    ("arrays", "result"): 3 * N, ("fields", "result"): 3 * N, ("failing", "result"): 1, ("leaf", "result"): N + 9,
    ("arrays", "argument"): 3, ("leaf", "argument"): N + 9, ("thrower", "argument"): N, ("contend", "argument"): 0,
    ("leaf", "returned"): N + 9, ("thrower", "returned"): 0, ("allocate", "returned"): 1, ("waits", "returned"): 0,
    ("failing", "array_access"): 0, ("failing", "value"): 0, ("failing", "method_exit"): 1,
    # new, int[], Object[], and long[2][3], which allocates three arrays; long[][]'s mirror at its first use
    ("allocate", "allocation"): 6 * N + 1, ("<init>", "method_entry"): N + 1,
    # loop, if and switch; else, two breaks of three, and the loop's goto
    ("jumps", "path"): N + 1, ("thrower", "path"): N, ("leaf", "path"): N + 9,
    ("jumps", "branch"): (N + 1) + N + N, ("jumps", "jump"): N // 2 + 2 * N // 3 + N, ("jumps", "backedge"): N,
    # Thread.start can be overridden, join cannot
    ("threads", "receiver"): 3, ("contend", "receiver"): 4,
    ("parks", "backedge"): N, ("locked", "method_entry"): N,
    ("locked", "point_enter"): 0, ("locked", "point_leave"): 0,
    ("locked", "monitor_entered"): N, ("waits", "monitor_entered"): 3,
}


def check_counts(mode, lines):
    found, vm = counts(lines)
    for (method, event), count in OF_METHODS.items():
        expect("%s: %s of %s" % (mode, event, method), found[E + method, event], count)
    expect("%s: parks" % mode, vm["park"], N)
    expect("%s: unparks" % mode, vm["unpark"], N)
    expect("%s: collections" % mode, vm["collection"], 3)
    expect("%s: every monitor asked for is acquired" % mode, vm["monitor_enter"], vm["monitor_acquired"])
    # main, and three and four threads of the program; five threads of the VM and the class library do not end.
    expect("%s: threads" % mode, (vm["thread_start"], vm["thread_end"]), (13, 8))
    # Two threads of the class library wait inside monitors when the program ends.
    expect("%s: monitors released" % mode, vm["monitor_released"], vm["monitor_acquired"] - 2)
    # The events of the class library's threads and of join depend on timing; vm_events_in_step has exact numbers.
    for least, event in ((3 * N + 800, "monitor_acquired"), (3 * N + 800, "monitor_released"), (3, "monitor_wait"),
                         (2 * N + 800, "sync_acquire"), (2 * N + 800, "sync_release"), (100, "class_init"), (6, "monitor_notify"), (100, "lock_timed"), (100, "lock_released"), (10, "block_begin"), (10, "block_end"), (0, "mark"), (10, "compare_and_set"), (0, "gave_way"),
                         (10, "switch_in"), (10, "switch_out"), (3, "safepoint_begin"), (3, "safepoint_end")):
        expect("%s: at least %d of %s, which is %d" % (mode, least, event, vm[event]), vm[event] >= least, True)
    expect("%s: stops" % mode, vm["safepoint_begin"] - vm["safepoint_end"] in (0, 1), True)


@test_lasting(47)
def all_events_in_all_modes():
    """Numbers worked out by hand, and the same lines for the program's methods in every mode."""
    first = None
    for mode in MODES:
        lines = profile(mode, "events:scope=EventCounts.*")
        check_counts(mode, lines)
        own = sorted(l for l in lines if l.startswith("events EventCounts."))
        if first is None:
            first = own
        expect("lines of %s" % mode, own, first)


@test
def vm_events_in_step():
    """Exact differences between two runs, in which the class library's events cancel out. Switches are excluded: the
    system switches native threads, and the number of a green thread's yields depends on the speed of others."""
    for mode in ["-Xint"], ["-Xthreads:green:carriers=1"], ["-Xthreads:green:carriers=2"]:
        few, many = (counts(profile(mode, "events:scope=VmCounts.*", main="VmCounts", args=(n,)))[1] for n in ("5", "25"))
        for event, count in (("monitor_notify", 20 + 60), ("park", 20),
                             ("unpark", 20), ("thread_start", 60), ("thread_end", 60), ("collection", 0)):
            expect("%s: %s" % (mode, event), many[event] - few[event], count)
        # Main may reach the monitor before the waiting thread has released it, and that thread wakes up while main is
        # inside.
        contended = many["monitor_contended"] - few["monitor_contended"]
        expect("%s: 20 contended entries, up to 40 of those here and 10 there, in %d" % (mode, contended), 10 <= contended <= 60, True)
        # Each thread that ends also notifies. A thread of the class library may or may not wait when the program ends,
        # so waits have only bounds.
        waits = many["monitor_wait"] - few["monitor_wait"]
        expect("%s: 20 waits, give or take 3, in %d" % (mode, waits), 17 <= waits <= 23, True)
        expect("%s: monitors" % mode, many["monitor_released"] - few["monitor_released"],
               many["monitor_acquired"] - few["monitor_acquired"])


@test
def stacks_are_taken():
    """Frames that are active when a profile starts and resumes, outermost first."""
    for mode in ["-Xint"], ["-Xjit:compile-all,only=Trees*.*"]:
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = os.path.join(scratch, "x.prof")
            done = run([VM, *mode, "-cp", CLASSES + ":" + os.path.join(BUILD, "lib", "java"), "Trees", "late", "events", file])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            found, vm = counts(run([PROF, "export", "--lines", file]).stdout.splitlines())
            expect("frames", {m: n for (m, e), n in found.items() if e == "stack_frame"}, {"<thread>": 2, "Trees.main": 2, "Trees.late": 2})
            expect("stacks", vm["stack_taken"] >= 2 and vm["stack_frame"] == 0, True)


@test
def every_event_is_tested():
    """Every row of events.def has a number in this file."""
    with open(os.path.join(ROOT, "vm", "api", "events.def")) as f:
        rows = re.findall(r"^EVENT\((\w+)", f.read(), re.M)
    with open(os.path.abspath(__file__)) as f:
        here = f.read()
    expect("rows", len(rows) > 20, True)
    # Instructions and assignments report only where productions name them: tests/run/productions.py counts them.
    expect("not tested", [r for r in rows if '"%s"' % r not in here and r not in ("migration", "instruction", "scalar_pair")], [])


@test
def events_are_named_where_they_happen():
    """docs/ADDING-AN-EVENT.md: only the places, the analyses and the productions refer to an event by name."""
    places = re.compile(r"jit/(emit|probes)/|profiler/(analyses|concurrency|productions)/|vm/interp/(interp_probes|flowcounts)\.|vm/instrument/(report|vmevents)\.c|vm/api/events\.(def|h)")
    with open(os.path.join(ROOT, "vm", "api", "events.def")) as f:
        ids = re.findall(r"^EVENT\((\w+)", f.read(), re.M)
    name = re.compile(r"\bEVENT_(%s)\b" % "|".join(ids))
    rooms = ("base", "bytecode", "gc", "vm", "jit", "profiler")
    files = [os.path.join(folder, n) for room in rooms for folder, _, names in os.walk(os.path.join(ROOT, room))
             for n in names if n.endswith((".c", ".h", ".def"))]
    expect("there are files", len(files) > 300, True)
    for file in files:
        with open(file) as f:
            expect(file, [] if places.match(os.path.relpath(file, ROOT)) else name.findall(f.read()), [])


@test_lasting(186)
def what_is_entered_is_left():
    """Each entry has a normal or an exceptional exit, in the class library too, except on the stacks of waiting
    threads."""
    waits = re.compile(r"java\.lang\.(ref\.|Thread\.|Object\.wait)|jdk\.internal\.(ref\.|misc\.InnocuousThread)")
    for mode in ["-Xint"], ["-Xcomp"], ["-Xjit:compile-all"]:
        found, _ = counts(profile(mode, "events", main="IntrinsicExits", args=("1000",)))
        expect("calls of Math.max", found["java.lang.Math.max", "method_entry"] >= 1000, True)
        expect("throws", found["java.lang.System.arraycopy", "method_unwind"], 1000)
        for name in {name for name, _ in found if not waits.match(name)}:
            left = found[name, "method_exit"] + found[name, "method_unwind"]
            expect("exits of %s, %s" % (name, mode), left, found[name, "method_entry"])


@test
def migrations_of_green_threads():
    """With two carriers, a yielding thread among four eventually migrates."""
    for _ in range(5):
        found, vm = counts(profile(["-Xint", "-Xthreads:green:carriers=2"], "events:scope=EventCounts.*"))
        expect("migrations are switches", vm["migration"] <= vm["switch_in"], True)
        if vm["migration"] > 0:
            return
    raise AssertionError("no migration")


def matches(line, column):
    return line.split(" ")[column].startswith(E)


@test_lasting(66)
def scope_is_a_filter():
    """A profile with scope= has exactly those lines of the full profile whose method (of an edge: the callee) is in
    scope."""
    for mode in ["-Xint"], [COMPILED]:
        for analysis, column in ("method-count", 1), ("call-edge", 3), ("branch", 1):
            full = profile(mode, analysis)
            scoped = profile(mode, analysis + ":scope=EventCounts.*,!EventCounts.leaf*")
            want = [l for l in full if matches(l, column) and E + "leaf" not in l.split(" ")[column]]
            expect("%s %s" % (mode, analysis), scoped, want)
            expect("there are some", len(want) > 5, True)


@test
def scope_excludes():
    lines = profile(["-Xint"], "method-count:scope=!java.*,!jdk.*,!sun.*")
    expect("java.*", [l for l in lines if l.startswith("method java.")], [])
    expect("own", "method EventCounts.leaf(I)I %d" % (N + 9) in lines, True)


@test
def scope_is_told():
    """The report states what the profile excludes."""
    file = os.path.join(WORK, "told.prof")
    run([VM, "-Xprofile:events:scope=Event*:message=off:file=" + file, "-cp", CLASSES, "EventCounts", "1"])
    expect("report", "methods outside scope=Event*" in run([PROF, "report", file]).stdout, True)


@test
def scope_is_checked():
    done = run([VM, "-Xprofile:events:scope=a.*,,b.*", "-cp", CLASSES, "EventCounts", "1"])
    expect("exit code", done.returncode, 1)
    expect("reason", "a pattern is missing" in done.stderr, True)


@test_lasting(138)
def sampled_with_interval_1_is_exact():
    """In code of every shape: with duplicated code for everything, for parts, and with a check at each event."""
    exact = [l for l in profile(["-Xint"], "events:scope=EventCounts.*") if l.startswith("events EventCounts.")]
    without_paths = [l for l in exact if l.split()[3] != "path"]  # only samples that last for an activation report paths
    for mode in ["-Xint"], [COMPILED]:
        for dup in "full", "partial", "no":
            lines = profile(mode, "events:scope=EventCounts.*:sampling=counter:interval=1:dup=" + dup)
            expect("%s %s" % (mode, dup), [l for l in lines if l.startswith("events EventCounts.")],
                   exact if dup == "full" else without_paths)


def insert(tree, file, where, code):
    path = os.path.join(tree, file)
    with open(path) as f:
        text = f.read()
    at = text.find(where)
    expect("%r in %s" % (where, file), at >= 0, True)
    with open(path, "w") as f:
        f.write(text[:at] + code + text[at:])


def follow_event_guide(tree):
    with open(os.path.join(ROOT, "docs", "ADDING-AN-EVENT.md")) as f:
        steps = re.findall(r"In\s+`(\S+)`,\s+before\s+`([^`]+)`:\n\n```c\n(.*?)```", f.read(), re.S)
    expect("places", len({file for file, _, _ in steps}), 4)
    for file, where, code in steps:
        insert(tree, file, where, code)


def follow_analysis_guide(tree):
    with open(os.path.join(ROOT, "docs", "ADDING-AN-ANALYSIS.md")) as f:
        guide = f.read()
    row = re.search(r"`(ANALYSIS\(callee_parity,[^`]*)`", guide).group(1)
    file = re.search(r"`(profiler/\S*callee_parity\.c)`", guide).group(1)
    insert(tree, "profiler/analyses/analyses.def", 'ANALYSIS(productions,', row + "\n")
    with open(os.path.join(tree, file), "w") as f:
        f.write(guide.split("```c\n")[1].split("```")[0])


def copy_of_the_source(name):
    tree = os.path.join(WORK, name)
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda d, names: [
        n for n in names if n == ".git" or (d == ROOT and (n == "tests" or n.startswith("build")))])
    if os.path.basename(BUILD) == "build":  # reuses objects whose sources are unchanged
        shutil.copytree(os.path.join(BUILD, "obj"), os.path.join(tree, "build", "obj"))
    return tree


def build(tree):
    """Builds the tree; returns its VM and its profile tool."""
    done = run(["make", "-j2", "all"], cwd=tree)
    expect("make: " + done.stderr[-2000:], done.returncode, 0)
    return os.path.join(tree, "build", "cabernet"), os.path.join(tree, "build", "cabernet-prof")


@test_lasting(13)
def the_guides_work():
    """Follows docs/ADDING-AN-EVENT.md and ADDING-AN-ANALYSIS.md in a copy of the source, builds and runs it."""
    tree = copy_of_the_source("tree")
    follow_event_guide(tree)
    follow_analysis_guide(tree)
    vm, prof = build(tree)
    for mode in ["-Xint"], [COMPILED]:
        found, _ = counts(profile(mode, "events:scope=EventCounts.*", vm, prof))
        expect("switches", found[E + "jumps", "switch_key"], N)
        expect("others", sum(c for (_, event), c in found.items() if event == "switch_key"), N)
        parity = profile(mode, "callee-parity:scope=EventCounts.*", vm, prof)
        methods = profile(mode, "method-count:scope=EventCounts.*", vm, prof)
        expect("entries", sum(int(l.split()[-1]) for l in parity), sum(int(l.split()[-1]) for l in methods))
    shutil.rmtree(tree)


HANDOVER = "handover:scope=Waiting.*"
ROUNDS = "2000"


def own_lines(lines):
    """The workers' lines, except for events whose sinks cannot request a wait."""
    return sorted(l for l in lines if " Waiting.work(" in l or " Waiting.locked(" in l if " method_unwind " not in l)


def handed_over(vm, prof, mode, more=""):
    """A run whose sinks wait for a consumer: its lines, its output, and whether stops were fast. Nothing may be
    lost."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file, log = os.path.join(scratch, "x.prof"), os.path.join(scratch, "log")
        done = run([vm, *mode, "-Xlog:safepoint:file=" + log, "-Xprofile:%s%s:message=off:file=%s" % (HANDOVER, more, file),
                    "-cp", CLASSES, "Waiting", ROUNDS])
        expect("%s: exit code (%s)" % (mode, done.stderr), done.returncode, 0)
        waits = re.fullmatch(r"handover: (\d+) waits\n", done.stderr)
        expect("%s: waits, in %r" % (mode, done.stderr), waits is not None and int(waits.group(1)) > 50, True)
        with open(log) as f:
            reaching = sorted(int(n) for n in re.findall(r"Reaching safepoint: (\d+) ns", f.read()))
        expect("%s: collections" % mode, len(reaching) > 20, True)
        check_handover(prof, file)
        fast = reaching[len(reaching) * 9 // 10] < 2500000
        return run([prof, "export", "--lines", file]).stdout.splitlines(), done.stdout, fast


def check_handover(prof, file):
    said = run([prof, "report", file]).stdout
    produced, recorded, lost = re.search(r"([\d,]+) events produced, ([\d,]+) recorded, ([\d,]+) lost", said).groups()
    expect("recorded and lost", (recorded, lost), (produced, "0"))


def ended(vm, prof, mode, how):
    """The consumer is visible to the system but not to Java, and ends before the profile is written."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        p = subprocess.Popen([vm, *mode, "-Xprofile:%s:message=off:file=%s" % (HANDOVER, file), "-cp", CLASSES, "Waiting",
                              "100000000", how], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect("%s: who sees it" % mode, p.stdout.readline(), "java false system true\n")
        if how == "term":
            expect("%s" % mode, p.stdout.readline(), "ready\n")
            p.send_signal(signal.SIGTERM)
        _, said = p.communicate(timeout=LIMIT)
        expect("%s: exit code" % mode, p.returncode, 7 if how == "exit" else 143)
        expect("%s: the consumer's last word, in %r" % (mode, said), re.fullmatch(r"handover: \d+ waits\n", said) is not None, True)
        check_handover(prof, file)


@functools.lru_cache
def with_test_analyses():
    """A VM and a profile tool with the analyses of tests/profiler."""
    tree = copy_of_the_source("analyses")
    for name, word in ("handover", "events"), ("mortal", "mortal"):
        shutil.copy(os.path.join(ROOT, "tests", "profiler", name + ".c"), os.path.join(tree, "profiler", "analyses"))
        insert(tree, "profiler/analyses/analyses.def", 'ANALYSIS(productions,', 'ANALYSIS(%s, "%s", "%s", "a test")\n' % (name, name, word))
    return build(tree)


@test_lasting(30)
def allocations_are_all_of_the_heap():
    """The bytes of all allocation events equal the heap's count; objects allocated by natives are at their callers'
    sites. `alloc` counts them all."""
    file, compiled = os.path.join(WORK, "bytes.prof"), "-Xjit:blocking,force=Allocations*"
    for mode in ["-Xint"], [compiled], ["-Xint", "-Xthreads:green:carriers=1"], [compiled, "-Xthreads:green:carriers=2"], \
                [compiled, ":sampling=counter:interval=1:dup=full"], [compiled, ":sampling=counter:interval=1:dup=no"]:
        options = [m for m in mode if not m.startswith(":")]
        done = run([VM, *options, "-Xmx256m", "-Xprofile:events,alloc%s:message=off:file=%s" % ("".join(m for m in mode if m[0] == ":"), file),
                    "-cp", CLASSES, "Allocations", str(N)])
        expect("%s: output (%s)" % (mode, done.stderr), done.stdout, "%d\n" % (4 * N + 3))
        report = json.loads(run([PROF, "report", "--json", file]).stdout)
        lines = run([PROF, "export", "--lines", file]).stdout.splitlines()
        analyses = {a["name"]: a for a in report["analyses"]}
        counted = analyses["alloc-bytes"]["recorded"]
        expect("%s: bytes" % mode, counted, int(report["header"]["allocated-bytes"]))
        expect("%s: sum of bytes" % mode, sum(r["count"] for r in analyses["alloc-bytes"]["rows"]), counted)
        expect("%s: there are some" % mode, counted > 10000000, True)
        found, _ = counts([l for l in lines if l.startswith("events ")])
        expect("%s: clones" % mode, found["Allocations.clones", "allocation"], 2 + 2 * N)
        alloc = analyses["alloc"]
        expect("%s: produced and lost" % mode, (alloc["produced"], alloc["lost"]), (alloc["recorded"], 0))
        objects = {}
        for r in alloc["rows"]:
            place = "%s.%s" % (r["method"].get("class", ""), r["method"]["name"]), r["class"]
            objects[place] = objects.get(place, 0) + r["count"]
        events = {}
        for (method, event), n in found.items():
            if event == "allocation":
                events[method] = events.get(method, 0) + n
        of_methods = {}
        for (method, _), n in objects.items():
            of_methods[method] = of_methods.get(method, 0) + n
        expect("%s: objects by method" % mode, {m: n for m, n in of_methods.items() if m in events}, events)


@test_lasting(20)
def removed_allocations_are_counted_apart():
    """`alloc` alone is counted by compiled code. The bytes are the heap's; at each place, the objects allocated and
    removed are the interpreter's objects (the event "allocation_removed")."""
    file, found = os.path.join(WORK, "removed.prof"), {}
    for mode in "-Xint", "-Xjit:blocking,template=off,optimize=1000", "-Xjit:blocking,optimize=2000":
        done = run([VM, mode, "-Xprofile:alloc:message=off:file=" + file, "-cp", CLASSES, "RemovedAllocations", "20000"])
        expect("%s: output (%s)" % (mode, done.stderr), done.stdout, "1599920000\n")
        report = json.loads(run([PROF, "report", "--json", file]).stdout)
        analyses = {a["name"]: a for a in report["analyses"]}
        expect("%s: bytes" % mode, analyses["alloc-bytes"]["recorded"], int(report["header"]["allocated-bytes"]))
        places = {}
        for name in "alloc", "alloc-removed":
            expect("%s: lost" % mode, (analyses[name]["produced"], analyses[name]["lost"]), (analyses[name]["recorded"], 0))
            for r in analyses[name]["rows"]:
                if r["method"].get("class") in ("RemovedAllocations", "java.lang.Integer"):
                    place = r["method"]["name"], r.get("bci", r.get("site")), r["class"]
                    places[place] = places.get(place, 0) + r["count"]
        found[mode] = places
        removed = sum(r["count"] for r in analyses["alloc-removed"]["rows"] if r["method"].get("class") == "RemovedAllocations")
        expect("%s: removed %d" % (mode, removed), removed > 50000, mode != "-Xint")
    for mode in found:
        expect(mode, found[mode], found["-Xint"])


def java_type(cls):
    """int[] for [I, java.lang.Object[] for [Ljava/lang/Object;."""
    element = cls.lstrip("[")
    if element != cls:
        names = dict(B="byte", C="char", D="double", F="float", I="int", J="long", S="short", Z="boolean")
        element = names.get(element) or element[1:-1]
    return element.replace("/", ".") + "[]" * (len(cls) - len(cls.lstrip("[")))


@test_lasting(20)
def sampled_allocations_show_where_bytes_go():
    """alloc-tree (the event "allocation_sample") has about the bytes of `alloc`, in all and by method, in each tier,
    with both kinds of threads, and beside `alloc`, whose counts stay those of the heap."""
    file = os.path.join(WORK, "tree.prof")
    for mode in ["-Xint"], ["-Xjit:blocking,optimize=2000"], ["-Xthreads:green:carriers=1"], []:
        done = run([VM, *mode, "-Xprofile:alloc,alloc-tree:every=4k:message=off:file=" + file, "-cp", CLASSES, "SampledAllocations", "100000"])
        expect("%s: output (%s)" % (mode, done.stderr), done.stdout, "100000\n")
        report = json.loads(run([PROF, "report", "--json", file]).stdout)
        analyses = {a["name"]: a for a in report["analyses"]}
        exact, tree = analyses["alloc-bytes"], analyses["alloc-tree"]
        expect("%s: exact bytes" % mode, exact["recorded"], int(report["header"]["allocated-bytes"]))
        expect("%s: distance" % mode, report["header"]["alloc-every"], "4096")
        expect("%s: lost" % mode, (tree["produced"], tree["lost"]), (tree["recorded"], 0))
        expect("%s: multiple of the distance" % mode, tree["recorded"] % 4096, 0)
        close("%s: bytes" % mode, tree["recorded"], exact["recorded"], 0.05)
        sums, classes = {}, {}
        for stack in run([PROF, "export", "--collapsed", "--all", "--analysis", "alloc-tree", file]).stdout.splitlines():
            frames, count = stack.rsplit(" ", 1)
            leaf, cls = frames.split(";")[-2].split("(")[0], frames.split(";")[-1]
            sums[leaf] = sums.get(leaf, 0) + int(count)
            classes[leaf, cls] = classes.get((leaf, cls), 0) + int(count)
            if leaf == "SampledAllocations.deep":
                expect("%s: the whole stack" % mode, "SampledAllocations.main" in frames, True)
        for method in "first", "second", "large", "deep":
            name = "SampledAllocations." + method
            by_place = sum(r["count"] for r in exact["rows"] if r["method"].get("class") == "SampledAllocations" and r["method"]["name"] == method)
            close("%s: bytes of %s" % (mode, name), sums.get(name, 0), by_place, 0.15)
            of_classes = {}
            for r in exact["rows"]:
                if r["method"].get("class") == "SampledAllocations" and r["method"]["name"] == method:
                    of_classes[java_type(r["class"])] = of_classes.get(java_type(r["class"]), 0) + r["count"]
            for cls, bytes in of_classes.items():
                if bytes > 0.1 * by_place:
                    close("%s: %s of %s" % (mode, cls, name), classes.get((name, cls), 0), bytes, 0.2)
    for text, why in ("alloc-tree:sampling=counter", "alloc-tree cannot be sampled"), \
            ("alloc:every=1m", "needs alloc-tree or alloc-lifetime"), ("alloc-tree:every=10", "every=10"):
        done = subprocess.run([VM, "-Xprofile:" + text, "-cp", CLASSES, "SampledAllocations", "1"], capture_output=True, text=True)
        expect("%s: %s" % (text, done.stderr), why in done.stderr, True)
        expect(text, done.returncode, 1)


@test
def lifetimes_are_those_of_the_program():
    """alloc-lifetime on objects of known lifetimes, with a collection every 5 MB: garbage dies before the next one, an array of the queue
    lives until 10,000 others of its place are made (20.5 MB), and what is kept does not die. By the thread itself and in a consumer."""
    file, step = os.path.join(WORK, "lifetimes.prof"), 2500 * 2036
    for mode, queue in ([], ""), (["-Xint"], ":transport=tee:buffer=16k:chunk=4k"), (["-Xthreads:green"], ":transport=cab"), (["-Xgc-full"], ":transport=tee"):
        done = run([VM, *mode, "-Xprofile:alloc-lifetime:every=16k%s:message=off:file=%s" % (queue, file), "-cp", CLASSES, "Lifetimes"])
        expect("%s: output (%s)" % (mode, done.stderr), done.stdout, "3000\n")
        report = json.loads(run([PROF, "report", "--json", file]).stdout)
        expect("%s: differences" % mode, report["header"].get("tee-differences", "0"), "0")
        recorded = report["analyses"][0]
        expect("%s: lost" % mode, (recorded["produced"], recorded["lost"]), (recorded["recorded"], 0))
        sections = {s["name"]: s["rows"] for s in report["sections"]}
        rows = {r["at"][0].split(":")[0]: r for r in sections["lifetimes"] if r["at"] and r["at"][0].startswith("Lifetimes.")}
        brief, queued, kept = (rows["Lifetimes." + name] for name in ("brief", "queued", "immortal"))
        for name, row in ("brief", brief), ("queued", queued):
            close("%s: bytes of %s" % (mode, name), row["bytes"], 100000 * 1016, 0.1)
            expect("%s: alive or dead" % mode, row["died"] + row["alive at the end"], row["sampled"])
        close("%s: bytes that are kept" % mode, kept["bytes"], 2000 * 1016, 0.6)
        expect("%s: what is kept dies" % mode, kept["died"], 0)
        expect("%s: garbage: %s" % (mode, brief), 0 < brief["median lifetime"] < brief["longest lifetime"] < 0.7 * step, True)
        close("%s: median of the queue" % mode, queued["median lifetime"], 10000 * 2052, 0.06)
        close("%s: 90 %% of the queue" % mode, queued["90 % of lifetimes"], 10000 * 2052 + 0.4 * step, 0.1)
        close("%s: of the queue, alive" % mode, queued["alive at the end"] / queued["sampled"], 0.13, 0.35)
    done = run([VM, "-Xprofile:alloc-lifetime:transport=cab:consumers=2", "-version"])
    expect("order: %s" % done.stderr, (done.returncode, "consumers=1" in done.stderr), (1, True))


def close(what, found, wanted, share):
    if abs(found - wanted) > share * wanted:
        raise AssertionError("%s: expected about %d, got %d" % (what, wanted, found))


@test_lasting(88)
def sinks_wait_for_a_consumer():
    """An analysis with a separate thread, for which the program's threads wait (tests/profiler/handover.c)."""
    vm, prof = with_test_analyses()
    program = run([vm, "-cp", CLASSES, "Waiting", ROUNDS]).stdout
    exact = own_lines(profile(["-Xint"], "events:scope=Waiting.*", main="Waiting", args=(ROUNDS,)))
    exact = [l for l in exact if " path " not in l]  # sinks of paths cannot wait
    expect("there are some", len(exact) > 30, True)
    for mode, more in (*((m, "") for m in MODES), ([COMPILED, "-Xthreads:green:carriers=1"], ""),
                       (["-Xjit:compile-all,deopt-stress=3"], ""), (["-Xint", "-Xthreads:green:carriers=1"], ""),
                       *(([COMPILED], ":sampling=counter:interval=1:dup=" + d) for d in ("full", "partial", "no"))):
        stops = []  # A loaded machine delays threads too, but a stop that waits for a sink is slow in every run.
        while not any(stops) and len(stops) < 4:
            lines, printed, fast = handed_over(vm, prof, [*mode, "-Xjit:only=Waiting*"], more)
            expect("%s %s: the program" % (mode, more), printed, program)
            expect("%s %s: the profile" % (mode, more), own_lines(lines), exact)
            stops.append(fast)
        expect("%s %s: a run with stops that take less than a sink's wait of 3 ms" % (mode, more), any(stops), True)
    for mode in ["-Xint"], [COMPILED, "-Xthreads:green:carriers=1"]:
        for how in "exit", "term":
            ended(vm, prof, mode, how)


MORTAL = "mortal:scope=Waiting.*:transport=cab:buffer=16k:message=off"


def mortal(vm, prof, mode, more, dumps=0, rounds=ROUNDS, **variables):
    """A run whose consumers are slow, or end: lines, output, and the numbers of events produced, recorded and lost."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        p = subprocess.Popen([vm, *mode, "-Xprofile:%s:file=%s%s" % (MORTAL, file, more), "-cp", CLASSES, "Waiting", rounds],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, **{"MORTAL_" + name: str(value) for name, value in variables.items()}})
        for _ in range(dumps):
            time.sleep(0.3)
            if p.poll() is None:
                p.send_signal(signal.SIGQUIT)
        printed, said = p.communicate(timeout=LIMIT)
        expect("%s: exit code and errors" % mode, (p.returncode, said), (0, ""))
        numbers = re.search(r"([\d,]+) method entries produced, ([\d,]+) recorded, ([\d,]+) lost", run([prof, "report", file]).stdout)
        lines = [l for l in run([prof, "export", "--lines", file]).stdout.splitlines() if l.startswith("mortal Waiting.")]
        return lines, printed, [int(n.replace(",", "")) for n in numbers.groups()]


@test_lasting(23)
def consumers_are_slow():
    """Allocating threads wait for a consumer a hundred times slower than usual, while others collect and dumps are
    requested. CAB_RUNS: number of repetitions."""
    vm, prof = with_test_analyses()
    program = run([vm, "-cp", CLASSES, "Waiting", ROUNDS]).stdout
    exact = [l.replace("method ", "mortal ") for l in profile(["-Xint"], "method-count:scope=Waiting.*", main="Waiting", args=(ROUNDS,))]
    for _ in range(int(os.environ.get("CAB_RUNS", "1"))):
        for mode in ["-Xint"], [COMPILED], [COMPILED, "-Xthreads:green:carriers=1"]:
            lines, printed, (produced, recorded, lost) = mortal(vm, prof, mode, "", dumps=3, NS=20000)
            expect("%s: the program" % mode, [l for l in printed.splitlines() if l in program.splitlines()], program.splitlines())
            expect("%s: lines" % mode, sorted(lines), sorted(l for l in exact if l.startswith("mortal Waiting.")))
            expect("%s: lost" % mode, (recorded, lost), (produced, 0))


@test_lasting(13)
def consumers_end_early():
    """Wherever the consumer ends, the program is unaffected, and events without an analysis are counted as lost.
    CAB_SEED."""
    vm, prof = with_test_analyses()
    rounds = "20000"
    program = run([vm, "-cp", CLASSES, "Waiting", rounds]).stdout
    _, _, (all_events, _, _) = mortal(vm, prof, ["-Xint"], "", rounds=rounds)
    numbers = random.Random(os.environ.get("CAB_SEED", "1"))
    for mode in (["-Xint"], [COMPILED], [COMPILED, "-Xthreads:green:carriers=1"]) * int(os.environ.get("CAB_RUNS", "1")):
        at = numbers.randrange(1, all_events // 2)
        _, printed, (produced, recorded, lost) = mortal(vm, prof, mode, "", rounds=rounds, DIES_AT=at)
        expect("%s %d: the program" % (mode, at), printed, program)
        expect("%s %d: events" % (mode, at), (produced, recorded + lost), (all_events, all_events))
        expect("%s %d: lost %d" % (mode, at, lost), lost > 0 and recorded >= at - 1, True)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(CLASSES)
    sources = [os.path.join(ROOT, "tests", "profiler", name + ".java") for name in ("EventCounts", "IntrinsicExits", "Waiting", "Allocations", "RemovedAllocations", "SampledAllocations", "Lifetimes", "VmCounts", "Trees")]
    subprocess.run(["javac", "-nowarn", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, *sources], check=True)
    code = run_tests()
    shutil.rmtree(os.path.join(WORK, "analyses"), ignore_errors=True)
    return code


sys.exit(main())
