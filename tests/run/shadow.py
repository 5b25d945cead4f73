#!/usr/bin/env python3
"""Shadow profiling: a shadow of the whole program has the exact profile; no effect of a shadow is visible outside;
accidents of shadows cost samples and nothing else; no shadow process is left over."""
import json, os, random, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "shadow")
CLASSES = os.path.join(WORK, "classes")
OFTEN = "load=4:length=10ms:period=10ms:busy=ignore:converge=off"
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds


def vm(profile, file, *command, modes=()):
    return [VM, *modes, "-Xprofile:%s:message=off:file=%s" % (profile, file), "-cp", CLASSES, *command]


def run(command, timeout=LIMIT, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, **more)


def lines(file):
    return run([PROF, "export", "--lines", file]).stdout


def header(file):
    done = run([PROF, "report", "--json", file])
    expect("cabernet-prof (%s)" % done.stderr, done.returncode, 0)
    return json.loads(done.stdout)["header"]


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(p) for p in f.read().split()] + [
            int(p) for t in os.listdir("/proc/%d/task" % pid) if int(t) != pid
            for p in open("/proc/%d/task/%s/children" % (pid, t)).read().split()]


class Scratch:
    def __enter__(self):
        self.path = tempfile.mkdtemp(dir=WORK)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


# Each round of Effects takes milliseconds, so it never reads as many lines as this.
LINES = "".join("line %d\n" % i for i in range(20000))


@test
def a_shadow_of_everything_has_the_exact_profile():
    analyses = "method-count,call-edge,branch,field-access,receiver,path,interprocedural-path,call-tree,call-subtree,productions:productions=" + os.path.join(ROOT, "tests", "productions", "exact.prod")
    for modes in [("-Xint",), (), ("-Xthreads:green",)]:
        with Scratch() as work:
            exact, whole = os.path.join(work, "exact"), os.path.join(work, "whole")
            scope = "scope=Whole*"
            a = run(vm("%s:%s" % (analyses, scope), exact, "Whole", "4", modes=("-Xdeterministic", *modes)))
            b = run(vm("%s:where=shadow:load=1:length=inf:period=1000s:timeout=100s:wait=90s:busy=ignore:%s"
                       % (analyses, scope), whole, "Whole", "4", modes=("-Xdeterministic", *modes)))
            expect("exit code", (a.returncode, b.returncode), (5, 5))
            expect("output", (b.stdout, b.stderr), (a.stdout, a.stderr))
            facts = header(whole)
            expect("shadows %r" % facts, facts["shadows-ended-with-program"], "1")
            expect("profile of %s" % (modes,), lines(whole), lines(exact))


@test
def tables_of_a_shadow_of_everything_are_the_exact_ones():
    """Tables without rows: hot data streams and contexts."""
    with Scratch() as work:
        rules, exact, whole = (os.path.join(work, name) for name in ("rules.prod", "exact", "whole"))
        with open(rules, "w") as f:
            f.write("ways: entry && method == Whole.* => context(4);\n")
        for profile, table in [("hot-stream:heat=5", "hot-stream.streams"), ("productions=" + rules, "productions.ways")]:
            kept = {}
            for file, where in (exact, "from=main"), (whole, "where=shadow:load=1:length=inf:period=1000s:timeout=100s:wait=90s:busy=ignore"):
                done = run(vm("%s:scope=Whole*:%s" % (profile, where), file, "Whole", "4", modes=("-Xdeterministic",)))
                expect("exit code (%s)" % done.stderr, done.returncode, 5)
                kept[file] = [l for l in lines(file).splitlines() if l.split()[0] == table]
            expect("rows of %s" % table, len(kept[exact]) > 5, True)
            expect(table, kept[whole], kept[exact])


@test
def tables_of_shadows_add_up():
    with Scratch() as work:
        rules, file = os.path.join(work, "rules.prod"), os.path.join(work, "x")
        with open(rules, "w") as f:
            f.write("ways: entry && method == Whole.safe => context(2), count(method);\n")
        for rounds in "300", "3000":  # on a busy machine, the short run may have too few shadows
            done = run(vm("hot-stream,productions:productions=%s:where=shadow:%s" % (rules, OFTEN), file, "Whole", rounds))
            expect("exit code (%s)" % done.stderr, done.returncode, 5)
            facts, counts = header(file), {}
            for line in lines(file).splitlines():
                words = line.split()
                counts.setdefault(words[0], []).append(int(words[-1]))
            if "productions.ways" in counts:
                break
        if int(facts["shadows-failed"]) or int(facts["shadows-damaged"]) or "hot-stream.streams" not in counts:
            raise AssertionError("shadows: %r" % facts)
        expect("contexts and entries of safe", sum(counts["productions.ways"]), sum(counts["ways"]))


