#!/usr/bin/env python3
"""A running process is profiled: cabernet-prof record and live, and the JFR commands of jcmd. Each output is read by its
own reader, and each refusal has a message and an exit status."""
import glob, json, os, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, expect, expect_in, run_tests, test

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "record")
LIMIT = 120 * SLOWER  # seconds
SECONDS = 1 * SLOWER  # of a recording
MODES = [], ["-Xthreads:green"]
SOURCE = r'''
import java.util.ArrayList;
import java.util.List;

public class Busy {
    static volatile long sink;
    static Object kept;

    static long sum(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) s += i * 31 % 5;
        return s;
    }

    static Object fill(int n) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < n; i++) list.add(new Object[2]);
        return list;
    }

    static void work() {
        sink += sum(200_000);
        kept = fill(500);
    }

    // Works for some seconds, then prints what it has done.
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        while (System.nanoTime() < end) work();
        System.out.println("over");
    }
}
'''


STARTED = r'''
public class Started {
    static volatile long sink;

    static void spin(double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() < end) sink += System.nanoTime() % 5;
    }

    // Works, echoes its input, and ends with the code.
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.out.println("ready");
        spin(Double.parseDouble(args[0]));
        System.out.write(System.in.readAllBytes());
        System.err.println("-o " + String.join(" ", args));
        System.exit(Integer.parseInt(args[1]));
    }
}
'''


class Program:
    """Busy, running on a VM for `seconds`, in a folder for the test's files."""

    def __init__(self, *options, seconds=300, java=VM):
        self.folder = tempfile.mkdtemp(dir=WORK)
        self.errors = open(os.path.join(self.folder, "stderr"), "w+")
        self.process = subprocess.Popen([java, *options, "-cp", WORK, "Busy", str(seconds)], stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, cwd=self.folder)
        self.pid = str(self.process.pid)
        self.leaves = []  # what may be left of it in /tmp
        expect("the program's output", self.process.stdout.readline(), "ready\n")

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        shutil.rmtree(self.folder)
        left = glob.glob("/tmp/cabernet-prof-%s-*" % self.pid)
        for folder in left:
            shutil.rmtree(folder)
        if not failed[0]:
            expect("folders left in /tmp", left, self.leaves)

    def file(self, name):
        return os.path.join(self.folder, name)

    def record(self, *arguments, code=0):
        return run([PROF, "record", self.pid, *arguments], code, cwd=self.folder)

    def jcmd(self, *words, code=0):
        done = run(["jcmd", self.pid, *words], code, cwd=self.folder)
        return done.stdout + done.stderr

    def unchanged(self):
        """The program prints what it prints without a profile, and the VM adds nothing."""
        output, _ = self.process.communicate(timeout=LIMIT)
        expect("the program's output", output, "over\n")
        self.errors.seek(0)
        expect("the VM's messages", self.errors.read(), "")


