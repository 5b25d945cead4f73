#!/usr/bin/env python3
"""Exact profiles against programs that count themselves.

The programs of tests/oracle/programs are rewritten with ASM, so that they count their method entries and call edges, or
their field accesses, branch edges and monitor entries, and run on java. The VM under test runs the original class files
with exact profiles, and the results must agree on every count. A program marked "oracle: self" prints lines "count
<method> <number>" instead, and the profile of the same run must agree with them. One marked "oracle: calls" waits in
loops of unpredictable length, so only its calls are compared. Interprocedural paths are compared with those of a
program that traces its execution, for a third of the programs in each turn. Programs marked "oracle: called back" are
exempt, because the library calls their methods by names that they call too, which makes the caller ambiguous.

--self-check needs no VM: it compares the two methods by which rewritten classes find their callers
(tests/oracle/tool/oracle/Count.java), and their output with that of the original classes. Without filters it runs
first, once for each build of the oracle.
"""
import argparse, fcntl, fnmatch, glob, os, re, shlex, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ORACLE = os.path.join(ROOT, "tests", "oracle")
BUILD_ROOT = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
BUILD = os.path.join(BUILD_ROOT, "tests", "oracle")
CLASSES, REWRITTEN, PLACES, STEPS, TOOL = (os.path.join(BUILD, d) for d in ("classes", "rewritten", "places", "steps", "tool"))
ASM = "/usr/share/java/asm.jar"
# Compiles the program's methods at their first call; with the library it would take minutes.
COMPILED = ["-Xjit:compile-all," + ",".join("exclude=%s/*" % p for p in ("java", "javax", "jdk", "sun", "com"))]
CALL_ANALYSES, PLACE_ANALYSES = "method-count,call-edge", "field-access,branch,locks"
PATH_ANALYSIS = "interprocedural-path"
INTERNALS = "java.base/jdk.internal.access=ALL-UNNAMED"

sys.path.insert(0, ORACLE)
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
import compare, paths  # noqa: E402
from harness import has_turn, say_turn  # noqa: E402


def fail(message):
    sys.exit("tests/run/oracle.py: " + message)


def must(command, what):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(what + " failed:\n" + done.stdout)


def newest(files):
    return max(os.path.getmtime(f) for f in files)


class Program:
    def __init__(self, path, number):
        self.number = number
        self.path, self.name = path, os.path.basename(path)[:-len(".java")]
        with open(path) as f:
            text = f.read()
        head = re.match(r"(//.*\n)*", text).group(0)
        exit_code = re.search(r"// exit: (\d+)", head)
        self.exit = int(exit_code.group(1)) if exit_code else 0
        self.counts_itself = "// oracle: self" in head
        self.called_back = "// oracle: called back" in head
        self.places_vary = "// oracle: calls" in head


def build(programs):
    """Compiles the tool and the programs and rewrites the programs, if a source is newer than the result."""
    if not os.path.exists(ASM):
        fail(ASM + " is missing; install the package libasm-java")
    tool = glob.glob(ORACLE + "/tool/*.java") + glob.glob(ORACLE + "/tool/oracle/*.java")
    sources = [p.path for p in programs]
    stamp = os.path.join(BUILD, "stamp")
    key = "\n".join(sorted(tool + sources))
    if os.path.exists(stamp) and newest(tool + sources) < os.path.getmtime(stamp) and open(stamp).read() == key:
        return
    print("compiling and rewriting %d programs" % len(programs), file=sys.stderr)
    shutil.rmtree(BUILD, ignore_errors=True)
    for directory in (CLASSES, REWRITTEN, PLACES, STEPS, TOOL):
        os.makedirs(directory)
    must(["javac", "-nowarn", "-Xlint:none", "-XDignore.symbol.file", "--add-exports", INTERNALS,
          "-cp", ASM, "-d", TOOL] + tool, "compiling the rewriter")
    must(["javac", "-nowarn", "-Xlint:none", "-d", CLASSES] + sources, "compiling the programs")
    must(["java", "-cp", TOOL + ":" + ASM, "Rewrite", CLASSES, REWRITTEN], "rewriting")
    must(["java", "-cp", TOOL + ":" + ASM, "RewritePlaces", CLASSES, PLACES], "rewriting branches and fields")
    must(["java", "-cp", TOOL + ":" + ASM, "RewriteSteps", CLASSES, STEPS], "rewriting ways")
    with open(stamp, "w") as f:
        f.write(key)


