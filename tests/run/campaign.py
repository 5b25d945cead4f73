#!/usr/bin/env python3
"""cabernet-bench run, report, compare, jobs, merge and warmup on a toy VM whose times are a function of its input.
Tables can be compared byte by byte, and nothing here measures the machine's speed. At the end two kernels run on
cabernet and java, of which only outputs and states are checked."""
import json, os, random, re, shlex, signal, socket, subprocess, sys, tempfile, textwrap, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
BENCH = os.path.join(BUILD, "cabernet-bench")
WORK = tempfile.TemporaryDirectory()

# toy FACTOR KIND [-Xmx...] -cp DRIVER Repeat observed NAME LAYOUT: an iteration takes 5 ms x FACTOR, 1.5 times that in
# the first four, with 1 % of noise. KIND selects the defect of the program "bad". -Xreplay:record=FILE writes a factor
# that depends on LAYOUT; -Xreplay:FILE multiplies the time by that factor.
TOY = r"""
    #include <math.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>

    static unsigned long long state;

    static double uniform(void)
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return ((state >> 33) + 0.5) / 2147483648.0;
    }

    static double plan(const char *path)
    {
        double factor = 0;
        FILE *in = fopen(path, "r");
        if (!in || fscanf(in, "%lf", &factor) != 1) exit(5);
        fclose(in);
        return factor;
    }

    int main(int argc, char **argv)
    {
        double factor = atof(argv[1]);
        const char *kind = argv[2];
        int at = 3, heap = 1 << 20, n;
        const char *record = NULL;
        for (; at < argc && strcmp(argv[at], "observed") != 0; at++)
            if (strncmp(argv[at], "-Xmx", 4) == 0)
                heap = atoi(argv[at] + 4);
            else if (strncmp(argv[at], "-Xreplay:record=", 16) == 0)
                record = argv[at] + 16;
            else if (strncmp(argv[at], "-Xreplay:", 9) == 0)
                factor *= plan(argv[at] + 9);
        if (at + 2 >= argc) {
            fprintf(stderr, "toy version 1\n");
            return 0;
        }
        const char *name = argv[at + 1];
        int bad = strcmp(name, "bad") == 0;
        if (record && !(bad && strcmp(kind, "silent") == 0)) {
            FILE *out = fopen(record, "w");
            if (!out || fprintf(out, "%g\n", 1 + 0.1 * atoi(argv[at + 2])) < 0 || fclose(out) != 0) return 4;
        }
        if (heap < (strcmp(kind, "good") == 0 ? 37 : 21))
            return fprintf(stderr, "java.lang.OutOfMemoryError\n"), 1;
        if (bad && strcmp(kind, "early") == 0)
            return 0;
        for (const char *p = name; *p; p++)
            state = state * 31 + *p;
        state = (state * 31 + atoi(argv[at + 2])) * 31 + (int)(factor * 1000);
        printf("turn ready\n");
        fflush(stdout);
        for (int turn = 0; scanf("%d", &n) == 1; turn++) {
            if (bad && turn == 2) {
                if (strcmp(kind, "abort") == 0) abort();
                if (strcmp(kind, "exit3") == 0) return 3;
                if (strcmp(kind, "hang") == 0) sleep(100);
            }
            if (strcmp(kind, "slow") == 0)
                usleep(50000);
            if (bad && strcmp(kind, "bytes") == 0)  // what a program prints past the driver: any bytes, no end of line
                fwrite("\0turn x\xff", 1, 9, stdout);
            if (bad && strcmp(kind, "forks") == 0 && fork() == 0)
                for (;;) {}
            double noise = sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform());
            double ns = n * 5e6 * factor * (turn < 4 ? 1.5 : 1) * (1 + 0.01 * noise);
            printf("\nturn %s cpu_ns=%.0f wall_ns=%.0f compile_ns=%d gc_ns=500000 peak_kib=4096\n",
                   bad && strcmp(kind, "wrong") == 0 ? "bad" : "good", ns, 2 * ns, turn < 4 ? 1000000 : 0);
            fflush(stdout);
        }
        return 0;
    }
"""


