#!/usr/bin/env python3
"""cabernet-bench pair and stats: the statistics on synthetic data with known ratios, interleaved processes that behave
or misbehave, and a kernel on cabernet. Nothing here measures the machine's speed."""
import math, os, random, re, signal, subprocess, sys, tempfile, textwrap, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
BENCH = os.path.join(BUILD, "cabernet-bench")
WORK = tempfile.TemporaryDirectory()
COLUMNS = ("program,layout,first,iterations,a_cpu_ns,a_wall_ns,a_preempted,a_peak_kib,"
           "b_cpu_ns,b_wall_ns,b_preempted,b_peak_kib")

# A process that is run in turns: toy.py MS KIND LOG. An iteration takes MS milliseconds of processor time.
TOY = """
    import os, sys, time
    ms, kind, log = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    out = open(log, "a")
    out.write("pid %d\\n" % os.getpid()); out.flush()
    for turn, line in enumerate(sys.stdin):
        if turn == 2 and kind.startswith("exit"):
            sys.stderr.write("the toy is broken\\n"); sys.stderr.flush(); os._exit(int(kind[4:]))
        if turn == 2 and kind == "abort":
            os.abort()
        while turn == 2 and kind == "hang":
            time.sleep(1)
        end = time.process_time() + int(line) * ms / 1000
        while time.process_time() < end:
            if kind == "ticks":
                out.write("%d\\n" % time.monotonic_ns())
        out.flush()
        sys.stdout.write("noise\\nturn %s\\n" % (kind if kind == "other" else "same")); sys.stdout.flush()
"""


def path(name):
    return os.path.join(WORK.name, name)


def command(ms, kind="good", log="log"):
    return "%s %s %s %s %s" % (sys.executable, path("toy.py"), ms, kind, path(log))


def arguments(a, b, *more):
    return [BENCH, "pair", "--a", a, "--b", b, "--program", "toy=Toy", "--out", path("pairs.csv"), *more]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, cwd=WORK.name)
    return done.returncode, done.stdout, done.stderr


def ratios(text):
    """{name: (processor time, low, high, wall time)} from the table's lines."""
    found = {}
    for line in text.split("\n"):
        words = line.replace("geometric mean", "geometric-mean").replace("[", " ").replace("]", " ").replace(",", " ").split()
        at = 3 if len(words) > 8 and words[0] != "geometric-mean" else 1
        try:
            found[words[0]] = tuple(float(words[at + i]) for i in range(4))
        except (IndexError, ValueError):
            pass
    return found


def write_pairs(rows, name="made.csv"):
    with open(path(name), "w") as out:
        out.write("# cabernet-bench: 1\n# mode: steady\n# a: one\n# b: two\n%s\n" % COLUMNS)
        for row in rows:
            out.write(row + "\n")


def made_up(rng, name, ratio, layouts=8, pairs=30, layout_sd=0.002, wall=2.0):
    """Pairs around the ratio; every eighth pair has one side disturbed, up to threefold."""
    for layout in range(layouts):
        effect = rng.gauss(0, layout_sd)
        for pair in range(pairs):
            a = 2e7 * math.exp(rng.gauss(0, 0.02))
            b = a * ratio * math.exp(effect + rng.gauss(0, 0.02))
            wall_a, wall_b = a, a * wall
            if pair % 8 == 0:
                a, b = (a * rng.uniform(1, 3), b) if rng.random() < 0.5 else (a, b * rng.uniform(1, 3))
            yield "%s,%d,%s,4,%d,%d,0,1024,%d,%d,1,2048" % (name, layout, rng.choice("ab"), a, wall_a, b, wall_b)


def statistics(check):
    rng = random.Random(7)
    write_pairs([*made_up(rng, "slower", 1.05), *made_up(rng, "faster", 0.8), *made_up(rng, "layouts", 1, layout_sd=0.03)])
    rc, out, err = run([BENCH, "stats", path("made.csv")])
    r = ratios(out)
    check("a known ratio is found", rc == 0 and abs(r["slower"][0] - 1.05) < 0.008 and abs(r["faster"][0] - 0.8) < 0.008, out + err)
    check("its interval has it and is narrow", all(r[n][1] < v < r[n][2] and r[n][2] - r[n][1] < 0.02 for n, v in (("slower", 1.05), ("faster", 0.8))), out)
    check("layouts that differ make it wide", r["layouts"][2] - r["layouts"][1] > 0.02, out)
    check("wall time has a ratio of its own", abs(r["slower"][3] - 2) < 0.001, out)
    mean = (r["slower"][0] * r["faster"][0] * r["layouts"][0]) ** (1 / 3)
    check("geometric mean", abs(r["geometric-mean"][0] - mean) < 0.0002 and r["geometric-mean"][1] < mean < r["geometric-mean"][2], out)
    check("the same data give the same figures", run([BENCH, "stats", path("made.csv")])[1] == out)