def calls(file):
    """Entries of each method, and total counts of edges into each."""
    methods, edges = {}, {}
    for line in lines(file).splitlines():
        words = line.split()
        counts, name = (methods, words[1]) if words[0] == "method" else (edges, words[3]) if words[0] == "edge" else ({}, "")
        counts[name] = counts.get(name, 0) + int(words[-1])
    return methods, edges


@test_lasting(20)
def code_for_shadows_counts_as_the_interpreter():
    for more, modes in [("length=40ms", ()), ("length=200k", ("-Xthreads:green",))]:
        with Scratch() as work:
            file = os.path.join(work, "x")
            profile = "method-count,call-edge,branch,path:where=shadow:" + OFTEN.replace("length=10ms", more).replace("load=4", "load=1")
            for rounds in 1000, 4000, 8000:  # until some code is compiled
                done = run(vm(profile, file, "Whole", str(rounds), modes=modes))
                expect("exit code (%s)" % done.stderr, done.returncode, 5)
                facts = header(file)
                if int(facts["shadow-code"]):
                    break
            if not int(facts["shadow-code"]) or int(facts["shadows-failed"]) or int(facts["shadows-killed"]) or int(facts["shadows-damaged"]):
                raise AssertionError("shadows: %r" % facts)
            methods, edges = calls(file)
            expect("entries of methods", methods, edges)


@test_lasting(40)
def shadows_stay_in_the_interpreter_without_prepared_code():
    def count(prepare, rounds):
        profile = "method-count:where=shadow:%s:prepare=%s" % (OFTEN.replace("length=10ms", "length=40ms").replace("load=4", "load=1"), prepare)
        with Scratch() as work:
            file = os.path.join(work, "x")
            done = run(vm(profile, file, "Whole", str(rounds), modes=("-Xjit:optimize=300",)))
            expect("exit code (%s)" % done.stderr, done.returncode, 5)
            return int(header(file)["shadow-code"])

    # Until some code is compiled in time.
    rounds = next((r for r in (1000, 4000, 16000, 64000) if count("code", r)), None)
    expect("there is code for shadows", rounds is not None, True)
    expect("methods with code for shadows, with prepare=off", count("off", rounds), 0)


@test
def the_heap_has_huge_pages_unless_small_ones_are_wanted():
    if not os.path.exists("/sys/kernel/mm/transparent_hugepage/enabled"):
        return
    for pages, seconds, marked in ("huge", "60", "true"), ("small", "1", "false"):
        with Scratch() as work:
            done = run(vm("method-count:where=shadow:pages=%s:%s" % (pages, OFTEN), os.path.join(work, "x"), "Pages", seconds))
            expect("pages=%s (%s)" % (pages, done.stderr), (done.returncode, done.stdout), (0, "64 %s\n" % marked))


@test
def values_in_a_shadow_are_the_exact_ones():
    with Scratch() as work:
        exact, whole = os.path.join(work, "exact"), os.path.join(work, "whole")
        for where, file, modes in [("process", exact, ["-Xint"]), ("shadow:load=1:length=inf:period=1000s:timeout=100s:wait=90s:busy=ignore", whole, [])]:
            expect("exit code", run(vm("value:scope=Whole*:where=" + where, file, "Whole", "4", modes=modes)).returncode, 5)
        said = json.loads(run([PROF, "overlap", "--json", exact, whole]).stdout)["analyses"][0]
        expect("difference in invariance of %d places" % said["placesOfBoth"], said["invarianceDifference"], 0.0)
        expect("events", said["totalA"], said["totalB"])


@test
def reports_of_values_have_their_invariance():
    """Of 100 requests, 13 are 0 modulo 8, and the others are equally frequent or rarer."""
    with Scratch() as work:
        file = os.path.join(work, "x")
        done = run(vm("value:scope=Talks*", file, "Talks", "child", "100", "2000"))
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        said = run([PROF, "report", "--top", "0", file]).stdout
        for row in (r"100\.0 +100\.0 +0\.0 +Talks\.answer\(Talks\.java:23\) @8 load int is 2000\n",
                    r"13\.0 +100\.0 +13\.0 +Talks\.answer\(Talks\.java:24\) @17 result int is 0\n"):
            expect("%s in the report" % row, bool(re.search(row, said)), True)
        others = [l.endswith(" others") for l in said[said.index("values:\n"):said.index("\ndetails:")].splitlines()[2:] if l]
        expect("others come last", (others, True in others), (sorted(others), True))