def path(*names):
    return os.path.join(WORK.name, *names)


def run(*words, rc=None, stdin=None, env=None):
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, cwd=WORK.name, input=stdin, env=env)
    if rc is not None and done.returncode != rc:
        raise AssertionError("exit code %d of %s\n%s%s" % (done.returncode, words, done.stdout, done.stderr))
    return done.stdout if rc is not None else (done.returncode, done.stdout, done.stderr)


def description(configurations, programs=("aa", "bb"), **more):
    d = {"configurations": {n: "%s %s" % (path("toy"), c) for n, c in configurations.items()},
         "programs": {p: "%s {layout}" % p for p in programs}, "invocations": 4, "iterations": 20, **more}
    name = path("d%d.json" % len(os.listdir(WORK.name)))
    with open(name, "w") as f:
        json.dump(d, f)
    return name


def table(text):
    return text.split("\nall data:")[0]


def cells(directory):
    with open(path(directory, "result.json")) as f:
        summary = json.load(f)["summary"]
    return {(c["program"], c["configuration"]): c for c in summary["cells"]}, {m["configuration"]: m for m in summary["means"]}


def series(rng, n, level, sd=0.02):
    """Times with disturbances that only ever add time."""
    return [level(i) * (1 + abs(rng.gauss(0, sd))) * (1 if rng.random() > 0.03 else rng.uniform(1.1, 2)) for i in range(n)]


