#!/usr/bin/env python3
"""Runs the applications of benchmarks/apps/apps.ini, unmodified, on a VM and on the installed java.

Compared are standard output, standard error (unless the row excludes it), the exit code, and every file that the
program leaves, after removing everything that the row's `clean` matches. Results of java are kept in
build/tests/apps/expected until the inputs or java change.

--quick runs the quick ones whose packages are installed. --profile adds an exact profile to every run:
outputs must not change, nothing may be lost, and the sums of method counts and call edges must agree.
--page makes the page of cabernet-prof html of an exact profile with a call tree: in 5 s of processor time, 500 MB and 3 MB.
--oracle takes the rows marked so, whose calls are deterministic: all their classes are rewritten
to count themselves (tests/oracle), run on java, and the exact profile must agree on every call.
--command NAME prints the command line, for instance for cabernet-bench pair --workload.
"""
import argparse, configparser, difflib, fcntl, fnmatch, glob, hashlib, json, os, re, shlex, shutil
import signal, subprocess, sys, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
APPS = os.path.join(ROOT, "benchmarks", "apps")
BUILD_ROOT = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
BUILD = os.path.join(BUILD_ROOT, "tests", "apps")
JARS = "/usr/share/java"

sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))
import compare as oracle  # noqa: E402


def fail(message):
    sys.exit("tests/run/apps.py: " + message)


class App:
    def __init__(self, name, row):
        self.name, self.row = name, row
        self.made = os.path.join(BUILD, "made", name)
        self.classes = os.path.join(BUILD, "classes", name)
        self.drivers = row.get("drivers", "").split()
        self.exit = int(row.get("exit", "0"))
        self.quick = row.get("quick") == "yes"
        self.oracle = row.get("oracle") == "yes"
        self.clean = [line.strip().split(" ", 1) for line in row.get("clean", "").splitlines() if line.strip()]

    def path(self):
        return ([self.classes] if self.drivers else []) + self.jars()

    def missing(self):
        return [p for p in self.row.get("packages", "").split() if not installed(p)]

    def jars(self):
        found = []
        for pattern in self.row.get("jars", "").split():
            matches = sorted(glob.glob(os.path.join(JARS, pattern)))
            # Debian installs each jar under a name with a version and under the bare name: one is enough.
            some = [m for m in matches if not os.path.islink(m)] if "*" in pattern else matches
            if not matches:
                fail("%s: no %s in %s" % (self.name, pattern, JARS))
            found += some or matches
        return found

    def fill(self, text, work):
        for key, value in (("in", os.path.join(APPS, self.name)), ("root", ROOT), ("made", self.made), ("work", work)):
            text = text.replace("{%s}" % key, value)
        return text

    def command(self, vm, work, path=None):
        words = []
        for word in shlex.split(self.fill(self.row["run"], work)):
            words += sorted(glob.glob(word)) if "*" in word else [word]
        path = path or self.path()
        return vm + (["-cp", ":".join(path)] if path else []) + words

    def inputs(self):
        paths = [f for d in {self.name, *self.drivers} for f in glob.glob(os.path.join(APPS, d, "**"), recursive=True)]
        for word in shlex.split(self.fill(self.row["run"], "")):
            if word.startswith(ROOT) and not word.startswith(APPS):
                paths += glob.glob(word) + glob.glob(word + "/*")
        return sorted(p for p in set(paths) if os.path.isfile(p))

    def prepare(self):
        if self.drivers:
            sources = [f for d in self.drivers for f in sorted(glob.glob(os.path.join(APPS, d, "*.java")))]
            remake(self.classes, sources, ["javac", "-nowarn", "-Xlint:none", "-d", self.classes,
                                           "-cp", ":".join(self.jars())] + sources, self.classes)
        if "prepare" in self.row:
            sources = glob.glob(os.path.join(APPS, self.name, "*"))
            remake(self.made, sources, ["sh", "-c", self.fill(self.row["prepare"], "")], self.made)


def installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return done.stdout == "installed"