def coverage(check):
    rng = random.Random(11)
    for layouts, layout_sd in ((4, 0.01), (10, 0.01), (10, 0.0005)):
        write_pairs([row for i in range(30) for row in made_up(rng, "p%d" % i, 1, layouts, 20, layout_sd)])
        r = ratios(run([BENCH, "stats", path("made.csv")])[1])
        inside = sum(r["p%d" % i][1] <= 1 <= r["p%d" % i][2] for i in range(30))
        check("intervals of %d layouts (%g) have the truth in them: %d of 30" % (layouts, layout_sd, inside), inside >= 26)


def files(check):
    rows = list(made_up(random.Random(3), "p", 1, layouts=1))
    write_pairs(rows)
    rc, out, err = run([BENCH, "stats", path("made.csv")])
    check("one layout has no interval", rc == 0 and "p " in out and "[" not in out, out + err)
    for what, row in (("a missing column", rows[0].rsplit(",", 1)[0]), ("no time", "p,0,a,4,0,1,0,0,1,1,0,0"), ("text", "p,0,a,4,x,1,0,0,1,1,0,0")):
        write_pairs([rows[0], row, rows[1]])
        rc, out, err = run([BENCH, "stats", path("made.csv")])
        check("a broken file is refused: " + what, rc == 2 and "line 7" in err, out + err)


def turns(check):
    rc, out, err = run(arguments(command(8), command(10), "--layouts", "2", "--pairs", "8", "--warmup", "0"))
    r = ratios(out)
    check("two processes that take turns", rc == 0 and abs(r["toy"][0] - 1.25) < 0.1, out + err)
    check("the raw data give the same figures", run([BENCH, "stats", path("pairs.csv")])[1] + "\nraw data: %s\n" % path("pairs.csv") == out, out)
    with open(path("pairs.csv")) as data:
        rows = [line.split(",") for line in data if line.startswith("toy,")]
    check("every pair is kept", len(rows) == 16 and {row[1] for row in rows} == {"0", "1"}, str(rows[:2]))
    check("blocks of four turns: A B B A or B A A B", all(rows[i][2] != rows[i + 1][2] for i in range(0, 16, 2)), str(rows))
    rc, out, err = run(arguments(command(150, "ticks", "ticks.a"), command(150, "ticks", "ticks.b"), "--layouts", "1", "--pairs", "1", "--warmup", "0"))
    ticks = sorted((int(line), side) for side in "ab" for line in open(path("ticks." + side)) if line[0] != "p")
    swaps = sum(x[1] != y[1] for x, y in zip(ticks, ticks[1:]))
    check("one side stands while the other runs, in slices", rc == 0 and len(ticks) > 1000 and 4 <= swaps < 300, "%d ticks, %d swaps %s" % (len(ticks), swaps, err))
    out = run(arguments("sh -c 'echo {layout}; :'", "sh -c 'echo {layout}; :'", "--from-start", "--layouts", "1"))
    check("each process has a layout of its own", out[0] == 1 and "printed something else" in out[2], out[2])
    for a, b in (("{side}", "a"), ("b", "{side}")):
        rc, out, err = run(arguments("sh -c 'echo %s; :'" % a, "sh -c 'echo %s; :'" % b, "--from-start", "--layouts", "1"))
        check("{side} is a or b", rc == 0, out + err)
    words = arguments(command(5), command(5), "--from-start", "--layouts", "3", "--iterations", "2")
    rc, out, err = run(words)
    check("from the start", rc == 0 and "from-start" in out and out.split("\ntoy ")[1].split("\n")[0].split()[-2:] == ["3", "3"], out + err)


def failures(check):
    good = command(5)
    for what, bad, expected in (("exit code 3", command(5, "exit3"), ["ended with exit code 3", "the toy is broken"]),
                                ("exit code 0", command(5, "exit0"), ["in the middle of a turn"]),
                                ("a signal", command(5, "abort"), ["ended by signal 6"]),
                                ("no such program", "no-such-vm", ["exit code 127", "No such file"]),
                                ("hangs", command(5, "hang"), ["did not answer within 1 s"]),
                                ("other output", command(5, "other"), ["printed something else"])):
        for a, b in ((good, bad), (bad, good)):
            rc, out, err = run(arguments(a, b, "--timeout", "1", "--layouts", "1", "--pairs", "6", "--warmup", "0"))
            check("a side that fails: %s" % what, rc == 1 and all(e in err for e in expected), out + err)
            if what != "hangs":
                check("the side is named: %s" % what, "toy: %s:" % ("A" if a == bad and what != "other output" else "B") in err, err)


def running(pid):
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def pids(log):
    return [int(line[4:]) for line in open(path(log)) if line.startswith("pid ")] if os.path.exists(path(log)) else []


