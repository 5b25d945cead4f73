#!/usr/bin/env python3
"""Profiles of whole runs: they are written however the program ends, and do not change its behaviour; callers,
per-thread counts, and cabernet-prof's commands. tests/run/oracle.py checks exactness against an independent count."""
import fnmatch, json, os, re, shutil, signal, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "profile")
CLASSES = os.path.join(WORK, "classes")
NO_CALLS = "([Ljava/lang/String;)V"
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds


def run(command, cwd="/", **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT, cwd=cwd, **more)


def command(how, file, options="method-count,call-edge", vm=()):
    return [VM, *vm, "-Xprofile:%s:file=%s" % (options, file), "-cp", CLASSES, "Ends", how]


class Scratch:
    """A directory for one test's files."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(dir=WORK)
        return os.path.join(self.path, "x.prof")

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def report(file, *options):
    """The report as JSON; it must be complete and its numbers must add up."""
    done = run([PROF, "report", "--json", "--threads", *options, file])
    expect("cabernet-prof (%s)" % done.stderr, done.returncode, 0)
    profile = json.loads(done.stdout)
    expect("complete", profile["complete"], True)
    for analysis in profile["analyses"]:
        expect("lost", analysis["lost"], 0)
        expect("produced", analysis["produced"], analysis["recorded"])
        expect("sum of rows", sum(r["count"] for r in analysis["rows"]),
               analysis["recorded"] if not options else sum(r["count"] for r in analysis["rows"]))
    expect("left over", [f for f in os.listdir(os.path.dirname(file)) if "tmp" in f], [])
    return profile


def counts(profile):
    """Entries of the methods of Ends."""
    rows = next(a for a in profile["analyses"] if a["name"] == "method-count")["rows"]
    return {r["method"]["name"]: r["count"] for r in rows if r["method"].get("class") == "Ends"}


def callers(profile, callee):
    """{(caller, bci): count} of the edges into a method of Ends."""
    rows = next(a for a in profile["analyses"] if a["name"] == "call-edge")["rows"]
    found = {}
    for r in rows:
        if r["callee"]["name"] == callee and r["callee"].get("class", "").startswith("Ends"):
            key = (r["caller"]["name"], r["bci"])
            found[key] = found.get(key, 0) + r["count"]
    return found


def ends(how, code, **wanted):
    with Scratch() as file:
        plain = run([VM, "-cp", CLASSES, "Ends", how])
        done = run(command(how, file))
        expect("exit code", done.returncode, code)
        expect("exit code without profile", plain.returncode, code)
        expect("output", done.stdout, plain.stdout)
        expect("stderr", done.stderr, plain.stderr + "cabernet: profile written to %s\n" % file)
        profile = report(file)
        found = counts(profile)
        expect("main", found["main"], 1)
        for name, count in dict({"work": 1000}, **wanted).items():
            expect(name, found[name], count)
        return profile


@test
def end_return():
    ends("return", 0)


@test
def end_exit():
    ends("exit", 7)


@test
def end_halt():
    ends("halt", 8)


@test
def end_uncaught():
    ends("uncaught", 1, boom=1)


@test
def end_daemons():
    """Threads that still run when the program ends are stopped while the profile is taken."""
    with Scratch() as file:
        done = run(command("daemons", file))
        expect("exit code", done.returncode, 0)
        profile = report(file)
        expect("spin", counts(profile)["spin"], 3)
        names = [t["name"] for t in profile["threads"]]
        for i in range(3):
            expect("thread", names.count("spin-%d" % i), 1)


@test
def end_racing():
    """Several threads end the program at once."""
    for _ in range(5):
        with Scratch() as file:
            done = run(command("racing", file))
            expect("exit code", done.returncode, 5)
            expect("work", counts(report(file))["work"], 1000)


@test
def overflow():
    """The profile equals the program's count of its calls, stack overflows included."""
    with Scratch() as file:
        done = run(command("overflow", file))
        expect("exit code", done.returncode, 0)
        own = int(done.stdout.split()[-1])
        profile = report(file)
        expect("deep", counts(profile)["deep"], own)
        expect("edges into deep", sum(callers(profile, "deep").values()), own)


@test
def many_threads():
    """Large numbers of ended threads share a record; no counts are lost."""
    profile = ends("many", 0, work=1700)
    if len(profile["threads"]) > 560:
        raise AssertionError("%d thread records" % len(profile["threads"]))


@test
def unloaded():
    """Methods and fields of classes that are unloaded keep their counts, names and lines."""
    with Scratch() as file:
        done = run(command("unload", file, "method-count,call-edge,field-access"))
        expect("stdout", done.stdout, "true\n")
        profile = report(file)
        rows = {a["name"]: a["rows"] for a in profile["analyses"]}
        called = [r["count"] for r in rows["method-count"] if r["method"]["name"] == "called"]
        expect("called", called, [10] * 60)
        edges = [r for r in rows["call-edge"] if r["callee"]["name"] == "inner"]
        expect("calls of inner", sum(r["count"] for r in edges), 600)
        expect("callers", {r["caller"]["name"] for r in edges}, {"called"})
        expect("lines", len({r["line"] for r in edges}), 1)
        expect("a line", edges[0]["line"] > 0, True)
        fields = [r for r in rows["field-access"] if r["field"]["class"].split("@")[0] == "Ends$Unloaded"]
        expect("accesses", sum(r["count"] for r in fields), 1200)


@test
def threads():
    profile = ends("threads", 0, work=1000 + 21000)
    rows = next(a for a in profile["analyses"] if a["name"] == "method-count")["rowsOfThreads"]
    for thread, own in zip(profile["threads"], rows):
        if thread["name"].startswith("worker "):
            work = sum(r["count"] for r in own if r["method"]["name"] == "work")
            expect(thread["name"], work, int(thread["name"].split()[1]))
            expect("service", thread["service"], False)
    expect("service threads", "Finalizer" in [t["name"] for t in profile["threads"] if t["service"]], True)


def signals_as_usual():
    """Restores default signal actions: shells start background jobs with SIGINT ignored, nohup starts them with SIGHUP
    ignored, and the VM keeps that."""
    for number in signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


def killed(how, number, vm=()):
    with Scratch() as file:
        process = subprocess.Popen(command(how, file, vm=vm), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd="/",
                                   preexec_fn=signals_as_usual)
        try:
            expect("first line", process.stdout.readline(), "ready\n")
            process.send_signal(number)
            _, err = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
        profile = report(file) if os.path.exists(file) else None
        if profile:
            profile["text"] = " ".join(run([PROF, "report", file]).stdout.split())
        return process.returncode, err, profile


@test
def signals():
    for how in "sleep", "spin":
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            code, err, profile = killed(how, number)
            expect("exit code", code, 128 + number)
            expect_in("profile written", err)
            expect("main", counts(profile)["main"], 1)
            expect("ended by", profile["header"]["ended-by"], "exit after signal %d" % number)


@test
def signal_runs_hooks():
    _, _, profile = killed("hooks", signal.SIGTERM)
    expect("hook", counts(profile)["hook"], 5)


@test
def signal_left_to_the_system():
    code, err, profile = killed("sleep", signal.SIGTERM, ["-Xrs"])
    expect("exit code", code, -signal.SIGTERM)
    expect("profile", profile, None)


@test
def crash():
    code, err, profile = killed("sleep", signal.SIGSEGV)
    expect("exit code", code, -signal.SIGABRT)
    expect("ended by", profile["header"]["ended-by"], "signal 11")
    expect_in("may be off by what each was in the middle of", profile["text"])
    expect("work", counts(profile)["work"], 1000)


@test
def aborted():
    """As with abort() in a native library: the profile is written, and nothing else is printed."""
    code, err, profile = killed("sleep", signal.SIGABRT)
    expect("exit code", code, -signal.SIGABRT)
    expect("stderr", len(err.splitlines()), 1)
    expect_in("profile written", err)
    expect("ended by", profile["header"]["ended-by"], "signal 6")
    expect("work", counts(profile)["work"], 1000)


@test
def who_is_the_caller():
    with Scratch() as file:
        expect("exit code", run(command("callers", file)).returncode, 0)
        profile = report(file)
        expect("main", callers(profile, "main"), {("<thread>", -1): 1})
        initializers = callers(profile, "<clinit>")
        expect("<clinit>", set(initializers), {("<class-init>", -1)})
        expect("make", set(c for c, _ in callers(profile, "make")), {"<clinit>"})
        # The caller of a lambda's body is the caller of its interface method: the proxy in between is hidden.
        rows = next(a for a in profile["analyses"] if a["name"] == "call-edge")["rows"]
        expect("lambda", set(r["caller"]["name"] for r in rows if r["callee"]["name"].startswith("lambda$callers")),
               {"apply"})
        expect("reflected", set(callers(profile, "reflected")), {("invoke0", -1)})
        expect("finalize", len(callers(profile, "finalize")), 1)
        hidden = int(profile["header"]["hidden-entries"])
        expect("hidden entries", hidden >= 2, True)