@test
def nothing_that_shadows_do_is_seen():
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work, Scratch() as folder:
            file = os.path.join(work, "x")
            done = run(vm("call-edge:where=shadow:" + OFTEN, file, "Effects", folder, "1500", modes=modes), input=LINES)
            expect("what it prints (%s)" % done.stderr, done.stdout, "fine\nhook\n")
            expect("exit code", done.returncode, 7)
            facts = header(file)
            if int(facts["shadows"]) < 3 or int(facts["shadows-failed"]) or int(facts["shadows-killed"]):
                raise AssertionError("shadows: %r" % facts)


@test
def threads_that_wait_for_a_descriptor_go_on_in_shadows():
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work:
            file = os.path.join(work, "x")
            done = run(vm("call-edge:where=shadow:" + OFTEN.replace("length=10ms", "length=60ms"), file, "Waits", "60", modes=modes))
            expect("what it prints (%s)" % done.stderr, (done.stdout, done.returncode), ("waited 60 true\n", 0))
            facts = header(file)
            if int(facts["shadows"]) < 3 or int(facts["shadows-failed"]) or int(facts["shadows-killed"]):
                raise AssertionError("shadows: %r" % facts)
            expect("calls of the thread that waits", calls(file)[1].get("java.net.ServerSocket.accept()Ljava/net/Socket;", 0) > 0, True)


def overlap(exact, file):
    done = run([PROF, "overlap", "--json", exact, file])
    expect("cabernet-prof (%s)" % done.stderr, done.returncode, 0)
    return json.loads(done.stdout)["analyses"][0]["overlap"]


@test_lasting(60)
def programs_that_read_sockets_and_pipes_run_on_in_shadows():
    """Each reply depends on what was received, so a shadow that got other data would call other methods."""
    for modes in [(), ("-Xthreads:green",)]:
        for way in "loop", "threads", "selector", "child":
            with Scratch() as work:
                exact, file = os.path.join(work, "exact"), os.path.join(work, "x")
                a = run(vm("method-count:scope=Talks*", exact, "Talks", way, "30000", "20000", modes=modes))
                expect("exit code (%s)" % a.stderr, a.returncode, 0)
                for count in "30000", "120000":  # on a busy machine, the short run may have too few shadows
                    b = run(vm("method-count:scope=Talks*:where=shadow:load=1:busy=ignore:converge=off", file, "Talks", way, count, "20000", modes=modes))
                    expect("exit code (%s)" % b.stderr, b.returncode, 0)
                    facts = header(file)
                    if int(facts["shadows"]) >= 12:
                        break
                if count == "30000":
                    expect("what it prints", b.stdout, a.stdout)
                stopped = sum(int(facts["shadows-" + why]) for why in ("ended-by-system-call", "ended-behind-input", "failed", "killed", "damaged"))
                expect("%s: shadows that could not go on %r" % (way, facts), stopped <= 2, True)
                share = overlap(exact, file)
                print("        %s%s: %.1f %% of %s shadows" % (way, " ".join(("", *modes)), share, facts["shadows"]))
                expect("%s: overlap of at least 90 %% (%.1f) %r" % (way, share, facts), share >= 90, True)