def interrupts(check):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)):
        log = "pids%d" % number
        runner = subprocess.Popen(arguments(command(5, log=log), command(5, log=log), "--pairs", "1000000"), cwd=WORK.name,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 20
        while len(pids(log)) < 2 and time.time() < deadline:
            time.sleep(0.02)
        runner.send_signal(number)
        rc = runner.wait(timeout=20)
        while any(map(running, pids(log))) and time.time() < deadline:
            time.sleep(0.02)
        check("signal %d ends both sides" % number, rc == code and len(pids(log)) == 2 and not any(map(running, pids(log))), str(rc))


def virtual_machine(check):
    for how in [], ["--replay"]:
        done = subprocess.run([os.path.join(ROOT, "benchmarks/harness/pair"), "--a", os.path.join(BUILD, "cabernet"), "--b",
                               os.path.join(BUILD, "cabernet") + " -Xjit:layout={layout}", "--programs", "fib", "--layouts", "1", "--pairs", "2",
                               "--warmup", "0", "--out", path("fib.csv"), *how], capture_output=True, text=True)
        line = done.stdout.split("\nfib ")[-1].split("\n")[0].split()
        check("a kernel takes turns on cabernet %s" % how, done.returncode == 0 and line[-2:] == ["2", "1"], done.stdout + done.stderr)
    check("its compilations are recorded", os.path.getsize(path("fib.csv.fib.replay")) > 0, "")


def own_driver(check):
    """A user's program needs no script: pair finds the driver from any directory, in the build and in an
    installation."""
    os.makedirs(path("mine"), exist_ok=True)
    with open(path("Mine.java"), "w") as f:
        f.write("public class Mine { public static void main(String[] a) { long n = 0; for (int i = 0; i < 100000; i++) n += i * n; System.out.println(n); } }")
    subprocess.run(["javac", "-d", path("mine"), path("Mine.java")], check=True)
    variables = ["DEBUG=1"] if BUILD.endswith("/debug") else ["SANITIZE=1"] if BUILD.endswith("/sanitize") else []
    done = subprocess.run(["make", "--no-print-directory", *variables, "install", "DESTDIR=" + path("root"), "PREFIX=/usr"], cwd=ROOT, capture_output=True, text=True)
    check("make install", done.returncode == 0, done.stdout + done.stderr)
    for what, where, vm in (("built", BENCH, os.path.join(BUILD, "cabernet")), ("installed", path("root/usr/bin/cabernet-bench"), path("root/usr/bin/cabernet"))):
        rc, out, err = run([where, "pair", "--a", "java", "--b", vm, "--program", "mine=-cp mine Mine", "--layouts", "1", "--pairs", "2", "--warmup", "0",
                            "--out", path("mine.csv")])
        check("pair --program needs no script: " + what, rc == 0 and "\nmine " in out, out + err)
        rc, out, err = run([where, "run", "--config", "one=" + vm, "--program", "mine=-cp mine Mine", "--iterations", "1", "--invocations", "1", "--quiet",
                            "--out", path("campaign." + what)])
        check("nor does run: " + what, rc == 0, out + err)
    if "cabernet-junit.jar" in os.listdir(os.path.join(BUILD, "lib")):
        check("the archive for JUnit is installed", os.path.exists(path("root/usr/lib/cabernet/cabernet-junit.jar")))


def same_against_itself(check):
    """CABERNET_SAME=SECONDS compares the VM with itself while another process loads the machine: the ratio is within
    0.5 % of 1, with an interval of at most 1 %. Five minutes are enough."""
    seconds = os.environ.get("CABERNET_SAME")
    if not seconds:
        return
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        vm = os.path.join(BUILD, "cabernet") + " -Xjit:layout={layout}"
        done = subprocess.run([os.path.join(ROOT, "benchmarks/harness/pair"), "--a", vm, "--b", vm, "--programs", "queens", "--replay", "--layouts", "12",
                               "--warmup", "1", "--time", seconds, "--out", path("same.csv")], capture_output=True, text=True)
    finally:
        load.kill()
    print(done.stdout)
    ratio, low, high = map(float, re.search(r"\nqueens +\S+ +\S+ +(\S+) +\[(\S+), (\S+)\]", done.stdout).groups())
    check("the VM against itself", abs(ratio - 1) <= 0.005 and high - low <= 0.01, done.stdout + done.stderr)


def main():
    passed, failed = 0, 0

    def check(name, ok, detail=""):
        nonlocal passed, failed
        if ok:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s\n%s" % (name, detail), flush=True)

    with open(path("toy.py"), "w") as toy:
        toy.write(textwrap.dedent(TOY))
    for part in (statistics, coverage, files, turns, failures, interrupts, virtual_machine, own_driver, same_against_itself):
        part(check)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
