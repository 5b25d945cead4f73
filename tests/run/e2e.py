#!/usr/bin/env python3
"""Runs the Java programs of tests/e2e on a VM and on the installed java, and compares the results.

Compared are standard output, the exit code, and standard error (unless the program has `stderr: ignore`). The output of
java is kept in build/tests/expected, under a name derived from the program's text, the programs it names, the shared
resources and java's version, so java runs again only when one of these changes. Each program runs in a separate empty
directory, with a fixed environment.

Directives, in comments on the first lines of a program:
  // exit: N          exit code that java itself must give (default 0)
  // args: a b 'c d'  program arguments
  // stdin: text      standard input; \\n, \\t and \\uXXXX are understood
  // vm: -Xmx64m -ea  VM options (both VMs get them)
  // env: K=V K2=V2   additions to the environment
  // stderr: ignore   do not compare standard error
  // timeout: N       seconds instead of --timeout
  // collections: N   only every N-th collection of stress: the program makes many objects while its stack is deep
"""
import argparse, concurrent.futures, difflib, fcntl, fnmatch, glob, hashlib, json, os, re, shlex, shutil
import signal, subprocess, sys, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, TURNS, has_turn

SOURCES = os.path.join(ROOT, "tests", "e2e")
BUILD_ROOT = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
BUILD = os.path.join(BUILD_ROOT, "tests")
CLASSES = os.path.join(BUILD, "classes")
DIRECTIVE = re.compile(r"//\s*(exit|args|stdin|vm|env|stderr|timeout|collections):\s?(.*)$")
COLLECTIONS = re.compile(r"(-Xgcstress(?:-young)?:|poll-stress=)(\d+)")


def fail(message):
    sys.exit("tests/run/e2e.py: " + message)


class Test:
    def __init__(self, path):
        self.path = path
        self.area = os.path.basename(os.path.dirname(path))
        self.main = os.path.basename(path)[:-len(".java")]
        self.name = self.area + "/" + self.main
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.exit, self.args, self.stdin, self.vm, self.env = 0, [], "", [], {}
        self.stderr, self.timeout, self.collections = "compare", None, 1
        for line in self.text.split("\n"):
            if not line.startswith("//"):
                break
            m = DIRECTIVE.match(line)
            if m:
                self.directive(m.group(1), m.group(2).strip())

    def directive(self, key, value):
        if key in ("exit", "timeout", "collections"):
            setattr(self, key, int(value))
        elif key in ("args", "vm"):
            setattr(self, key, shlex.split(value))
        elif key == "env":
            self.env = dict(pair.split("=", 1) for pair in shlex.split(value))
        elif key == "stdin":
            self.stdin = value.encode("ascii").decode("unicode_escape")
        else:
            self.stderr = value


def quiet(command, what):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(what + " failed:\n" + done.stdout)
    return done.stdout


def digest(paths, *more):
    d = hashlib.sha256("\0".join(more).encode())
    for path in sorted(paths):
        d.update(path[len(SOURCES):].encode())
        with open(path, "rb") as f:
            d.update(f.read())
    return d.hexdigest()[:16]


