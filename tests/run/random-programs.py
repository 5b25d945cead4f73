#!/usr/bin/env python3
"""Random programs (tests/random) on java and on cabernet, in several modes: all must print the same.

  CABERNET_SEED=N      the first program's number (default 1); programs are numbered from there
  CABERNET_PROGRAMS=N  number of programs (default 50)
  CABERNET_JOBS=N      VMs at a time (default: processors)
  tests/run/random-programs.py [MODE...]   every program in these modes (see MODES); otherwise each runs interpreted,
                       with the default options, in template code and in one of those for the compiler, in turn

A program that differs is kept in build/tests/random/failed, with both outputs; the message tells how to repeat it."""
import concurrent.futures, difflib, os, shutil, signal, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
WORK = os.path.join(BUILD, "tests", "random")
FAILED = os.path.join(WORK, "failed")
SUPPORT = [os.path.join(ROOT, "tests", "random", name) for name in ("Trail.java", "Shared.java")]
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tests", "random"), os.path.join(ROOT, "tests")]
import programs
from harness import NEVER, turn

OWN = ",".join("only=" + name for name in ("P*.*", "Trail.*", "Shared.*", "Color*.*", "Box.*", "Shape.*", "Oops.*"))
SAMPLED = ("-Xprofile:method-count,call-edge,field-access,branch:sampling=counter:interval=2:message=off:"
           "file=%s:dup=" % os.path.join(WORK, "sampled-%p.prof"))
MODES = {
    "int": ["-Xint"],
    "default": [],
    "comp": ["-Xjit:compile-all," + OWN],
    # Without counts.
    "tiers": ["-Xadaptive:off", "-Xjit:blocking,template=off,osr=8,optimize=40," + OWN],
    "stress": ["-Xjit:compile-all,deopt-stress," + OWN],
    # Template code alone; and together with optimised code that deoptimises wherever it can, so that control often
    # changes between the two.
    "template": ["-Xjit:template-threshold=1," + NEVER],
    "template-tiers": ["-Xjit:template-threshold=1,blocking,osr=200,optimize=200," + OWN],
    "template-stress": ["-Xjit:template-threshold=1,blocking,osr=200,optimize=200,deopt-stress," + OWN],
    "template-first": ["-Xcomp", "-Xjit:" + NEVER],
    # The optimising tier alone, with counted loops that poll every few iterations.
    "strips": ["-Xjit:compile-all,strip-length=5," + OWN],
    # A sample at every second check, so that control often changes between the code versions.
    "full": [SAMPLED + "full", "-Xjit:compile-all," + OWN],
    "partial": [SAMPLED + "partial", "-Xjit:compile-all," + OWN],
    "partial-stress": [SAMPLED + "partial", "-Xjit:compile-all,deopt-stress," + OWN],
    # Only on request, because they are slow: collections everywhere, and with the class library.
    "gc": ["-Xgcstress:20", "-Xjit:compile-all," + OWN],
    "polls": ["-Xjit:compile-all,poll-stress=31,strip-length=5," + OWN],
    "strip-stress": ["-Xjit:compile-all,deopt-stress,strip-length=3," + OWN],
    "adaptive-long": ["-Xadaptive", "-Xjit:blocking,osr=1500,optimize=1500," + OWN],
    "adaptive-polls": ["-Xadaptive", "-Xjit:blocking,osr=200,optimize=200,poll-stress=31," + OWN],
    "adaptive-stress": ["-Xadaptive", "-Xjit:blocking,osr=200,optimize=200,deopt-stress=7," + OWN],
    "all": ["-Xjit:compile-all"],
    "all-tiers": ["-Xjit:blocking,osr=50,optimize=60"],
    "all-stress": ["-Xjit:compile-all,deopt-stress"],
}
ALWAYS = ["int", "default", "template"]
IN_TURN = ["comp", "template-first", "template-tiers", "template-stress", "tiers", "stress", "strips", "full", "partial", "partial-stress"]
# Exceptions without a trace, which java throws after many exceptions, cannot be compared.
JAVA = ["java", "-XX:-OmitStackTraceInFastThrow", "-XX:TieredStopAtLevel=1"]
TOGETHER = 20      # programs per VM
AT_ONCE = 200      # programs per javac
LIMIT = 60         # seconds for a program, at most


