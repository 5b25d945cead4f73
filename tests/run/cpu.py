#!/usr/bin/env python3
"""The analyses "cpu" and "wall" on programs whose use of time is known (tests/profiler/TimeSamples.java), beside perf and
HotSpot's flight recorder, and under load that leaves no state of a thread unsampled."""
import collections, json, os, re, resource, shutil, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "cpu")
CLASSES = os.path.join(WORK, "classes")
SOURCE = os.path.join(ROOT, "tests", "profiler", "TimeSamples.java")
MODES = ([], ["-Xint"], ["-Xcomp"], ["-Xjit:compile-all,only=TimeSamples*.*"], ["-Xthreads:green:carriers=1"])
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, between, expect, expect_in, run_tests, test, test_lasting

LIMIT = 180 * SLOWER  # seconds


def run(command, code=0, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **more)
    if done.returncode != code:
        raise AssertionError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
    return done


def stacks(file, analysis):
    """{stack of method names, outermost first: samples}"""
    found = collections.Counter()
    for line in run([PROF, "export", "--collapsed", "--all", "--analysis", analysis, file]).stdout.splitlines():
        names, count = line.rsplit(" ", 1)
        found[tuple(re.sub(r"\(.*", "", name) for name in names.split(";"))] += int(count)
    return found


class Profile:
    def __init__(self, options, program, analyses="cpu", file=None):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = os.path.join(scratch, "x.prof")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begin = time.monotonic()
            done = run([VM, *options, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", CLASSES,
                        "TimeSamples", *program.split()])
            self.seconds = time.monotonic() - begin
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            expect("output", done.stdout, "done\n")
            self.read(file)

    def read(self, file):
        self.json = json.loads(run([PROF, "report", "--json", file]).stdout)
        self.text = run([PROF, "report", "--all", file]).stdout
        self.analyses = {a["name"]: a for a in self.json["analyses"]}
        self.stacks = {name: stacks(file, name) for name in ("cpu", "wall") if name in self.analyses}
        for name, a in self.analyses.items():
            expect("lost by " + name, a["lost"], 0)
            expect("recorded by " + name, a["recorded"], a["produced"])

    def count(self, method, analysis="cpu", top=False):
        """Samples with the method on the stack, or on top of it (code of the VM that it calls included)."""
        def has(stack):
            java = [name for name in stack if not name.startswith("<")]
            return java and java[-1] == method if top else method in stack
        return sum(n for stack, n in self.stacks[analysis].items() if has(stack))

    def lines(self, analysis="cpu"):
        return self.analyses[analysis + "-lines"]["rows"]


def named(*methods):
    return ["TimeSamples." + m for m in methods]


def shares(profile, methods):
    counts = [profile.count(m, top=True) for m in named(*methods)]
    between("samples of %s" % (methods,), sum(counts), 100, 1000000)
    return [n / sum(counts) for n in counts]


@test_lasting(40)
def methods_have_their_time():
    for mode in MODES:
        n = 20000 if "-Xint" in mode else 200000
        got = shares(Profile(mode, "shares 250 %d" % n), ["share40", "share30", "share20", "share10"])
        for share, want in zip(got, (0.4, 0.3, 0.2, 0.1)):
            between("%s: share" % mode, share, want - 0.12, want + 0.12)  # until it is compiled, a loop is slower


@test_lasting(40)
def few_calls_do_not_hide_a_method():
    for mode in MODES:
        n = 20000 if "-Xint" in mode else 200000
        p = Profile(mode, "calls 250 %d" % n, "cpu,call-edge" if mode == [] else "cpu")
        few, many = shares(p, ["few", "many"])
        between("%s: the method with few calls" % mode, few, 0.6, 0.97)
        if mode == []:
            row = re.search(r"^ +\d+ +[\d.]+ +\d+ +[\d.]+ +([\d,]+)  TimeSamples\.few\(", p.text, re.M)
            expect("its entries, beside its time", row.group(1), "250")


@test_lasting(40)
def a_loop_without_calls_is_sampled_in_the_loop():
    line = 1 + open(SOURCE).read().splitlines().index(
        next(l for l in open(SOURCE).read().splitlines() if l.endswith("// the loop")))
    for mode in MODES:
        n = 20000 if "-Xint" in mode else 200000
        p = Profile(mode, "loop 1500 %d" % n)
        own = {}
        for row in p.lines():
            if row["method"]["name"] in ("between", "before", "after") and row["method"]["class"] == "TimeSamples":
                own[row["line"]] = own.get(row["line"], 0) + row["count"]
        inside = own.get(line, 0) + own.get(line - 1, 0)
        between("%s: samples" % mode, sum(own.values()), 100, 1000000)
        between("%s: share of the loop's lines (%r)" % (mode, own), inside / sum(own.values()), 0.95, 1)


