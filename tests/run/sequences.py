#!/usr/bin/env python3
"""Profiles one after the other, and two at a time, in one process: tables of sequences of commands, and random ones.

  CABERNET_SEED=N  seed of the random sequences; printed at the start
  COUNT=N          number of random steps (default 600, about twenty seconds)

A step is a command to a running program with several threads, work of which it is known how often a method is called,
or a signal. Each command answers and delivers, or fails with a reason. Every profile that was started and not refused
is at the end a readable file, whose events are recorded or counted as lost. The program prints what it prints without
a profile. Ends with "N passed, N failed"."""
import json, os, random, re, signal, socket, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, expect, expect_in, run_tests, test  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
SEED = int(os.environ.get("CABERNET_SEED") or int.from_bytes(os.urandom(4), "big"))
COUNT = int(os.environ.get("COUNT") or 600)
SECONDS = 60 * SLOWER  # limit of one command
SOURCE = r'''
import java.io.*;

public class Target {
    static volatile long sink;
    static volatile boolean ends;
    static final Object monitor = new Object();
    int field;

    static int known(int i) { return i * 31 + 7; }
    int step(int i) { return field += known(i); }

    static long work(int n) {
        Target t = new Target();
        long sum = 0;
        for (int i = 0; i < n; i++) sum = sum * 3 + (i % 4 == 0 ? t.step(i) : known(i));
        return sum;
    }

    static int other(int i) { return i ^ 5; }

    static void background() {
        for (int k = 0; !ends; k++) {
            long sum = 0;
            for (int i = 0; i < 500; i++) sum += other(i);
            int[] made = new int[16];
            synchronized (monitor) { sink += sum + made.length; }
            if (k % 16 == 0) new Thread(() -> { synchronized (monitor) { sink += other(1); } }).start();
            try { Thread.sleep(1); } catch (InterruptedException e) { }
        }
    }

    public static void main(String[] args) throws IOException {
        for (int i = 0; i < Integer.getInteger("threads", 3); i++) {
            Thread t = new Thread(Target::background, "background " + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("quit");)
            System.out.println(work(Integer.parseInt(line)));
        ends = true;
        System.out.println("over");
    }
}
'''
# Profiles without a process-wide mechanism that only one of them may use, and all others. `known`: the number of calls
# of Target.known is in the file.
KNOWN = ["method-count", "call-edge", "call-tree", "method-count,branch", "call-edge:transport=cab", "method-count,cpu"]
OTHERS = ["field-access", "branch", "path", "value", "receiver", "alloc", "cpu", "wall", "cpu,wall", "threads",
          "lock-order", "races", "sharing", "hot-stream", "cache", "reuse-distance", "call-subtree", "field-site",
          "interprocedural-path", "productions:productions=hot-pairs", "field-access:transport=nway",
          "branch:transport=lamport", "threads:locks=instance", "events",
          "method-count:sampling=counter:interval=7", "call-edge:sampling=jitter:interval=50:jitter=9:burst=3",
          "method-count:sampling=timer", "call-edge:transport=cab:sampling=counter:interval=5:burst=2"]
TIME = ["cpu", "wall", "cpu,wall"]
MODES = [[], ["-Xthreads:green"], ["-Xthreads:green:carriers=2"], ["-Xint"], ["-Xcomp"]]


def work(n):
    """The result of Target.work, computed here."""
    def wrap(x, bits):
        x &= (1 << bits) - 1
        return x - (1 << bits) if x >> bits - 1 else x
    total = field = 0
    for i in range(n):
        known = wrap(i * 31 + 7, 32)
        if i % 4 == 0:
            field = known = wrap(field + known, 32)
        total = wrap(total * 3 + known, 64)
    return str(total)