@test
def shadows_that_the_system_waits_for_are_counted():
    for rounds in ("100", "1000"):  # on a busy machine, no shadow may reach its length in the short run
        with Scratch() as work:
            file = os.path.join(work, "x")
            done = run(vm("method-count:where=shadow:" + OFTEN, file, "Whole", rounds),
                       preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            expect("exit code (%s)" % done.stderr, done.returncode, 5)
            facts = header(file)
        if int(facts["shadows-ended-by-length"]) > 0:
            return
    raise AssertionError("shadows: %r" % facts)


@test
def a_class_that_could_not_be_defined_is_forgotten_with_its_loader():
    with Scratch() as work:
        for where in ("where=process", "where=shadow:" + OFTEN):
            done = run(vm("method-count:" + where, os.path.join(work, "x"), "Undefined", "100", modes=("-Xint",)))
            expect("%s: what it prints (%s)" % (where, done.stderr), (done.stdout, done.returncode), ("100\n", 0))


@test
def native_methods_of_the_program_end_shadows_unless_listed():
    library = os.path.join(WORK, "libnatives.so")
    for more, key in [("", "shadows-ended-by-native-method"), (":natives=Natives.*", "shadows-ended-by-length")]:
        for milliseconds in ("600", "6000"):  # on a busy machine, the program hardly runs in the short run
            with Scratch() as work:
                file = os.path.join(work, "x")
                done = run(vm("method-count:where=shadow:%s%s" % (OFTEN, more), file, "Natives", library, milliseconds))
                expect("what it prints (%s)" % done.stderr, done.stdout, "bad 0\n")
                facts = header(file)
            if int(facts[key]) > 0:
                break
        else:
            raise AssertionError("%s: %r" % (key, facts))


def killed_at_random(work, folder, modes):
    file = os.path.join(work, "x")
    child = subprocess.Popen(vm("call-edge:where=shadow:" + OFTEN.replace("10ms:p", "60ms:p"), file, "Effects", folder, "2000", modes=modes),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    kills = 0
    feeder = os.fork()
    if feeder == 0:
        try:
            child.stdin.write(LINES)
        finally:
            os._exit(0)
    child.stdin.close()
    while child.poll() is None:
        for pid in children(child.pid) if os.path.exists("/proc/%d" % child.pid) else []:
            if random.random() < 0.5:
                try:
                    os.kill(pid, signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
        time.sleep(random.random() * 0.02)
    os.waitpid(feeder, 0)
    return child.returncode, child.stdout.read(), child.stderr.read(), file, kills


def ends(facts):
    return sum(int(v) for k, v in facts.items() if k.startswith("shadows-ended") or k in ("shadows-killed", "shadows-damaged", "shadows-failed"))


@test
def many_shadows_are_killed():
    """CABERNET_SHADOW_KILLS=1000 is the long form: at least that number of kills."""
    wanted, done, runs = int(os.environ.get("CABERNET_SHADOW_KILLS", "0")), 0, 0
    while done < wanted:
        with Scratch() as work, Scratch() as folder:
            try:
                code, out, err, file, kills = killed_at_random(work, folder, ("-Xthreads:green",) if runs % 2 else ())
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while its children were listed
            runs += 1
            done += kills
            expect("what it prints (%s)" % err, (out, code), ("fine\nhook\n", 7))
            facts = header(file)
            expect("shadows: %r" % facts, ends(facts), int(facts["shadows"]))
            print("        %d killed in %d runs" % (done, runs), flush=True)


@test
def shadows_that_are_killed_cost_their_sample():
    kills, facts = 0, None
    for _ in range(5):  # a shadow may have handed over its sample, or end while listed
        with Scratch() as work, Scratch() as folder:
            try:
                code, out, err, file, kills = killed_at_random(work, folder, ())
            except (FileNotFoundError, ProcessLookupError):
                continue
            expect("what it prints (%s)" % err, (out, code), ("fine\nhook\n", 7))
            facts = header(file)
            expect("shadows", ends(facts), int(facts["shadows"]))
            if kills > 0 and int(facts["shadows-killed"]) > 0:
                return
    raise AssertionError("%d killed: %r" % (kills, facts))


@test
def shadows_end_with_their_program():
    for how in (signal.SIGKILL, signal.SIGTERM):
        with Scratch() as work:
            child = subprocess.Popen(vm("method-count:where=shadow:load=3:length=inf:busy=ignore", os.path.join(work, "x"), "Whole", "1000000"),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found = []
            for _ in range(1000):
                time.sleep(0.05)
                found = children(child.pid)
                if len(found) == 3:
                    break
            expect("shadows", len(found), 3)
            child.send_signal(how)
            child.wait(timeout=60)
            for _ in range(1000):
                left = [pid for pid in found if os.path.exists("/proc/%d" % pid)]
                if not left:
                    break
                time.sleep(0.05)
            expect("processes left", left, [])


@test
def a_fork_that_is_refused_is_counted():
    # Limits the program only after all its threads exist: shadows have threads too and would leave none for it.
    other = []
    if os.getuid() == 0:  # limits do not apply to root
        other = ["setpriv", "--reuid=%d" % (40000 + os.getpid() % 20000), "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    with Scratch() as work:
        os.chmod(work, 0o777)
        file = os.path.join(work, "x")
        child = subprocess.Popen([*other, *vm("method-count:where=shadow:" + OFTEN, file, "Begun", "200", modes=("-Xint",))],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        begun = child.stdout.readline()
        if begun:
            subprocess.run([*other, "prlimit", "--pid=%d" % child.pid, "--nproc=1"], check=True)
        out, err = child.communicate(timeout=LIMIT)
        if "Permission denied" in err:
            return  # another user cannot access this folder
        expect("exit code (%s)" % err, (begun, child.returncode), ("begun\n", 5))
        facts = header(file)
        if int(facts["shadows-refused"]) == 0 or not any("the limit on processes" in v for k, v in facts.items() if k.startswith("shadow-reason")):
            raise AssertionError("shadows: %r" % facts)


@test
def a_shadow_that_gets_no_memory_costs_its_sample():
    with Scratch() as work:
        for memory in ("4k", "1m"):
            for rounds in ("20", "200"):  # on a busy machine, the short run may end before its first shadow
                file = os.path.join(work, "x")
                done = run(vm("call-edge,value:where=shadow:%s:memory=%s" % (OFTEN.replace("length=10ms", "length=60ms"), memory), file, "Whole", rounds))
                expect("%s: exit code (%s)" % (memory, done.stderr), done.returncode, 5)
                facts = header(file)
                expect("shadows of %s: %r" % (memory, facts), ends(facts), int(facts["shadows"]))
                if memory != "4k" or int(facts["shadows-failed"]) > 0:
                    break
            else:
                raise AssertionError("shadows: %r" % facts)


@test
def another_phase_is_reason_for_a_shadow():
    with Scratch() as work:
        for change, phases in [("fork", [("3500", "1200"), ("12000", "5000")]), ("off", [("200", "200")])]:
            for ms in phases:  # on a busy machine, the short run may end before the first look at phases
                file = os.path.join(work, "x")
                done = run(vm("method-count:where=shadow:load=0.01:length=20ms:busy=ignore:converge=off:change=" + change, file, "Phases", *ms))
                expect("exit code (%s)" % done.stderr, (done.returncode, done.stdout), (0, "over\n"))
                facts = header(file)
                got = [int(facts[k]) > 0 for k in ("phase-looks", "shadow-phase-changes", "shadows-at-phase-changes")]
                if got == [change == "fork"] * 3:
                    break
            expect("%s: looks, changes, shadows: %r" % (change, facts), got, [change == "fork"] * 3)


@test
def shadows_that_end_before_their_time_are_no_evidence():
    """Each shadow ends at the start of the next process. However similar they are, they give no evidence about the
    code after it."""
    with Scratch() as work:
        file = os.path.join(work, "x")
        for ms in "8000", "24000":
            done = run(vm("method-count:scope=Asks*:where=shadow:load=0.5:length=2s:period=5ms:busy=ignore", file, "Starts", ms, "150"))
            expect("exit code (%s)" % done.stderr, (done.returncode, done.stdout), (0, "over\n"))
            facts = header(file)
            if int(facts["shadows-ended-by-native-method"]) >= 20:
                break
        expect("enough of them %r" % facts, int(facts["shadows-ended-by-native-method"]) >= 12, True)
        expect("put off as converged", facts["shadows-postponed-converged"], "0")
        expect_in("of the program's time could not be covered by shadows: shares are of", " ".join(run([PROF, "report", file]).stdout.split()))
        # Complete shadows are evidence.
        for ms in "4000", "16000":  # on a busy machine, the short run may end before there are enough
            done = run(vm("method-count:where=shadow:load=1:length=20ms:period=5ms:busy=ignore", file, "Phases", ms, "0"))
            expect("exit code (%s)" % done.stderr, (done.returncode, done.stdout), (0, "over\n"))
            facts = header(file)
            if int(facts["shadows-postponed-converged"]):
                break
        expect("put off as converged %r" % facts, int(facts["shadows-postponed-converged"]) > 0, True)


@test
def a_crash_leaves_what_shadows_have_handed_over():
    with Scratch() as work:
        file = os.path.join(work, "x")
        process = subprocess.Popen(vm("method-count:where=shadow:" + OFTEN, file, "Phases", "60000", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work)
        try:
            time.sleep(4)
            process.send_signal(signal.SIGSEGV)
            process.communicate(timeout=LIMIT)
        finally:
            process.kill()
        expect("how it ended", header(file)["ended-by"], "signal 11")
        expect("rows", "Phases." in lines(file), True)


@test
def results_that_find_no_room_are_counted():
    with Scratch() as work:
        file = os.path.join(work, "x")
        # Large enough for the program's profile, which then has only the facts, and too small for the shadows' results
        # on a busy machine.
        done = run(["prlimit", "--fsize=4000", *vm("call-edge,branch,value:where=shadow:" + OFTEN, file, "Whole", "60")])
        expect("exit code (%s)" % done.stderr, done.returncode, 5)
        facts = header(file)
        expect("shadows: %r" % facts, ends(facts), int(facts["shadows"]))
        if int(facts["shadows-killed"]) + int(facts["shadows-damaged"]) == 0:
            raise AssertionError("shadows: %r" % facts)


def on_full_disk(folder, command):
    """Runs the command with a small separate disk mounted at the folder, where the system permits it."""
    own = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0" && exec "$@"', folder]
    return own + command if run(own + ["true"]).returncode == 0 else None


@test
def a_full_disk_is_the_programs_own():
    """A shadow assumes that writes succeed; the program sees the true result, and a profile that does not fit gives a
    message."""
    with Scratch() as work, Scratch() as disk:
        file = os.path.join(work, "x")
        profile = "method-count:where=shadow:" + OFTEN
        for place, wrap in [("/dev/full", lambda c: c), (os.path.join(disk, "f"), lambda c: on_full_disk(disk, c))]:
            command = wrap(vm(profile, file, "Full", place, "300"))
            if not command:
                continue
            done = run(command)
            expect("%s: what it prints (%s)" % (place, done.stderr), (done.stdout, done.returncode), ("full\n", 0))
            facts = header(file)
            expect("shadows %r" % facts, ends(facts), int(facts["shadows"]))
            if int(facts["shadows"]) == 0 or int(facts["shadows-failed"]) or int(facts["shadows-killed"]) or int(facts["shadows-damaged"]):
                raise AssertionError("shadows: %r" % facts)
        command = on_full_disk(disk, ["sh", "-c", 'cat /dev/zero > "$0/all" 2>/dev/null; exec "$@"', disk, *vm(profile, os.path.join(disk, "x"), "Whole", "20")])
        if command:
            done = run(command)
            expect("exit code", done.returncode, 5)
            expect("it is said (%s)" % done.stderr, "profile not written" in done.stderr, True)


@test_lasting(40)
def libraries_are_loaded_in_shadows_and_beside_them():
    library = os.path.join(WORK, "libnatives.so")
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work, Scratch() as copies:
            file = os.path.join(work, "x")
            done = run(vm("method-count:where=shadow:load=4:length=200k:period=3ms:busy=ignore:converge=off:timeout=5s", file, "Loads", library, copies,
                          "300", modes=modes))
            expect("what it prints (%s)" % done.stderr, (done.stdout, done.returncode), ("loaded 300\n", 0))
            facts = header(file)
            expect("shadows %r" % facts, ends(facts), int(facts["shadows"]))
            if int(facts["shadows"]) == 0 or int(facts["shadows-failed"]) or int(facts["shadows-ended-by-time-limit"]):
                raise AssertionError("shadows: %r" % facts)


# ---- over the programs of tests/e2e ---------------------------------------------------------------------------------------

# Programs with many external effects, threads, memory use, process ends. CABERNET_SHADOW_E2E=1: all programs.
SOME = ["io/File_streams", "exc/Uncaught_exit", "thread/Fork_join", "io/Nio_files"]


def end_to_end(work, programs, modes, command=VM):
    profile = "-Xprofile:call-edge:where=shadow:%s:message=off:file=%s" % (OFTEN, os.path.join(work, "%p.prof"))
    done = run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--jobs", "1", "--exec", command, "--vm-args=" + " ".join([profile, *modes]), *programs],
               timeout=600 if programs else 7200)  # java may first have to produce the expected output
    expect("%s" % (modes,), (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    return [header(os.path.join(work, f)) for f in os.listdir(work) if f.endswith(".prof")]


@test_lasting(130)
def programs_do_what_they_do_without_shadows():
    programs = [] if os.environ.get("CABERNET_SHADOW_E2E") else SOME
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work:
            facts = end_to_end(work, programs, modes)
            shadows = sum(int(f["shadows"]) for f in facts)
            print("        %s: %d profiles, %d shadows, of them %d by signals, %d damaged" % (
                modes, len(facts), shadows, sum(int(f["shadows-killed"]) for f in facts), sum(int(f["shadows-damaged"]) for f in facts)))
            if shadows < 3:
                raise AssertionError("%d shadows" % shadows)


def table_of_calls():
    with open(os.path.join(ROOT, "vm", "shadow", "syscalls.def")) as f:
        return dict(re.findall(r"^CALL\((\w+), (\w+),", f.read(), re.M))


def calls_of_shadows(log):
    """(name, arguments, whether the filter passed it) of each system call after a shadow installs its filter, from
    strace -f."""
    inside, last, calls = set(), {}, []
    with open(log, errors="replace") as f:
        for line in f:
            thread, _, what = line.rstrip("\n").partition(" ")
            what = what.lstrip()
            if thread in last and what.startswith("--- SIGSYS"):
                calls.append((*last.pop(thread), False))
                continue
            begun, made = re.match(r"(\w+)\((.*)", what), re.match(r"(?:<\.\.\. )?clone.*= (\d+)$", what)
            if thread in inside and begun:
                if thread in last:
                    calls.append((*last[thread], True))
                last[thread] = (begun[1], begun[2])
            if thread in inside and made:
                inside.add(made[1])
            if what.startswith("seccomp(SECCOMP_SET_MODE_FILTER"):
                inside.add(thread)
    return calls + [(*call, True) for call in last.values()]


@test
def shadows_make_no_call_outside_of_the_table():
    table = table_of_calls()
    with Scratch() as work:
        log = os.path.join(work, "log")
        programs = [] if os.environ.get("CABERNET_SHADOW_E2E") else SOME[:2]
        end_to_end(work, programs, (), "strace -f -qq -A -o %s %s" % (log, VM))
        calls = calls_of_shadows(log)
        if len(calls) < 200:
            raise AssertionError("%d calls" % len(calls))
        wrong = set()
        for name, arguments, passed in calls:
            way = table.get(name)
            # pwrite64 writes the payload; exit calls come from the warden.
            seen = passed and (way is None or (way in ("WRITES", "CHANGES", "MAKES", "ASSUMED", "UNSAFE") and name != "pwrite64"))
            opens = passed and way == "OPENS" and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", arguments)
            if seen or opens:
                wrong.add("%s(%s" % (name, arguments))
        print("        %d calls, %d of them stopped by the filter" % (len(calls), sum(not passed for _, _, passed in calls)))
        expect("calls that have an effect", sorted(wrong)[:20], [])


@test_lasting(20)
def much_input_of_several_streams():
    """More input than is kept, from sockets, datagrams and the standard input. A shadow that lags too far ends."""
    plain = run([VM, "-cp", CLASSES, "Bulk", "150", "6000"], input=LINES)
    expect("exit code (%s)" % plain.stderr, plain.returncode, 0)
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work:
            file = os.path.join(work, "x")
            done = run(vm("method-count:where=shadow:load=2:period=1ms:busy=ignore:converge=off", file, "Bulk", "150", "6000", modes=modes), input=LINES)
            expect("what it prints", (done.stdout, done.stderr, done.returncode), (plain.stdout, plain.stderr, 0))
            facts = header(file)
            lost = sum(int(facts["shadows-" + why]) for why in ("ended-by-system-call", "failed", "killed", "damaged", "ended-by-time-limit"))
            if lost or int(facts["shadows"]) < 3 or not any(v.startswith("input of the program") for k, v in facts.items() if k.startswith("shadow-calls")):
                raise AssertionError("shadows: %r" % facts)


@test_lasting(20)
def shadows_of_a_running_program():
    """Its hot methods and loops are compiled when the profile starts, and have code in shadows too."""
    plain = run([VM, "-cp", CLASSES, "Talks", "loop", "80000", "20000"])
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work:
            exact, file, dumped = (os.path.join(work, name) for name in ("exact", "x", "dumped"))
            a = run(vm("method-count:scope=Talks*", exact, "Talks", "loop", "20000", "20000"))
            expect("exit code (%s)" % a.stderr, a.returncode, 0)
            with subprocess.Popen([VM, *modes, "-cp", CLASSES, "Talks", "loop", "80000", "20000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
                def jcmd(*words):
                    done = run(["jcmd", str(program.pid), *words])
                    expect("jcmd %s (%s%s)" % (words, done.stdout, done.stderr), done.returncode, 0)
                    return done.stdout
                time.sleep(1)
                jcmd("Profile.start", "method-count:scope=Talks*:where=shadow:load=1:busy=ignore:converge=off:message=off:file=" + file)
                expect_in("running in shadows", jcmd("Profile.status"))
                time.sleep(2)
                jcmd("Profile.dump", dumped)
                out, err = program.communicate(timeout=LIMIT)
            expect("what it prints (%s)" % err, (program.returncode, err), (0, ""))
            expect("output", out, plain.stdout)
            facts = header(file)
            shares = overlap(exact, file), overlap(exact, dumped)
            if not int(facts["shadow-code"]) or int(facts["shadows-failed"]) or int(facts["shadows-killed"]) or min(shares) < 90:
                raise AssertionError("shadows: %s %r" % (shares, facts))
            expect("dumped before the end", int(header(dumped)["shadows"]) <= int(facts["shadows"]), True)


@test_lasting(20)
def shadows_end_on_request():
    """Profile.end writes a profile of shadows and ends it; a profile of the program and one of other shadows follow."""
    plain = run([VM, "-cp", CLASSES, "Talks", "loop", "120000", "20000"])
    often = "where=shadow:load=1:busy=ignore:converge=off:message=off"
    for modes in [(), ("-Xthreads:green",)]:
        with Scratch() as work:
            exact, first, second, third, fourth, sampled = (os.path.join(work, name) for name in ("exact", "a", "b", "c", "d.prof", "e"))
            a = run(vm("method-count,call-edge:scope=Talks*", exact, "Talks", "loop", "20000", "20000"))
            expect("exit code (%s)" % a.stderr, a.returncode, 0)
            with subprocess.Popen([VM, *modes, "-cp", CLASSES, "Talks", "loop", "120000", "20000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
                def jcmd(*words, code=0):
                    done = run(["jcmd", str(program.pid), *words])
                    expect("jcmd %s (%s%s)" % (words, done.stdout, done.stderr), done.returncode, code)
                    return done.stdout + done.stderr
                time.sleep(1)
                jcmd("Profile.start", "method-count:scope=Talks*:%s:file=%s" % (often, first))
                time.sleep(1)
                for words in ("Profile.stop",), ("Profile.set", "interval=3"), ("Profile.start",):
                    expect_in("made in shadows", jcmd(*words, code=1))
                expect_in("there is the profile events of method-count in " + first, jcmd("Profile.start", "method-count,cpu", code=1))
                jcmd("Profile.start", "cpu,wall:message=off:file=" + sampled)  # beside the shadows
                time.sleep(1)
                expect_in("there are two profiles", jcmd("Profile.dump", code=1))
                jcmd("Profile.end", "name=time")
                expect_in("running in shadows", jcmd("Profile.status"))
                expect_in("cannot write", jcmd("Profile.end", "/no/such/folder/file", code=1))
                expect_in("stopped, in shadows", jcmd("Profile.status"))
                jcmd("Profile.end")
                expect_in("no profile", jcmd("Profile.status"))
                jcmd("Profile.start", "method-count:scope=Talks*:message=off:file=" + second)
                jcmd("Profile.end")
                jcmd("Profile.start", "call-edge:scope=Talks*:%s:file=%s" % (often, third))
                time.sleep(1)
                jcmd("Profile.end")
                done = run([PROF, "record", str(program.pid), "-d", "1", "-e", "method-count:scope=Talks*:" + often, "-o", fourth])
                expect("exit code of record (%s)" % done.stderr, done.returncode, 0)
                jcmd("Profile.start", "method-count:%s:file=%s" % (often, os.path.join(work, "last")))
                out, err = program.communicate(timeout=LIMIT)
            expect("what it prints (%s)" % err, (program.returncode, err), (0, ""))
            expect("output", out, plain.stdout)
            samples = json.loads(run([PROF, "report", "--json", sampled]).stdout)
            expect("samples beside shadows", ([a["name"] for a in samples["analyses"] if a["recorded"] > 20][:2], samples["header"]["where"]), (["cpu", "cpu-lines"], "process"))
            for file, names in (first, ["method-count"]), (third, ["call-edge"]), (fourth, ["method-count"]):
                facts = header(file)
                expect("analyses", [a["name"] for a in json.loads(run([PROF, "report", "--json", file]).stdout)["analyses"]], names)
                # After the first one all code is new, and may not have its code for shadows in time. A second has few
                # shadows on a busy machine.
                code = int(facts["shadow-code"]) or file != first
                if not int(facts["shadows"]) or not code or int(facts["shadows-failed"]) or int(facts["shadows-killed"]) or overlap(exact, file) < 75:
                    raise AssertionError("shadows of %s: %s %r" % (file, overlap(exact, file), facts))
            if overlap(exact, second) < 90 or "shadows" in header(second):
                raise AssertionError("between the shadows: %s %r" % (overlap(exact, second), header(second)))
            expect("the last one was written at the end", header(os.path.join(work, "last"))["where"], "shadow")


def main():
    os.makedirs(CLASSES, exist_ok=True)
    sources = [os.path.join(ROOT, "tests", "shadow", name + ".java") for name in ("Whole", "Effects", "Natives", "Undefined", "Waits", "Begun", "Phases", "Loads", "Full", "Starts", "Talks", "Bulk", "Pages")]
    home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac"))))
    subprocess.run(["javac", "-d", CLASSES, *sources], check=True)
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-isystem", home + "/include",
                    "-isystem", home + "/include/linux", os.path.join(ROOT, "tests", "shadow", "shadow_natives.c"),
                    "-o", os.path.join(WORK, "libnatives.so")], check=True)
    return run_tests()


sys.exit(main())