@test_lasting(25)
def recursion_is_a_stack():
    for mode in MODES:
        p = Profile(mode, "recursion %d 27" % (24 if "-Xint" in mode else 240))
        total, deepest = 0, 0
        for stack, n in p.stacks["cpu"].items():
            if "TimeSamples.fib" not in stack:
                continue
            total += n
            at = stack.index("TimeSamples.fib")
            depth = len([s for s in stack[at:] if s == "TimeSamples.fib"])
            between("depth", depth, 1, 27)
            deepest = max(deepest, depth)
            expect("the caller", stack[at - 1], "TimeSamples.recursion")
        between("%s: samples of the recursion" % mode, total, 50, 1000000)
        between("%s: deepest" % mode, deepest, 5, 27)


@test
def short_lived_threads_are_sampled():
    p = Profile([], "threads 300 2000000")
    seconds = sum(p.stacks["cpu"].values()) / 1000
    between("time in samples, of %.2f s" % p.cpu, seconds, 0.75 * p.cpu, 1.05 * p.cpu)
    between("samples of the threads", p.count("TimeSamples.brief"), 50, 1000000)
    # All samples have their time: a longer program's differ by the ticks that its threads did not complete.
    p = Profile([], "shares 300 200000")
    between("time in samples, of %.2f s" % p.cpu, sum(p.stacks["cpu"].values()) / 1000, 0.85 * p.cpu, 1.05 * p.cpu)


@test
def native_code_is_its_methods():
    p = Profile([], "compress 40 1000000")
    modes = collections.Counter()
    for row in p.lines():
        if row["method"]["name"].startswith("deflate"):
            modes[row["mode"]] += row["count"]
    total = sum(p.stacks["cpu"].values())
    between("share of native code (%r)" % modes, modes["native"] / total, 0.4, 1)


@test
def functions_without_frames_have_their_caller():
    for mode in [], ["-Xjit:compile-all,only=TimeSamples*.*"]:
        p = Profile(mode, "leaves 60 100000")
        right = sum(p.count("TimeSamples." + m, top=True) for m in ("sines", "copies"))
        between("%s: samples" % mode, right, 100, 1000000)
        between("%s: their caller's" % mode, p.count("TimeSamples.functions", top=True) / right, 0, 0.05)


@test
def waiting_threads_are_in_wall_only():
    for mode in [], ["-Xthreads:green:carriers=1"]:
        p = Profile(mode, "waiting 3 2000", "cpu,wall")
        naps = p.count("TimeSamples.nap", "wall")
        between("%s: samples of naps, at 100 a second" % mode, naps, 400, 700)
        expect_in("sleep", " ".join(" ".join(s) for s in p.stacks["wall"] if "TimeSamples.nap" in s))
        between("%s: of processor time" % mode, p.count("TimeSamples.nap"), 0, 60)


@test_lasting(60)
def no_sample_harms():
    modes = (["-Xint"], [], ["-Xcomp"], ["-Xjit:compile-all,only=TimeSamples*.*"], ["-Xjit:deopt-stress"],
             ["-Xjit:poll-stress=50"], ["-Xthreads:green:carriers=2"], ["-Xthreads:green:carriers=1", "-Xint"],
             ["-Xjit:compile-all,only=TimeSamples*.*,deopt-stress=3", "-Xthreads:green:carriers=2"])
    for mode in modes:
        p = Profile(mode, "storm 3 2500", "cpu,wall:hz=10000")
        between("%s: samples" % mode, sum(p.stacks["wall"].values()), 3000, 1 << 40)
        whole = sum(n for stack, n in p.stacks["wall"].items() if "<no stack>" not in stack)
        between("%s: whole stacks" % mode, whole / sum(p.stacks["wall"].values()), 0.9, 1)


