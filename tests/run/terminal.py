#!/usr/bin/env python3
"""cabernet-prof on a terminal (a pseudo-terminal here): colours, width, pager, the profile browser, the live view of a
running program; completions and manual pages."""
import fcntl, glob, os, pty, re, select, shutil, signal, struct, subprocess, sys, termios, time, traceback, zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import exports

VM, PROF, run, expect, expect_in, Scratch = exports.VM, exports.PROF, exports.run, exports.expect, exports.expect_in, exports.Scratch
LIMIT = 60
SEQUENCES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\([A-Z]|[=>])")

tests = []


def test(function):
    tests.append(function)
    return function


class Terminal:
    """A program on a separate terminal."""

    def __init__(self, *command, rows=24, columns=100, **variables):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "PAGER", "LESS")}
        environment.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **variables})
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(command[0], command, environment)
        self.seen = ""

    def read(self, seconds):
        """Output that arrives within the given time; '' if there is none, None at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return ""
        try:
            data = os.read(self.fd, 65536).decode(errors="replace")
        except OSError:
            return None
        self.seen += data
        return data or None

    def until(self, text):
        """Waits until the text has been written."""
        end = time.monotonic() + LIMIT
        while text not in SEQUENCES.sub("", self.seen):
            if self.read(0.1) is None or time.monotonic() > end:
                raise AssertionError("the terminal never showed %r, but:\n%s" % (text, SEQUENCES.sub("", self.seen)[-2000:]))

    def keys(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def shows(self, keys, *texts):
        """Sends the keys; then the screen must contain the texts."""
        self.keys(keys + "\x0c")
        for text in texts:
            self.until(text)

    def end(self):
        """All output, and the exit code."""
        end = time.monotonic() + LIMIT
        while self.read(0.1) is not None:
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return self.seen.replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def on_terminal(*command, **variables):
    text, code = Terminal(*command, **variables).end()
    expect("exit code", code, 0)
    return text


# ---- texts ----

@test
def colours():
    with Scratch() as file:
        exports.profile(file, "call-edge,branch")
        plain = run([PROF, "report", file]).stdout
        expect("colours in a file", "\x1b" in plain, False)
        coloured = on_terminal(PROF, "report", file, PAGER="", rows=1000, columns=1000)
        expect_in("\x1b[1m", coloured)
        expect_in("\x1b[36m  ####", coloured)
        expect("the same text", SEQUENCES.sub("", coloured), plain)
        for variables in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
            expect("without colours", on_terminal(PROF, "report", file, PAGER="", columns=1000, **variables), plain)
        expect("JSON has none", on_terminal(PROF, "report", "--json", file, PAGER=""), run([PROF, "report", "--json", file]).stdout)


@test
def width():
    with Scratch() as file:
        exports.hostile(file)
        rows = lambda text: [l for l in text.split("\n") if re.match("  +[0-9]", l)]
        cut = rows(on_terminal(PROF, "report", "--all", file, PAGER="", NO_COLOR="1", columns=50))
        expect("rows", len(cut) > 5, True)
        for line in cut:
            expect("width of %r" % line, len(line) <= 50, True)
        expect("cut", any(len(l) == 50 and l.endswith("…") for l in cut), True)
        expect("asked for", rows(run([PROF, "report", "--all", "--width", "50", file]).stdout), cut)
        expect("none", run([PROF, "report", "--all", "--width", "0", file]).stdout, run([PROF, "report", "--all", file]).stdout)
        expect_in("needs a number", run([PROF, "report", "--width", "x", file], 1).stderr)


@test
def pager():
    """Output longer than the screen goes through the pager, shorter output does not; a missing pager is skipped."""
    with Scratch() as file:
        exports.profile(file, "call-edge,branch")
        expect_in("CABERNET PROFILE", on_terminal(PROF, "report", file, PAGER="tr a-z A-Z", rows=10))
        expect_in("cabernet profile", on_terminal(PROF, "report", file, PAGER="tr a-z A-Z", rows=1000))
        expect_in("cabernet profile", on_terminal(PROF, "report", file, PAGER="/nowhere/pager", rows=10))
        expect("a pager that leaves", Terminal(PROF, "report", file, PAGER="head -n 1 | tr a-z A-Z", rows=10).end()[1], 0)


# ---- instructions and sources ----

@test
def bytecode():
    """Every count of a method is next to its instruction, for a class in a folder, an archive, the JDK."""
    with Scratch() as file:
        exports.profile(file, "call-edge,branch")
        archive = file + ".jar"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
            for name in sorted(os.listdir(exports.CLASSES)):
                z.write(os.path.join(exports.CLASSES, name), name)
            z.write(os.path.join(ROOT, "tests", "profiler", "Ends.java"), "some.module/Ends.java")
        for where, name in (exports.CLASSES, "Ends.main"), ("/nowhere:" + archive, "Ends.main"), ("/nowhere", "java.lang.String.hashCode"):
            text = run([PROF, "report", "--bytecode", name, "--classes", where, file]).stdout
            heading, columns, *lines = text.rstrip("\n").split("\n")
            expect("columns", columns.split()[:2], ["call-edge", "branch"])
            found = {"call-edge": {}, "branch": {}}
            for line in lines:
                bci = int(re.match(r"(?:[ ,\d]{13} ){2} *\d* +(\d+)  ", line).group(1))
                for i, analysis in enumerate(found):
                    count = line[14 * i:14 * i + 13].replace(",", "").strip()
                    if count:
                        found[analysis][bci] = int(count)
            for analysis, key in ("call-edge", "caller"), ("branch", "method"):
                wanted = {}
                for r in exports.recorded(file, analysis)[0]:
                    if exports.key_of(r[key]) == name and r["bci"] >= 0:
                        wanted[r["bci"]] = wanted.get(r["bci"], 0) + r["count"]
                expect("counts of %s in %s" % (analysis, name), found[analysis], wanted)
            expect("some", bool(found["branch"]), True)
        folder = run([PROF, "report", "--source", os.path.join(ROOT, "tests", "profiler"), file]).stdout
        expect("source of an archive", run([PROF, "report", "--source", "/nowhere:" + archive, file]).stdout, folder)
        with open(archive, "r+b") as f:
            f.truncate(os.path.getsize(archive) - 100)
        # The profile records where the class came from.
        for where in archive, "/nowhere":
            shown = run([PROF, "report", "--bytecode", "Ends.main", "--classes", where, file]).stdout
            expect("class file of the profile's origin", shown, run([PROF, "report", "--bytecode", "Ends.main", "--classes", exports.CLASSES, file]).stdout)
        expect_in("no method of the profile matches", run([PROF, "report", "--bytecode", "No.such", file], 1).stderr)
        expect_in("belongs to --bytecode", run([PROF, "report", "--classes", "x", file], 1).stderr)
        exports.hostile(file)
        expect_in("was not found", run([PROF, "report", "--bytecode", "p.Odd", file]).stdout)


# ---- tui ----

@test
def tui():
    with Scratch() as file:
        exports.profile(file, "call-tree")
        t = Terminal(PROF, "tui", "--source", os.path.join(ROOT, "tests", "profiler"), file)
        t.until("cabernet profile")
        t.shows("\t", "[call tree]", "Ends.main(String[])")
        t.shows("/Ends.main\n\n", "- Ends.main(String[])", "Ends.threads()")
        t.keys("/nothing such\n")
        t.until("not found")
        t.shows("\t", "[sources]", "import java.util.function.IntUnaryOperator;")
        t.shows("\t", "[call-tree]", "count     %")
        t.keys("h")
        t.until("q leave")
        t.keys("q")
        expect("exit code", t.end()[1], 0)
        expect_in("needs a terminal", run([PROF, "tui", file], 1).stderr)
        exports.hostile(file)
        t = Terminal(PROF, "tui", file, rows=3, columns=10)
        t.keys("\t" * 4 + "jjkG g/x\nna\t\tq")
        expect("a small screen", t.end()[1], 0)


# ---- top ----

@test
def top():
    """A running program; a process that is not one, or has no profile."""
    with Scratch() as file:
        for options, code in (["-Xprofile:method-count:sampling=counter:message=off:file=" + file], 0), ([], 2):
            program = subprocess.Popen([VM, *options, "-cp", exports.CLASSES, "Ends", "spin"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                expect("output", program.stdout.readline(), "ready\n")
                done = run([PROF, "top", "--every", "1", "--times", "2", str(program.pid)], code)
                if code:
                    expect_in("no profile was started", done.stderr)
                    expect_in("Profile.start sampled", done.stderr)
                else:
                    expect("looks", len(re.findall("process %d: [\\d,]+ method entries in samples" % program.pid, done.stdout)), 2)
                    expect_in("  Ends.work(int)\n", done.stdout)
                    t = Terminal(PROF, "top", str(program.pid))
                    t.until("Ends.work(int)")
                    os.kill(t.pid, signal.SIGINT)
                    expect("interrupted", t.end()[1], 0)
            finally:
                program.kill()
                program.wait()
            expect("files left", glob.glob("/tmp/cabernet-prof-%d-*" % program.pid), [])
        expect_in("there is no process", run([PROF, "top", str(program.pid)], 2).stderr)
        expect_in("does not answer", run([PROF, "top", str(os.getpid())], 2).stderr)
        expect_in("number of a process", run([PROF, "top", "Ends"], 1).stderr)


# ---- live ----

@test
def live():
    """Methods and tree of a running program, by keys; q leaves it running, without a profile that records."""
    program = subprocess.Popen([VM, "-cp", exports.CLASSES, "Ends", "spin"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        expect("output", program.stdout.readline(), "ready\n")
        t = Terminal(PROF, "live", str(program.pid), "-i", "1")
        t.until("[methods]")
        t.until("Ends.spin()")
        t.shows("\t", "[call tree]", "- Ends.main(String[])")
        t.shows("\r", "+ Ends.main(String[])")  # closed, and closed after the next look
        time.sleep(1.5)
        t.shows("", "+ Ends.main(String[])")
        t.shows("\r", "- Ends.main(String[])")
        t.shows("h", "q leave")
        t.shows("\ta", "h: keys  all")
        t.keys("q")
        expect("exit code", t.end()[1], 0)
        expect("the program", program.poll(), None)
        expect_in("\nno profile\n", run(["jcmd", str(program.pid), "Profile.status"]).stdout)
        expect("files left", glob.glob("/tmp/cabernet-prof-%d-*" % program.pid), [])
    finally:
        program.kill()
        program.wait()
    program = subprocess.Popen([VM, "-cp", exports.CLASSES, "Ends", "spin"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        expect("output", program.stdout.readline(), "ready\n")
        t = Terminal(PROF, "live", str(program.pid), "-i", "60")
        t.until("[methods]")
        program.kill()
        text, code = t.end()
        expect("exit code when the program has ended", code, 0)
        expect_in("process %d has ended" % program.pid, text)
    finally:
        program.kill()
        program.wait()


# ---- completions and manual pages ----

@test
def completion():
    def words(*line):
        script = 'source <("$1" completion bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cabernet_prof; echo "${COMPREPLY[@]}"'
        return run(["bash", "-c", script, "bash", PROF, "cabernet-prof", *line]).stdout.split()
    expect("commands", words("re"), ["report", "record"])
    expect("options", words("report", "--so"), ["--sort", "--source"])
    expect("files", words("report", PROF), [PROF])
    expect_in("#compdef cabernet-prof\n", run([PROF, "completion", "zsh"]).stdout)
    expect_in("takes bash or zsh", run([PROF, "completion", "fish"], 1).stderr)


@test
def completion_of_others():
    """Completions of cabernet and cabernet-bench, made from their help; bash splits words at colons."""
    folder = os.path.join(exports.BUILD, "man")
    run(["make", "--no-print-directory", "-C", ROOT, "B=" + os.path.relpath(exports.BUILD, ROOT), "-o", "all", "completions"])

    def words(line):
        name = line.split()[0]
        script = """source "$1"; line=$2; COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=($line)
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); %s; echo "${COMPREPLY[@]}" """ % ("_" + name.replace("-", "_"))
        return run(["bash", "-c", script, "bash", os.path.join(folder, name + ".bash"), line]).stdout.split()

    expect("options", words("cabernet --limit"), ["--limit-modules"])
    expect("from the table of options", words("cabernet -Xth"), ["-Xthreads:", "-Xthreadstress:"])
    expect("analyses", words("cabernet -Xprofile:call-"), ["call-edge", "call-subtree", "call-tree"])
    expect("files", words("cabernet -cp " + PROF), [PROF])
    expect("programs", words("cabernet-bench pa"), ["pair"])
    expect("their options", words("cabernet-bench pair --wa"), ["--warmup"])
    for name in "cabernet", "cabernet-bench":
        with open(os.path.join(folder, name + ".zsh")) as f:
            expect_in("#compdef %s\n" % name, f.read())


@test
def completion_in_zsh():
    """zsh's completions for the three programs when Tab is pressed; it finds the functions where make install puts
    them."""
    folder = os.path.join(exports.BUILD, "man")
    run(["make", "--no-print-directory", "-C", ROOT, "B=" + os.path.relpath(exports.BUILD, ROOT), "-o", "all", "completions"])
    with Scratch() as file:
        functions = os.path.join(os.path.dirname(file), "functions")
        os.makedirs(functions)
        for name in "cabernet", "cabernet-bench":
            shutil.copy(os.path.join(folder, name + ".zsh"), os.path.join(functions, "_" + name))
        with open(os.path.join(functions, "_cabernet-prof"), "w") as f:
            f.write(run([PROF, "completion", "zsh"]).stdout)
        with open(file, "w") as f:
            f.write("a file")
        shell = Terminal(shutil.which("zsh"), "-f", "-i", columns=200, HOME=os.path.dirname(file), ZDOTDIR=os.path.dirname(file))
        shell.keys("PS1='%%' fpath=(%s $fpath); autoload -U compinit; compinit -u; cd %s; echo rea''dy\n" % (functions, os.path.dirname(file)))
        shell.until("ready\r\n")
        # ^U clears the line for the next case; for several matches the common prefix is typed.
        for typed, shown in ("cabernet-prof rep\t", "cabernet-prof report "), ("cabernet-prof report --by\t", "--bytecode "), \
                ("cabernet-prof report x.pr\t", "x.prof "), ("cabernet --limit\t", "--limit-modules "), ("cabernet -Xprofile:call-s\t", "call-subtree "), \
                ("cabernet -cp x.pr\t", "x.prof "), ("cabernet-bench pa\t", "pair "), ("cabernet-bench pair --wa\t", "--warmup "), \
                ("cabernet-prof report --so\t\t", "--source"):
            shell.keys("\x15" + typed)
            shell.until(shown)
        shell.keys("\x15exit\n")
        expect("exit code", shell.end()[1], 0)


@test
def manual():
    """Each program's manual page contains all of its help."""
    run(["make", "--no-print-directory", "-C", ROOT, "B=" + os.path.relpath(exports.BUILD, ROOT), "-o", "all", "man"])
    for name, option in ("cabernet", "-help"), ("cabernet-prof", "help"), ("cabernet-bench", "--help"):
        with open(os.path.join(exports.BUILD, "man", name + ".1")) as f:
            page = f.read()
        expect_in(".SH NAME\n", page)
        plain = re.sub(r"\\&|\\(?=-)", "", page).replace("\\e", "\\")
        done = subprocess.run([os.path.join(exports.BUILD, name), option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in done.stdout.splitlines():
            expect_in(line, plain)


def main():
    for program in (VM, PROF):
        if not os.path.exists(program):
            sys.exit("tests/run/terminal.py: no %s; build it with make" % program)
    exports.build()
    chosen = [t for t in tests if not sys.argv[1:] or any(a in t.__name__ for a in sys.argv[1:])]
    failed = 0
    for t in chosen:
        try:
            t()
        except Exception as e:
            failed += 1
            print("FAIL terminal/%s: %s" % (t.__name__, e if isinstance(e, AssertionError) else traceback.format_exc()))
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