def run(command, code=0, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **more)
    if done.returncode != code:
        raise AssertionError("%s: exit code %d: %s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done


def events_of(jfr):
    """{event: count} of a recording, as the JDK's jfr reads it."""
    rows = re.findall(r"^ (\S+) +(\d+) +\d+ *$", run(["jfr", "summary", jfr]).stdout, re.M)
    return {name: int(count) for name, count in rows}


def printed(jfr, event):
    """The values of the recording's events of one type."""
    text = run(["jfr", "print", "--json", "--events", event, jfr]).stdout
    return [e["values"] for e in json.loads(text)["recording"]["events"]]


# ---- record ----

@test
def formats():
    """Each format is read by its own reader, and has the hot method in its stack."""
    for mode in MODES:
        for end, read in ((".folded", lambda f: open(f).read()),
                          (".collapsed", lambda f: open(f).read()),
                          (".pb.gz", lambda f: run(["go", "tool", "pprof", "-top", f]).stdout),
                          (".speedscope.json", lambda f: json.dumps([x["name"] for x in json.load(open(f))["shared"]["frames"]])),
                          (".jfr", lambda f: run(["jfr", "print", "--events", "jdk.ExecutionSample", f]).stdout),
                          (".prof", lambda f: run([PROF, "report", f]).stdout)):
            with Program(*mode) as p:
                output = p.file("out" + end)
                message = p.record("-d", str(SECONDS), "-o", output).stderr
                expect_in("cpu of process %s recorded for" % p.pid, message)
                expect_in("written to %s\n" % output, message)
                expect_in("Busy.sum(", read(output))
                expect("files", sorted(os.listdir(p.folder)), sorted(["out" + end, "stderr"]))


@test
def page():
    """A page, where the build has one; else the profile stays, and the message names it."""
    with Program() as p:
        there = os.path.exists(os.path.join(BUILD, "lib", "page.html"))
        done = p.record("-d", str(SECONDS), "-o", "out.html", code=0 if there else 2)
        if there:
            expect_in("Busy", open(p.file("out.html")).read())
        else:
            expect_in("the profile is in out.html.prof", done.stderr)
            expect_in("Busy.sum(", run([PROF, "report", p.file("out.html.prof")]).stdout)
            expect("no page", os.path.exists(p.file("out.html")), False)


@test
def report():
    """Without -o: the report. Several analyses; the program ends with its usual output."""
    for mode in MODES:
        with Program(*mode, seconds=4 * SLOWER) as p:
            printed = p.record("-e", "cpu,alloc", "-d", "%gs" % SECONDS).stdout
            expect_in("cpu:", printed)
            if not re.search(r"alloc-bytes: .*\n.*\n.*Busy\.fill\(Busy\.java:\d+\) .*Object\[\]", printed):
                raise AssertionError("no allocations in:\n" + printed)
            p.unchanged()


@test
def repeated():
    """Recordings follow one another, with other analyses."""
    for mode in MODES:
        with Program(*mode) as p:
            for number, analyses in enumerate(("cpu", "method-count", "cpu,alloc", "cpu")):
                p.record("-e", analyses, "-d", "0.3", "-o", "%d.prof" % number)
                expect_in("; " + analyses.split(",")[0], run([PROF, "report", p.file("%d.prof" % number)]).stdout.split("\n")[0])
            p.jcmd("JFR.start", "filename=a.jfr")
            p.jcmd("JFR.stop", "name=1")
            p.jcmd("JFR.start", "filename=b.jfr")
            expect_in("Recording 2: name=2 (running)", p.jcmd("JFR.check"))
            p.jcmd("JFR.stop", "name=2")
            expect_in("no profile", p.jcmd("Profile.status"))


@test
def first_view():
    """The output is there less than 2 seconds after the end."""
    with Program() as p:
        start = time.monotonic()
        p.record("-d", "1", "-o", "out.folded")
        if time.monotonic() - start > 3 * SLOWER:
            raise AssertionError("the output took %.1f s after the recording" % (time.monotonic() - start - 1))


@test
def interrupted():
    """Ctrl-C ends the recording, not the program."""
    for number in signal.SIGINT, signal.SIGTERM:
        with Program() as p:
            recording = subprocess.Popen([PROF, "record", p.pid, "-o", "out.folded"], cwd=p.folder)
            time.sleep(SECONDS)
            recording.send_signal(number)
            expect("exit code", recording.wait(LIMIT), 0)
            expect_in("Busy.sum(", open(p.file("out.folded")).read())
            expect("the program", p.process.poll(), None)


@test
def process_ends():
    """A process that ends during the recording has written its profile, and that is used."""
    for mode in MODES:
        with Program(*mode, seconds=2 * SLOWER) as p:
            expect_in(", until its end", p.record("-d", "1h", "-o", "out.folded").stderr)
            expect_in("Busy.sum(", open(p.file("out.folded")).read())
            p.unchanged()
    with Program() as p:
        recording = subprocess.Popen([PROF, "record", p.pid, "-o", "out.folded"], cwd=p.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(SECONDS)
        p.process.kill()
        expect_in("ended without writing its profile", recording.communicate(timeout=LIMIT)[1])
        expect("exit code of a killed process", recording.returncode, 2)
        expect("files", os.listdir(p.folder), ["stderr"])


@test
def kept():
    """A profile without stacks cannot become stacks: it stays, and the message names it."""
    with Program() as p:
        done = p.record("-e", "method-count", "-d", str(SECONDS), "-o", "out.folded", code=1)
        expect_in("the profile is in out.folded.prof", done.stderr)
        expect_in("method-count", run([PROF, "report", p.file("out.folded.prof")]).stdout)


@test
def refused():
    with Program() as p:
        for words, code, message in (
                (["-o", "out.zip"], 1, "the name must end in .html, .folded"),
                (["-o", "out.zip"], 1, ".speedscope.json or .prof"),
                (["-o", "none/out.jfr"], 2, "cannot write none/out.jfr: No such file"),
                (["-d", "soon"], 1, "-d needs a time"),
                (["-d", "0"], 1, "-d needs a time"),
                (["-d", "-3"], 1, "-d needs a time"),
                (["-e", "cpu alloc"], 1, "without spaces"),
                (["-e", "cpu:file=x.prof"], 1, "-o names the output"),
                (["-e", "cpu:name=x"], 1, "the tool names the profile"),
                (["-e", "cpus"], 2, "did you mean cpu"),
                (["-e", "cpu:where=shadow"], 2, "no recording: "),
                (["--json"], 1, "record takes -e, -d, -o")):
            expect_in(message, p.record(*words, code=code).stderr)
        expect("state of the profile", p.jcmd("Profile.status").split("\n")[1], "no profile")
        expect("files", os.listdir(p.folder), ["stderr"])
        p.jcmd("Profile.start", "method-count:file=first.prof")
        expect_in("there is the profile events of method-count in %s, which Profile.end ends" % p.file("first.prof"), p.record("-e", "alloc", "-d", "1", code=2).stderr)
        p.jcmd("Profile.dump", "first.prof")
        expect_in("method-count", run([PROF, "report", p.file("first.prof")]).stdout)
    expect_in("there is no process " + p.pid, run([PROF, "record", p.pid], 2).stderr)
    expect_in("does not answer", run([PROF, "record", str(os.getpid())], 2).stderr)
    expect_in("number of a process, not Busy", run([PROF, "record", "Busy"], 1).stderr)
    expect_in("takes the number of a process", run([PROF, "record"], 1).stderr)
    part = run([PROF, "help", "record"]).stdout
    expect("help of a command", [part.startswith("  record "), "  live " in part, run([PROF, "record", "--help"]).stdout], [True, False, part])
    expect_in("there is no command recrod (did you mean record?)", run([PROF, "help", "recrod"], 1).stderr)
    with Program(java="java") as other:
        expect_in("it is not cabernet", other.record(code=2).stderr)
    with Program("-XX:+DisableAttachMechanism") as silent:
        expect_in("does not answer", silent.record(code=2).stderr)


@test
def another_user():
    """Another user's process is refused; root may record it."""
    if os.geteuid() != 0:
        print("in turn: another_user needs root")
        return
    with Program() as p:
        done = subprocess.run([PROF, "record", p.pid], user="nobody", cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        expect("exit code", done.returncode, 2)
        expect_in("belongs to another user", done.stderr)


# ---- record -- COMMAND ----

def start_command(*words, folder, **more):
    return subprocess.Popen([PROF, "record", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def nothing_left(pid):
    expect("folders left in /tmp", glob.glob("/tmp/cabernet-prof-%s-*" % pid), [])


@test
def commands():
    """A program that record starts has its input, output, arguments and exit code; the output has its profile."""
    folder = tempfile.mkdtemp(dir=WORK)
    path = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])
    for command, environment in (("cabernet", "-cp", WORK), path), ((VM, "-Xthreads:green", "-cp", WORK), None), (("-cp", WORK), None), (("cabernet", "-cp", WORK), dict(os.environ, PATH="/usr/bin")):
        for code in 0, 7:
            tool = start_command("-o", "out.folded", "--", *command, "Started", "0.5", str(code), folder=folder, env=environment)
            output, errors = tool.communicate("some input", timeout=LIMIT)
            expect("output, exit code", (output, tool.returncode), ("ready\nsome inputhook\n", code))
            found = re.fullmatch(r"-o 0\.5 %d\ncabernet-prof: cpu of process (\d+) recorded for [\d.]+ s, until its end\n" % code, errors)
            if not found:
                raise AssertionError(errors)
            expect_in("Started.spin(", open(os.path.join(folder, "out.folded")).read())
            expect("files", os.listdir(folder), ["out.folded"])
            os.remove(os.path.join(folder, "out.folded"))
            nothing_left(tool.pid)
    tool = start_command("-e", "call-edge", "--", "-cp", WORK, "Started", "0", "0", folder=folder)
    output, _ = tool.communicate("", timeout=LIMIT)
    expect("exit code", tool.returncode, 0)
    expect("output", output.startswith("ready\nhook\ncabernet profile "), True)
    expect_in("Started.spin(double)", output)


@test
def commands_get_signals():
    """A signal to the tool is the program's: a thread dump, an end with hooks, a death."""
    folder = tempfile.mkdtemp(dir=WORK)
    for number, code in (signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129):
        tool = start_command("-o", "out.folded", "--", "-cp", WORK, "Started", "300", "0", folder=folder)
        expect("first line", tool.stdout.readline(), "ready\n")
        time.sleep(SECONDS)
        if number == signal.SIGTERM:
            tool.send_signal(signal.SIGQUIT)
            while "Started.spin" not in tool.stdout.readline():
                pass
        tool.send_signal(number)
        output, errors = tool.communicate(timeout=LIMIT)
        expect("the last line, exit code", (output[-5:], tool.returncode), ("hook\n", code))
        expect_in("Started.spin(", open(os.path.join(folder, "out.folded")).read())
        os.remove(os.path.join(folder, "out.folded"))
        nothing_left(tool.pid)
    tool = start_command("-o", "out.folded", "--", "-cp", WORK, "Started", "300", "0", folder=folder)
    expect("first line", tool.stdout.readline(), "ready\n")
    with open("/proc/%d/task/%d/children" % (tool.pid, tool.pid)) as f:
        os.kill(int(f.read()), signal.SIGKILL)
    _, errors = tool.communicate(timeout=LIMIT)
    expect("exit code of a killed program", tool.returncode, 137)
    expect_in("has ended without writing its profile", errors)
    expect("files", os.listdir(folder), [])
    nothing_left(tool.pid)


@test
def commands_refused():
    """Each refused command has a reason, and no program runs; a profile that cannot be converted stays."""
    folder = tempfile.mkdtemp(dir=WORK)
    program = "--", "-cp", WORK, "Started", "0", "0"
    for words, code, message in (
            (["--"], 1, "a command after --"),
            (["12", *program], 1, "not both: 12"),
            (["-d", "3", *program], 1, "-d belongs to the recording of a running process"),
            (["-o", "none/out.jfr", *program], 2, "cannot write none/out.jfr"),
            (["-o", "out.zip", *program], 1, "the name must end in"),
            (["-e", "cpu:file=x", *program], 1, "-o names the output"),
            (["-e", "cpus", *program], 1, "did you mean cpu"),
            (["--", "java", "-cp", WORK, "Started", "0", "0"], 2, "is not cabernet"),
            (["--", "Started", "0", "0"], 2, "there is no program Started"),
            (["--", "-cp", WORK, "Started", "0"], 1, "ArrayIndexOutOfBoundsException")):
        tool = start_command(*words, folder=folder)
        output, errors = tool.communicate("", timeout=LIMIT)
        expect("exit code of %s" % words, (tool.returncode, errors if tool.returncode != code else ""), (code, ""))
        expect_in(message, errors)
        nothing_left(tool.pid)
        expect("files", os.listdir(folder), [])
    tool = start_command("-e", "method-count", "-o", "out.folded", *program, folder=folder)
    _, errors = tool.communicate("", timeout=LIMIT)
    expect("exit code", tool.returncode, 1)
    expect_in("the profile is in out.folded.prof", errors)
    expect_in("method-count", run([PROF, "report", os.path.join(folder, "out.folded.prof")]).stdout)


# ---- live ----

@test
def live():
    """A text for each look, with the methods and the tree of calls; shares of the last interval and of all."""
    for mode in MODES:
        with Program(*mode, seconds=5 * SLOWER) as p:
            printed = run([PROF, "live", p.pid, "-i", str(SECONDS), "--times", "2"]).stdout
            looks = re.findall(r"^process %s: cpu, ([\d,]+) samples in [\d.]+ s, ([\d,]+) in" % p.pid, printed, re.M)
            expect("looks", len(looks), 2)
            (first, first_all), (second, second_all) = [[int(n.replace(",", "")) for n in look] for look in looks]
            expect("samples of the first look", first, first_all)
            expect("samples in all", first_all + second, second_all)
            row = r"^ *([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  Busy\.sum\(int\)$"
            shares = [float(x) for x in re.search(row, printed, re.M).groups()]
            if not (20 < shares[0] <= shares[1] <= 100 and 20 < shares[2] <= shares[3] <= 100):
                raise AssertionError("shares %s in:\n%s" % (shares, printed))
            if not re.search(r"^ *[\d.]+ +[\d.]+ +[\d.]+  +- Busy\.work\(\)$", printed, re.M):
                raise AssertionError("no tree in:\n" + printed)
            p.unchanged()


@test
def live_of_others():
    """The process's own profile is shown and left running; -e does not replace it; counts without calls are refused."""
    with Program() as p:
        p.jcmd("Profile.start", "wall:file=own.prof")
        expect_in("process %s: wall, " % p.pid, run([PROF, "live", p.pid, "--times", "1"]).stdout)
        expect_in("running", p.jcmd("Profile.status"))
        expect_in("there is the profile time of wall in " + p.file("own.prof"), run([PROF, "live", p.pid, "-e", "cpu"], 2).stderr)
    with Program() as p:
        expect_in("no stacks or calls", run([PROF, "live", p.pid, "-e", "method-count", "-i", "1", "--times", "1"], 2).stderr)
    with Program(seconds=3 * SLOWER) as p:
        expect_in("process %s: cpu" % p.pid, run([PROF, "live", p.pid, "-i", "1"]).stdout)
        p.unchanged()


@test
def stopped_process():
    """A process that does not answer because it is stopped: Ctrl-C ends the tool, and the process writes the profile later."""
    with Program() as p:
        recording = subprocess.Popen([PROF, "record", p.pid, "-o", "out.folded"], cwd=p.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(SECONDS)
        p.process.send_signal(signal.SIGSTOP)
        for _ in range(3):
            recording.send_signal(signal.SIGINT)
            time.sleep(SECONDS)
        text = recording.communicate(timeout=LIMIT)[1]
        expect("exit code", recording.returncode, 2)
        late = re.search(r"the process will write it to (\S+)", text)[1]
        p.leaves = [os.path.dirname(late)]
        p.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + LIMIT
        while not os.path.exists(late) and time.monotonic() < end:
            time.sleep(0.1)
        expect_in("Busy.sum(", run([PROF, "report", late]).stdout)
        expect_in("no profile", p.jcmd("Profile.status"))


@test
def closed_pipe():
    """When the reader of live's output has gone, the profile ends."""
    with Program() as p:
        live = subprocess.Popen([PROF, "live", p.pid, "-i", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        live.stdout.readline()
        live.stdout.close()
        expect("exit code", live.wait(LIMIT), 2)
        expect_in("\nno profile\n", p.jcmd("Profile.status"))


# ---- jcmd JFR ----

@test
def recordings():
    """JFR.start, JFR.check, JFR.dump and JFR.stop answer as HotSpot's, and jfr reads what they write."""
    for mode in MODES:
        with Program(*mode) as p:
            expect_in("No available recordings", p.jcmd("JFR.check"))
            for words, message in ((["JFR.stop"], "The argument 'name' is mandatory"),
                                   (["JFR.stop", "name=7"], "Could not find 7"),
                                   (["JFR.dump"], "No recordings to dump from"),
                                   (["JFR.start", "color=red"], "Unknown argument 'color=red' in diagnostic command."),
                                   (["JFR.start", "duration=long"], "Integer parsing error nanotime value: syntax error"),
                                   (["JFR.start", "name="], "The argument 'name' needs a value"),
                                   (["JFR.start", "settings=none"], "Could not parse settings file 'none'"),
                                   (["JFR.start", "filename=/none/x.jfr"], "Could not start a recording. cannot write to")):
                expect_in(message, p.jcmd(*words, code=1))
            answer = p.jcmd("JFR.start", "name=shop", "filename=shop.jfr", "settings=profile", "maxsize=10m")
            expect_in("Started recording 1. The result will be written to:\n\n%s\n" % p.file("shop.jfr"), answer)
            expect_in("Recording 1: name=shop (running)", p.jcmd("JFR.check"))
            expect_in('Recording "shop" is running', p.jcmd("JFR.start", code=1))
            time.sleep(SECONDS)
            expect_in('Dumped recording "shop", ', p.jcmd("JFR.dump", "name=1", "filename=part.jfr"))
            time.sleep(SECONDS)
            answer = p.jcmd("JFR.stop", "name=shop")
            if not re.search(r'Stopped recording "shop", [\d.]+ [kM]B written to:\n\n%s\n' % re.escape(p.file("shop.jfr")), answer):
                raise AssertionError(answer)
            part, whole = events_of(p.file("part.jfr")), events_of(p.file("shop.jfr"))
            if not 0 < part["jdk.ExecutionSample"] < whole["jdk.ExecutionSample"]:
                raise AssertionError("samples: %s, %s" % (part, whole))
            expect_in("Busy.sum(", run(["jfr", "print", "--events", "jdk.ExecutionSample", p.file("shop.jfr")]).stdout)
            expect_in("Busy.sum(", run([PROF, "report", p.file("shop.prof")]).stdout)
            allocated = printed(p.file("shop.jfr"), "jdk.ObjectAllocationSample")
            bytes_of = json.loads(run([PROF, "report", "--json", "--analysis", "alloc-tree", p.file("shop.prof")]).stdout)["analyses"][0]["recorded"]
            expect("weight of the allocations", sum(e["weight"] for e in allocated), bytes_of)
            expect_in("[Ljava/lang/Object;", {e["objectClass"]["name"] for e in allocated})
            expect_in("No available recordings", p.jcmd("JFR.check"))


@test
def allocations_with_stacks():
    """Each class and stack of alloc-tree is a jdk.ObjectAllocationSample, with the stack, the thread and all its bytes."""
    folder = os.path.join(WORK, "planted")
    run(["javac", "-d", folder, os.path.join(ROOT, "tests", "profiler", "planted", "Main.java")])
    for analyses in "alloc-tree", "cpu,alloc-tree,alloc", "call-tree,alloc-tree":
        run([VM, "-Xprofile:%s:file=a.prof:message=off" % analyses, "-cp", ".", "Main"], cwd=folder)
        run([PROF, "export", "--jfr", "-o", "a.jfr", "a.prof"], cwd=folder)
        tree = json.loads(run([PROF, "report", "--json", "--analysis", "alloc-tree", "a.prof"], cwd=folder).stdout)["analyses"][0]
        events = printed(os.path.join(folder, "a.jfr"), "jdk.ObjectAllocationSample")
        expect("%s: weight" % analyses, sum(e["weight"] for e in events), tree["recorded"])
        deep = [e for e in events if e["stackTrace"] and len(e["stackTrace"]["frames"]) > 2]
        frames = {f["method"]["name"] for e in deep for f in e["stackTrace"]["frames"]}
        expect_in("render", frames)
        expect("%s: objects are no frames" % analyses, [f for f in frames if f.endswith("[]") or f.startswith("java.")], [])
        expect_in("[B", {e["objectClass"]["name"] for e in events})
        expect("%s: threads" % analyses, {e["eventThread"]["javaName"] for e in events} - {"all threads"} != set(), True)


@test
def monitors():
    """jdk.JavaMonitorEnter: the waits that the profile of locks has."""
    folder = os.path.join(WORK, "planted")
    run(["javac", "-d", folder, os.path.join(ROOT, "tests", "profiler", "planted", "Main.java")])
    run([VM, "-Xprofile:locks:file=l.prof", "-cp", ".", "Main"], cwd=folder)
    run([PROF, "export", "--jfr", "-o", "l.jfr", "l.prof"], cwd=folder)
    sections = json.loads(run([PROF, "report", "--json", "l.prof"], cwd=folder).stdout)["sections"]
    waits = next(s["rows"] for s in sections if s["name"] == "who-waits-for-whom")
    events = printed(os.path.join(folder, "l.jfr"), "jdk.JavaMonitorEnter")
    expect("waits", len(events), sum(min(n, 1000) for row in waits for _, n in row["wait"]["buckets"]))
    took = sum(float(e["duration"][2:-1]) for e in events)
    total = sum(row["wait"]["sum"] for row in waits) / 1e9
    if abs(took - total) > 0.01 * total:
        raise AssertionError("the waits took %g s, the events %g s" % (total, took))
    expect_in(("Catalogue", "auditor", "seller-#"),
              {(e["monitorClass"]["name"], e["eventThread"]["javaName"], e["previousOwner"]["javaName"]) for e in events})


@test
def collections():
    """Profiles of time and allocation have the collections that -Xlog:gc prints; others have none."""
    folder = tempfile.mkdtemp(dir=WORK)
    for analyses, options in (("cpu", ()), ("wall", ("-Xthreads:green",)), ("alloc-tree", ()), ("method-count", ())):
        log = run([VM, *options, "-Xmx24m", "-Xlog:gc", "-Xprofile:%s:file=g.prof" % analyses, "-cp", WORK, "Busy", "1"], cwd=folder).stdout
        logged = {int(n): (kind.lower(), cause, float(ms)) for n, kind, cause, ms in
                  re.findall(r"GC\((\d+)\) Pause (\w+) \(([^)]*(?:\(\))?)\) .* ([\d.]+)ms", log)}
        if not logged:
            raise AssertionError("no collections in:\n" + log)
        profile = json.loads(run([PROF, "report", "--json", "g.prof"], cwd=folder).stdout)
        rows = next((s["rows"] for s in profile["sections"] if s["name"] == "collections"), [])
        head = run([PROF, "report", "g.prof"], cwd=folder).stdout.split("\n")[1]
        run([PROF, "export", "--jfr", "-o", "g.jfr", "g.prof"], cwd=folder)
        events = printed(os.path.join(folder, "g.jfr"), "jdk.GarbageCollection")
        heap = printed(os.path.join(folder, "g.jfr"), "jdk.GCHeapSummary")
        if analyses == "method-count":
            expect("collections of a profile of counts", (rows, events, head), ([], [], ""))
            continue
        # The last one may end after the profile.
        if len(rows) not in (len(logged), len(logged) - 1):
            raise AssertionError("%s: %d of %d collections" % (analyses, len(rows), len(logged)))
        for row, event in zip(rows, events, strict=True):
            kind, cause, ms = logged[row["number"]]
            expect("a collection", (row["kind"], row["cause"]), (kind, cause))
            expect("its event", (event["gcId"], event["cause"], event["name"]), (row["number"], cause, row["collector"]))
            if abs(row["pause"] / 1e6 - ms) > 0.001 or abs(float(event["sumOfPauses"][2:-1]) * 1e9 - row["pause"]) > 1:
                raise AssertionError("pauses: %s ms, %s, %s" % (ms, row, event))
        expect("heap", [(e["when"], e["heapUsed"]) for e in heap],
               [pair for r in rows for pair in (("Before GC", r["before"]), ("After GC", r["after"]))])
        full, header = sum(r["kind"] == "full" for r in rows), profile["header"]
        expect("sums", (int(header["collections-full"]), int(header["collections-young"]), int(header["collections-ns"])),
               (full, len(rows) - full, sum(r["pause"] for r in rows)))
        expect_in("collections: %d young, %d full, " % (len(rows) - full, full), head)


@test
def recording_of_a_duration():
    with Program(seconds=8 * SLOWER) as p:
        p.jcmd("JFR.start", "duration=%ds" % (4 * SECONDS), "filename=a.jfr")
        expect_in("Recording 1: name=1 duration=%ds (running)" % (4 * SECONDS), p.jcmd("JFR.check"))
        p.unchanged()
        if not events_of(p.file("a.jfr")).get("jdk.ExecutionSample"):
            raise AssertionError("no samples")
    with Program(seconds=2 * SLOWER) as p:
        p.jcmd("JFR.start", "duration=1h", "filename=b.jfr")
        p.unchanged()
        expect("files of a process that ended before", sorted(os.listdir(p.folder)), ["b.prof", "stderr"])
        expect_in("Busy.sum(", run([PROF, "report", p.file("b.prof")]).stdout)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "Busy.java"), "w") as f:
    f.write(SOURCE)
with open(os.path.join(WORK, "Started.java"), "w") as f:
    f.write(STARTED)
run(["javac", "-d", WORK, os.path.join(WORK, "Busy.java"), os.path.join(WORK, "Started.java")])
sys.exit(run_tests())