@test
def classes_of_two_loaders():
    with Scratch() as file:
        done = run([VM, "-Xprofile:method-count,receiver:message=off:file=" + file, "-cp", CLASSES, "Twins"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        names = "Twins$Worker@URLClassLoader#1", "Twins$Worker@second_one#2"
        lines = run([PROF, "export", "--lines", "--filter", "Twins$Worker.run", file]).stdout.splitlines()
        expect("methods", lines, ["method %s.run()V %s" % row for row in zip(names, ("1", "10"))])
        lines = run([PROF, "export", "--lines", "--filter", "Twins.use", file]).stdout.splitlines()
        expect("receivers", sorted(l.split()[-2:] for l in lines if "Worker" in l),
               [list(row) for row in zip(names, ("1", "10"))])
        expect_in(names[1] + ".run()", run([PROF, "report", "--top", "0", file]).stdout)
        run([VM, "-Xprofile:method-count:message=off:file=" + file + ".2", "-cp", CLASSES, "Twins"])
        expect_in("equal", run([PROF, "diff", "--filter", "Twins$Worker", file, file + ".2"]).stdout)


@test_lasting(8)
def names_of_unloaded_classes():
    """Every analysis keeps the name of an unloaded class: the rows equal those of a run without unloading."""
    analyses = ("method-count", "call-edge", "call-tree", "call-subtree", "field-access", "field-site", "receiver", "branch", "path",
                "interprocedural-path", "events", "locks", "races", "lock-order", "hot-stream")
    with Scratch() as file:
        rows, names = {}, {}
        for how in "keep", "collect":
            done = run([VM, "-Xlog:class+unload", "-Xprofile:%s:message=off:file=%s" % (",".join(analyses), file), "-cp", CLASSES, "Unloaded", how])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            expect("unloaded", done.stdout.count("unloading class Unloaded$Plug"), 0 if how == "keep" else 12)
            rows[how] = [l for l in run([PROF, "export", "--lines", file]).stdout.splitlines() if "Unloaded$Plug" in l]
            names[how] = sorted(set(re.findall(r"Unloaded\$Plug[^\s.:;]*", run([PROF, "report", "--all", "--top", "0", file]).stdout)))
        found = [l for l in rows["collect"] if l.startswith("method ") and ".run()" in l]
        expect("methods", sorted(found), sorted("method Unloaded$Plug@Unloaded$Own#%d.run()V %d" % (i, i) for i in range(1, 13)))
        expect("rows", [r for r in rows["collect"] if r not in rows["keep"]], [])
        expect("number of rows", len(rows["collect"]), len(rows["keep"]))
        expect("names", names["collect"], names["keep"])


@test_lasting(4)
def names_of_hidden_classes():
    """Hidden classes are named by their kind and by the place that created them, in any order."""
    parts = ["lambdas", "overloaded", "references", "defined", "handles", "texts"]
    with Scratch() as file:
        found = []
        for order in parts, parts[::-1], parts[3:] + parts[:3]:
            done = run([VM, "-Xprofile:receiver,field-access:message=off:file=" + file, "-cp", CLASSES, "HiddenOrder", *order])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            text = run([PROF, "export", "--lines", file]).stdout
            found.append(sorted(set(re.findall(r"[\w.$/]+\+[^\s.]+", text))))
        expect("names without an address", [n for n in found[0] if "0x" in n], [])
        expect("of the program", sorted({n for n in found[0] if n.startswith("HiddenOrder") and "+defined" not in n}),
               ["HiddenOrder$$Lambda+lambdas:0", "HiddenOrder$$Lambda+lambdas:6", "HiddenOrder$$Lambda+lambdas~2:0",
                "HiddenOrder$$Lambda+lambdas~2:6", "HiddenOrder$$Lambda+references:0", "HiddenOrder$$Lambda+references:6"])
        defined = [n for n in found[0] if "+defined" in n]
        expect("defined by the program", [re.sub("-[0-9a-f]{8}", "-HASH", n) for n in defined],
               ["HiddenOrder$Other+defined:63-HASH", "HiddenOrder$Plug+defined:63-HASH", "HiddenOrder$Plug+defined:63-HASH~2"])
        expect("of method handles", any(n.startswith("java.lang.invoke.LambdaForm$MH+") for n in found[0]), True)
        for other in found[1:]:
            expect("in another order", sorted(set(other) ^ set(found[0])), [])


@test
def silent():
    with Scratch() as file:
        done = run(command("return", file, "exact:message=off"))
        expect("output", (done.returncode, done.stdout, done.stderr), (0, "", ""))
        report(file)


@test
def one_analysis():
    for name in "method-count", "call-edge":
        with Scratch() as file:
            expect("exit code", run(command("return", file, name)).returncode, 0)
            expect("analyses", [a["name"] for a in report(file)["analyses"]], [name])


@test
def name_of_the_file():
    with Scratch() as file:
        directory = os.path.dirname(file)
        expect("exit code", run([VM, "-Xprofile:exact", "-cp", CLASSES, "Ends", "return"], cwd=directory).returncode, 0)
        expect("default name", fnmatch.filter(os.listdir(directory), "cabernet-[0-9]*.prof"), os.listdir(directory))
        run(command("return", os.path.join(directory, "a-%p-%%.prof")))
        expect("pattern", len(fnmatch.filter(os.listdir(directory), "a-[0-9]*-%.prof")), 1)
        # An old file is replaced entirely.
        old = os.path.join(directory, "old.prof")
        with open(old, "w") as f:
            f.write("x" * 10000000)
        expect("exit code", run(command("return", old)).returncode, 0)
        report(old)


@test
def nowhere_to_write():
    """Unwritable files are rejected at the start. Later errors are reported on stderr, and the program's output and
    exit code do not change."""
    with Scratch() as file:
        directory = os.path.dirname(file)
        for bad in directory, directory + "/missing/x.prof", "/proc/x.prof":
            done = run(command("exit", bad))
            expect("exit code", done.returncode, 1)
            expect_in("cannot write to " + bad, done.stderr)
        expect("files", os.listdir(directory), [])
        done = run(command("exit", "/dev/full"))
        expect("exit code", done.returncode, 7)
        expect_in("profile not written to /dev/full", done.stderr)
        done = run(["sh", "-c", "ulimit -f 1; exec \"$@\"", "sh"] + command("exit", file))
        expect("exit code", done.returncode, 7)
        expect_in("File too large", done.stderr)
        expect("files", os.listdir(directory), [])


@test
def through_a_link():
    """The profile is written to the target of a symbolic link, whether it exists or not, and the link remains."""
    with Scratch() as file:
        directory = os.path.dirname(file)
        os.mkdir(directory + "/there")
        os.symlink("there/second", directory + "/first")
        os.symlink("real.prof", directory + "/there/second")
        for _ in range(2):
            expect("exit code", run(command("return", directory + "/first")).returncode, 0)
            expect("links", [os.path.islink(directory + part) for part in ("/first", "/there/second", "/there/real.prof")],
                   [True, True, False])
            report(directory + "/there/real.prof")


@test
def names_that_others_guess():
    """An attacker with write access to the directory links the names that the process will use: the targets are not
    changed. A leftover file under such a name does not prevent the profile, and is not changed either."""
    planted = 'for name in "$0.tmp$$" "$0.tmp$$-0" "$0.tmp$$-1"; do %s "$1" "$name"; done; shift; exec "$@"'
    for way in "ln -s", "ln", "cp":
        with Scratch() as file:
            victim = file + ".victim"
            with open(victim, "w") as f: f.write("mine")
            done = run(["bash", "-c", planted % way, file, victim, *command("return", file)])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            expect("profile", run([PROF, "report", file]).returncode, 0)
            expect("a link to it (%s)" % way, os.path.islink(file), False)
            for name in os.listdir(os.path.dirname(file)):
                if name == "x.prof": continue
                with open(os.path.join(os.path.dirname(file), name)) as f: expect(name, f.read(), "mine")


@test
def maps_for_perf():
    """perf prescribes the names. A regular file of the same user is rewritten; a link of any kind is left alone, with a
    message."""
    jit = ["-Xcomp", "-Xjit:perf-map,jitdump", "-cp", CLASSES, "Ends", "return"]
    for way, own in ("ln -s", False), ("ln", False), ("cp", True):
        with Scratch() as file:
            directory, victim = os.path.dirname(file), file + ".victim"
            with open(victim, "w") as f: f.write("mine\n")
            planted = '%s %s /tmp/perf-$$.map; %s %s jit-$$.dump; echo $$ > pid; exec "$@"' % (way, victim, way, victim)
            done = run(["bash", "-c", planted, "sh", VM, *jit], cwd=directory)
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            with open(directory + "/pid") as f: pid = f.read().strip()
            names = "/tmp/perf-%s.map" % pid, directory + "/jit-%s.dump" % pid
            for name in names:
                expect("%s: %s is written" % (way, name), os.path.getsize(name) > 100, own)
                expect("%s: %s is told (%s)" % (way, name, done.stderr), "cannot write " + os.path.basename(name) in done.stderr or "cannot write " + name in done.stderr, not own)
            os.unlink(names[0])
            with open(victim) as f: expect("what the links lead to", f.read(), "mine\n")


@test
def into_descriptors():
    """/dev/stdout and /dev/fd/N are the process's open descriptors: a pipe, or a file to which the profile is
    appended."""
    with Scratch() as file:
        plain = run([VM, "-cp", CLASSES, "Ends", "return"]).stdout
        for name, redirect in (("/dev/stdout", "| cat"), ("/dev/stdout", ""), ("/dev/fd/1", "| cat"), ("/proc/self/fd/1", "| cat"), ("/dev/fd/3", "3>&1 >&2 | cat"), ("/dev/stderr", "2>&1 >/dev/null | cat")):
            with open(file, "wb") as out:
                done = subprocess.run(["bash", "-o", "pipefail", "-c", '"$@" ' + redirect, "sh", VM, "-Xprofile:method-count:message=off:file=" + name, "-cp", CLASSES, "Ends", "return"],
                                      stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=LIMIT)
            expect("exit code of %s %s (%s)" % (name, redirect, done.stderr), done.returncode, 0)
            with open(file, "rb") as f: bytes_of = f.read()
            before = plain if redirect in ("", "| cat") else ""
            expect("what is before it", bytes_of[:len(before)], before.encode())
            with open(file, "wb") as f: f.write(bytes_of[len(before):])
            report(file)
        done = run(["bash", "-c", '"$@" 3</dev/null', "sh", *command("return", "/dev/fd/3")])
        expect("exit code of a descriptor that is not for writing", done.returncode, 1)
        expect_in("cannot write to /dev/fd/3: Bad file descriptor", done.stderr)


@test
def names_that_match_nothing():
    """A scope, filter or source folder that matches nothing is probably misspelt and gives a message; one that matches
    does not."""
    with Scratch() as file:
        for scope, empty in (("Ends", True), ("Ends.*", False), ("!java.*", False), ("demo.*,Nope.*", True), ("Nope.*,Ends.work*", False)):
            done = run([VM, "-Xprofile:method-count,call-edge:scope=%s:message=off:file=%s" % (scope, file), "-cp", CLASSES, "Ends", "return"])
            expect("exit code", done.returncode, 0)
            expect(scope, "scope=%s matches no method" % scope in done.stderr, empty)
            text = run([PROF, "report", file]).stdout
            expect("report of " + scope, "scope=%s matches no method" % scope in text, empty)
        run(command("return", file))
        sources = os.path.join(ROOT, "tests", "profiler")
        for words in ["report"], ["report", "--json"], ["export", "--lines"], ["diff", file], ["overlap", file]:
            for name, told in (("Nope", True), ("Ends", False)):
                done = run([PROF, *words, "--filter", name, file])
                expect("%s %s: %s" % (words, name, done.stderr), "matches --filter " + name in done.stderr, told)
        for folder, told in ((os.path.dirname(file), True), (sources, False)):
            done = run([PROF, "report", "--source", folder, file])
            expect("%s: %s" % (folder, done.stderr), "none of the sources is in --source " + folder in done.stderr, told)


@test
def refusals():
    for text, reason in (("sharing:transport=cab:consumers=2", "sharing puts the events of all threads into one order, which one consumer makes"),
                         ("call-tree:sampling=counter:copies=inline", "call-tree cannot be sampled: the stack is looked at"),
                         ("call-tree:sampling=counter:transport=cab", "call-tree cannot be sampled: the stack is looked at where a call happens"),
                         ("path:sampling=jitter:dup=no", "path cannot be sampled: a path is of one activation"),
                         ("call-subtree:sampling=counter", "call-subtree cannot be sampled: what an invocation calls"),
                         ("interprocedural-path:sampling=rate", "interprocedural-path cannot be sampled: a path goes on in the methods"), ("exact:limit=5", "limit= needs call-tree, call-subtree, interprocedural-path, alloc-tree or hot-stream"),
                         ("exact:heat=5", "heat= needs hot-stream"), ("hot-stream:heat=1001", "heat=1001"),
                         ("hot-stream:transport=cab:consume=sampled", "which a sample of the rings does not have"), ("call-tree:recursion=0", "recursion=0"),
                         ("method-count:sampling=sometimes", "must be off, counter, jitter, timer or rate"),
                         ("method-count:dup=full", "needs sampling="), ("method-count:transport=lynx", "not built yet"),
                         ("shadow:from=main", "where=shadow begins with the program"), ("exact:from=here", "must be start or main"),
                         ("methods", "no analysis or preset methods"), ("", "at least one analysis"),
                         ("method-count:file=", "file needs a value"), ("exact:color=red", "no such option: color; there are file, ")):
        done = run([VM, "-Xprofile:" + text, "-cp", CLASSES, "Ends", "exit"])
        expect("exit code of " + text, done.returncode, 1)
        expect_in(reason, done.stderr)
        expect("output", done.stdout, "")


@test
def spellings():
    """Options that are almost right are rejected."""
    for options, reason in ((["-Xprofile=exact"], "-Xprofile:exact"),
                            (["-Xprofile:exact", "-Xprofile:method-count"], "given twice: -Xprofile:exact and -Xprofile:method-count"),
                            (["-Xprofile:exact", "-Xprofile"], "given twice: -Xprofile:exact and -Xprofile"),
                            (["-Xprofile:methodcount"], "did you mean method-count?"), (["-Xprofile:cpu:fiel=x"], "did you mean file?"),
                            (["-Xprofile:cpu:sampling=couter"], "did you mean counter?"), (["-Xprofile:help=allocs"], "did you mean alloc?")):
        done = run([VM, *options, "-cp", CLASSES, "Ends", "exit"])
        expect("exit code of %s" % options, done.returncode, 1)
        expect_in(reason, done.stderr)
        expect("output", done.stdout, "")


@test
def answers():
    """-Xprofile alone: the hottest methods on one screen, with the shares of the report."""
    with Scratch() as file:
        for mode in [], ["-Xthreads:green"]:
            done = run([VM, *mode, "-Xprofile", "-cp", CLASSES, "Ends", "return"], cwd=os.path.dirname(file))
            expect("exit code", done.returncode, 0)
            expect("lines, of a screen", len(done.stderr.splitlines()) <= 24, True)
            expect_in("s of processor time in samples of 1 ms; 0 lost", done.stderr)
            name = re.search(r"profile written to (\S+)", done.stderr)[1]
            first = re.search(r" +([\d.]+) +([\d.]+)  (.+)\n", done.stderr.split("where the time is spent\n")[1])
            report = run([PROF, "report", "--all", os.path.join(os.path.dirname(file), name)]).stdout
            expect("the share in the report", re.search(r" +\d+ +%s +\d+ +%s  %s" % tuple(map(re.escape, first.groups())), report) is not None, True)


@test
def misspelt_names():
    with Scratch() as file:
        run([VM, "-Xprofile:exact:message=off:file=" + file, "-cp", CLASSES, "Ends", "return"])
        for words, name in ((["reprot", file], "report"), (["report", "--fliter", "x", file], "--filter"), (["export", "--colapsed", file], "--collapsed"),
                            (["report", "--analysis", "methods-count", file], "method-count")):
            done = run([PROF, *words])
            expect("exit code", done.returncode, 1)
            expect_in("(did you mean %s?)" % name, done.stderr)


@test
def help_texts():
    done = run([VM, "-Xprofile:help"])
    expect("exit code", done.returncode, 0)
    expect("its lines, of a screen", len(done.stdout.splitlines()) <= 40, True)
    for part in ("Where does the processor time go?", "coverage", "file", "help=all"):
        expect_in(part, done.stdout)
    done = run([VM, "-Xprofile:help=all"])
    for part in ("method-count", "call-edge", "file=", "exact", "sampled", "[not built yet]"):
        expect_in(part, done.stdout)
    for topic, part in (("alloc", "Who allocates?"), ("races", "where=shadow  "), ("coverage", "path,branch,call-edge"), ("hz", "samples per second")):
        expect_in(part, run([VM, "-Xprofile:help=" + topic]).stdout)
    done = run([PROF, "help"])
    expect("exit code", done.returncode, 0)
    expect_in("report", done.stdout)


@test
def from_main():
    """The profile begins with main, also for a program given as a source file: the program's counts are those of the
    whole run."""
    with Scratch() as file:
        counts = []
        for options in [], ["from=main"]:
            done = run([VM, "-Xprofile:" + ":".join(["method-count,call-edge", "message=off", "file=" + file, *options]), "-cp", CLASSES, "Ends", "return"])
            expect("exit code", done.returncode, 0)
            counts.append(dict(l.rsplit(" ", 1) for l in run([PROF, "export", "--lines", file]).stdout.splitlines()))
        own = [{k: n for k, n in c.items() if " Ends" in k} for c in counts]
        expect("the program's rows", own[1], own[0])
        expect("main", own[1]["method Ends.main([Ljava/lang/String;)V"], "1")
        expect("the start of the VM", [any("initPhase1" in k for k in c) for c in counts], [True, False])
        expect_in("recorded from the program's main on", run([PROF, "report", file]).stdout)
        source = os.path.join(os.path.dirname(file), "Small.java")
        with open(source, "w") as f:
            f.write("public class Small { public static void main(String[] a) { System.out.println(a.length); } }")
        done = run([VM, "-Xprofile:method-count:message=off:from=main:file=" + file, source, "a", "b"])
        expect("output", (done.returncode, done.stdout), (0, "2\n"))
        lines = run([PROF, "export", "--lines", file]).stdout
        expect_in("method Small.main([Ljava/lang/String;)V 1\n", lines)
        expect("the compiler", "com.sun.tools.javac.launcher.Main.main" in lines or "JavaCompiler" in lines, False)


@test
def the_program():
    """The JDK's modules do not count as the program, whichever loader defines them."""
    with Scratch() as file:
        run([VM, "-Xprofile:method-count:message=off:file=" + file, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-version"])
        text = run([PROF, "report", file]).stdout
        expect_in("com.sun.tools.javac", text)
        expect("of the program", "of the program" in text, False)
        expect("exit code", run(command("return", file)).returncode, 0)
        expect_in("of the program", run([PROF, "report", file]).stdout)


@test
def report_text():
    with Scratch() as file:
        expect("exit code", run(command("threads", file)).returncode, 0)
        text = run([PROF, "report", "--all", file]).stdout
        for part in ("Ends threads", "exact, every event recorded", "method-count: ", "call-edge: ", "0 lost",
                     "packages: ", "Ends.work(int)", " @", "more)"):
            expect_in(part, text)
        text = run([PROF, "report", "--filter", "Ends", "--top", "1", "--analysis", "method-count", file]).stdout
        expect_in("22,000", text)
        expect("edges", "call-edge: 1" in text.split("outside")[1], False)
        expect_in("worker 3000 (thread", run([PROF, "report", "--threads", file]).stdout)
        expect_in("nothing matches", run([PROF, "report", "--filter", "no.such", file]).stdout)
        by_name = run([PROF, "export", "--lines", "--filter", "Ends.wo*", file]).stdout.splitlines()
        expect("method lines", [l for l in by_name if l.startswith("method")], ["method Ends.work(I)I 22000"])
        everything = run([PROF, "export", "--lines", "--analysis", "call-edge", file]).stdout.splitlines()
        expect("sorted", everything, sorted(everything, key=lambda l: l.encode()))
        some = json.loads(run([PROF, "report", "--json", "--top", "3", "--sort", "name", file]).stdout)
        expect("rows", [len(a["rows"]) for a in some["analyses"]], [3, 3])


def number_in(text, pattern):
    found = re.search(pattern, text)
    if not found:
        raise AssertionError("%s is not in:\n%s" % (pattern, text))
    return int(found.group(1).replace(",", ""))


@test
def the_program_first():
    """A report without --all: the program's entries, those of the library for the program, and the rest add up to all
    entries."""
    for analyses in ("method-count,call-tree", "method-count,call-edge"):
        with Scratch() as file:
            expect("exit code", run(command("threads", file, analyses)).returncode, 0)
            text = run([PROF, "report", "--top", "0", file]).stdout
            own = number_in(text, r"method-count: .* of them ([0-9,]+) of the program")
            library = number_in(text, r"called by the program: ([0-9,]+) method entries")
            rest = number_in(text, r"own threads: ([0-9,]+) of [0-9,]+ method entries")
            everything = number_in(text, r"own threads: [0-9,]+ of ([0-9,]+) method entries")
            expect("program", own, sum(counts(report(file)).values()))
            expect("sum", abs(own + library + rest - everything) <= 1, True)  # of estimates, each of them rounded
            table = text.split("\nmethod-count:")[1].split("\ncall-")[0]
            expect("library", "java." in table, False)
            expect_in("Ends.work(int)", table)
            text = run([PROF, "report", "--method", "Ends.work", file]).stdout
            expect("entered", number_in(text, r"entered ([0-9,]+) times"), 22000)
            expect("called", number_in(text, r"is called by ([0-9,]+) calls"), 22000)
            for name in ("Ends.main", "Ends.work"):
                text = run([PROF, "report", "--method", name, "--top", "0", file]).stdout
                below = sum(int(n.replace(",", "")) for n in re.findall(r"^ +[\d,]+ +[\d.]+ +([\d,]+)  Ends", text.split("  makes ")[1], re.M))
                if "tree" in analyses:
                    expect("what %s calls, also through the VM, and its own entries" % name, below + number_in(text, r"entered ([0-9,]+) times"),
                           number_in(text, r"times; ([0-9,]+) method entries"))
            none = run([PROF, "report", "--method", "no.such", file])
            expect("no such method", (none.returncode, "no method that was entered" in none.stderr), (1, True))


@test
def sources():
    with Scratch() as file:
        expect("exit code", run(command("threads", file, "call-edge,branch")).returncode, 0)
        folder = os.path.join(ROOT, "tests", "profiler")
        text = run([PROF, "report", "--source", "/nowhere:" + folder, file]).stdout
        with open(os.path.join(folder, "Ends.java")) as f:
            source = f.read().splitlines()
        lines = {int(l[28:33]): (l[:13].strip(), l[14:27].strip(), l[35:]) for l in text.splitlines()[2:] if l[28:33].strip().isdigit()}
        expect("source", [lines[i + 1][2] for i in range(len(source))], source)
        edges = [r for r in next(a for a in report(file)["analyses"] if a["name"] == "call-edge")["rows"]
                 if r["caller"].get("class") == "Ends" and r["line"] > 0]
        for line in {r["line"] for r in edges}:
            expect("line %d" % line, sum(r["count"] for r in edges if r["line"] == line),
                   sum(int(n.replace(",", "")) for n in lines[line][:1] if n))
        expect_in("not found", run([PROF, "report", "--source", "/nowhere", file]).stdout)
        expect("exit code", run([PROF, "report", "--source", folder, "--filter", "no.such", file]).returncode, 1)


@test
def compared():
    """Two runs of a deterministic program; a third that works more."""
    with Scratch() as file:
        others = [file + ".2", file + ".3"]
        for name, how in (file, "return"), (others[0], "return"), (others[1], "threads"):
            expect("exit code", run(command(how, name)).returncode, 0)
        same = json.loads(run([PROF, "diff", "--json", "--filter", "Ends", file, others[0]]).stdout)
        expect("differences", [a["differences"] for a in same["analyses"]], [[], []])
        more = json.loads(run([PROF, "diff", "--json", "--filter", "Ends", file, others[1]]).stdout)
        changes = {d["item"]: d["b"] - d["a"] for d in more["analyses"][0]["differences"]}
        expect("difference", changes["method Ends.work(I)I"], 21000)
        text = run([PROF, "overlap", file, others[0]]).stdout
        for part in "method-count: A has", "call-edge: A has", "overlap  ", "top 90%":
            expect_in(part, text)


ALL = "method-count,call-edge,field-access,branch"
REPEATABLE = ["-Xint", "-Xdeterministic", "-Xthreads:green:carriers=1:quantum=1000"]


def events(file, options, vm):
    """Runs Events; returns its profile's rows as lines, and its header."""
    done = run([VM, *vm, "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "Events"])
    expect("exit code (%s)" % done.stderr, done.returncode, 0)
    expect("output", done.stdout, run([VM, "-Xint", "-cp", CLASSES, "Events"]).stdout)
    profile = report(file)
    return run([PROF, "export", "--lines", file]).stdout, profile["header"]


def only(lines, name):
    return [l for l in lines.splitlines() if name in l]


@test_lasting(39)
def exact_in_every_tier():
    """Includes the library methods that the program uses, but not those of the library's threads, whose waits for the
    end of the VM's start (Object.wait) depend on timing. The property that names the compiler is set even without one,
    because each property is an entry in one of the library's tables."""
    def relevant(lines):
        return {l for l in lines.splitlines() if re.search(r" (Events|java\.lang\.(String|Math))\.", l)}

    with Scratch() as file:
        interpreted, _ = events(file, ALL, ["-Xdeterministic", "-Xint", "-Dsun.management.compiler=none"])
        for tier in ["-Xcomp"], ["-Xjit:compile-all,only=Events.*,only=java/lang/String.*,only=java/lang/Math.*"], ["-Xjit:optimize=500"]:
            compiled, _ = events(file, ALL, ["-Xdeterministic", *tier])
            wrong = sorted(relevant(interpreted) ^ relevant(compiled))
            expect("rows that differ with %s" % tier, wrong[:10], [])


# Compiled code does its own counting; the counts must equal the interpreter's, wherever the code deoptimises.
COUNTED = "method-count,call-edge,field-access,branch"
EXACT = "only=Exact*.*"
COMPILED = (["-Xjit:compile-all,strip-length=3," + EXACT],
            ["-Xjit:blocking,osr=8,optimize=40," + EXACT, "-Xthreads:green"],
            ["-Xjit:compile-all,deopt-stress=3," + EXACT],
            ["-Xjit:compile-all,poll-stress-sites=2," + EXACT])


def counted(how, mode, code=0, analyses=COUNTED):
    """The rows of Exact in the profiles of a run: the one at its end, and the one that it dumps."""
    # Interprocedural paths go through the library, whose hash seeds would differ between runs.
    seeds = ["-Xdeterministic"] if analyses == "interprocedural-path" else []
    with Scratch() as file:
        dump = file + ".dump"
        done = run([VM, *mode, *seeds, "-Xss4m", "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", CLASSES,
                    "Exact", how, dump])
        expect("%s %s: exit code (%s)" % (how, mode, done.stderr), done.returncode, code)
        files = [f for f in (file, dump) if os.path.exists(f)]
        return [run([PROF, "export", "--lines", "--filter", "Exact", f]).stdout.splitlines() for f in files]


def same_counts(how, code=0, modes=COMPILED, profiles=1, analyses=COUNTED):
    wanted = counted(how, ["-Xint"], code, analyses)
    expect("%s: profiles" % how, [len(rows) > 10 for rows in wanted], [True] * profiles)
    for mode in modes:
        for want, got in zip(wanted, counted(how, mode, code, analyses)):
            expect("%s %s: rows that differ" % (how, mode), sorted(set(want) ^ set(got))[:10], [])


@test
def counted_loops():
    same_counts("loops")


@test_lasting(12)
def counted_calls():
    """Targets resolved at run time: more than a call site has entries for, through lambdas and method handles."""
    same_counts("targets")


@test_lasting(11)
def counted_when_code_is_left():
    """The code exits by exceptions, by deoptimisation, with monitors held."""
    for how in "exceptions", "thrown", "deoptimisation", "monitors":
        same_counts(how, modes=COMPILED[:3])
    same_counts("overruns", modes=[*COMPILED[:2], ["-Xjit:template=off,blocking,osr=8,optimize=10000000," + EXACT],
                                   ["-Xjit:blocking,osr=8,template-threshold=2,optimize=100," + EXACT]])


@test_lasting(23)
def counted_under_way():
    """Counters read during ten thousand active invocations, or by another thread; at ends of all kinds."""
    same_counts("dump", profiles=2)
    same_counts("others", profiles=2)
    same_counts("exit", 3, COMPILED[:2])
    same_counts("halt", 4, COMPILED[:2])


@test_lasting(48)
def counted_in_parts():
    """Counters stopped and restarted during active invocations; in two thousand threads; in code that is evicted for
    other code."""
    same_counts("stopped", modes=COMPILED[:1])
    same_counts("threads", modes=COMPILED[:2])
    same_counts("recursion", modes=[["-Xjit:blocking,osr=8,optimize=40,cache=1m," + EXACT]])


TREES = "call-edge,call-tree,call-subtree"
IN_CODE = "call-edge,call-tree"  # without listeners to each return: compiled code maintains the tree


@test_lasting(94)
def trees_in_every_tier():
    """Trees do not depend on where code deoptimises, and sum to the edges of the call graph."""
    for how in "targets", "exceptions", "deoptimisation", "threads":
        same_counts(how, modes=[COMPILED[1], COMPILED[2]], analyses=TREES)
        same_counts(how, modes=[COMPILED[1], COMPILED[2]], analyses=IN_CODE)
    same_counts("dump", modes=[COMPILED[0]], profiles=2, analyses=IN_CODE)
    same_counts("stopped", modes=[COMPILED[0]], analyses=TREES)
    same_counts("stopped", modes=[COMPILED[0]], analyses=IN_CODE)
    for rows in counted("recursion", ["-Xjit:compile-all," + EXACT], analyses=IN_CODE):
        edges, tree = {}, {}
        for row in rows:
            word = row.split()
            if word[0] == "edge":
                edges[tuple(word[1:4])] = int(word[4])
            elif word[0] == "tree":
                key = tuple(word[3:6])
                tree[key] = tree.get(key, 0) + int(word[6])
        expect("edges of the tree", tree, edges)


def ways(file, *options):
    """{names of the callees from the root on: count} of a call tree, summed over sites."""
    lines = run([PROF, "export", "--lines", "--analysis", "call-tree", file]).stdout.splitlines()
    rows = {w[1]: (w[2], w[5].split(".")[-1].split("(")[0], int(w[6])) for w in map(str.split, lines)}
    found = {}
    for node in rows:
        names, at = [], node
        while at in rows:
            names.insert(0, rows[at][1])
            at = rows[at][0]
        key = "/".join(names)
        found[key] = found.get(key, 0) + rows[node][2]
    return {w: n for w, n in found.items() if n}


def folded(own, recursion):
    """The expected folding of recursive call paths: a path continues at the nearest occurrence of a method that it
    contains too often."""
    found = {}
    for way, count in own.items():
        names = []
        for i, name in enumerate(way):
            names.append(name)
            if names.count(name) > recursion and i + 1 < len(way):
                names = names[:len(names) - 1 - names[-2::-1].index(name)]
        key = "/".join(names)
        found[key] = found.get(key, 0) + count
    return found


@test
def trees_of_a_program_that_knows_its_own():
    vm = lambda *mode: [VM, *mode, "-Xss1g", "-cp", CLASSES + ":" + os.path.join(BUILD, "lib/java")]
    only = "scope=*Trees.*,!*Trees$*,!*main*,!*lambda*:message=off"
    for mode, recursion in ((["-Xint"], 1), (["-Xjit:compile-all,only=Trees*.*"], 100),
                            (["-Xthreads:green", "-Xjit:blocking,only=Trees*.*"], 2)):
        with Scratch() as file:
            done = run([*vm(*mode)[:-2], "-Xprofile:call-tree,method-count:recursion=%d:%s:file=%s" % (recursion, only, file),
                        *vm()[-2:], "Trees", "own"])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            report(file)
            own = {tuple(l.split()[0].split("/")): int(l.split()[1]) for l in done.stdout.splitlines()}
            expect("%s: ways" % mode, ways(file), folded(own, recursion))


@test_lasting(12)
def trees_deep_and_limited():
    run_it = lambda options, file: run([VM, "-Xss1g", "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "Trees", "dive"])
    with Scratch() as file:
        expect("output", run_it("call-tree:recursion=200000:scope=Trees.*", file).stdout, "100000\n")
        found = report(file)["analyses"][0]["rows"]
        expect("nodes", sum(r["callee"]["name"] == "dive" and r["count"] == 1 for r in found), 100001)
        run_it("call-tree:scope=Trees.*", file)
        expect("folded", sorted(r["count"] for r in report(file)["analyses"][0]["rows"]), [1, 1, 100000])
        run_it("call-tree:recursion=200000:scope=Trees.*:limit=1000", file)
        tree = json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"][0]
        expect("with a limit", (len(tree["rows"]), tree["recorded"], tree["lost"]), (1000, 1000, 99002))
        expect_in("allows no more nodes", run([PROF, "report", file]).stdout)


def sums(options, vm):
    """{analysis: (produced, recorded, lost)} of Limits; the rows must sum to the recorded events."""
    with Scratch() as file:
        done = run([VM, *vm, "-Xprofile:%s:message=off:file=%s" % (options, file), "-cp", CLASSES, "Limits"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        analyses = json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"]
        for a in analyses: expect("rows of " + a["name"], sum(r["count"] for r in a["rows"]), a["recorded"])
        return {a["name"]: (a["produced"], a["recorded"], a["lost"]) for a in analyses}


@test_lasting(30)
def limits_add_up():
    """Each analysis that limit= bounds records or loses each event exactly once, whatever threads hand over to later
    ones. The number of events does not depend on the limit, nor do the records of the profile's other analyses."""
    for vm in ["-Xint"], ["-Xjit:compile-all,only=Limits.*"]:
        for analysis in "call-tree", "call-subtree", "interprocedural-path", "hot-stream":
            _, all_events, _ = sums(analysis + ":scope=Limits*", vm)[analysis]
            for limit in 10, 500, 15000:
                found = sums("%s,method-count:scope=Limits*:limit=%d" % (analysis, limit), vm)
                what = "%s %s, limit %d" % (vm, analysis, limit)
                produced, recorded, lost = found[analysis]
                expect(what, (produced, recorded + lost), (all_events, all_events))
                if limit == 10: expect(what + ": something is lost", lost > 0, True)
                expect(what + ": method-count", found["method-count"][1:], (found["method-count"][0], 0))
    for options in "hot-stream:limit=500:sampling=counter:interval=31:burst=3", "hot-stream:limit=5000:sampling=jitter:interval=31:phases=4":
        produced, recorded, lost = sums(options, ["-Xint"])["hot-stream"]
        expect(options, (produced, recorded > 0, lost > 0), (recorded + lost, True, True))


@test
def trees_begin_late():
    """Trees include the frames that are active at the start, and continue after a pause."""
    for mode, names in (["-Xint"], TREES), (["-Xjit:compile-all,only=Trees*.*"], IN_CODE), (["-Xthreads:green"], TREES):
        with Scratch() as file:
            done = run([VM, *mode, "-cp", CLASSES + ":" + os.path.join(BUILD, "lib/java"), "Trees", "late", names, file])
            expect("exit code (%s)" % done.stderr, done.returncode, 0)
            report(file)
            late, middle = "main/late", "main/late/middle"
            expect("ways", ways(file), {late: 1, middle: 1, late + "/small": 2, middle + "/small": 2502})
            rows = json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"]
            tree = next(a for a in rows if a["name"] == "call-tree")["rows"]
            expect("first calls of small", sorted(r["count"] for r in tree if r["callee"]["name"] == "small"), [1, 1, 1, 1, 999, 1501])


def bytecode_branches(classes):
    """{method: [(bytecode index, targets in the order of edges or None, whether it ends a block)]}, from javap."""
    found, method, name = {}, None, None
    for line in run(["javap", "-c", "-s", "-p", "-cp", CLASSES, *classes]).stdout.splitlines():
        if re.match(r"(?! ).*\b(class|interface) ", line):
            cls = re.search(r"\b(?:class|interface) ([\w$.]+)", line).group(1)
        elif re.match(r"  \S.*;$", line):
            called = re.search(r"([\w$.]+)\(", line)
            name = "<clinit>" if "static {}" in line else called and called.group(1).split(".")[-1]
            name = "<init>" if called and called.group(1) == cls else name
        elif line.startswith("    descriptor: ") and name:
            method = found.setdefault("%s.%s%s" % (cls, name, line.split()[1]), [])
        elif re.match(r" +(-?\d+|default): \d+$", line) and method and method[-1][1].endswith("switch"):
            method[-1][2].append(int(line.split()[-1]))
        elif re.match(r" +\d+: [a-z]", line) and method is not None:
            index, op, *rest = line.replace(":", " ").split()
            targets = [int(rest[0])] if op.startswith(("if", "goto")) else []
            method.append((int(index), op, targets))
    return found


def edges_of_paths(lines, methods):
    """{(method, bytecode index of the branch, target): count}, from paths and from branches."""
    paths, branches = {}, {}
    for word in (l.split() for l in lines):
        code = methods.get(word[1])
        if not code or word[0] not in ("path", "branch"):
            continue
        at = {index: i for i, (index, _, _) in enumerate(code)}
        if word[0] == "branch":
            i = at[int(word[2])]
            targets = code[i][2] if code[i][1].endswith("switch") else [code[i + 1][0], *code[i][2]]
            key = word[1], code[i][0], targets[int(word[3])]
            branches[key] = branches.get(key, 0) + int(word[4])
            continue
        blocks = [int(b.lstrip("^")) for b in word[4].rstrip(".!").split(">")]
        for block, following in zip(blocks, blocks[1:]):
            i = at[block]
            while not (code[i][2] or i + 1 == at[following]):
                i += 1
            if code[i][2] and not code[i][1].startswith("goto"):
                key = word[1], code[i][0], following
                paths[key] = paths.get(key, 0) + int(word[5])
    return paths, branches


@test_lasting(41)
def paths_in_every_tier():
    """Paths do not depend on where code deoptimises, and sum to the edges of branches."""
    classes = sorted(c[:-6] for c in os.listdir(CLASSES) if c.startswith("Exact"))
    methods = bytecode_branches(classes)
    for how in "loops", "exceptions", "thrown", "deoptimisation", "targets":
        same_counts(how, modes=[COMPILED[1], COMPILED[2]], analyses="path,branch")
        same_counts(how, modes=[COMPILED[2]], analyses="interprocedural-path")
    same_counts("monitors", modes=[COMPILED[0]], analyses="path")
    same_counts("stopped", modes=[COMPILED[0]], analyses="path")
    for how in "loops", "exceptions", "targets":
        for rows in counted(how, ["-Xjit:compile-all," + EXACT], analyses="path,branch"):
            paths, branches = edges_of_paths(rows, methods)
            expect("%s: some branches" % how, len(branches) > 5, True)
            expect("%s: edges of paths" % how, sorted(set(paths.items()) ^ set(branches.items()))[:5], [])


@test
def late_starts_count():
    """Counts from a start in the middle of loops, without the events of a pause, are the same in every tier."""
    with Scratch() as file:
        found = {}
        for mode in ["-Xint"], ["-Xjit:compile-all,only=LateCounts*.*"], ["-Xjit:strip-length=3"], ["-Xjit:deopt-stress=3"]:
            for analyses in "method-count,call-edge,field-access,branch", "events":
                done = run([VM, *mode, "-cp", CLASSES + ":" + os.path.join(BUILD, "lib/java"), "LateCounts",
                            analyses + ":message=off:scope=LateCounts*.*:file=" + file, "2000"])
                expect("exit code (%s)" % done.stderr, done.returncode, 0)
                lines = [l for l in run([PROF, "export", "--lines", file]).stdout.splitlines() if " <" not in l]  # the VM's own vary
                expect("rows of %s with %s" % (analyses, mode), lines, found.setdefault(analyses, lines))
        expect("rows", [len(lines) > 30 for lines in found.values()], [True, True])


@test
def exact_repeats():
    """With -Xdeterministic all rows are the same in each run, even those of the library's threads. For a program with
    threads that holds if they take turns; otherwise the report names the threads that race."""
    with Scratch() as file:
        found = set()
        for _ in range(4):
            expect("exit code", run(command("return", file, vm=["-Xdeterministic"])).returncode, 0)
            found.add(run([PROF, "export", "--lines", file]).stdout)
        expect("different profiles of one program", len(found), 1)
        expect("threads that race", "side by side" in run([PROF, "report", file]).stdout, False)
        for turns, races in (["-Xthreads:green:carriers=1:quantum=50000"], False), ([], True):
            found = set()
            for _ in range(2):
                expect("exit code", run(command("threads", file, vm=["-Xdeterministic", *turns])).returncode, 0)
                found.add(run([PROF, "export", "--lines", file]).stdout)
            expect("equal", races or len(found) == 1, True)
            head = re.sub(r"\s+", " ", run([PROF, "report", file]).stdout.split("\ndetails:")[1])
            expect("races", bool(re.search(r"ran side by side with others \(worker [0-9]+, ", head)), races)


@test
def every_check_is_a_sample():
    """Sampling with interval 1 is exact, and everything that is not sampled is counted."""
    with Scratch() as file:
        exact, _ = events(file, ALL, REPEATABLE)
        for part in "field Events.i:I get", "branch Events.branches", "edge Events.main", "method Events.deep(I)I 1530":
            expect_in(part, exact)
        sampled, header = events(file, ALL + ":sampling=counter:interval=1", REPEATABLE)
        expect("rows", sampled, exact)
        expect("samples", header["samples"], header["checks"])
        one, header = events(file, ALL + ":sampling=counter:interval=7:burst=100000000", REPEATABLE)
        expect("a burst without end", len(only(one, "Events.main")), len(only(exact, "Events.main")))


@test_lasting(12)
def samples_repeat():
    for how in "counter:interval=10", "counter:interval=50:burst=5", "jitter:interval=20:jitter=19":
        with Scratch() as file:
            first, header = events(file, ALL + ":sampling=" + how, REPEATABLE)
            expect("second run", events(file, ALL + ":sampling=" + how, REPEATABLE)[0], first)
            checks, samples = int(header["checks"]), int(header["samples"])
            if how == "counter:interval=10":
                expect("one of ten", abs(samples - checks // 10) <= int(header["threads"]), True)
            expect_in("method Events.branches", first)
            if "jitter" in how:
                expect("seed", events(file, ALL + ":sampling=" + how + ":seed=2", REPEATABLE)[0] == first, False)


@test
def sampling_in_the_report():
    """The report on samples: expected and taken, threads without one, and intervals that resonate with loops."""
    with Scratch() as file:
        _, header = events(file, "method-count:sampling=counter", REPEATABLE)
        checks, without = (format(int(header[key]), ",") for key in ("checks", "threads-unsampled"))
        expected = format(round(int(header["checks"]) / 997), ",")
        text = " ".join(run([PROF, "report", file]).stdout.split())
        expect_in("of %s checks, %s expected" % (checks, expected), text)
        expect_in("%s of %s threads are without a sample" % (without, header["threads"]), text)
        expect("warning", "WARNING" in text, False)
        for interval, factors in (("1000", "divisible by 2, 5."), ("1001:burst=3", "divisible by 17.")):
            events(file, "method-count:sampling=counter:interval=" + interval, REPEATABLE)
            expect_in(factors, " ".join(run([PROF, "report", file]).stdout.split()))
        events(file, "method-count:sampling=jitter:interval=1000", REPEATABLE)
        expect("warning with jitter", "WARNING" in run([PROF, "report", file]).stdout, False)


@test
def sampled_by_time():
    with Scratch() as file:
        _, header = events(file, ALL + ":sampling=timer:interval=100us", ["-Xint"])
        expect("sampling", header["sampling"], "timer")


def jcmd(process, *words):
    done = run(["jcmd", str(process.pid), *words])
    expect("jcmd %s (%s)" % (words, done.stderr), done.returncode, 0)
    return done.stdout


def jcmd_refused(process, *words):
    done = run(["jcmd", str(process.pid), *words])
    expect("jcmd %s (%s%s): refused" % (words, done.stdout, done.stderr), done.returncode != 0, True)
    return done.stdout + done.stderr


def rows_now(process, file):
    """The rows of Endless in a profile dumped while the program runs."""
    expect_in("Command executed successfully", jcmd(process, "Profile.dump", file))
    report(file)
    return run([PROF, "export", "--lines", "--filter", "Endless", file]).stdout


def controlled(options, vm=()):
    """A profile that starts while a loop is running, stops, and resumes."""
    with Scratch() as file:
        process = subprocess.Popen([VM, *vm, "-cp", CLASSES, "Endless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd="/")
        try:
            expect("first line", process.stdout.readline(), "ready\n")
            expect_in("no profile was started", jcmd_refused(process, "Profile.stop"))
            expect_in("no profile was started", jcmd_refused(process, "Profile.snapshot"))
            expect_in("no analysis or preset", jcmd_refused(process, "Profile.start", "nonsense"))
            jcmd(process, "Profile.start", "%s:file=%s" % (options, file))
            expect_in("running", jcmd(process, "Profile.status"))
            expect("snapshots", [int(re.search(r"snapshot (\d+), \d+ bytes: \d+ calls, ", jcmd(process, "Profile.snapshot")).group(1))
                                 for _ in range(2)], [1, 2])
            for _ in range(50):  # the loop notices at its next yieldpoint
                if "Endless.turns:J put" in rows_now(process, file + ".1"):
                    break
            if "counter" in options:
                jcmd(process, "Profile.set", "interval=3")
                expect_in("interval=3", jcmd(process, "Profile.status"))
            jcmd(process, "Profile.stop")
            last, same = "", False
            for _ in range(50):  # samples in progress end
                rows = rows_now(process, file + ".1")
                same, last = rows == last, rows
                if same:
                    break
            expect("nothing more is recorded", same, True)
            expect_in("field Endless.turns:J put", rows)
            jcmd(process, "Profile.start")
            _, err = process.communicate("end\n", timeout=LIMIT)
        finally:
            process.kill()
        expect("exit code (%s)" % err, process.returncode, 0)
        header = report(file)["header"]
        expect("changes", header.get("changes", "0"), "1" if "counter" in options else "0")
        expect("time off", int(header["off-ns"]) > 0, True)
        expect_in("Endless.stop:Z put 1" if options == ALL else "Endless", run([PROF, "export", "--lines", file]).stdout)


@test_lasting(16)
def exact_from_outside():
    controlled(ALL)


@test_lasting(45)
def sampled_from_outside():
    controlled(ALL + ":sampling=counter:interval=7", ["-Xint"])
    controlled(ALL + ":sampling=counter:interval=7")


@test
def guide_example():
    """The example in the developers' guide compiles without warnings, and is short."""
    with open(os.path.join(ROOT, "docs", "ADDING-AN-ANALYSIS.md")) as f:
        code = f.read().split("```c\n")[1].split("```")[0]
    expect("short", len(code.splitlines()) < 60, True)
    with Scratch() as file:
        source = file + ".c"
        with open(source, "w") as f:
            f.write("#include \"profiler/analyses/analysis.h\"\nextern const Analysis analysis_callee_parity;\n" + code)
        done = run(["gcc", "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", ROOT, source])
        expect("compiler", (done.returncode, done.stderr), (0, ""))


@test
def from_the_program():
    """cabernet.Profile: exactly the events between start and stop are counted, in any tier."""
    with Scratch() as file:
        done = run([VM, "-cp", CLASSES, "Controls", "method-count:message=off:file=" + file, file + ".1"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        lines = done.stdout.splitlines()
        expect("status", lines[0], "no profile")
        expect("refused", [l.split(":")[0] for l in lines[1:5]], ["refused"] * 4)
        for name, count in (file, 60000), (file + ".1", 30000):
            rows = [r for r in report(name)["analyses"][0]["rows"] if r["method"].get("class") == "Controls"]
            found = {r["method"]["name"]: r["count"] for r in rows}
            expect("counted", found.get("counted"), count)
            expect("uncounted", found.get("uncounted"), None)


# Commands of a program to its profile: the command, the states in which it succeeds (n: no profile, r: running, s:
# stopped), and the state after it. Starts are rejected at several stages: by the text, by the profile's place, by the
# file, by an analysis and by a thread of the transport.
SEQUENCE = {
    "starts": ("start method-count:message=off:file=%s", {"n": "r"}),
    "starts with a ring": ("start method-count:transport=cab:message=off:file=%s", {"n": "r"}),
    "unknown": ("start nonsense:file=%s", {}),
    "unknown, of shadows": ("start method-count:where=shadow:nonsense:file=%s", {}),
    "shadows with a ring": ("start method-count:where=shadow:transport=cab:file=%s", {}),
    "at main": ("start method-count:from=main:file=%s", {}),
    "help": ("start help", {}),
    "no such folder": ("start method-count:file=%s/no/such/folder", {}),
    "no such processor": ("start method-count:transport=cab:affinity=1023:file=%s", {}),
    "half a pair": ("start threads:between=A.a..B.b,C.c:file=%s", {}),
    "no such trace": ("start threads:trace=/no/such/folder/t:file=%s", {}),
    "go on": ("go on", {"s": "r"}),
    "stop": ("stop", {"r": "s"}),
    "set": ("set interval=7", {}),  # none of these profiles is sampled
    "dump": ("dump %s.dump", {"r": "r", "s": "s"}),
    "dump nowhere": ("dump %s/no/such/folder", {}),
}


def sequence(names, steps=10):
    """Runs the named commands. Each succeeds or is rejected as the table says. If a profile was started, it exists in
    the end and has the calls made while it ran."""
    with Scratch() as file:
        state, outcomes, counted = "n", [], 0
        for name in names:
            outcomes.append("done" if state in SEQUENCE[name][1] else "refused")
            state = SEQUENCE[name][1].get(state, state)
            counted += steps if state == "r" else 0
        words = [SEQUENCE[n][0].replace("%s", file) for n in names]
        done = run([VM, "-Xint", "-cp", CLASSES, "Sequences", str(steps), *words])
        expect("%s: exit code (%s)" % (names, done.stderr), done.returncode, 0)
        expect("%s: outcomes" % (names,), [l.split(":")[0] for l in done.stdout.splitlines()[:len(names)]], outcomes)
        expect("%s: messages" % (names,), done.stderr, "")
        expect("%s: there is a profile" % (names,), os.path.exists(file), state != "n")
        if state == "n":
            return
        rows = next(a["rows"] for a in report(file)["analyses"] if a["name"] == "method-count")
        found = {r["method"]["name"]: r["count"] for r in rows if r["method"].get("class") == "Sequences"}
        expect("%s: calls" % (names,), found.get("step", 0), counted)


@test_lasting(40)
def sequences_of_starts_and_stops():
    """A profile that starts is written, whatever came before it and however often a start was rejected."""
    for first in SEQUENCE:
        for second in SEQUENCE:
            sequence((first, second, "starts", "stop", "go on"))


@test
def sequences_of_starts_and_stops_repeated():
    """The same with repeated commands, and with all of them in sequence."""
    refused = [n for n, (_, after) in SEQUENCE.items() if not after]
    sequence(refused)
    sequence(refused * 3)
    sequence(refused + ["starts"] + refused + ["stop", "stop"] + refused + ["starts", "go on", "go on"])
    sequence(refused + ["starts with a ring"] + refused + ["stop", "stop"] + refused + ["starts", "go on", "go on", "dump"])
    sequence(["at main", "starts", "dump nowhere", "stop", "dump", "dump nowhere"])


@test
def refused_from_outside():
    """A rejected command has a nonzero status, prints the reason, and does not change the state."""
    with Scratch() as file:
        process = subprocess.Popen([VM, "-cp", CLASSES, "Endless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd="/")
        try:
            expect("first line", process.stdout.readline(), "ready\n")
            for why, *words in (("name an analysis", "Profile.start"), ("no profile was started", "Profile.dump", file),
                                ("no profile was started", "Profile.set", "interval=3")):
                expect_in(why, jcmd_refused(process, *words))
            expect("status", jcmd(process, "Profile.status").splitlines()[1:], ["no profile"])
            expect_in("Command executed successfully", jcmd(process, "Profile.start", "call-edge:file=" + file))
            for why, *words in (("there is the profile events of call-edge in %s, which Profile.end ends" % file, "Profile.start", "call-edge:file=" + file + ".2"),
                                ("the profile is running", "Profile.start"), ("", "Profile.dump", "/no/such/folder/file"),
                                ("the profile is exact", "Profile.set", "interval=3")):
                expect_in(why, jcmd_refused(process, *words))
            _, err = process.communicate("end\n", timeout=LIMIT)
        finally:
            process.kill()
        expect("exit code", process.returncode, 0)
        expect("message", err, "cabernet: profile written to %s\n" % file)
        expect("the other one", os.path.exists(file + ".2"), False)
        report(file)


@test
def a_profile_that_others_have():
    """While shadows make the profile, or before it begins with main, a program cannot start another one; the existing
    profile is complete."""
    with Scratch() as file:
        words = ["start method-count:file=" + file + ".2", "stop", "go on", "set interval=3", "dump " + file + ".2"]
        done = run([VM, "-Xprofile:shadow:message=off:file=" + file, "-cp", CLASSES, "Sequences", "10", *words])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        why = "refused: the profile is made in shadows, and cannot pause or change; Profile.dump writes it, Profile.end ends it"
        there = "refused: there is the profile events of method-count,call-edge in %s, which Profile.end ends" % file
        *outcomes, status = done.stdout.splitlines()
        expect("outcomes", outcomes, [there] + [why] * (len(words) - 2) + ["done"])
        expect_in("running in shadows, name=events analyses=method-count,call-edge file=%s, " % file, status)
        expect("messages", done.stderr, "")
        expect("files", [os.path.exists(f) for f in (file, file + ".2")], [True, True])


def events_of_the_vm(file):
    found = (l.split(" ") for l in run([PROF, "export", "--lines", file]).stdout.splitlines())
    return {words[3]: int(words[4]) for words in found if words[:2] == ["events", "<vm>"]}


@test
def stop_stops_events_of_the_vm():
    """VM events are not selected by checks, so stop and start affect them in a sampled profile as in an exact one."""
    for options in "events:sampling=counter:interval=5", "events":
        for mode in ["-Xint"], ["-Xthreads:green"]:
            with Scratch() as file:
                done = run([VM, *mode, "-cp", CLASSES, "Stopped", options + ":message=off:file=" + file, file])
                expect("%s: exit code (%s)" % (options, done.stderr), done.returncode, 0)
                stopped, later, again = (events_of_the_vm(file + "." + at) for at in ("stopped", "later", "again"))
                expect("%s %s: while it is stopped" % (options, mode), later, stopped)
                for event, count in (("monitor_wait", 1), ("monitor_notify", 1), ("park", 1), ("unpark", 1),
                                     ("thread_start", 1), ("thread_end", 1), ("collection", 1)):
                    expect("%s %s: %s when it goes on" % (options, mode, event), again[event] - stopped[event] >= count, True)
                    expect("%s %s: %s before" % (options, mode, event), stopped[event] >= count, True)


@test
def wrong_use():
    with Scratch() as file:
        expect("exit code", run(command("return", file)).returncode, 0)
        for words, reason in (([], "usage"), (["frob"], "no command frob; there are report"), (["report"], "name a profile"),
                              (["report", "--bogus", file], "no option --bogus; there are --top"),
                              (["report", "--json=x", file], "no option --json=x"), (["report", "--top", "x", file], "number"),
                              (["report", file, file], "one too many"), (["export", file], "--lines"),
                              (["overlap", file], "two profile files"), (["diff", file, file, file], "one too many"),
                              (["diff", "--threads", file, file], "--threads"),
                              (["overlap", "--analysis", "path", file, file], "in common"),
                              (["report", "--analysis", "path", file], "holds no path"),
                              (["report", "--sort", "size", file], "--sort takes")):
            done = run([PROF, *words])
            expect("exit code of %s" % words, done.returncode, 1)
            expect_in(reason, done.stderr)


@test
def damaged_files():
    with Scratch() as file:
        expect("exit code", run(command("return", file)).returncode, 0)
        with open(file, "rb") as f:
            data = f.read()
        cut = file + ".cut"
        with open(cut, "wb") as f:
            f.write(data[:len(data) * 9 // 10])
        done = run([PROF, "report", cut])
        expect("exit code", done.returncode, 2)
        expect_in("cut off", done.stderr)
        expect("output", done.stdout, "")
        for words in ["overlap", file, cut], ["diff", cut, file]:
            done = run([PROF, *words])
            expect("exit code", done.returncode, 2)
            expect_in("cut off", done.stderr)
            expect("output", done.stdout, "")
        done = run([PROF, "report", "--damaged", cut])
        expect("exit code", done.returncode, 2)
        expect_in("the file is damaged", done.stdout)
        with open(cut, "w") as f:
            f.write("no profile\n")
        done = run([PROF, "report", cut])
        expect("exit code", done.returncode, 2)
        expect_in("not a cabernet profile", done.stderr)
        expect("missing file", run([PROF, "report", file + ".missing"]).returncode, 2)


@test
def values_have_types():
    """A value is shown as its type has it: real numbers as such, references as addresses."""
    with Scratch() as file:
        for mode in ["-Xint"], ["-Xcomp"], ["-Xjit:compile-all,only=TypedValues.*"]:
            run([VM, *mode, "-Xprofile:value:scope=TypedValues.*:message=off:file=" + file, "-cp", CLASSES, "TypedValues"])
            report = run([PROF, "report", "--analysis", "value", "--top", "100", file]).stdout
            for text in ("load double is 0.5", "load float is 0.1", "load boolean is 1", "load byte is -3", "load reference is null",
                         "load long is 1099511627776", "argument-1 double is NaN", "argument-2 float is 0.1", "argument-3 boolean is 1",
                         "argument-4 long is 1099511627776", "argument-5 reference is null", "argument-6 reference is null",
                         "return double is NaN", "comparison edge is 0"):
                if not re.search(r"^ +100 .*" + re.escape(text) + "$", report, re.MULTILINE):
                    raise AssertionError("%s: no %r in\n%s" % (mode, text, report))
            rows = json.loads(run([PROF, "report", "--json", "--analysis", "value", file]).stdout)["analyses"][0]["rows"]
            expect_in(("load", "double", 0.5), {(r["what"], r["type"], r["value"]) for r in rows if r["rest"] == "is"})


def build():
    os.makedirs(WORK, exist_ok=True)
    for name in "Ends", "Events", "Endless", "Controls", "Sequences", "Stopped", "Exact", "Twins", "Trees", "LateCounts", "Unloaded", "HiddenOrder", "Limits", "TypedValues":
        source = os.path.join(ROOT, "tests", "profiler", name + ".java")
        built = os.path.join(CLASSES, name + ".class")
        if os.path.exists(built) and os.path.getmtime(built) > os.path.getmtime(source):
            continue
        done = run(["javac", "-nowarn", "-Xlint:none", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, source])
        if done.returncode != 0:
            sys.exit("tests/run/profiles.py: javac failed:\n" + done.stderr)


def main():
    for program in (VM, PROF):
        if not os.path.exists(program):
            sys.exit("tests/run/profiles.py: no %s; build it with make" % program)
    build()
    return run_tests()


if __name__ == "__main__":
    sys.exit(main())