def compile_all(tests, resources, javac_args, version):
    """One javac run for all programs, into a directory named after its inputs, so that overlapping runs do not disturb
    each other. build/tests/classes links to the newest."""
    directory = os.path.join(BUILD, "compiled", digest([t.path for t in tests] + resources, version, *javac_args))
    with open(os.path.join(BUILD, "e2e.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(directory):
            print("compiling %d programs" % len(tests), file=sys.stderr)
            for old in glob.glob(os.path.join(BUILD, "compiled", "*")):
                if time.time() - os.path.getmtime(old) > 3600:
                    shutil.rmtree(old, ignore_errors=True)
            part = directory + ".part"
            shutil.rmtree(part, ignore_errors=True)
            os.makedirs(part)
            for path in resources:
                to = os.path.join(part, os.path.relpath(path, os.path.join(SOURCES, "res")))
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(path, to)
            quiet(["javac", "-nowarn", "-Xlint:none", "-XDignore.symbol.file", "-parameters",
                   "-encoding", "UTF-8", "-d", part] + javac_args + [t.path for t in tests], "javac")
            os.rename(part, directory)
        if os.path.isdir(CLASSES) and not os.path.islink(CLASSES):
            shutil.rmtree(CLASSES)
        if os.path.lexists(CLASSES):
            os.remove(CLASSES)
        os.symlink(os.path.relpath(directory, BUILD), CLASSES)
    return directory


def environment(test):
    env = {k: v for k, v in os.environ.items()
           if k in ("PATH", "HOME", "JAVA_HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                    "CABERNET_HOME")}
    env.update(LC_ALL="C.UTF-8", TZ="UTC", CABERNET_TEST="1")
    env.update(test.env)
    return env


def execute(command, classes, test, where, limit):
    """Runs one program; kills the whole process group after the time limit."""
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    rarer = [COLLECTIONS.sub(lambda m: m[1] + str(int(m[2]) * test.collections), word) for word in command]
    line = rarer + test.vm + ["-cp", classes, test.main] + test.args
    process = subprocess.Popen(line, cwd=where, env=environment(test), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    began, late = time.time(), False
    try:
        out, err = process.communicate(test.stdin.encode("utf-8"), timeout=limit)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    shutil.rmtree(where, ignore_errors=True)
    return {"out": out.decode("utf-8", "backslashreplace"),
            "err": err.decode("utf-8", "backslashreplace"),
            "exit": process.returncode, "late": late, "seconds": time.time() - began}


def expected(test, classes, where, version, resources, use_cache, limit):
    key = digest(resources + test.uses, test.text, version)
    path = os.path.join(BUILD, "expected", test.main + "." + key + ".json")
    if use_cache and os.path.exists(path):
        with open(path) as f:
            return json.load(f)
    result = execute(["java"], classes, test, where, limit)
    if result["late"] or result["exit"] != test.exit:
        result["broken"] = True
        return result
    for old in glob.glob(os.path.join(BUILD, "expected", glob.escape(test.main) + ".*.json")):
        try:
            os.remove(old)
        except FileNotFoundError:
            pass
    temporary = "%s.%d.tmp" % (path, os.getpid())
    with open(temporary, "w") as f:
        json.dump(result, f)
    os.replace(temporary, path)
    return result


def visible(text):
    return ["".join(c if c.isprintable() or c == "\t" else "\\x%02x" % ord(c) for c in line)
            for line in text.split("\n")]


def difference(what, want, got):
    lines = list(difflib.unified_diff(visible(want), visible(got), "java " + what,
                                      "tested " + what, lineterm="", n=2))
    if len(lines) > 30:
        lines = lines[:30] + ["... (%d more lines)" % (len(lines) - 30)]
    return lines


def judge(test, want, got):
    """The list of complaints; empty if the program passed."""
    if want.get("broken"):
        return ["java itself did not run this as declared: exit %s, expected %d%s" % (
            want["exit"], test.exit, ", out of time" if want["late"] else "")] + \
            want["err"].split("\n")[:15]
    complaints = []
    if got["late"]:
        complaints.append("out of time after %.0f s" % got["seconds"])
    elif got["exit"] != want["exit"]:
        what = "signal %d" % -got["exit"] if got["exit"] < 0 else "exit %d" % got["exit"]
        complaints.append("%s, expected exit %d" % (what, want["exit"]))
    if got["err"] != want["err"] and (test.stderr != "ignore" or complaints):
        complaints += difference("stderr", want["err"], got["err"])
    if got["out"] != want["out"]:
        complaints += difference("stdout", want["out"], got["out"])
    return complaints


def selected(tests, filters):
    def matches(test):
        return any(f in test.name or fnmatch.fnmatch(test.name, f) for f in filters)
    return [t for t in tests if not filters or matches(t)]


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--exec", default=os.path.join(BUILD_ROOT, "cabernet"), help="the VM under test (a command line)")
    p.add_argument("--vm-args", default="", help="options put before every program's own")
    p.add_argument("--replay", metavar="OPTIONS", help="each program twice: with --vm-args, its plans recorded, and with OPTIONS by these plans")
    p.add_argument("--javac-args", default="",
                   help="for instance -XDstringConcat=inline: concatenation without invokedynamic")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    p.add_argument("--timeout", type=float, default=60, help="seconds per program")
    p.add_argument("--no-cache", action="store_true", help="run java again for every program")
    p.add_argument("--failed", action="store_true", help="only what failed the last time")
    p.add_argument("--list", action="store_true", help="print the names and stop")
    p.add_argument("--times", action="store_true", help="print seconds per program at the end")
    p.add_argument("--in-turn", action="store_true", help="a sixth of them (tests/harness.py: TURN)")
    p.add_argument("--share", metavar="K/N", default="0/1", help="every N-th of them, from number K")
    p.add_argument("filters", nargs="*", help="part of area/Name, or a pattern with * in it")
    return p.parse_args()


def command_of(text):
    words = shlex.split(text)
    if os.sep in words[0]:
        words[0] = os.path.abspath(words[0])
    if not shutil.which(words[0]):
        fail("no such command: " + words[0] + " (build it with make, or name one with --exec)")
    return words


def main():
    options = parse_arguments()
    everything = [Test(p) for p in sorted(glob.glob(os.path.join(SOURCES, "*", "*.java")))]
    tests = selected(everything, options.filters)
    if options.in_turn:
        tests = [t for n, t in enumerate(tests) if has_turn(n, TURNS)]
    first, step = (int(n) for n in options.share.split("/"))
    tests = tests[first::step]
    last_failed = os.path.join(BUILD, "failed.txt")
    if options.failed:
        names = open(last_failed).read().split() if os.path.exists(last_failed) else []
        tests = [t for t in tests if t.name in names]
    if options.list:
        print("\n".join(t.name for t in tests))
        return 0
    for tool in ("java", "javac"):
        if not shutil.which(tool):
            fail(tool + " is not on the PATH; install the package openjdk-17-jdk-headless")
    command = command_of(options.exec) + shlex.split(options.vm_args)
    for directory in (BUILD, os.path.join(BUILD, "expected")):
        os.makedirs(directory, exist_ok=True)
    replaying = command_of(options.exec) + shlex.split(options.replay or "")
    version = quiet(["java", "-version"], "java -version")
    resources = [f for f in glob.glob(os.path.join(SOURCES, "res", "**"), recursive=True) if os.path.isfile(f)]
    paths = {t.main: t.path for t in everything}
    for t in everything:  # because programs may use each other's classes
        t.uses = [paths[w] for w in set(re.findall(r"\w+", t.text)) & paths.keys() if w != t.main]
    classes = compile_all(everything, resources, shlex.split(options.javac_args), version)
    scratch = os.path.join(BUILD, "tmp", str(os.getpid()))

    failed, times, lock = [], [], threading.Lock()
    terminal = sys.stderr.isatty()

    def one(test):
        limit = (test.timeout or options.timeout) * SLOWER
        where = os.path.join(scratch, test.main)
        want = expected(test, classes, where, version, resources, not options.no_cache, limit)
        got = None
        plans = os.path.join(scratch, test.main + ".plans") if options.replay is not None and "-Xint" not in test.vm else None
        if not want.get("broken"):
            got = execute(command + (["-Xreplay:record=" + plans] if plans else []), classes, test, where, limit)
        complaints = judge(test, want, got)
        if got and plans and not complaints:
            got = execute(replaying + ["-Xreplay:" + plans], classes, test, where, limit)
            complaints = ["by the plans on record:"] + judge(test, want, got)
            complaints = complaints if len(complaints) > 1 else []
        with lock:
            times.append((got["seconds"] if got else 0.0, test.name))
            if complaints:
                failed.append(test.name)
                print(("\r\033[K" if terminal else "") + "FAIL " + test.name, file=sys.stderr)
                for complaint in complaints:
                    print("    " + complaint, file=sys.stderr)
            if terminal:
                print("\r\033[K%d/%d %s" % (len(times), len(tests), test.name), end="",
                      file=sys.stderr, flush=True)
            elif len(times) % 25 == 0:
                print("%d/%d" % (len(times), len(tests)), file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(one, t) for t in tests]:
            future.result()
    shutil.rmtree(scratch, ignore_errors=True)
    if terminal:
        print("\r\033[K", end="", file=sys.stderr)
    if options.times:
        for seconds, name in sorted(times, reverse=True):
            print("%7.2f %s" % (seconds, name))
    with open(last_failed, "w") as f:
        f.write("\n".join(sorted(failed)) + "\n")
    print("%d passed, %d failed" % (len(tests) - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
