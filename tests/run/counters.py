#!/usr/bin/env python3
"""The analysis "counters", and what the kernel says about threads in "threads", on programs whose context switches and
page faults are known (tests/profiler/Counters.java). Machines without counters of the processor have those of the
kernel, so the tests run on them."""
import json, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "counters")
CLASSES = os.path.join(WORK, "classes")
SOURCES = [os.path.join(ROOT, "tests", "profiler", name + ".java") for name in ("Counters", "Joined")]
MODES = ([], ["-Xint"], ["-Xcomp"], ["-Xjit:compile-all,only=Counters*.*"])
SWITCHES, PAGES = 4000, 20000
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, between, expect, expect_in, run_tests, test

LIMIT = 180 * SLOWER  # seconds


def run(command, code=0, processors=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, preexec_fn=processors and (lambda: os.sched_setaffinity(0, processors)))
    if done.returncode != code:
        raise AssertionError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
    return done


def can_count_the_kernel():
    """Whether this user may count what happens in the kernel (capability CAP_PERFMON or CAP_SYS_ADMIN)."""
    with open("/proc/sys/kernel/perf_event_paranoid") as level, open("/proc/self/status") as status:
        capabilities = int(re.search(r"CapEff:\s*(\w+)", status.read()).group(1), 16)
        return int(level.read()) < 2 or bool(capabilities & (1 << 38 | 1 << 21))


class Profile:
    def __init__(self, options, analyses, program, processors=None):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = os.path.join(scratch, "x.prof")
            done = run([VM, *options, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", CLASSES,
                        "Counters", *program.split()], processors=processors)
            expect("output", done.stdout, "done\n")
            expect("messages", done.stderr, "")
            self.json = json.loads(run([PROF, "report", "--json", "--all", file]).stdout)
        self.analyses = {a["name"]: a for a in self.json["analyses"]}
        for a in self.json["analyses"]:
            expect("account of " + a["name"], (a["recorded"] + a["lost"], a["lost"]), (a["produced"], 0))

    def section(self, analysis, name):
        return next(s for s in self.json["sections"] if s["analysis"] == analysis and s["name"] == name)

    def threads(self, analysis, name, column):
        """{thread: number} of a column of a section."""
        found = {}
        for row in self.section(analysis, name)["rows"]:
            found[row["thread"]] = found.get(row["thread"], 0) + row[column]
        return found


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(CLASSES)
run(["javac", "-d", CLASSES, "-cp", os.path.join(BUILD, "lib", "java"), *SOURCES])
SOFTWARE = "counters:events=task-clock,page-faults,minor-faults,major-faults"
EVERYTHING = SOFTWARE + (",context-switches,cpu-migrations" if can_count_the_kernel() else "")


def rows(profile, analysis):
    return profile.analyses[analysis]["rows"]


def total(profile, event):
    return sum(row["count"] for row in rows(profile, "counters") if row["event"] == event)


def sampled_in(profile, event, method):
    return sum(row["count"] for row in rows(profile, "counters-" + event)
               if (row["method"].get("class"), row["method"]["name"]) == ("Counters", method))


@test
def switches_of_each_thread():
    """Two threads wake each other N times, on one processor: for each turn, a thread must lose the processor to the
    other, either where it parks or where waking the other one preempts it. The end of its quantum is another switch."""
    one = {min(os.sched_getaffinity(0))}
    for options in MODES:
        if can_count_the_kernel():
            p = Profile(options, EVERYTHING + ":from=main", "switches %d" % SWITCHES, one)
            by_thread = p.threads("counters", "threads", "context-switches")
            for name in ("pair-0", "pair-1"):
                between("context switches of %s %s" % (name, options), by_thread[name], SWITCHES * 0.98,
                        SWITCHES * 1.3 + 200)
        q = Profile(options, "quanta", "switches %d" % SWITCHES, one)
        voluntary = q.threads("threads", "switches", "voluntary")
        involuntary = q.threads("threads", "switches", "involuntary")
        for name in ("pair-0", "pair-1"):
            between("switches of %s %s" % (name, options), voluntary[name] + involuntary[name], SWITCHES * 0.98,
                    SWITCHES * 1.3 + 200)


@test
def faults_of_each_thread():
    for options in MODES:
        p = Profile(options, "counters:events=page-faults/10,minor-faults/0,major-faults", "faults %d" % PAGES)
        faults = p.threads("counters", "threads", "page-faults")["toucher"]
        between("page faults %s" % options, faults, PAGES, PAGES * 1.02 + 500)
        minor = p.threads("counters", "threads", "minor-faults")["toucher"]
        major = p.threads("counters", "threads", "major-faults")["toucher"]
        between("minor and major faults %s" % options, minor + major, faults - 20, faults + 20)
        expect("tables", "counters-minor-faults" in p.analyses, False)