class Target:
    def __init__(self, *options):
        self.errors = tempfile.TemporaryFile("w+", dir=WORK)
        self.process = subprocess.Popen([VM, *options, "-cp", WORK, "Target"], stdin=subprocess.PIPE, cwd=WORK,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True, bufsize=1)
        expect("the first line", self.process.stdout.readline(), "ready\n")
        self.socket = "/tmp/.java_pid%d" % self.process.pid
        trigger = os.path.join(WORK, ".attach_pid%d" % self.process.pid)
        self.forget_socket()  # of a killed process of the same number
        open(trigger, "w").close()
        self.process.send_signal(signal.SIGQUIT)
        end = time.time() + SECONDS
        while not os.path.exists(self.socket) and time.time() < end:
            time.sleep(0.01)
        os.unlink(trigger)

    def forget_socket(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def command(self, line):
        """The status and the text of the answer."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(SECONDS)
            s.connect(self.socket)
            s.sendall(b"".join(w.encode() + b"\0" for w in ("1", "jcmd", line, "", "")))
            data = b""
            while part := s.recv(65536):
                data += part
        status, _, text = data.decode().partition("\n")
        if not status:
            raise AssertionError("no answer to %s; the program said:\n%s" % (line, self.said()[-3000:]))
        return int(status), text.strip()

    def must(self, line):
        expect(line, self.command(line), (0, ""))

    def refused(self, line, reason=""):
        status, text = self.command(line)
        if status == 0 or not text or reason not in text:
            raise AssertionError("%s: expected a refusal with %r, got %d, %r" % (line, reason, status, text))

    def work(self, n):
        limit = threading.Timer(SECONDS, self.process.kill)
        limit.start()
        try:
            self.process.stdin.write("%d\n" % n)
            expect("work of %d" % n, self.process.stdout.readline().strip(), work(n))
        finally:
            limit.cancel()

    def quit(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.flush()
        expect("the last line", self.process.stdout.read(), "over\n")
        expect("the exit status; %s" % self.said()[-2000:], self.process.wait(SECONDS), 0)

    def kill(self, which):
        self.process.send_signal(which)
        status = self.process.wait(SECONDS)
        expect("what it printed after signal %d" % which, self.process.stdout.read(), "")
        fatal = {signal.SIGSEGV: [-signal.SIGABRT]}  # a crash ends with abort
        if status not in fatal.get(which, [-which, 128 + which]):
            raise AssertionError("exit status %d after signal %d: %s" % (status, which, self.said()[-2000:]))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.forget_socket()
        for f in (self.process.stdin, self.process.stdout, self.errors):
            f.close()


def check_file(path, known=None):
    """The file is valid, and its events are recorded or lost. `known`: the calls of Target.known, if it must tell."""
    ran = subprocess.run([PROF, "report", "--json", path], capture_output=True, text=True)
    expect("report of %s: %s" % (path, ran.stderr), ran.returncode, 0)
    report = json.loads(ran.stdout)
    expect("%s is complete" % path, report["complete"], True)
    for a in report["analyses"]:
        if report["header"]["sampling"] == "off" and a.get("produced") is not None:
            expect("%s of %s" % (a["name"], path), a["recorded"] + a["lost"], a["produced"])
    if known is None:
        return report
    lines = subprocess.run([PROF, "export", "--lines", path], capture_output=True, text=True).stdout
    counts = {}
    for line in lines.splitlines():
        kind, *words, count = line.split()
        if kind == "method" and words[0].startswith("Target.known") or kind == "edge" and words[-1].startswith("Target.known"):
            counts[kind] = counts.get(kind, 0) + int(count)
    if "call-tree" in [a["name"] for a in report["analyses"]] and not counts:
        counts["tree"] = sum(int(l.split()[-1]) for l in lines.splitlines() if l.startswith("tree") and "Target.known" in l.split()[-2])
    expect("calls of known in %s" % path, set(counts.values()) or {0}, {known})
    return report


def name(n=[0]):
    n[0] += 1
    return os.path.join(WORK, "profile %d.prof" % n[0]).replace(" ", "-")


# ---- tables -------------------------------------------------------------------------------------

@test
def one_after_the_other():
    """Every kind of profile follows every kind of its neighbours, and counts from its start on."""
    for mode in MODES[:4]:
        with Target(*mode) as t:
            for kind in KNOWN + OTHERS:
                path = name()
                t.must("Profile.start %s:file=%s" % (kind, path))
                t.work(1000)
                t.must("Profile.end")
                t.work(300)
                check_file(path, 1000 if kind in KNOWN else None)
            for kind in KNOWN[:3] * 2:
                path = name()
                t.must("Profile.start %s:file=%s" % (kind, path))
                t.work(5000)
                t.must("Profile.stop")
                t.work(200)
                t.must("Profile.start")
                t.work(70)
                t.must("Profile.end")
                check_file(path, 5070)
            t.quit()


@test
def after_the_command_line():
    for kind in KNOWN + ["method-count:sampling=counter:interval=7", "threads", "races"]:
        first, second = name(), name()
        with Target("-Xprofile:%s:file=%s" % (kind, first)) as t:
            t.work(3000)
            t.must("Profile.end")
            check_file(first, 3000 if kind in KNOWN else None)
            t.work(500)
            t.must("Profile.start method-count:file=%s" % second)
            t.work(40000)
            t.quit()
        check_file(second, 40000)


@test
def sequences():
    """The state machine: commands in each state, and what is refused."""
    first, second, other = name(), name(), name()
    with Target() as t:
        for c in ("Profile.end", "Profile.stop", "Profile.dump", "Profile.set interval=3", "Profile.snapshot"):
            t.refused(c, "no profile was started")
        t.refused("Profile.start", "name an analysis")
        t.must("Profile.start method-count:file=" + first)
        t.refused("Profile.start call-edge:file=" + second, "which Profile.end ends")
        t.refused("Profile.start", "is running")
        t.work(100)
        t.must("Profile.stop")
        t.refused("Profile.stop", "is stopped")
        t.refused("Profile.start call-edge:file=" + second, "which Profile.end ends")
        t.work(100)
        t.must("Profile.end")
        t.refused("Profile.end", "no profile was started")
        check_file(first, 100)
        for bad in ("no-such-analysis", "method-count:file=/no/such/directory/f", "method-count:where=shadow:transport=cab",
                    "method-count:from=main"):
            t.refused("Profile.start " + bad)
        expect("status", t.command("Profile.status"), (0, "no profile"))
        t.must("Profile.start call-edge:file=" + second)
        expect_in("running", t.command("Profile.status")[1])
        expect_in(second, t.command("Profile.status")[1])
        t.work(10)
        t.must("Profile.dump " + other)
        check_file(other, 10)
        t.quit()
    check_file(second, 10)
    expect("%s is not written again" % first, check_file(first, 100)["header"]["ended-by"], "end")


@test
def files_that_cannot_be_written():
    """A profile that cannot be written stays."""
    folder = os.path.join(WORK, "folder")
    os.mkdir(folder)
    path, other = os.path.join(folder, "f.prof"), name()
    with Target() as t:
        t.must("Profile.start method-count:file=" + path)
        t.work(30)
        os.rmdir(folder)
        t.refused("Profile.end", "folder")
        t.work(30)
        t.must("Profile.start")
        t.work(7)
        t.must("Profile.end " + other)
        check_file(other, 37)
        t.quit()


@test
def signals():
    """A second profile is written at a signal that ends the program."""
    for which in (signal.SIGTERM, signal.SIGINT):
        first, second = name(), name()
        with Target() as t:
            t.must("Profile.start races:file=" + first)
            t.must("Profile.end")
            t.must("Profile.start method-count:file=" + second)
            t.work(50)
            t.kill(which)
        check_file(first)
        check_file(second, 50)


@test
def threads_that_begin_to_be_watched():
    """The analysis threads registers many threads at once, while green threads get and lose processors."""
    with Target("-Xthreads:green:carriers=2", "-Dthreads=50") as t:
        for _ in range(80):
            path, over = name(), threading.Event()

            def profile():
                try:
                    t.must("Profile.start threads:file=" + path)
                    t.must("Profile.end")
                finally:
                    over.set()
            commands = threading.Thread(target=profile)
            commands.start()
            while not over.is_set():
                t.work(1)
            commands.join()
            check_file(path)
        t.quit()


# ---- two profiles at a time ----

def analyses_of(report):
    return {a["name"] for a in report["analyses"]}


def check_time(path):
    """A profile of time has samples, and nothing else."""
    report = check_file(path)
    expect("analyses of " + path, analyses_of(report) <= {"cpu", "wall", "cpu-lines", "wall-lines"}, True)
    return report


@test
def two_at_a_time():
    """A profile of time begins and ends while another one counts, and the other way round. Counts are exact."""
    for mode in MODES[:4]:
        with Target(*mode) as t:
            for i, kind in enumerate(KNOWN[:5] + ["races", "threads", "alloc", "method-count:sampling=counter:interval=7"]):
                path, time, after = name(), name(), name()
                t.must("Profile.start %s:file=%s" % (kind, path))
                t.work(1000)
                t.must("Profile.start %s:file=%s" % (TIME[i % 3], time))
                t.work(3000)
                t.refused("Profile.end", "there are two profiles: say name=events or name=time")
                t.refused("Profile.end name=other", "there is no profile other, but events and time")
                t.must("Profile.stop name=time")
                t.work(50)
                t.must("Profile.start name=time")
                t.must("Profile.stop name=events")
                t.work(600)
                t.must("Profile.start name=events")
                t.must("Profile.end name=time" if i % 2 else "Profile.end name=events")
                t.work(7)
                t.must("Profile.start %s" % (TIME[i % 3] + ":file=" + after if i % 2 else kind + ":name=again:file=" + after))
                t.work(20)
                t.must("Profile.end name=events" if i % 2 else "Profile.end name=again")
                t.must("Profile.end")
                t.refused("Profile.end", "no profile was started")
                known = kind in KNOWN
                expect("analyses of " + path, bool(analyses_of(check_file(path, (4077 if i % 2 else 4050) if known else None)) & {"cpu", "wall"}), False)
                check_time(time)
                if i % 2:
                    check_time(after)
                else:
                    check_file(after, 20 if known else None)
            t.quit()


@test
def two_that_conflict():
    """A refusal names the profile that is in the way, and its file. Neither profile is lost."""
    path, time, both, other = name(), name(), name(), name()
    with Target("-Xprofile:call-edge:file=" + path) as t:
        there = "there is the profile events of call-edge in %s, which Profile.end ends" % path
        t.refused("Profile.start branch:file=" + other, there)
        t.refused("Profile.start branch,cpu:file=" + other, there)
        t.refused("Profile.start cpu:name=events", there)
        t.refused("Profile.start cpu:file=" + path, "the profile events writes " + path)
        t.must("Profile.start wall:name=mine:file=" + time)
        status = t.command("Profile.status")[1].splitlines()
        expect("lines of the status", len(status), 2)
        expect_in("name=events analyses=call-edge file=%s, " % path, status[0])
        expect_in("name=mine analyses=wall file=%s, " % time, status[1])
        for command in ("Profile.start cpu", "Profile.start counters", "Profile.start wall:name=more"):
            t.refused(command, "there is the profile mine of wall in %s, which Profile.end ends" % time)
        t.must("Profile.stop name=mine")
        t.refused("Profile.start cpu", "ends; without options, Profile.start resumes it")
        t.refused("Profile.stop name=mine", "is stopped")
        t.refused("Profile.start name=events", "is running")
        t.refused("Profile.set interval=3 name=mine", "exact")
        t.work(10)
        t.must("Profile.end name=events")
        t.refused("Profile.start branch,wall:file=" + other, "there is the profile mine of wall")
        t.must("Profile.end")
        t.must("Profile.start method-count,cpu:file=" + both)
        t.refused("Profile.start wall:file=" + other, "there is the profile events of cpu,method-count in " + both)
        t.work(3)
        t.must("Profile.end name=events")
        t.quit()
    check_file(path, 10)
    check_time(time)
    check_file(both, 3)
    expect("file of a refused profile", os.path.exists(other), False)


@test
def default_files_of_two():
    """The second profile does not overwrite the first one's file."""
    with Target("-Xprofile:method-count") as t:
        first = os.path.join(WORK, "cabernet-%d" % t.process.pid)
        t.must("Profile.start cpu")
        t.work(5)
        t.quit()
    check_file(first + ".prof", 5)
    check_time(first + "-time.prof")


@test
def ends_of_two():
    """The end of the program, signals and a crash write both, and a file that cannot be written costs only its own."""
    for how in ("quit", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT):
        path, time = name(), name()
        with Target("-Xprofile:method-count:file=" + path) as t:
            t.must("Profile.start cpu:file=" + time)
            t.work(500)
            t.quit() if how == "quit" else t.kill(how)
        check_file(path, 500)
        expect("end by %s" % how, check_time(time)["header"]["ended-by"], check_file(path)["header"]["ended-by"])
    for i in range(2):
        folder = os.path.join(WORK, "folder %d" % i).replace(" ", "")
        os.mkdir(folder)
        path, time = [os.path.join(folder, "f"), name()][::1 - 2 * i]
        with Target("-Xprofile:method-count:file=" + path) as t:
            t.must("Profile.start cpu:file=" + time)
            t.work(500)
            os.rmdir(folder)
            t.quit()
            expect_in("profile not written to " + [path, time][i], t.said())
        check_time(time) if i == 0 else check_file(path, 500)


# ---- random sequences ---------------------------------------------------------------------------

class Profile:
    def __init__(self, kind, name_):
        self.kind, self.path, self.stopped, self.calls = kind, name(), False, 0  # calls of Target.known while it recorded
        words = set(kind.split(":")[0].split(","))
        self.uses = {"time"} if words <= {"cpu", "wall"} else {"time", "events"} if words & {"cpu", "wall"} else {"events"}
        self.name = name_ or ("time" if self.uses == {"time"} else "events")

    def conflicts(self, other):
        return bool(self.uses & other.uses) or self.name == other.name

    def known(self):
        return self.calls if self.kind in KNOWN else None

    def check(self):
        check_file(self.path, self.known())


class Walk:
    """One process: its state as the test knows it."""

    def __init__(self, rng):
        self.rng = rng
        self.log = []
        self.profiles = []
        options = list(rng.choice(MODES))
        if rng.random() < 0.3:
            self.profiles.append(self.any_profile())
            options.append("-Xprofile:" + self.text(self.profiles[0]))
        self.log.append(" ".join(options))
        self.target = Target(*options)

    def any_profile(self):
        return Profile(self.rng.choice(KNOWN + OTHERS + TIME * 4), self.rng.choice([None, None, "mine"]))

    @staticmethod
    def text(p):
        usual = Profile(p.kind, None).name
        return "%s%s:file=%s" % (p.kind, "" if p.name == usual else ":name=" + p.name, p.path)

    def command(self, line):
        status, text = self.target.command(line)
        self.log.append("%s -> %d %s" % (line, status, text[:80]))
        if status != 0 and not text:
            raise AssertionError("%s is refused without a reason" % line)
        return status == 0

    def expected(self, line, ok):
        if self.command(line) != ok:
            raise AssertionError("%s should be %s" % (line, "accepted" if ok else "refused"))

    def meant(self):
        """Words that name a profile, or none, and the profile that they mean. None: no profile."""
        which = self.rng.choice(self.profiles) if self.profiles else None
        kind = self.rng.random()
        if which and kind < 0.6:
            return " name=" + which.name, which
        if kind < 0.7:
            return " name=nothing", None
        return "", which if len(self.profiles) == 1 else None

    # Steps.

    def start(self):
        p = self.any_profile()
        ok = not any(p.conflicts(o) for o in self.profiles)
        self.expected("Profile.start " + self.text(p), ok)
        if ok:
            self.profiles.append(p)

    def resume(self):
        words, p = self.meant()
        self.expected("Profile.start" + words, bool(p and p.stopped))
        if p:
            p.stopped = False

    def stop(self):
        words, p = self.meant()
        self.expected("Profile.stop" + words, bool(p and not p.stopped))
        if p:
            p.stopped = True

    def end(self):
        words, p = self.meant()
        self.expected("Profile.end" + words, p is not None)
        if p:
            p.check()
            self.profiles.remove(p)

    def dump(self):
        path = name()
        words, p = self.meant()
        self.expected("Profile.dump %s%s" % (path, words), p is not None)
        if p:
            check_file(path, p.known())
            os.unlink(path)

    def set(self):
        self.command("Profile.set interval=%d%s" % (self.rng.randint(1, 99), self.meant()[0]))

    def snapshot(self):
        self.expected("Profile.snapshot", bool(self.profiles))

    def states(self):
        """The state of each profile as the VM says it, by file."""
        status, text = self.target.command("Profile.status")
        expect("status of the status", status, 0)
        if text == "no profile":
            return {}
        found = [re.match(r"(running|stopped), .* name=(\S+) analyses=\S+ file=([^,]+), ", line) for line in text.splitlines()]
        if not all(found):
            raise AssertionError("status: " + text)
        return {m.group(3): (m.group(1), m.group(2)) for m in found}

    def status(self):
        expect("status", self.states(), {p.path: ("stopped" if p.stopped else "running", p.name) for p in self.profiles})

    def wrong(self):
        self.expected("Profile.start " + self.rng.choice(["nothing", "method-count:file=/no/f", "call-edge:where=shadow:transport=cab",
                                                           "cpu:name=a/b", "cpu:file=/no/f"]), False)

    def work(self):
        n = self.rng.choice([1, 10, 200, 3000])
        self.log.append("work %d" % n)
        self.target.work(n)
        for p in self.profiles:
            if not p.stopped:
                p.calls += n

    def collect(self):
        self.command("GC.run")

    def deoptimize(self):
        self.command("Compiler.deoptimize")

    def together(self):
        """Several commands at once. Which come first is not known, so the state is asked for afterwards."""
        started = [self.any_profile() for _ in range(self.rng.choice([1, 2]))]
        lines = ["Profile.start " + self.text(p) for p in started] + self.rng.sample(
            ["Profile.stop", "Profile.end", "Profile.start", "Profile.stop name=time", "Profile.end name=time",
             "Profile.end name=events", "Profile.start name=events", "Profile.dump " + name(), "Profile.snapshot", "GC.run"], 2)
        done = {}

        def send(line):
            try:
                done[line] = self.command(line)
            except Exception as e:
                done[line] = e
        threads = [threading.Thread(target=send, args=(l,)) for l in lines]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for e in done.values():
            if isinstance(e, Exception):
                raise e
        self.profiles += [p for p, line in zip(started, lines) if done[line]]
        states = self.states()
        for p in list(self.profiles):
            if p.path in states:
                p.stopped = states[p.path][0] == "stopped"
            else:
                p.check()
                self.profiles.remove(p)
        expect("profiles after %s: %s" % (lines, done), set(states), {p.path for p in self.profiles})

    def finish(self):
        how = self.rng.choice(["quit", "quit", signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
        self.log.append(str(how))
        if how == "quit":
            self.target.quit()
        else:
            self.target.kill(how)
        for p in self.profiles:
            if how != signal.SIGKILL:
                p.check()


STEPS = ["start"] * 7 + ["end"] * 4 + ["work"] * 5 + ["stop", "resume", "resume", "dump", "dump", "set", "snapshot",
                                                        "status", "wrong", "collect", "deoptimize", "together", "together"]


@test
def random_sequences():
    print("CABERNET_SEED=%d COUNT=%d" % (SEED, COUNT), flush=True)
    rng, steps = random.Random(SEED), 0
    while steps < COUNT:
        walk = Walk(rng)
        with walk.target:
            try:
                for _ in range(min(rng.randint(5, 60), COUNT - steps)):
                    steps += 1
                    getattr(walk, rng.choice(STEPS))()
                walk.finish()
            except BaseException:
                print("after %d steps:\n  %s\nstderr: %s" % (steps, "\n  ".join(walk.log), walk.target.said()[-2000:]))
                raise


with tempfile.TemporaryDirectory() as WORK:
    open(os.path.join(WORK, "Target.java"), "w").write(SOURCE)
    subprocess.run(["javac", "-d", WORK, os.path.join(WORK, "Target.java")], check=True)
    status = run_tests()
sys.exit(status)