def run(command, limit):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, timeout=limit, cwd=BUILD)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", "out of time after %g s" % limit


def rewritten(program, mode, limit):
    """(complaints, standard output, lines of counts) of the self-counting program on java."""
    out = os.path.join(BUILD, "%s.%s.lines" % (program.name, mode))
    code, text, err = run(["java", "--add-exports", INTERNALS, "-Doracle.out=" + out, "-Doracle.mode=" + mode,
                           "-cp", REWRITTEN + ":" + TOOL, program.name], limit)
    if code != program.exit:
        return ["rewritten program: exit %s, expected %d\n%s" % (code, program.exit, err)], "", []
    with open(out) as f:
        return [], text, f.read().splitlines()


def counted_places(program, limit, classes=PLACES):
    """The same for the program that counts field accesses and branches, or (STEPS) traces its execution; it has no
    stack maps."""
    out = os.path.join(BUILD, "%s.%s.lines" % (program.name, os.path.basename(classes)))
    code, text, err = run(["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
                           "--add-exports", INTERNALS, "-Doracle.out=" + out, "-cp", classes + ":" + TOOL, program.name], limit)
    if code != program.exit:
        return ["program that counts places: exit %s, expected %d\n%s" % (code, program.exit, err)], "", []
    with open(out) as f:
        return [], text, f.read().splitlines()


def self_check(program, options, classes):
    if program.counts_itself:
        return []
    code, plain, err = run(["java", "-cp", CLASSES, program.name], options.timeout)
    complaints, text, shadow = rewritten(program, "shadow", options.timeout)
    more, _, walked = rewritten(program, "walk", options.timeout)
    complaints += more
    more, counting, _ = counted_places(program, options.timeout)
    complaints += more
    if counting != plain:
        complaints.append("counting places changed the output:\n%s---\n%s" % (plain, counting))
    if code != program.exit:
        complaints.append("java: exit %s, expected %d\n%s" % (code, program.exit, err))
    if text != plain:
        complaints.append("rewriting changed the output:\n%s---\n%s" % (plain, text))
    return complaints or compare.compare(shadow, walked, classes)


def profile(program, analyses, options, more=()):
    """(complaints, standard output, lines) of the VM under test."""
    out = os.path.join(BUILD, program.name + ".prof")
    if os.path.exists(out):
        os.remove(out)
    flag = "-Xprofile:%s:file=" % analyses + out
    code, text, err = run(options.exec + options.vm_args + [*more, flag, "-cp", CLASSES, program.name], options.timeout)
    if code != program.exit:
        return ["exit %s, expected %d\n%s" % (code, program.exit, err)], text, []
    code, lines, err = run(options.prof + ["export", "--lines", out], options.timeout)
    if code != 0:
        return ["export of the profile failed: " + err], text, []
    return [], text, lines.splitlines()


def counted_by_itself(text, lines, classes):
    found = compare.Profile(lines, classes)
    found.check_sums("profile")
    complaints = list(found.complaints)
    wanted = [line.split()[1:] for line in text.splitlines() if line.startswith("count ")]
    if not wanted:
        complaints.append("the program printed no counts")
    for method, count in wanted:
        if found.methods.get(method, 0) != int(count):
            complaints.append("method %s: the program counted %s, the profile says %d" % (
                method, count, found.methods.get(method, 0)))
    return complaints