@test
def sums_agree():
    """The rows of all threads are what the table of threads has, and samples stand for all but the rest of a period."""
    p = Profile([], EVERYTHING, "spin 300")
    for word in EVERYTHING.split("=")[1].split(","):
        by_thread = p.threads("counters", "threads", word)
        expect("sum of " + word, total(p, word), sum(by_thread.values()))
        if "counters-" + word not in p.analyses:
            continue
        period = next(row["sampled every"] for row in p.section("counters", "events")["rows"] if row["event"] == word)
        samples = sum(row["count"] for row in rows(p, "counters-" + word))
        count = total(p, word)
        between("samples of " + word, samples * period, count - period * len(by_thread) * 2, count)


@test
def a_sample_goes_to_its_method():
    # Memory is touched by an intrinsic of Unsafe, which belongs to the VM in the interpreter, and below touch otherwise.
    p = Profile(["-Xcomp"], "counters:events=page-faults/10", "faults %d" % PAGES)
    all_samples = sum(row["count"] for row in rows(p, "counters-page-faults"))
    between("samples of faults", all_samples, PAGES // 10, PAGES // 10 + 4000)
    spins = Profile([], "counters:events=task-clock", "spin 600")
    all_samples = sum(row["count"] for row in rows(spins, "counters-task-clock"))
    between("samples in spin", sampled_in(spins, "task-clock", "spin"), all_samples * 0.4, all_samples)


@test
def together_with_others():
    for more in ("cpu", "wall", "method-count", "call-tree", "threads"):
        p = Profile([], "counters,%s:events=page-faults,task-clock" % more, "faults 2000")
        between("faults beside " + more, p.threads("counters", "threads", "page-faults")["toucher"], 2000, 2600)


@test
def is_refused_with_a_reason():
    def refused(text, why, *options):
        done = run([VM, *options, "-Xprofile:" + text, "-cp", CLASSES, "Counters", "spin", "1"], code=1)
        expect_in(why, done.stderr)
    refused("counters:events=sycles", "there is no counter sycles (did you mean cycles?)")
    refused("counters:events=page-faults,page-faults", "page-faults is named twice")
    refused("counters:events=context-switches/2", "would wake the thread")
    # A sample whose walk faults would be the reason for the next one, for ever.
    refused("counters:events=page-faults/1", "would count enough for the next one")
    refused("counters:events=page-faults:where=shadow", "the system counts for the program's threads")
    refused("counters:events=page-faults", "many green threads share", "-Xthreads:green")
    refused("cpu:events=page-faults", "events= needs counters")


@test
def hardware_counts_or_is_refused():
    """Never zero in silence: a machine without the counter refuses the start by its name."""
    command = [VM, "-Xprofile:counters:events=instructions:message=off:file=" + os.path.join(WORK, "hardware.prof"),
               "-cp", CLASSES, "Counters", "spin", "200"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT)
    if done.returncode:
        expect("exit code", done.returncode, 1)
        expect_in("instructions: ", done.stderr)
        return
    report = json.loads(run([PROF, "report", "--json", "--all", os.path.join(WORK, "hardware.prof")]).stdout)
    counts = next(a for a in report["analyses"] if a["name"] == "counters")["rows"]
    between("instructions", counts[0]["count"], 10 ** 7, 10 ** 12)


@test
def times_between_processes():
    """What one process begins and the other ends, in both orders of the files; what a process ends itself is not
    joined."""
    def passed(what, times):
        file = os.path.join(WORK, "%s-%d.prof" % (what, times))
        run([VM, "-Xprofile:tasks:between=mark\\:sent@key..mark\\:received@key:message=off:file=" + file, "-cp", CLASSES,
             "Joined", what, str(times)])
        return file
    sent, received, both = passed("send", 1000), passed("receive", 1000), passed("both", 1000)
    for files in ((sent, received), (received, sent)):
        joined = json.loads(run([PROF, "join", "--json", *files]).stdout)
        expect("pairs", len(joined), 1)
        expect("names", (joined[0]["from"], joined[0]["to"], joined[0]["begins"]),
               ("mark:sent@key", "mark:received@key", sent))
        expect("times", (joined[0]["count"], joined[0]["early"]), (501, 0))
        expect("others", (joined[0]["without_end"], joined[0]["without_beginning"]), (499, 499))
        between("median", joined[0]["median_ns"], 10 ** 6, 60 * 10 ** 9)
    expect_in("501 times, median", run([PROF, "join", sent, received]).stdout)
    expect_in("no pair of marks", run([PROF, "join", both, both], code=1).stderr)
    # More than are kept: the tool says how many were not.
    many = passed("send", 100000)
    expect_in("points less than were passed", run([PROF, "join", many, received]).stderr)


sys.exit(run_tests())