def execute(command, classes, names):
    """The output of each program. A VM that ends early or hangs is restarted after the program it was running."""
    result, asked = {}, names
    while names:
        process = subprocess.Popen(command + ["-cp", classes, "Trail"] + names, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True, cwd=classes)
        try:
            out, _ = process.communicate(timeout=LIMIT + 6 * len(names))
            ending = "exit %d" % process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            ending = "out of time"
        parts = out.decode("utf-8", "backslashreplace").split("== ")
        for part in parts[1:]:
            name, _, text = part.partition("\n")
            result[name] = text
        if process.returncode == 0:
            break
        reached = max([n for n, name in enumerate(names) if name in result], default=0)
        result[names[reached]] = parts[0] + result.get(names[reached], "") + "VM: " + ending + "\n"
        names = names[reached + 1:]
    for name in asked:
        result.setdefault(name, "")
    return result


def execute_all(command, classes, names, pool, parts_of=slice(None)):
    parts = [names[i:i + TOGETHER] for i in range(0, len(names), TOGETHER)][parts_of]
    result = {}
    for part in pool.map(lambda part: execute(command, classes, part), parts):
        result.update(part)
    return result


def compile_programs(seed, count):
    directory = os.path.join(WORK, "%d-%d" % (seed, os.getpid()))
    classes = os.path.join(directory, "classes")
    os.makedirs(classes)
    for n in range(seed, seed + count):
        programs.write(n, directory)
    sources = SUPPORT + [os.path.join(directory, "P%d.java" % n) for n in range(seed, seed + count)]
    done = subprocess.run(["javac", "-nowarn", "-Xlint:none", "-proc:none", "-d", classes] + sources,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("javac refuses what tests/random made:\n" + done.stdout)
    return directory, classes


def report(name, mode, directory, want, got):
    os.makedirs(FAILED, exist_ok=True)
    shutil.copy(os.path.join(directory, name + ".java"), FAILED)
    for what, text in (("java", want), (mode, got)):
        with open(os.path.join(FAILED, "%s.%s.txt" % (name, what)), "w", encoding="utf-8") as f:
            f.write(text)
    again = "CABERNET_SEED=%s CABERNET_PROGRAMS=1 tests/run/random-programs.py %s" % (name[1:], mode)
    print("FAIL %s %s; again: %s" % (name, mode, again))
    lines = difflib.unified_diff(want.split("\n"), got.split("\n"), "java", mode, lineterm="", n=1)
    print("\n".join("    " + line for line in list(lines)[:14]), flush=True)


def in_turn(count):
    """The programs for the modes that run in turns (tests/harness.py): (mode, slice), with TOGETHER programs per
    mode."""
    parts, modes = -(-count // TOGETHER), len(IN_TURN)
    return [(IN_TURN[((turn() or 0) * parts + n) % modes], slice(n, None, modes)) for n in range(min(parts, modes))]


def batch(seed, count, modes, pool):
    """Returns the number of programs that differed somewhere."""
    directory, classes = compile_programs(seed, count)
    names = ["P%d" % n for n in range(seed, seed + count)]
    want = execute_all(JAVA, classes, names, pool)
    bad = set()
    plan = [(mode, slice(None)) for mode in modes or ALWAYS]
    if not modes:
        plan += in_turn(count)
    for mode, parts in plan:
        began = time.time()
        got = execute_all([os.path.join(BUILD, "cabernet")] + MODES[mode], classes, names, pool, parts)
        for name in got:
            if got[name] != want.get(name):
                bad.add(name)
                report(name, mode, directory, want.get(name, ""), got[name])
        print("%d programs from %d, %s: %.1f s" % (len(got), seed, mode, time.time() - began), flush=True)
    shutil.rmtree(directory, ignore_errors=True)
    return len(bad)


def main():
    seed = int(os.environ.get("CABERNET_SEED") or 1)
    count = int(os.environ.get("CABERNET_PROGRAMS") or 50)
    jobs = int(os.environ.get("CABERNET_JOBS") or os.cpu_count() or 2)
    modes = sys.argv[1:]
    for mode in modes:
        if mode not in MODES:
            sys.exit("no mode %s; there are: %s" % (mode, " ".join(MODES)))
    bad = 0
    print("CABERNET_SEED=%d CABERNET_PROGRAMS=%d" % (seed, count), flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for first in range(seed, seed + count, AT_ONCE):
            bad += batch(first, min(AT_ONCE, seed + count - first), modes, pool)
    print("%d passed, %d failed" % (count - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