def warmup(check):
    rng = random.Random(5)
    shapes = {"flat": lambda n: lambda i: 1, "warmup": lambda n: lambda i: 1.4 if i < n // 5 else 1,
              "slowdown": lambda n: lambda i: 0.8 if i < n // 3 else 1,
              "no steady": lambda n: lambda i: 1 + 0.5 * (i // (n // 10) % 2) if i > n * 3 // 5 else 1}
    for n in (60, 200, 600):
        for name, shape in shapes.items():
            found = [run(BENCH, "warmup", rc=0, stdin="\n".join(map(repr, series(rng, n, shape(n))))) for _ in range(20)]
            right = sum(f.startswith(name + ",") for f in found)
            check("%d iterations, %s: %d of 20" % (n, name, right), right >= 17, found[0])
    starts = [int(re.search(r"iteration (\d+)", run(BENCH, "warmup", rc=0, stdin="\n".join(map(repr, series(rng, 200, shapes["warmup"](200))))))[1])
              for _ in range(20)]
    check("the steady state begins where it does", sum(abs(s - 41) <= 8 for s in starts) >= 17, str(starts))
    check("few iterations are no series", run(BENCH, "warmup", rc=0, stdin="1 2 3\n").startswith("-, steady from iteration 2 of 3"))
    check("equal times are flat", run(BENCH, "warmup", rc=0, stdin="7\n" * 50).startswith("flat, steady from iteration 1 "))
    check("no numbers", run(BENCH, "warmup", stdin="1 x\n")[0] == 2)


def failures(check):
    kinds = {"abort": ("crashed", "signal 6"), "exit3": ("crashed", "exit code 3"), "early": ("crashed", "exit code 0"), "hang": ("hung", "within 1 s"),
             "wrong": ("wrong output", "checksum bad, not good")}
    for grain in "invocation", "iteration":
        d = description({"one": "1 good", "two": "1.1 good", **{k: "1.2 " + k for k in kinds}}, ["aa", "bad"], timeout=1, grain=grain)
        out = grain + ".out"
        rc, text, err = run(BENCH, "run", d, "--out", out, "--quiet")
        got, means = cells(out)
        check(grain + ": exit code 1 when something failed", rc == 1, text + err)
        for kind, (status, detail) in kinds.items():
            c = got["bad", kind]
            check("%s: %s" % (grain, kind), c["status"] == status and detail in c["detail"] and "cpu_ratio" not in c and c["failed"] == 3, str(c))
            line = [l for l in text.splitlines() if " %s " % kind in l and "in 3 of 3" in l]
            check("%s: %s stands in the table" % (grain, kind), len(line) == 1 and status in line[0], text)
            check("%s: %s is not averaged" % (grain, kind), means[kind]["programs"] == 1 and abs(means[kind]["cpu_ratio"]["value"] - 1.2) < 0.02, str(means[kind]))
        two = means["two"]["cpu_ratio"]
        check(grain + ": a known ratio", two["low"] < 1.1 < two["high"] and two["high"] - two["low"] < 0.05, str(two))
        c = got["aa", "one"]
        check(grain + ": warm-up is found", c["warmup"] == "warmup" and abs(c["cpu_ms"] - 5) < 0.1 and abs(c["wall_ms"] - 10) < 0.2, str(c))
        check(grain + ": compilation and collection", abs(c["compile_ms"] - 4) < 1e-6 and abs(c["gc_ms"] - 0.5) < 1e-6 and c["peak_mib"] == 4, str(c))
    d = description({"one": "1 early", "two": "1 good"}, ["bad"])
    run(BENCH, "run", d, "--out", "no-oracle", "--quiet")
    c = cells("no-oracle")[0]["bad", "two"]
    check("without an oracle nothing is called checked", c["status"] == "ok" and c["checked"] is False, str(c))
    d = description({"one": "1 good"}, ["aa"])
    with open(d) as f:
        changed = json.load(f)
    changed["programs"]["aa"] = {"run": "aa {layout}", "expected": "other", "stands_for": "nothing"}
    with open(d, "w") as f:
        json.dump(changed, f)
    run(BENCH, "run", d, "--out", "expected", "--quiet")
    check("an expected checksum holds for all", cells("expected")[0]["aa", "one"]["status"] == "wrong output")


def oddities(check):
    """Misbehaviour of programs and of the disk."""
    d = description({"one": "1 good", "two": "1.1 bytes", "three": "1.1 forks"}, ["bad"], grain="iteration")
    run(BENCH, "run", d, "--out", "odd", "--quiet", rc=0)
    got, means = cells("odd")
    for name, what in ("two", "bytes of any kind are output"), ("three", "children may run on"):
        check(what, got["bad", name]["status"] == "ok" and abs(got["bad", name]["cpu_ratio"]["value"] - 1.1) < 0.02, str(got["bad", name]))
    left = subprocess.run(["pgrep", "-f", path("toy") + " 1.1 forks"], capture_output=True, text=True).stdout
    check("no child is left behind", left == "", left)
    # A file size limit of 20 KiB: to the harness, a full disk.
    d = description({"one": "1 good", "two": "1.1 good"}, invocations=20)
    done = subprocess.run(["bash", "-c", "trap '' XFSZ; ulimit -f 20; exec \"$@\"", "-", BENCH, "run", d, "--out", "full", "--quiet"], cwd=WORK.name,
                          capture_output=True, text=True)
    check("a full disk is named", done.returncode == 2 and "cannot write records: File too large" in done.stderr, done.stdout + done.stderr)
    whole = run(BENCH, "run", d, "--out", "not-full", "--quiet", rc=0)
    check("and gone on with when it has room", table(run(BENCH, "run", d, "--out", "full", "--quiet", rc=0)) == table(whole))
    running = subprocess.Popen([BENCH, "run", description({"one": "1 slow"}, invocations=100), "--out", "full", "--quiet"], cwd=WORK.name, stderr=subprocess.PIPE, text=True)
    check("another description is refused", running.wait() == 2 and "another description" in running.stderr.read())
    d = description({"one": "1 slow"}, invocations=100)
    running = subprocess.Popen([BENCH, "run", d, "--out", "shared", "--quiet"], cwd=WORK.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(path("shared", "records.jsonl")) or not os.path.getsize(path("shared", "records.jsonl")):
        time.sleep(0.02)
    rc, out, err = run(BENCH, "run", d, "--out", "shared", "--quiet")
    check("two do not measure into one directory", rc == 2 and "another process measures into" in err, out + err)
    running.send_signal(signal.SIGINT)
    check("interrupted", running.wait() == 130)


def wrong_options(check):
    d = description({"one": "1 good"})
    for what, words, expected in (("an unknown option", ["--nothing"], "unrecognized option '--nothing'"), ("no directory", [], "--out DIR is needed"),
                                  ("a word too many", ["--out", "x", "word"], "not an option: word"), ("no time", ["--out", "x", "--within", "soon"], "not a time"),
                                  ("a name twice", ["--out", "x", "--configuration", "a=b", "--configuration", "a=c"], "named twice: a"),
                                  ("no command", ["--out", "x", "--configuration", "a="], "NAME=VALUE is needed"),
                                  ("no such processor", ["--out", "x", "--pin", "1000"], "no processor that may be used: 1000"),
                                  ("a directory that cannot be made", ["--out", "/proc/x"], "cannot make the directory /proc/x"),
                                  ("a file as directory", ["--out", path("toy.c")], "cannot write")):
        rc, out, err = run(BENCH, "run", d, *words)
        check("refused: " + what, rc == 2 and expected in err and err.count("\n") <= 2, out + err)
    for words, expected in (("run", "nothing.json", "--out", "x"), "cannot read nothing.json"), (("sun",), "there is no command sun"), \
                           (("pair", "--nothing"), "unrecognized option '--nothing'"), (("compare", "nothing", "nobody"), "cannot read nothing"):
        rc, out, err = run(BENCH, *words)
        check("refused: " + " ".join(words), rc == 2 and expected in err, out + err)
    rc, out, err = run(BENCH, "run", d, "--out", "changed", "--configuration", "one=%s 1.2 good" % path("toy"), "--quiet")
    check("an option changes the description", rc == 0, out + err)


def killed(check):
    """After random kills and resumes, the table is that of an uninterrupted run."""
    rng = random.Random(int(os.environ.get("CABERNET_SEED", "0") or 0) if os.environ.get("CABERNET_SEED", "0").isdigit() else None)
    for grain in "invocation", "iteration":
        d = description({"one": "1 good", "two": "1.1 good", "bad": "1 abort"}, ["aa", "bad"], grain=grain)
        whole = run(BENCH, "run", d, "--out", grain + "-whole", "--quiet", rc=1)
        out, kills = grain + "-killed", 0
        while True:
            process = subprocess.Popen([BENCH, "run", d, "--out", out, "--quiet"], cwd=WORK.name, stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE)
            try:
                # The kills come later and later, so that even a loaded machine reaches the end.
                text = process.communicate(timeout=rng.uniform(0.02, 0.1) + 0.05 * kills)[0]
                break
            except subprocess.TimeoutExpired:
                process.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
                process.communicate()
                kills += 1
            if rng.random() < 0.5 and os.path.exists(path(out, "records.jsonl")):
                with open(path(out, "records.jsonl"), "ab") as f:
                    f.write(b'{"kind":"job","pro')  # the fragment left by a write that was killed midway
        check("%s: %d kills, the same table" % (grain, kills), kills > 0 and table(text) == table(whole), table(text) + table(whole))
        rc, again, err = run(BENCH, "report", out)
        check("the table is made again", rc == 1 and again.rstrip() == table(whole).rstrip(), again + err)
    d = description({"one": "1 good", "two": "1.2 good"})
    rc, out, err = run(BENCH, "run", d, "--out", grain + "-killed")
    check("another campaign's results are not gone on with", rc == 2 and "another description" in err, err)


def within(check):
    d = description({"one": "1 slow", "two": "1.1 slow"})
    begin = time.monotonic()
    text = run(BENCH, "run", d, "--out", "within", "--within", "12s", "--invocations", "1000", "--quiet", rc=0)
    took = time.monotonic() - begin
    got = {c["invocations"] for c in cells("within")[0].values()}
    check("a budget ends after whole blocks", len(got) == 1 and 1 <= min(got) < 100 and took < 30, "%s %.1f" % (got, took))
    again = run(BENCH, "run", d, "--out", "within", "--within", "12s", "--invocations", "1000", "--quiet", rc=0)
    check("time that is spent is spent", table(again) == table(text), again)
    d = description({"one": "1 good", "two": "1 good"})
    done = subprocess.run([BENCH, "run", d, "--out", "progress"], cwd=WORK.name, capture_output=True, text=True)
    check("progress with the time left", re.search(r"^\[16/16, 0m\d\ds left\] ", done.stderr, re.M) is not None, done.stderr)


def heaps(check):
    d = description({"one": "1 good", "two": "1 small"}, ["aa"], heap=2)
    run(BENCH, "run", d, "--out", "heap", "--quiet", rc=0)
    got = cells("heap")[0]
    least = {k: c["least_heap_mib"] for (_, k), c in got.items()}
    check("the least heaps are found", 37 <= least["one"] <= 39 and 21 <= least["two"] <= 22, str(least))
    check("all have a multiple of the largest of them", {c["heap_mib"] for c in got.values()} == {2 * least["one"]}, str(got))


def reports(check):
    for name, factor in ("before", "1.1"), ("after", "1.21"), ("again", "1.1001"):
        d = description({"one": "1 good", "two": factor + " good", "bad": "1 wrong"}, ["aa", "bad"], title="A <title>", invocations=6)
        run(BENCH, "run", d, "--out", name, "--quiet", rc=1)
    text = open(path("before", "report.html")).read()
    check("the report is one file", not re.search(r"(src|href)=", text) and text.count("<svg") >= 5 and "A &lt;title&gt;" in text)
    data = json.loads(re.search(r'<script type="application/json" id="results">(.*?)</script>', text, re.S)[1])
    with open(path("before", "result.json")) as f:
        result = json.load(f)
    check("with all raw data", data["records"] == result["records"] and data["summary"] == result["summary"])
    machine = result["records"][0]["machine"]
    check("and the machine", machine["id"] == socket.gethostname() and machine["processors"] >= 1 and set(machine["versions"]) == {"one", "two", "bad"}, str(machine))
    check("a report of the JSON file is the same", run(BENCH, "report", "before/result.json", rc=1) == run(BENCH, "report", "before", rc=1))
    rc, text, err = run(BENCH, "compare", "before", "after/result.json", "--html", "compare.html")
    lines = {tuple(l.split()[:2]): l for l in text.splitlines()[1:]}
    check("a real difference", rc == 1 and "slower in B" in lines["aa", "two"] and abs(float(lines["aa", "two"].split()[2]) - 1.1) < 0.02, text + err)
    check("what is the same", "no difference" in lines["aa", "one"] and "failed in both" in lines["bad", "bad"], text)
    check("as HTML", "slower in B" in open(path("compare.html")).read())
    rc, text, err = run(BENCH, "compare", "before", "again")
    check("noise is no difference", rc == 0 and "slower" not in text and "faster" not in text, text + err)


def campaigns(check):
    """The job list gives the result of one machine, and machines are distinguished."""
    d = description({"one": "1 good", "two": "1.1 good"})
    whole = run(BENCH, "run", d, "--out", "direct", "--quiet", rc=0)
    run(BENCH, "jobs", d, "--form", "slurm", "--out", "farm's", rc=0)
    jobs = open(path("farm's", "jobs.txt")).read().splitlines()
    check("a job for each invocation", len(jobs) == 4, str(jobs))
    script = open(path("farm's", "jobs.sbatch")).read()
    check("an array job", "#SBATCH --array=0-3\n" in script, script)
    for i in range(4):
        if i % 2:
            run("bash", path("farm's", "jobs.sbatch"), rc=0, env={**os.environ, "SLURM_ARRAY_TASK_ID": str(i)})
        else:
            run("bash", "-c", jobs[i], rc=0)
    parts = ["farm's/part-%d" % i for i in (2, 0, 3, 1)]
    check("together they are the same", run(BENCH, "merge", "--out", "farm.json", *parts, parts[0], rc=0).rstrip() == table(whole).rstrip())
    for machine, factor in ("fast", 1.0), ("slow", 1.3), ("third", 1.02):
        with open(path("direct", "records.jsonl")) as f:
            records = [json.loads(line) for line in f]
        os.makedirs(path(machine), exist_ok=True)
        with open(path(machine, "records.jsonl"), "w") as f:
            for r in records:
                if r["kind"] == "job":
                    r["machine"] = machine
                    for one in r["runs"]:
                        if one["configuration"] == "two":
                            one["cpu_ns"] = [factor * ns for ns in one["cpu_ns"]]
                f.write(json.dumps(r) + "\n")
    text = run(BENCH, "merge", "--out", "three.json", "fast", "slow", "third", rc=0)
    ratios = {l.split()[-5 if "[" in l else -1]: l for l in text.split("Machines:")[1].splitlines()}
    found = {m: float(re.search(r"%s +(\d\.\d+)" % m, text.split("Machines:")[1])[1]) for m in ("fast", "slow", "third", "like these")}
    check("each machine's effect", abs(found["fast"] - 1.1) < 0.02 and abs(found["slow"] - 1.43) < 0.03, str(found) + str(ratios))
    interval = re.search(r"like these +\S+ \[(\S+), (\S+)\]", text)
    check("machines like these scatter", float(interval[1]) < 1.0 and float(interval[2]) > 1.4, text)
    run(BENCH, "run", description({"other": "1 good"}), "--out", "other", "--quiet", rc=0)
    rc, out, err = run(BENCH, "merge", "--out", "x.json", "fast", "other")
    check("what is not the same is not merged", rc == 2 and "other configurations" in err, err)


def plans(check):
    """Several plans form matched pairs: the ratio compares within a plan, whatever effect the plan has on both
    sides."""
    toy = {"one": "1 good -Xreplay:{plan}", "two": "1.1 good -Xreplay:{plan}", "free": "1.2 good"}
    record = {"record": "%s 1 good" % path("toy"), "count": 3}
    d = description(toy, plans=record, invocations=6)
    whole = run(BENCH, "run", d, "--out", "plans", "--quiet", rc=0)
    files = sorted(os.listdir(path("plans", "plans")))
    check("each program has its plans", files == ["%d-%s-%d" % (i + 1, n, k) for i, n in enumerate(("aa", "bb")) for k in (1, 2, 3)], str(files))
    with open(path("plans", "result.json")) as f:
        versions = json.load(f)["records"][0]["machine"]["versions"]
    check("versions do not need a plan", len(versions) == 3 and all(v and "toy version 1" in v for v in versions.values()), str(versions))
    got, means = cells("plans")
    two, free = got["aa", "two"], got["aa", "free"]
    check("the ratio with each plan", len(two["plan_ratios"]) == 3 and all(abs(r - 1.1) < 0.02 for r in two["plan_ratios"]), str(two))
    check("and to what has none", all(abs(r * f / 1.2 - 1) < 0.02 for r, f in zip(free["plan_ratios"], (1.1, 1.2, 1.3))), str(free))
    low, high = (two["cpu_ratio"][k] for k in ("low", "high"))
    check("paired by plan", low < 1.1 < high and high - low < 0.1, str(two))
    low, high = (free["cpu_ratio"][k] for k in ("low", "high"))
    check("plans are what the interval is over", low < 0.95 and high > 1.05 and "spread_between_plans" not in free, str(free))
    check("variation between plans and within", abs(two["spread_between_plans"] - 0.083) < 0.02 and two["spread_within_plans"] < 0.01, str(two))
    check("in the table", "\nPlans: " in whole and re.search(r"^  aa +two +8\.\d\d +0\.\d\d +1\.\d+ +1\.\d+ +1\.\d+$", whole, re.M) is not None, whole)
    check("and the report", "<h2>Plans</h2>" in open(path("plans", "report.html")).read())
    run(BENCH, "run", d, "--out", "plans-resumed", "--quiet", "--invocations-to", "2", rc=0)
    with open(path("plans-resumed", "plans", "1-aa-2")) as f:
        before = f.read()
    check("resumed", table(run(BENCH, "run", d, "--out", "plans-resumed", "--quiet", rc=0)) == table(whole))
    with open(path("plans-resumed", "plans", "1-aa-2")) as f:
        check("with the plans that were there", f.read() == before)
    os.unlink(path("plans-resumed", "plans", "1-aa-2"))
    rc, out, err = run(BENCH, "run", d, "--out", "plans-resumed", "--quiet")
    check("plans that are gone are not made anew", rc == 2 and "recorded is gone" in err and "1-aa-2" in err, err)

    wrong = description(toy, ["aa", "bad"], plans={**record, "record": "%s 1 silent" % path("toy")}, invocations=6)
    rc, text, err = run(BENCH, "run", wrong, "--out", "plans-wrong", "--quiet")
    got, means = cells("plans-wrong")
    check("without a plan it is not run, and shown", rc == 1 and all(got["bad", c]["status"] == "no plan" and got["bad", c]["detail"].endswith("has written no plans")
                                                                   for c in ("one", "two")) and got["bad", "free"]["status"] == "ok", text + err)
    check("nor averaged", means["two"]["programs"] == 1 and abs(means["two"]["cpu_ratio"]["value"] - 1.1) < 0.02, str(means))
    wrong = description(toy, ["bad"], plans={**record, "record": "%s 1 abort" % path("toy")}, invocations=1)
    run(BENCH, "run", wrong, "--out", "plans-crashed", "--quiet", rc=1)
    check("a crash says so", "signal 6" in cells("plans-crashed")[0]["bad", "one"]["detail"], str(cells("plans-crashed")))

    for name, factor in ("aa.x", 1.5), ("bb.x", 2), ("aa.y", 1.6), ("bb.y", 3):
        with open(path(name), "w") as f:
            f.write("%g\n" % factor)
    d = description(toy)
    words = ["--plan", "{program}.x", "--plan", "{program}.y"]
    run(BENCH, "run", d, *words, "--out", "plans-named", "--quiet", rc=0)
    ratios = cells("plans-named")[0]["bb", "free"]["plan_ratios"]
    check("files by the program's name", abs(ratios[0] - 0.6) < 0.02 and abs(ratios[1] - 0.4) < 0.02, str(ratios))
    faster = description({**toy, "two": "1.0 good -Xreplay:{plan}"})
    run(BENCH, "run", faster, *words, "--out", "plans-faster", "--quiet", rc=0)
    rc, text, err = run(BENCH, "compare", "plans-named", "plans-faster")
    check("compared plan by plan", rc == 1 and re.search(r"^aa +two +0\.9\d+ .*faster in B", text, re.M) is not None
          and re.search(r"^bb +free .*no difference", text, re.M) is not None, text + err)
    for what, more, expected in (("no file", ["--plan", "{program}.z"], "cannot read plans: aa.z"), ("nothing for {plan}", [], "the campaign has no plans"),
                                 ("no number", ["--record-plans", "x"], "N=COMMAND"), ("no plan", ["--record-plans", "0=x"], "0")):
        rc, out, err = run(BENCH, "run", d, *more, "--out", "plans-refused")
        check("refused: " + what, rc == 2 and expected in err, err)
    rc, out, err = run(BENCH, "run", description({"one": "1 good"}), "--plan", "aa.x", "--out", "plans-refused")
    check("refused: nobody uses it", rc == 2 and "no configuration has {plan}" in err, err)
    rc, out, err = run(BENCH, "jobs", d, "--record-plans", "2=x", "--form", "slurm", "--out", "plans-jobs")
    check("refused: jobs that record", rc == 2 and "need files of plans" in err, err)
    rc, out, err = run(BENCH, "merge", "--out", "x.json", "plans-named", "plans")
    check("refused: other plans together", rc == 2 and "other configurations" in err, err)


def descriptions(check):
    for what, d, expected in (("an unknown key", {"configuration": {}}, "no key configuration"), ("nothing to run", {}, "needs configurations"),
                              ("a number out of range", {"configurations": {"a": "x"}, "programs": {"p": "P"}, "iterations": 0}, "iterations"),
                              ("no such baseline", {"configurations": {"a": "x"}, "programs": {"p": "P"}, "baseline": "b"}, ": b"),
                              ("a wrong word", {"configurations": {"a": "x"}, "programs": {"p": "P"}, "grain": "hour"}, "grain"),
                              ("an open quote", {"configurations": {"a": "'x"}, "programs": {"p": "P"}}, "'x")):
        with open(path("wrong.json"), "w") as f:
            json.dump(d, f)
        rc, out, err = run(BENCH, "run", path("wrong.json"), "--out", "wrong")
        check("refused: " + what, rc == 2 and expected in err, err)
    with open(path("wrong.json"), "w") as f:
        f.write('{"configurations":\n [}')
    rc, out, err = run(BENCH, "run", path("wrong.json"), "--out", "wrong")
    check("refused: no JSON", rc == 2 and "line 2" in err, err)
    os.makedirs(path("broken"), exist_ok=True)
    with open(path("broken", "records.jsonl"), "w") as f:
        f.write("nonsense\n")
    check("refused: no records", run(BENCH, "report", "broken")[0] == 2 and run(BENCH, "report", "nowhere")[0] == 2)


def machines(check):
    classes = path("classes")
    driver = ["benchmarks/repeat/Repeat.java", "benchmarks/repeat/MeasuredProfile.java"]
    kernels = ["benchmarks/kernels/" + f for f in os.listdir(os.path.join(ROOT, "benchmarks/kernels")) if f.endswith(".java")]
    subprocess.run(["javac", "-nowarn", "-cp", os.path.join(BUILD, "lib/java"), "-d", classes, *driver, *kernels], cwd=ROOT, check=True)
    vm = os.path.join(BUILD, "cabernet")
    profile = path("counts.prof")
    words = ["--configuration", "java=java", "--configuration", "cabernet=" + vm,
             "--configuration", "profiled=%s -Xprofile:method-count:message=off:file=%s" % (vm, profile), "--callback", "profiled=MeasuredProfile"]
    rc, text, err = run(BENCH, "run", *words, "--program", "fib=-cp %s Kernels.once fib" % classes,
                        "--driver", classes, "--iterations", "3", "--measured-from", "1", "--invocations", "1", "--grain", "iteration", "--out", "real", "--quiet")
    got = cells("real")[0]
    check("a kernel on three VMs that take turns", all(got["fib", c]["status"] == "ok" and got["fib", c]["checked"] for c in ("java", "cabernet", "profiled")), text + err)
    run(BENCH, "run", *words[:4], "--process", "list=-cp %s Kernels list" % classes, "--process", "none=-cp %s Nothing" % classes, "--invocations", "1",
        "--out", "process", "--quiet", rc=1)
    whole = cells("process")[0]
    check("whole processes", all(whole["list", c]["status"] == "ok" and whole["list", c]["checked"] and whole["none", c]["status"] == "crashed"
                                 for c in ("java", "cabernet")), str(whole))
    lines = run(os.path.join(BUILD, "cabernet-prof"), "export", "--lines", profile, rc=0).splitlines()
    found = [l for l in lines if l.startswith("method Fib.run(")]
    check("the profile has the measured iterations alone", len(found) == 1 and found[0].split()[-1] == "2", str(found or [l for l in lines if "Fib" in l]))


def main():
    passed, failed = 0, 0

    def check(name, ok, detail=""):
        nonlocal passed, failed
        if ok:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s\n%s" % (name, detail), flush=True)

    with open(path("toy.c"), "w") as toy:
        toy.write(textwrap.dedent(TOY))
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O1", "-o", path("toy"), path("toy.c"), "-lm"], check=True)
    parts = (warmup, failures, oddities, wrong_options, killed, within, heaps, reports, campaigns, plans, descriptions, machines)
    for part in parts:
        if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
            part(check)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