def remake(directory, sources, command, where):
    stamp = os.path.join(directory, ".stamp")
    key = hashlib.sha256("\0".join(command).encode())
    for s in sorted(sources):
        if os.path.isfile(s):
            key.update(open(s, "rb").read())
    if os.path.exists(stamp) and open(stamp).read() == key.hexdigest():
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    done = subprocess.run(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(" ".join(command[:3]) + " ... failed:\n" + done.stdout)
    with open(stamp, "w") as f:
        f.write(key.hexdigest())


def children(pid):
    try:
        found = []
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                found += f.read().split()
        return found
    except OSError:
        return []


def watch(process, seen):
    """Records every process that the program starts."""
    while process.poll() is None:
        for child in children(process.pid):
            try:
                with open("/proc/%s/cmdline" % child) as f:
                    seen.add(f.read().split("\0")[0])
            except OSError:
                pass
        time.sleep(0.02)


def execute(app, vm, work, limit, path=None):
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    env = {k: v for k, v in os.environ.items()
           if k in ("PATH", "JAVA_HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "CABERNET_HOME")}
    env.update(LC_ALL="C.UTF-8", TZ="UTC", HOME=work)
    began = time.time()
    process = subprocess.Popen(app.command(vm, work, path), cwd=work, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    seen, late = set(), False
    if app.row.get("alone") == "yes":
        threading.Thread(target=watch, args=(process, seen), daemon=True).start()
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    seconds = time.time() - began
    files = {}
    for path in glob.glob(os.path.join(work, "**"), recursive=True, include_hidden=True):
        # .java and .cache: files that the class library keeps in the home directory
        if os.path.isfile(path) and not re.match(r"\.(java|cache)/", os.path.relpath(path, work)):
            with open(path, "rb") as f:
                files[os.path.relpath(path, work)] = f.read()
    shutil.rmtree(work, ignore_errors=True)
    return {"stdout": out, "stderr": err, "exit": process.returncode, "late": late, "seconds": seconds,
            "files": files, "started": sorted(seen)}


def cleaned(app, result, work):
    """The files to compare: name -> bytes, without variable parts and without the path of the work directory."""
    compared = {"stdout": result["stdout"], **result["files"]}
    if app.row.get("stderr") != "ignore":
        compared["stderr"] = result["stderr"]
    for name in compared:
        text = compared[name].replace(work.encode(), b"WORK")
        for pattern, expression in app.clean:
            if fnmatch.fnmatch(name, pattern):
                text = re.sub(expression.encode(), b"", text, flags=re.M)
        compared[name] = text
    return compared


def digest(app, version):
    d = hashlib.sha256((version + json.dumps(dict(app.row))).encode())
    for path in app.inputs():
        d.update(open(path, "rb").read())
    for package in app.row.get("packages", "").split():
        d.update(subprocess.run(["dpkg-query", "-W", package], stdout=subprocess.PIPE).stdout)
    return d.hexdigest()[:16]


def expected(app, version, options):
    path = os.path.join(BUILD, "expected", app.name + "." + digest(app, version) + ".json")
    if os.path.exists(path) and not options.no_cache:
        with open(path) as f:
            saved = json.load(f)
        return {k: v.encode("latin-1") for k, v in saved["compared"].items()}, None
    work = os.path.join(BUILD, "work", app.name)
    result = execute(app, ["java"], work, options.timeout)
    if result["late"] or result["exit"] != app.exit:
        return None, ["java itself: %s, expected exit %d" % (
            "out of time" if result["late"] else "exit %d" % result["exit"], app.exit)] + \
            (result["stdout"] + result["stderr"]).decode("utf-8", "replace").splitlines()[-20:]
    compared = cleaned(app, result, work)
    with open(path + ".tmp", "w") as f:
        json.dump({"compared": {k: v.decode("latin-1") for k, v in compared.items()}}, f)
    os.replace(path + ".tmp", path)
    return compared, None


def lines(data):
    return ["".join(c if c.isprintable() or c == "\t" else "\\x%02x" % ord(c) for c in line)
            for line in data.decode("utf-8", "backslashreplace").split("\n")]


def compare(app, want, got, result):
    complaints = []
    if result["late"]:
        complaints.append("out of time after %.0f s" % result["seconds"])
    elif result["exit"] != app.exit:
        complaints.append(("signal %d" % -result["exit"] if result["exit"] < 0 else "exit %d" % result["exit"])
                          + ", expected exit %d" % app.exit)
    if result["started"]:
        complaints.append("started other processes: " + ", ".join(result["started"]))
    for name in sorted(set(want) | set(got), key=lambda n: (n not in ("stderr", "stdout"), n)):
        if name not in got or name not in want:
            complaints.append("file %s: %s" % (name, "missing" if name not in got else "not left by java"))
        elif want[name] != got[name]:
            text = b"\0" not in want[name][:1000]
            change = list(difflib.unified_diff(lines(want[name]), lines(got[name]), "java " + name, "tested " + name,
                                               lineterm="", n=1)) if text and len(want[name]) < 1 << 20 else []
            complaints += change[:25] or ["%s differs: %d and %d bytes" % (name, len(want[name]), len(got[name]))]
    return complaints


class Everything:
    def __contains__(self, name):
        return True


def profile_complaints(options, file):
    """Checks the report's totals, and that call edges sum to method counts."""
    def read(*what):
        return subprocess.run(options.prof + [*what, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    done, report = read("export", "--lines"), read("report").stdout
    if done.returncode != 0:
        return ["profile cannot be read: " + done.stderr], ""
    found = oracle.Profile(done.stdout.splitlines(), Everything())
    found.check_sums("profile")
    total = sum(found.methods.values())
    events = re.findall(r"([\d,]+) method entries produced, ([\d,]+) recorded, ([\d,]+) lost", report)
    if len(events) != 2 or any(p != r or lost != "0" for p, r, lost in events):
        found.complaints.append("the report says: %s" % events)
    elif int(events[0][0].replace(",", "")) != total:
        found.complaints.append("the counts add up to %d, the report says %s" % (total, events[0][0]))
    if total < 10000:
        found.complaints.append("only %d method entries" % total)
    return found.complaints, "%d methods, %d entries, %d edges" % (len(found.methods), total, len(found.edges))


PAGE_ANALYSES = "call-tree,call-edge,field-access,branch"
PAGE_SECONDS, PAGE_MEMORY, PAGE_BYTES = 5, 500 << 20, 3 << 20


def page_complaints(options, file):
    """Checks the cost of a profile's page: seconds of processor time, peak memory, bytes."""
    out = file + ".html"
    page = subprocess.Popen(options.prof + ["html", "-o", out, file], stderr=subprocess.PIPE, text=True)
    said = page.stderr.read()
    _, status, used = os.wait4(page.pid, 0)
    page.returncode = os.waitstatus_to_exitcode(status)
    if page.returncode != 0 or said:
        return ["the page: exit %d: %s" % (page.returncode, said)], ""
    seconds, memory, size = used.ru_utime + used.ru_stime, used.ru_maxrss << 10, os.path.getsize(out)
    note = "profile %.1f MB; page %.2f s, %.0f MB, %.2f MB" % (os.path.getsize(file) / 2 ** 20, seconds, memory / 2 ** 20, size / 2 ** 20)
    over = seconds > PAGE_SECONDS or memory > PAGE_MEMORY or size > PAGE_BYTES
    return ["the page takes more than it may"] if over else [], note


ASM = "/usr/share/java/asm.jar"
INTERNALS = "java.base/jdk.internal.access=ALL-UNNAMED"


def rewrite(app):
    """Unpacks the class path into one directory, and rewrites it with the counters into another."""
    base, tool = os.path.join(BUILD, "oracle", app.name), os.path.join(BUILD, "oracle", "tool")
    sources = glob.glob(os.path.join(ROOT, "tests", "oracle", "tool", "**", "*.java"), recursive=True)
    remake(tool, sources, ["javac", "-nowarn", "-Xlint:none", "-XDignore.symbol.file", "--add-exports", INTERNALS,
                           "-cp", ASM, "-d", tool] + sources, tool)
    plain, rewritten = os.path.join(base, "plain"), os.path.join(base, "rewritten")
    unpack = "; ".join("cp -r %s/. ." % p if os.path.isdir(p) else "jar xf " + p for p in app.path())
    # Packages of the JDK's modules: a jar's copies of them are never loaded.
    strip = "rm -rf META-INF/versions module-info.class javax/xml org/w3c org/xml"
    remake(plain, app.path(), ["sh", "-ec", unpack + "; " + strip], plain)
    rewriter = shlex.join(["java", "-cp", ":".join([tool, ASM] + app.path()), "Rewrite", plain, rewritten])
    remake(rewritten, app.path() + sources,
           ["sh", "-ec", "cp -r %s/. %s/. .; %s" % (plain, tool, rewriter)], rewritten)
    return plain, rewritten


def exact(app, version, options):
    """Like test(), but every call is counted twice."""
    app.prepare()
    want, complaints = expected(app, version, options)
    if complaints:
        return complaints, 0, ""
    plain, rewritten = rewrite(app)
    work, counted = os.path.join(BUILD, "work", app.name), os.path.join(BUILD, "oracle", app.name + ".lines")
    vm = ["java", "-Xss64m", "--add-exports", INTERNALS, "-Doracle.mode=shadow", "-Doracle.out=" + counted]
    result = execute(app, vm, work, options.timeout, [rewritten])
    complaints = compare(app, want, cleaned(app, result, work), result)
    if complaints:
        return ["rewritten, on java:"] + complaints, result["seconds"], ""
    file = os.path.join(BUILD, "oracle", app.name + ".prof")
    result = execute(app, options.exec + ["-Xprofile:method-count,call-edge:file=" + file], work, options.timeout,
                     [plain])
    result["stderr"] = result["stderr"].replace(b"cabernet: profile written to %s\n" % file.encode(), b"")
    complaints = compare(app, want, cleaned(app, result, work), result)
    lines_of = subprocess.run(options.prof + ["export", "--lines", file], stdout=subprocess.PIPE, text=True)
    classes = oracle.application_classes(plain)
    with open(counted) as f:
        oracle_lines = f.read().splitlines()
    complaints += oracle.compare(oracle_lines, lines_of.stdout.splitlines(), classes)
    found = oracle.Profile(oracle_lines, classes)
    note = "%d methods, %d entries, %d edges agree" % (len(found.methods), sum(found.methods.values()),
                                                       len(found.edges))
    return complaints, result["seconds"], "" if complaints else note


def test(app, version, options):
    try:
        app.prepare()
        want, complaints = expected(app, version, options)
        if complaints:
            return complaints, 0, ""
        work = os.path.join(BUILD, "work", app.name)
        vm, file, note = list(options.exec), os.path.join(BUILD, app.name + ".prof"), ""
        profiled = options.profile or options.page
        if profiled:
            vm.append("-Xprofile:%s:file=%s" % (PAGE_ANALYSES if options.page else "method-count,call-edge", file))
        result = execute(app, vm, work, options.timeout)
        if profiled:
            result["stderr"] = result["stderr"].replace(b"cabernet: profile written to %s\n" % file.encode(), b"")
        complaints = compare(app, want, cleaned(app, result, work), result)
        if profiled and not result["late"]:
            more, note = (page_complaints if options.page else profile_complaints)(options, file)
            complaints += more
        return complaints, result["seconds"], note
    except OSError as e:
        return [str(e)], 0, ""


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--exec", default=os.path.join(BUILD_ROOT, "cabernet"), help="the VM under test (a command line)")
    p.add_argument("--prof", default=os.path.join(BUILD_ROOT, "cabernet-prof"), help="its profile reader")
    p.add_argument("--vm-args", default="", help="more options for the VM")
    p.add_argument("--timeout", type=float, default=300, help="seconds per program")
    p.add_argument("--quick", action="store_true", help="the quick ones that are installed")
    p.add_argument("--profile", action="store_true", help="with an exact profile, which is checked")
    p.add_argument("--page", action="store_true", help="with an exact profile, of which a page is made")
    p.add_argument("--oracle", action="store_true", help="exact profiles against programs that count themselves")
    p.add_argument("--no-cache", action="store_true", help="run java again for every program")
    p.add_argument("--command", metavar="NAME", help="print a command line and stop; it leaves out the VM itself")
    p.add_argument("--packages", action="store_true", help="print the packages and stop")
    p.add_argument("names", nargs="*", help="only these")
    options = p.parse_args()
    for name in ("exec", "prof"):
        words = shlex.split(getattr(options, name))
        if os.sep in words[0]:
            words[0] = os.path.abspath(words[0])
        setattr(options, name, words)
    options.exec += shlex.split(options.vm_args)
    return options


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the program under test too
    table = configparser.ConfigParser(interpolation=None)
    table.read(os.path.join(APPS, "apps.ini"))
    apps = [App(name, table[name]) for name in table.sections()]
    if options.packages:
        print("\n".join(sorted({p for a in apps for p in a.row.get("packages", "").split()})))
        return 0
    unknown = set(options.names) - {a.name for a in apps}
    if unknown:
        fail("no application is called " + ", ".join(sorted(unknown)))
    os.makedirs(os.path.join(BUILD, "expected"), exist_ok=True)
    if options.command:
        app = next((a for a in apps if a.name == options.command), None) or fail("no such application")
        app.prepare()
        print(shlex.join(app.command([], os.path.join(BUILD, "work", app.name))))
        return 0
    chosen = [a for a in apps if not options.names or a.name in options.names]
    if options.oracle:
        chosen = [a for a in chosen if a.oracle or options.names]
    if options.quick:
        chosen = [a for a in chosen if a.quick]
        for a in [a for a in chosen if a.missing()]:
            print("%-8s left out: %s not installed" % (a.name, " ".join(a.missing())))
            chosen.remove(a)
    if not shutil.which(options.exec[0]):
        fail("no such command: " + options.exec[0] + " (build it with make)")
    lock = open(BUILD + ".lock", "w")  # one run at a time, because runs share files
    fcntl.flock(lock, fcntl.LOCK_EX)
    version = subprocess.run(["java", "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    failed = 0
    for app in chosen:
        if app.missing():
            complaints, seconds, note = ["not installed: " + " ".join(app.missing()) + " (make test-apps installs it)"], 0, ""
        else:
            complaints, seconds, note = (exact if options.oracle else test)(app, version, options)
        print("%-8s %s %6.2f s  %s" % (app.name, "FAIL" if complaints else "ok  ", seconds, note), flush=True)
        for complaint in complaints[:60]:
            print("    " + complaint)
        failed += bool(complaints)
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