@test
def a_running_process_is_sampled():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        for mode in [], ["-Xthreads:green:carriers=1"]:
            vm = subprocess.Popen([VM, *mode, "-Xjit:lines", "-cp", CLASSES, "TimeSamples", "storm", "2", "120000"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(2)

            def jcmd(*words):
                return run(["jcmd", str(vm.pid), *words]).stdout
            jcmd("Profile.start", "cpu,wall:file=" + file)
            time.sleep(1)
            jcmd("Profile.stop")
            jcmd("Profile.dump", file + ".1")
            time.sleep(0.5)
            jcmd("Profile.dump", file + ".2")
            jcmd("Profile.start")
            time.sleep(0.5)
            vm.terminate()
            out, err = vm.communicate(timeout=LIMIT)
            expect("exit code (%s)" % err, vm.returncode, 143)
            first, second, last = (sum(stacks(f, "cpu").values()) for f in (file + ".1", file + ".2", file))
            between("samples", first, 50, 100000)
            between("samples while it is stopped", second - first, 0, first * 0.2 + 20)
            between("samples since it went on", last - second, 50, 1000000)


@test
def formats_have_the_samples():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.prof")
        run([VM, "-Xprofile:cpu,wall:message=off:file=" + file, "-cp", CLASSES, "TimeSamples", "shares", "100", "100000"])
        total = sum(stacks(file, "cpu").values())
        scope = json.loads(run([PROF, "export", "--speedscope", file]).stdout)
        expect("speedscope", scope["profiles"][0]["endValue"], total)
        expect_in("cpu: samples", scope["profiles"][0]["name"])
        if shutil.which("go"):
            run([PROF, "export", "--pprof", file, "-o", file + ".pb.gz"])
            raw = run(["go", "tool", "pprof", "-raw", file + ".pb.gz"]).stdout
            expect_in("cpu/nanoseconds", raw)
            samples = raw.split("Samples:")[1].split("Locations")[0].splitlines()
            ns = sum(int(m.group(1)) for m in map(re.compile(r"^ +(\d+): ").match, samples) if m)
            expect("pprof", ns, total * 1000000)
        if shutil.which("jfr"):
            run([PROF, "export", "--jfr", "--analysis", "cpu", file, "-o", file + ".jfr"])
            summary = run(["jfr", "summary", file + ".jfr"]).stdout
            expect("jfr", re.search(r"jdk\.ExecutionSample +(\d+)", summary).group(1), str(total))
            expect("its stacks, read back", stacks(file + ".jfr", "call-tree"), stacks(file, "cpu"))


def overlap(a, b):
    return sum(min(a[k] / sum(a.values()), b[k] / sum(b.values())) for k in a.keys() | b.keys() if a[k] and b[k])


@test
def shares_are_those_of_perf():
    if not shutil.which("perf"):
        print("no perf")
        return
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file, data = os.path.join(scratch, "x.prof"), os.path.join(scratch, "x.data")
        done = subprocess.run(["perf", "record", "-q", "-e", "task-clock", "-F", "1000", "-o", data, VM, "-Xjit:perf-map",
                               "-Xprofile:cpu:message=off:file=" + file, "-cp", CLASSES, "TimeSamples", "shares", "600",
                               "200000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        if done.returncode:
            print("perf does not work here: " + done.stderr[:200])
            return
        ours, theirs = collections.Counter(), collections.Counter()
        for stack, n in stacks(file, "cpu").items():
            if stack[-1].startswith("TimeSamples."):
                ours[stack[-1]] += n
        for line in run(["perf", "script", "-i", data, "-F", "ip,sym"]).stdout.splitlines():
            m = re.match(r"\s*\w+ (TimeSamples\.\w+)\(", line)
            if m:
                theirs[m.group(1)] += 1
        between("samples of perf", sum(theirs.values()), 200, 1 << 30)
        between("overlap: %r and %r" % (ours, theirs), overlap(ours, theirs), 0.95, 1)


@test
def shares_are_those_of_the_flight_recorder():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = os.path.join(scratch, "x.jfr")
        run(["java", "-XX:StartFlightRecording:filename=%s,settings=profile" % file, "-cp", CLASSES, "TimeSamples", "shares",
             "2500", "200000"])
        theirs, ours = collections.Counter(), collections.Counter()
        for stack, n in stacks(file, "call-tree").items():
            if stack[-1].startswith("TimeSamples."):
                theirs[stack[-1]] += n
        p = Profile([], "shares 500 200000")
        for stack, n in p.stacks["cpu"].items():
            if stack[-1].startswith("TimeSamples."):
                ours[stack[-1]] += n
        between("samples of the flight recorder", sum(theirs.values()), 50, 1 << 30)
        between("overlap: %r and %r" % (ours, theirs), overlap(ours, theirs), 0.85, 1)


@test
def samples_combine_with_other_analyses():
    for more in ("call-edge", "call-edge:transport=cab", "method-count:sampling=counter", "call-tree,branch", "threads"):
        p = Profile([], "shares 100 200000", "cpu," + more)
        between("samples beside " + more, p.count("TimeSamples.shares"), 50, 1000000)


@test
def options_are_refused_with_a_reason():
    def refused(text, why):
        done = run([VM, "-Xprofile:" + text, "-cp", CLASSES, "TimeSamples", "loop", "1", "1"], code=1)
        expect_in(why, done.stderr)
    refused("method-count:hz=100", "hz= needs cpu or wall")
    refused("cpu:hz=0", "hz=0: must be 1...10000")
    refused("cpu:where=shadow", "a shadow's time is not the program's")
    refused("cpu,method-count:sampling=counter:phases=10", "phases= weighs events")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(CLASSES)
run(["javac", "-d", CLASSES, SOURCE])
sys.exit(run_tests())