def check(program, options, classes):
    complaints, text, lines = profile(program, CALL_ANALYSES, options)
    if complaints:
        return complaints
    if program.counts_itself:
        return counted_by_itself(text, lines, classes)
    complaints, expected, counted = rewritten(program, options.mode, options.timeout)
    if not complaints and text != expected:
        complaints = ["output differs:\n%s---\n%s" % (expected, text)]
    return complaints or compare.compare(counted, lines, classes) or check_places(program, options, classes)


def check_places(program, options, classes):
    if program.places_vary:
        return []
    complaints, _, counted = counted_places(program, options.timeout)
    for how in [[]] if options.vm_args else [[], COMPILED]:
        more, _, lines = profile(program, PLACE_ANALYSES, options, how)
        complaints += more or compare.compare(counted, lines, classes)
    return complaints + check_paths(program, options, classes)


def check_paths(program, options, classes):
    if program.called_back or not has_turn(program.number):
        return []
    complaints, _, told = counted_places(program, options.timeout, STEPS)
    for how in [[]] if options.vm_args else [[], COMPILED]:
        more, _, lines = profile(program, PATH_ANALYSIS + ":scope=" + program.name + "*", options, how)
        complaints += more or paths.differences(told, lines, classes)
    return complaints


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--exec", default=os.path.join(BUILD_ROOT, "cabernet"), help="the VM under test (a command line)")
    p.add_argument("--prof", default=os.path.join(BUILD_ROOT, "cabernet-prof"), help="its profile reader")
    p.add_argument("--vm-args", default="", help="more options for the VM")
    p.add_argument("--mode", default="collapse", choices=("shadow", "walk", "collapse"),
                   help="how callers are found; collapse leaves hidden frames out, as the VM's profile does")
    p.add_argument("--timeout", type=float, default=60, help="seconds per run")
    p.add_argument("--self-check", action="store_true", help="check the oracle itself on java")
    p.add_argument("filters", nargs="*", help="part of a program's name")
    options = p.parse_args()
    for name in ("exec", "prof"):
        words = shlex.split(getattr(options, name))
        if os.sep in words[0]:
            words[0] = os.path.abspath(words[0])
        if not options.self_check and not shutil.which(words[0]):
            fail("no such command: " + words[0] + " (build it with make)")
        setattr(options, name, words)
    options.vm_args = shlex.split(options.vm_args)

    everything = [Program(f, i) for i, f in enumerate(sorted(glob.glob(ORACLE + "/programs/*.java")))]
    programs = [q for q in everything
                if not options.filters or any(f in q.name or fnmatch.fnmatch(q.name, f) for f in options.filters)]
    if not options.filters:
        say_turn("programs for interprocedural paths")
    os.makedirs(os.path.dirname(BUILD), exist_ok=True)
    lock = open(BUILD + ".lock", "w")  # one run at a time, because runs share files
    fcntl.flock(lock, fcntl.LOCK_EX)
    build(everything)
    classes = compare.application_classes(CLASSES)
    work = [(q, self_check if options.self_check else check) for q in programs]
    checked = os.path.join(BUILD, "self-checked")
    if not options.filters and not options.self_check and not os.path.exists(checked):
        work = [(q, self_check) for q in programs] + work
    failed = failed_self_checks = 0
    for program, step in work:
        complaints = step(program, options, classes)
        if complaints:
            failed += 1
            failed_self_checks += step is self_check
            print("FAIL oracle/%s%s" % (program.name, " (self-check)" if step is self_check else ""),
                  file=sys.stderr)
            for complaint in complaints[:25]:
                print("    " + complaint.replace("\n", "\n    "), file=sys.stderr)
            if len(complaints) > 25:
                print("    ... (%d more)" % (len(complaints) - 25), file=sys.stderr)
    if not options.filters and not failed_self_checks:
        open(checked, "w").close()
    print("%d passed, %d failed" % (len(work) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
