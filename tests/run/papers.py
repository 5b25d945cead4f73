#!/usr/bin/env python3
"""benchmarks/papers/bench and benchmarks/programs.ini without measuring. The parts' results are made up here; the
combined report must have every number in its place, list missing parts, and be a single HTML file. At the end some
programs run once on both VMs."""
import configparser, glob, json, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = tempfile.mkdtemp()
PAPERS = os.path.join(ROOT, "benchmarks", "papers", "bench")
CONFIGS = re.findall(r"^CONFIG\((\w+),", open(os.path.join(ROOT, "benchmarks/harness/arnold_ryder.def")).read(), re.M)

THREADS = """ns                                   uncontended                   contended
no profile          20.000 (+0.000, +0.0 %)   100.000 (+0.000, +0.0 %)
locks               24.250 (+4.250, +21.2 %)   130.000 (+30.000, +30.0 %)
s                                     chat
no profile             1.000 (+0.000, +0.0 %)
locks                 1.260 (+0.260, +26.0 %)
left out, for the time was up: forks with no profile, locks, threads
"""


def made_up():
    accuracy = {"call_edge": 90.5, "field_access": 80.25, "call_edge_ideal": 95.0, "field_access_ideal": 85.0, "samples": 1000, "checks": 1e6, "events": 1e6}
    ratios = {c: {"value": 1.05, "low": 1.04, "high": 1.06} for c in CONFIGS}
    ratios["EXACT_EDGE"] = {"value": 1.5, "low": None, "high": None}
    ratios["EXACT_FIELD"] = {"value": 1.61, "low": 1.59, "high": 1.63}
    ratios["NO_FIELD"] = {"value": None, "low": None, "high": None}
    cost = lambda code, compile_ms: {"code_bytes": code, "compile_ms": compile_ms, "methods": 10}
    cells = {c: {"failed": False, "accuracy": accuracy, "time_ratio": {"value": 1.2, "low": 1.1, "high": 1.3}, "plain_cost": cost(10240, 100),
                 "cost": cost(30720, 150)} for c in CONFIGS}
    failed = {"name": "broken", "failed": True, "configurations": {c: {"failed": True, "accuracy": None} for c in CONFIGS}}
    times = lambda t: {"time": t, "wall": t, "thread": t, "consumers": 1.0}
    return {
        "arnold-ryder/arnold-ryder.json": {"averages": ratios, "programs": [{"name": "constraints", "failed": False, "configurations": cells}, failed]},
        "cab/cab.json": {"queues": {"stores": {"cpu": 1.0, "wall": 1.0}, "ratio": 1.1},
                         "figure7": [{"program": "queens", "analysis": "path", "others": 1.0, "nway": times(5), "fastforward": times(30)}],
                         "figure8": [{"program": "queens", "analysis": "path", "rate": 9.0, "others": 1.0, "word": times(4), "sequential": times(90)}],
                         "model": {"rows": [{"program": "queens", "analysis": "path", **{k: {"forecast": 7.0, "measured": 8.0} for k in ("concurrent", "sequential")}}]},
                         "figure9": [{"program": "queens", "analysis": "call-edge", "counters": times(10), "sequential": times(100), "concurrent": times(40)}],
                         "figure11": [{"program": "queens", "analysis": "call-edge", "rate": 5, "exhaustive": times(40), **times(30),
                                       "errors": [{"least": 1, "rows": 90, "error": 120.0, "ideal": 118.0}, {"least": 100, "rows": 0, "error": None, "ideal": None}]}],
                         "why": "Why 3 % was possible: few rows."},
        "hps/hps.json": {"leftOut": ["figure 6: maps"], "figures": {}, "intervals": {"6": {"queens": {"framework": [3.25, 3.0, 3.5]}},
                                     "7, 8": {"queens 1/100, burst 1": {"overhead": [7.5, -40, 50], "accuracy": {"hot_methods": [97.5, 98.0]}}},
                                     "9, 10": {"queens 1/100, burst 100": {"accuracy": {"hot-stream": [40.0, None]}}}}},
        "shadow/results.json": {"configurations": [{"program": "queens", "load": "0.25", "length": "1m", "paths": 96.5, "invarianceDifference": 4.5,
                                                    "slowdown": 2.5, "intervals": {"slowdown": [2.0, 3.0]}, "coverage": 1.25, "faults": 10}]},
        "arnold-ryder/output.txt": "json: no time for turns in layout 2\njson: EXACT\n",
        "threads/output.txt": THREADS,
    }


def write(files):
    shutil.rmtree(OUT, ignore_errors=True)
    for name, content in files.items():
        path = os.path.join(OUT, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(content if isinstance(content, str) else json.dumps(content))


def assemble(**more):
    done = subprocess.run([PAPERS], env={**os.environ, "OUT": OUT, "ASSEMBLE": "1", **more}, capture_output=True, text=True, timeout=60)
    with open(os.path.join(OUT, "papers.json")) as f:
        result = json.load(f)
    found = {(e["exhibit"], e["what"], r[0]): (r[1], r[2], e) for e in result["exhibits"] for r in e["rows"]}
    return done.returncode, done.stdout + done.stderr, result, found


def value(found, exhibit, label):
    return next(v for (e, _, l), v in found.items() if e == exhibit and l == label)


def close(a, b):
    return abs(a - b) < 1e-6


def whole(check):
    write(made_up())
    with open(os.path.join(OUT, "cab", "figure9.svg"), "w") as f:
        f.write('<?xml version="1.0"?><!DOCTYPE svg><svg><defs><g id="p"/></defs><use href="#p"/><text>a picture</text></svg>')
    rc, text, result, found = assemble()
    check("everything is there", rc == 0 and not result["troubles"] and {e["paper"] for e in result["exhibits"]} == {"arnold-ryder", "cab", "hps", "shadow", "threads"}, text)
    here, published, e = value(found, "Table 1", "call-edge")
    check("a ratio without an interval", close(here, 50) and published == 88.3, str(here))
    here, published, e = value(found, "Table 1", "field-access")
    check("and one with it", [round(v, 6) for v in here] == [61, 59, 63] and published == 60.4, str(here))
    check("where it differs", "lower than published in 1 of 2 rows (call-edge)" in e["where"] and "higher" not in e["where"], e["where"])
    check("what was not measured", value(found, "Table 3", "field-access")[0] is None)
    check("accuracy leaves out what failed", value(found, "Table 5", "timer")[0] == 80.25)
    check("Figure 9", close(value(found, "Figures 8 and 9", "call-edge, sequential")[0], 100) and close(value(found, "Figures 8 and 9", "call-edge")[0], 60))
    check("Figure 11", close(value(found, "Figure 11", "overhead taken away")[0], 25) and value(found, "Figure 11", "error, all rows")[:2] == (120, 3)
          and value(found, "Figure 11", "error, rows of 100 and more")[:2] == (None, None))
    check("Figure 8", value(found, "Figure 8", "path, word")[0] == 4 and value(found, "Section 4", "queens, path, sequential, forecast")[0] == 7)
    check("why the published error was possible", value(found, "Figure 11", "error, all rows")[2]["note"].endswith("few rows."))
    check("what was left out", result["leftOut"] == {"arnold-ryder": ["json: no time for turns in layout 2"], "hps": ["figure 6: maps"], "threads": ["forks with no profile, locks, threads"]} and "time was up: figure 6: maps" in text, text)
    check("what failed", result["failed"] == {"arnold-ryder": ["broken"]} and "in no average: broken" in text, text)
    check("productions", value(found, "Figure 7", "queens, framework")[0] == [3.25, 3.0, 3.5] and value(found, "Figures 8 and 9", "queens 1/100, burst 1")[1] == 1.0)
    check("what is too wide to say is no agreement", "too wide to say more, in 1 of 1" in value(found, "Figures 8 and 9", "queens 1/100, burst 1")[2]["where"])
    check("space", value(found, "Table 2", "code")[:2] == (20, 285) and close(value(found, "Table 2", "compile time")[0], 50))
    here, published, e = value(found, "Tables 1 to 3", "constraints for 202_jess, framework")
    check("beside its counterpart", [round(v, 6) for v in here] == [20, 10, 30] and published == 3.3, str(here))
    above = found["Table 4", "sampling both analyses, above the framework without samples", "full duplication, interval 1"]
    check("samples alone", close(above[0], 0) and above[1] == 167.2, str(above[:2]))
    check("without duplication", found["Table 4", "accuracy of sampling, no duplication", "call-edge, interval 10"][:2] == (90.5, 98))
    check("Figure 11 by rate", found["Figure 11", "error by rate, and that of an ideal sample", "queens, call-edge, 5 %, all rows, ideal"][0] == 118.0)
    check("shadows", value(found, "Figure 5", "queens, load 0.25, length 1m")[:2] == ([2.5, 2.0, 3.0], 1.0))
    check("threads", value(found, "Section 2.2", "locks: contended")[0] == 30.0)
    here, published, e = value(found, "Section 2.2", "locks: chat")
    check("applications have a table of their own", here == 26.0 and e["unit"] == "% of their processor time", str(e))
    check("by program", close(value(found, "Figures 13 to 16", "queens, call-edge, concurrent")[0], 40))
    check("page faults", value(found, "Figure 6", "queens, load 0.25, length 1m")[0] == 10)
    exhibit = value(found, "Table 1", "call-edge")[2]
    check("what has no interval is said", "Without an interval: 1 of them" in exhibit["where"], exhibit["where"])
    check("each exhibit says where and why", all(e["where"].endswith(".") and e["note"].endswith(".") for e in result["exhibits"]))
    page = open(os.path.join(OUT, "papers.html")).read()
    check("one HTML file with plots and data", not re.search(r'(src|href)="(?!#)', page) and "a picture" in page and 'href="#cabfigure9svgp"' in page
          and json.loads(re.search(r'id="results">(.*?)</script>', page, re.S)[1]) == result)
    check("the text is the one that was printed", open(os.path.join(OUT, "papers.txt")).read().strip() in text)


def missing(check):
    files = made_up()
    del files["cab/cab.json"]
    files["hps/hps.json"] = '{"figures": {'
    files["shadow/results.json"] = {"configurations": [{"program": "queens"}]}
    files["arnold-ryder/arnold-ryder.json"]["averages"] = {}
    write(files)
    rc, text, result, found = assemble()
    check("what is missing is said", rc == 1 and set(result["troubles"]) == {"cab", "hps", "shadow"}, str(result["troubles"]))
    check("in the text, too", text.count("what is missing below is missing for that") == 3 and "cannot be read" in text, text)
    check("the rest is there", value(found, "Section 2.2", "locks: contended")[0] == 30.0 and value(found, "Table 1", "call-edge")[0] is None)
    rc, text, result, found = assemble(PARTS="threads")
    check("a single part", rc == 0 and not result["troubles"])


def stopped(check):
    """A part that exceeds its time is stopped with its child processes, and reported."""
    fake = os.path.join(OUT, "tree")
    shutil.rmtree(OUT, ignore_errors=True)
    for folder in "papers", "threads", "shadow":
        os.makedirs(os.path.join(fake, "benchmarks", folder))
    shutil.copy(PAPERS, os.path.join(fake, "benchmarks", "papers", "bench"))
    for name, script in ("threads/profile", "cat <<'E'\n%sE\n" % THREADS), ("shadow/bench", 'sleep 300 & echo $! > "$OUT/pid"; echo "$BUDGET" > "$OUT/budget"; wait\n'):
        path = os.path.join(fake, "benchmarks", name)
        with open(path, "w") as f:
            f.write("#!/bin/bash\n" + script)
        os.chmod(path, 0o755)
    done = subprocess.run([os.path.join(fake, "benchmarks/papers/bench")], env={**os.environ, "OUT": OUT, "PARTS": "shadow threads", "WITHIN": "15"},
                          capture_output=True, text=True, timeout=60)
    with open(os.path.join(OUT, "papers.json")) as f:
        result = json.load(f)
    check("stopped and said", done.returncode == 1 and result["troubles"] == {"shadow": "did not end within 2 s"}, done.stdout + done.stderr)
    check("the next part runs", len(result["exhibits"]) == 2, str(result))
    pid, state = open(os.path.join(OUT, "shadow", "pid")).read().strip(), ""
    try:
        state = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        pass
    check("nothing runs on", state in ("", "Z"), state)
    done = subprocess.run([os.path.join(ROOT, "benchmarks/threads/profile"), "operations", "chat", "1"], env={**os.environ, "BUDGET": "0.01"}, capture_output=True, text=True, timeout=60)
    check("and begins nothing beyond it", done.returncode == 0 and re.findall(r"^left out, for the time was up: (\w+) with no profile, locks", done.stdout, re.M) ==
          ["operations", "chat"], done.stdout + done.stderr)
    check("a part knows its budget", open(os.path.join(OUT, "shadow", "budget")).read().strip() == "1")


def programs(check):
    table = configparser.ConfigParser(interpolation=None)
    table.read(os.path.join(ROOT, "benchmarks", "programs.ini"))
    packages = {l.strip().split()[0] for f in glob.glob(os.path.join(ROOT, "scripts", "packages*.txt")) for l in open(f) if l.strip() and l[0] != "#"}
    for name in table.sections():
        row = table[name]
        check(name + ": which program of which paper", re.fullmatch(r"((AR|MK|MS|HA): [\w. -]+(, )?)+", row["stands"]) is not None, row["stands"])
        check(name + ": packages are installed by scripts/setup", set(row.get("packages", "").split()) <= packages, row.get("packages", ""))
        check(name + ": sources are there", all(glob.glob(os.path.join(ROOT, "benchmarks", p)) for p in row.get("sources", "").split()))
        check(name + ": keys", set(row) <= {"stands", "like", "packages", "jars", "sources", "prepare", "run", "process", "again", "repeat", "expected"} and "run" in row and "like" in row)
    shown = subprocess.run([os.path.join(ROOT, "benchmarks/harness/matrix"), "--table"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(ROOT, "docs", "MEASURING.md")) as f:
        check("the table of docs/MEASURING.md is that of programs.ini", shown.strip() in f.read())
    done = subprocess.run([os.path.join(ROOT, "benchmarks/harness/matrix"), "--describe", "queens", "chat"], capture_output=True, text=True)
    check("a description", done.returncode == 0, done.stderr)
    with open(done.stdout.strip()) as f:
        d = json.load(f)
    check("of its programs", list(d["programs"]) == ["queens", "chat"] and "Volano" in d["programs"]["chat"]["stands_for"], str(d))


def whole_way(check):
    """Programs on both VMs; their output must equal the recorded output."""
    out = os.path.join(OUT, "matrix")
    os.makedirs(OUT, exist_ok=True)
    done = subprocess.run([os.path.join(ROOT, "benchmarks/harness/matrix"), "queens", "chat", "json", "--", "--iterations", "1", "--invocations", "1", "--quiet", "--out", out],
                          capture_output=True, text=True, timeout=300)
    check("programs run on both VMs", done.returncode == 0, done.stdout + done.stderr)
    with open(os.path.join(out, "result.json")) as f:
        cells = json.load(f)["summary"]["cells"]
    check("and print what is expected", len(cells) == 6 and all(c["status"] == "ok" and c["checked"] for c in cells), str(cells))


def main():
    passed, failed = 0, 0

    def check(name, ok, detail=""):
        nonlocal passed, failed
        if ok:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s\n%s" % (name, detail), flush=True)

    try:
        for part in (whole, missing, stopped, programs, whole_way):
            if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
                part(check)
    finally:
        shutil.rmtree(OUT, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
