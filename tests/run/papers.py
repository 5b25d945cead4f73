#!/usr/bin/env python3
"""benchmarks/papers/bench and benchmarks/programs.ini almost without measuring. A copy of the bench runs in a tree
whose parts write made-up results. The report must have every number in its place, be a single well-formed HTML file, and
list missing values; an interrupted run must be resumed. At the end some programs run once on both VMs."""
import configparser, glob, importlib.machinery, importlib.util, json, os, re, shutil, signal, subprocess, sys, tempfile, time, types
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
WORK = tempfile.mkdtemp()
TREE, OUT = os.path.join(WORK, "tree"), os.path.join(WORK, "out")
sys.path.insert(0, os.path.join(ROOT, "benchmarks", "papers"))
import exhibits, forms
CONFIGS = re.findall(r"^CONFIG\((\w+),", open(os.path.join(ROOT, "benchmarks/harness/arnold_ryder.def")).read(), re.M)

# A part of the fake tree: writes what made_up has for its program; a program in FAIL ends with 3, one in SLOW does not end.
FAKE = """#!/usr/bin/env python3
import os, shutil, subprocess, sys
program = sys.argv[1] if len(sys.argv) > 1 else os.environ["PROGRAMS"]
with open(os.environ["LOG"], "a") as f: f.write("%s %s %s %s\\n" % (PART, program, os.environ["MODE"], os.environ["BUDGET"]))
if PART + "/" + program in os.environ.get("FAIL", ""): sys.exit(3)
if PART + "/" + program in os.environ.get("SLOW", ""):
    child = subprocess.Popen(["sleep", "300"])
    open(os.environ["LOG"] + ".pid", "w").write(str(child.pid))
    child.wait()
made = os.path.join(os.environ["MADE"], PART)
shutil.copy(os.path.join(made, program + ".json"), os.path.join(os.environ["OUT"], DATA))
for name in os.listdir(made):
    if name.startswith(program) and name.endswith(".prof"): shutil.copy(os.path.join(made, name), os.environ["OUT"])
"""


def arnold_ryder(program):
    accuracy = {"call_edge": 90.5, "field_access": 80.25, "call_edge_ideal": 95.0, "field_access_ideal": 85.0, "samples": 1000, "checks": 1e6, "events": 1e6}
    cost = lambda code, compile_ms: {"code_bytes": code, "compile_ms": compile_ms, "methods": 10}
    cells = {c: {"failed": False, "accuracy": accuracy, "time_ratio": {"value": 1.2, "low": 1.1, "high": 1.3}, "plain_cost": cost(10240, 100),
                 "cost": cost(30720, 150)} for c in CONFIGS}
    cells["EXACT_FIELD"]["time_ratio"] = {"value": 1.61, "low": None, "high": None}
    cells["FULL"]["time_ratio"] = {"value": 1.05, "low": 1.04, "high": 1.06}
    return {"programs": [{"name": program, "failed": False, "configurations": cells}]}


def cab(program):
    times = lambda t: {"time": t, "wall": t, "thread": t, "consumers": 1.0}
    step = {"queen": 0}.get(program, len(program))
    return {"figure7": [{"program": program, "analysis": "path", "others": 1.0, "nway": times(5), "fastforward": times(30)}],
            "figure9": [{"program": program, "analysis": a, "counters": times(10), "sequential": times(100 + step), "concurrent": times(40), "sampled": times(25)}
                        for a in ("call-edge", "path")],
            "figure10": [{"program": program, "analysis": "path", "buffer": b, "waited": w, **times(t)} for b, w, t in (("16k", 1.0, 80), ("256k", 0.5, 31), ("2m", 0.1, 30))],
            "figure12": [{"program": program, "analysis": "path", "sequential": times(2.5), "shared": times(1.25), "apart": None}],
            "filled": {"Figure 12, apart": "all processors share the cache of level 3"},
            "figure11": [{"program": program, "analysis": "call-edge", "rate": rate, "exhaustive": times(40), **times(20 + rate),
                          "errors": [{"least": 1, "rows": 90, "error": 120.0 - rate, "ideal": 118.0 - rate}]} for rate in (5, 100)]}


def hps(program):
    calls = {"%s 1/%d, burst %d" % (program, r, b): {"overhead": [7.5, 6.0, 9.0], "above": [300.0 / r, 0.1, 5.0], "accuracy": {"hot-methods": [97.5 - b / 10, 98.0]}}
             for r in (100, 1000) for b in (1, 100)}
    streams = {"%s 1/%d, burst %d" % (program, r, b): {"accuracy": {"hot-stream": [10.0 + b / 10, None]},
                                                       **({"overhead": [900.0 / r, 1.0, 9.0], "above": [500.0 / r, 1.0, 9.0]} if b == 100 else {})}
               for r in (100, 1000) for b in (1, 100)}
    bars = {"%s, %s" % (k, b): [n + len(k), 1.0, 99.0] for k in ("methods", "pairs", "streams")
            for n, b in ((1.0, "checks"), (20.0, "guards"), (2.0, "checks-sampled"), (30.0, "guards-sampled"))}
    statistics = {k: 10.0 + i for i, k in enumerate(("methods", "call sites", "call pairs", "calls (millions)", "branches (millions)", "references (millions)",
                                                     "16-byte blocks (1000s)"))}
    return {"leftOut": [], "figures": {}, "intervals": {"6": {program: statistics}, "7": {program: {"framework": [3.25, 3.0, 3.5], **bars}}, "calls": calls,
                                                        "streams": streams}}


def shadow(program):
    return {"configurations": [{"program": program, "load": load, "length": length, "paths": 90.0 + float(load), "invarianceDifference": 4.5, "slowdown": 2.5 * float(load),
                                "intervals": {"slowdown": [2.0 * float(load), 3.0 * float(load)]}, "runs": 1, "coverage": 1.25, "faults": 10 * float(load)}
                               for load in ("0.25", "1") for length in ("3ms", "30ms")]}


def threads(program):
    if program == "code":
        return {"rounds": {"code": {"": {"sort": [100.0], "fft": [100.0], "matmul": [100.0]}, "branch": {"sort": [150.0], "fft": [150.0], "matmul": [150.0]},
                                    "call-edge,branch": {"sort": [200.0], "fft": [200.0], "matmul": [200.0]}}}, "switches": {}}
    base, more = {"contended": [100.0, 104.0, 102.0]}, {"contended": [130.0, 131.0, 135.0]}
    profiles = ["locks", "concurrency", "quanta", "dependency", "tasks", "threads"] if program == "operations" else ["locks", "threads"]
    return {"rounds": {program: {"": base, **{p: more for p in profiles}}}, "switches": {"ChatApp": [900.0, 1000.0, 1100.0]} if program == "chat" else {}}


def decisions(program):
    return {"programs": [{"program": program, "sampled": [-5.0, -7.0, -3.0], "exact": [-6.0, -8.0, -4.0], "none": [9.0, 8.0, 10.0], "price_sampled": 12.0, "price_counts": 1.0,
                          "inlining_differs": 10.0, "inlining_differs_from_exact": 5.0, "layout_differs_from_exact": 2.0, "replayed": 100.0}], "leftOut": []}


MADE_UP = {"arnold-ryder": arnold_ryder, "cab": cab, "hps": hps, "shadow": shadow, "threads": threads, "decisions": decisions}


def make_tree():
    shutil.copytree(os.path.join(ROOT, "benchmarks", "papers"), os.path.join(TREE, "benchmarks", "papers"), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(os.path.join(ROOT, "benchmarks", "programs.ini"), os.path.join(TREE, "benchmarks"))
    for part, (command, data) in forms.PARTS.items():
        path = os.path.join(TREE, command[0])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(FAKE.replace("import os", "PART, DATA = %r, %r\nimport os" % (part, data), 1))
        os.chmod(path, 0o755)
    write_made_up({part: {p: make(p) for _, programs, _, _, _ in rows_of(part) for p in programs.split()} for part, make in MADE_UP.items()})
    for name in "EXACT", "FULL_1000":
        profile = os.path.join(WORK, "made", "arnold-ryder", "javac.%s.prof" % name)
        subprocess.run([os.path.join(BUILD, "cabernet"), "-Xprofile:call-edge:message=off:file=" + profile, "-version"], check=True, stderr=subprocess.DEVNULL)


def rows_of(part, form="quick"):
    return [r for r in forms.FORMS[form] if r[0] == part]


def write_made_up(data):
    for part, programs in data.items():
        os.makedirs(os.path.join(WORK, "made", part), exist_ok=True)
        for program, content in programs.items():
            with open(os.path.join(WORK, "made", part, program + ".json"), "w") as f:
                f.write(content if isinstance(content, str) else json.dumps(content))


def environment(**more):
    return {**os.environ, "OUT": OUT, "QUICK": "1", "MADE": os.path.join(WORK, "made"), "LOG": os.path.join(WORK, "log"), "BUILD": BUILD, **more}


def bench(**more):
    """Runs the bench of the fake tree: (exit status, text, result, {(exhibit, what, label): row}, programs measured)."""
    log = os.path.join(WORK, "log")
    open(log, "w").close()
    done = subprocess.run([os.path.join(TREE, "benchmarks/papers/bench")], env=environment(**more), capture_output=True, text=True, timeout=100)
    return (done.returncode, done.stdout + done.stderr, *found())


def found():
    with open(os.path.join(OUT, "papers.json")) as f:
        result = json.load(f)
    rows = {(e["exhibit"], e["what"], r["label"]): {**r, "of": e} for e in result["exhibits"] for r in e["rows"]}
    with open(os.path.join(WORK, "log")) as f:
        return result, rows, f.read().split("\n")[:-1]


def get(rows, exhibit, label, what=""):
    return next(r for (e, w, l), r in rows.items() if e == exhibit and l == label and what in w)


def close(a, b):
    return a is not None and abs(a - b) < 1e-6


def whole(check):
    rc, text, result, rows, log = bench()
    todo = sum(len(r[1].split()) for r in forms.FORMS["quick"])
    check("everything is measured once", rc == 0 and len(log) == todo and len(set(log)) == todo, text)
    check("and nothing is missing but one place", [t for t in result["empty"] if "processors that share none" not in t] == [] and not result["troubles"] and {e["paper"] for e in result["exhibits"]} == set(forms.PARTS),
          str((result["troubles"], result["empty"])))
    check("a part knows its budget", any(l == "shadow queens native %d" % (0.85 * 40) for l in log), str(log))
    r = get(rows, "Table 1", "constraints for 202_jess", "call-edge")
    check("a value with its interval, beside that of its counterpart", close(r["value"], 20) and close(r["low"], 10) and close(r["high"], 30) and r["published"] == 133.2, str(r))
    r = get(rows, "Table 1", "javac for 213_javac", "field-access")
    check("one without an interval says why", close(r["value"], 61) and r["low"] is None and "no interval" in r["why"], str(r))
    r = get(rows, "Table 1", "average", "field-access")
    check("so does an average of two programs", close(r["value"], 61) and "too few programs" in r["why"] and r["published"] == 60.4, str(r))
    check("space and time to compile by program", get(rows, "Table 2", "javac for 213_javac", "space")["published"] == 442
          and close(get(rows, "Table 2", "average", "space")["value"], 20) and close(get(rows, "Table 2", "average", "compile")["value"], 50))
    r = get(rows, "Table 4", "full duplication, interval 1", "samples alone")
    check("samples alone are relative to the framework", close(r["value"], 100 * (1.2 / 1.05 - 1)) and r["published"] == 167.2, str(r))
    r = get(rows, "Figure 7", "overlap")
    check("the edges of one program", r["value"] > 90 and r["published"] == 93.8 and len(r["of"]["figure"]["series"][0]["points"]) > 10, str(r["value"]))
    r = get(rows, "Table 4", "full duplication, interval 1", "samples alone")
    check("the sentence follows from the values", "lower than published in" in r["of"]["where"] and "The largest difference is that of" in r["of"]["where"], r["of"]["where"])
    order = get(rows, "Table 1", "average", "call-edge")["of"]["claims"] + get(rows, "Table 1", "average", "field-access")["of"]["claims"]
    check("a claim that does not hold says so", order[-1]["holds"] is False and "call-edge 20" in order[-1]["detail"], str(order))
    published = get(rows, "Section 6.2", "average, cheapest rate with 90 % accuracy")
    check("90 % stands beside 0.2 % of overhead", published["published"] == 0.2 and close(published["value"], 0.3), str(published))
    r = get(rows, "Section 6.2", "average, rate 1/100, burst 1")
    check("and 1/100 beside 1 %", r["published"] == 1.0 and close(r["value"], 3.0), str(r))
    r = get(rows, "Figure 6", "json for parser, methods")
    check("statistics beside those of the counterpart", close(r["value"], 10) and r["published"] == 338, str(r))
    check("all of them", close(get(rows, "Figure 6", "queens for crafty, 16-byte blocks (1000s)")["value"], 16))
    r = get(rows, "Figure 7", "average, streams, guards")
    check("guarded probes", close(r["value"], 27) and r["published"] == 106.0 and get(rows, "Figure 7", "average, streams, checks")["published"] is None, str(r))
    check("streams have overheads", close(get(rows, "Figures 8 and 9", "average, rate 1/100")["value"], 9.0) and
          close(get(rows, "Figures 8 and 9", "average, rate 1/1000, above the checks")["value"], 0.5))
    claims = {c["text"]: c["holds"] for e in result["exhibits"] if e["paper"] == "hps" for c in e["claims"]}
    check("claims on guards and streams", claims["Guards cost streams more than checks."] is True and claims["Streams cost more than methods and pairs."] is True, str(claims))
    check("claims on bursts", claims["hot-methods: shorter bursts are more accurate at the same rate."] is True
          and claims["hot-stream: longer bursts are more accurate at the same rate."] is True, str(claims))
    r = get(rows, "Figure 9", "call-edge", "takes away")
    check("native threads have no published number", close(r["value"], 100 * (1 - 80 / (200 + len("json") + len("javacc")))) and r["published"] is None, str(r))
    check("N:M threads have one", get(rows, "Figure 8", "call-edge", "takes away")["published"] == 50.0)
    r = get(rows, "Figures 10 and 17", "average, ring of 256k")
    check("sizes of rings", close(r["value"], 31) and r["of"]["claims"][0]["holds"] is True and "from 256k to 2m" in r["of"]["claims"][0]["detail"] and
          close(get(rows, "Figures 10 and 17", "average, time waited, ring of 2m")["value"], 0.1), str(r))
    r = get(rows, "Figure 12", "average, processors that share a cache")
    check("processors that share a cache", close(r["value"], 1.25) and r["published"] == 1.57 and r["of"]["claims"][0]["holds"] is None, str(r))
    r = get(rows, "Figure 12", "average, processors that share none")
    check("a place that the machine lacks has its reason", r["value"] is None and r["published"] == 3.5 and "share the cache of level 3" in r["why"], str(r))
    check("Figure 11", get(rows, "Figure 11", "overhead taken away at 5 %")["value"] == 37.5 and close(get(rows, "Figure 11", "error of all rows, rate 5 %")["value"], 115.0))
    r = get(rows, "Figure 5", "average, load 0.25, length 30ms")
    check("shadows", close(r["value"], 0.625) and r["published"] == 1.0, str(r))
    check("a published range", get(rows, "Figure 3", "average, load 1, length 3ms")["published"] == [83.0, 93.0])
    r = get(rows, "Table 4", "sort", "exact profiles")
    check("the survey's Table 4", close(r["value"], 50.0) and r["published"] == 38.67, str(r))
    r = get(rows, "Table 3", "chat")
    check("and its Table 3", close(r["value"], 1000.0) and r["low"] == 900 and "agrees" in r["of"]["where"] or "All rows agree" in r["of"]["where"], str(r))
    check("each exhibit has a sentence", all(e["where"].endswith(".") for e in result["exhibits"]))
    page = open(os.path.join(OUT, "papers.html")).read()
    check("one HTML file that loads nothing", not re.search(r'(src|href)="(?!#)', page) and not re.search(r"@import|url\((?!#)", page), "")
    tree = xml.etree.ElementTree.fromstring(page)
    names = [e.get("id") for e in tree.iter() if e.get("id")]
    check("well-formed, with identifiers that differ", len(names) == len(set(names)) and "results" in names, str(len(names)))
    if shutil.which("gnuplot"):
        check("with figures", len(list(tree.iter("{http://www.w3.org/2000/svg}svg"))) > 10 and "gnuplot is not installed" not in page)
    data = [e.text for e in tree.iter() if e.get("id") == "results"][0]
    check("and with its data", json.loads(data) == result)
    check("the text is the one that was printed", open(os.path.join(OUT, "papers.txt")).read().strip() in text)


def resuming(check):
    """An interrupted run goes on; another form, setting or commit does not take its data."""
    shutil.rmtree(OUT, ignore_errors=True)
    log = os.path.join(WORK, "log")
    open(log, "w").close()
    running = subprocess.Popen([os.path.join(TREE, "benchmarks/papers/bench")], env=environment(SLOW="cab/javacc"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for _ in range(600):
        if os.path.exists(log + ".pid"):
            break
        time.sleep(0.1)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    text = running.communicate(timeout=60)[0]
    result, rows, before = found()
    check("Ctrl-C ends the run with what there is", running.returncode == 130 and "the same command resumes" in text, text[-600:])
    check("what was not measured says so", any("was not measured, for the run was interrupted" in t for t in result["empty"]) and
          get(rows, "Table 1", "javac for 213_javac", "call-edge")["value"] is not None, str(result["empty"][:3]))
    check("nothing runs on", not is_alive(int(open(log + ".pid").read())))
    rc, text, result, rows, after = bench()
    todo = sum(len(r[1].split()) for r in forms.FORMS["quick"])
    names = lambda lines: [l.rsplit(" ", 1)[0] for l in lines]
    check("the same command measures the rest alone", rc == 0 and not set(names(before[:-1])) & set(names(after)) and len(before) - 1 + len(after) == todo
          and names(before)[-1] in names(after), str((before, after)))
    check("and takes the others from the earlier run", text.count("kept from an earlier run") == len(before) - 1, text[:800])
    check("a third run measures nothing", bench()[4] == [])
    check("AGAIN measures all", len(bench(AGAIN="1", PARTS="hps")[4]) == 2)
    check("other settings are measured anew", len(bench(FACTOR="2", PARTS="hps")[4]) == 2)
    failed = bench(FAIL="hps/json", AGAIN="1", PARTS="hps")
    check("a failure is not kept", failed[0] == 1 and bench(PARTS="hps")[4] == ["hps json native %d" % (0.85 * 60)], failed[1][-500:])


def is_alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def missing(check):
    """Empty values: exit status 1 with a list if they are more than a tenth."""
    shutil.rmtree(OUT, ignore_errors=True)
    rc, text, result, rows, _ = bench(FAIL="arnold-ryder/javac arnold-ryder/constraints")
    check("more than a tenth is missing", rc == 1 and "more than a tenth of the values are missing" in text and "javac ended with exit code 3" in text, text[-800:])
    r = get(rows, "Table 1", "javac for 213_javac", "call-edge")
    check("each has a reason", r["value"] is None and "exit code 3" in r["why"] and all(": " in t and "no reason is known" not in t for t in result["empty"]), str(r))
    check("the other papers are there", get(rows, "Figure 5", "average, load 0.25, length 30ms")["value"] is not None)
    page = open(os.path.join(OUT, "papers.html")).read()
    check("the page is well-formed", xml.etree.ElementTree.fromstring(page) is not None and "Missing values" in page)
    made = threads("chat")
    made["rounds"]["chat"]["locks"] = {}
    write_made_up({"threads": {"chat": made}, "shadow": {"queens": '{"configurations": ['}})
    rc, text, result, rows, _ = bench(AGAIN="1")
    check("a few missing values are listed, and the status is 0", rc == 0 and 0 < len(result["empty"]) <= 0.1 * result["values"] and "Missing values:" in text, text[-800:])
    check("data that cannot be read counts as none", any("shadow, queens has left no data" in t for t in result["troubles"]["shadow"]), str(result["troubles"]))
    write_made_up({"shadow": {p: {"configurations": [{"program": p}]} for p in ("queens", "json")}})
    rc, text, result, rows, _ = bench(AGAIN="1", PARTS="shadow threads")
    check("a part without anything fails", rc == 1 and "cannot be read" in result["troubles"]["shadow"][0] and "shadow: everything" in text, text[-500:])
    rc, text, result, rows, log = bench(SLOW="threads/chat", FACTOR="0.1", PARTS="threads")
    check("a measurement that does not end is stopped", any("did not end within" in t for t in result["troubles"]["threads"]) and len(log) == 3, text[-500:])
    check("with all its processes", not is_alive(int(open(os.path.join(WORK, "log.pid")).read())))
    make_tree_again()


def make_tree_again():
    shutil.rmtree(TREE)
    make_tree()


def form_table(check):
    times = {name: sum(seconds * len(programs.split()) for _, programs, _, seconds, _ in rows) / 60 for name, rows in forms.FORMS.items()}
    check("times of the forms", times["quick"] <= 11 and times["default"] <= 42 and 240 <= times["full"] <= 660, str(times))
    table = configparser.ConfigParser(interpolation=None)
    table.read(os.path.join(ROOT, "benchmarks", "programs.ini"))
    stands = {m for p in forms.AR_TEN.split() for m in re.findall(r"AR: ([\w.-]+)", table[p]["stands"])}
    check("counterparts of all ten programs of Arnold and Ryder", len(stands) == 10, str(stands))
    for paper in "arnold-ryder", "cab", "hps", "shadow":
        programs = {p for r in rows_of(paper, "default") for p in r[1].split()}
        check(paper + ": eight programs, and ten for productions", len(programs) >= (10 if paper == "hps" else 8), str(programs))


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
    done = subprocess.run([os.path.join(ROOT, "benchmarks/harness/matrix"), "--words", "queens", "chat"], capture_output=True, text=True)
    check("words for other benches", [l.split("|")[::2] for l in done.stdout.splitlines()] == [["queens", "Kernels.once queens"], ["chat", "ChatApp 5 10 20"]], done.stdout)


def real_parts(check):
    """Two parts measure something: the budget ends one, and decisions by samples are replayed."""
    done = subprocess.run([os.path.join(ROOT, "benchmarks/threads/profile"), "operations", "chat", "1"], env={**os.environ, "BUDGET": "0.01"}, capture_output=True, text=True, timeout=60)
    check("a part begins nothing beyond its budget", done.returncode == 0 and re.findall(r"^left out, for the time was up: (\w+) with no profile, locks", done.stdout, re.M) ==
          ["operations", "chat"], done.stdout + done.stderr)
    out = os.path.join(WORK, "decisions")
    done = subprocess.run([os.path.join(ROOT, "benchmarks/decisions/bench")], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "OUT": out, "PROGRAMS": "json", "RUNS": "1", "ITERATIONS": "6", "BUDGET": "80"})
    found = json.load(open(os.path.join(out, "decisions.json")))["programs"][0] if done.returncode == 0 else {}
    check("decisions by samples", found.get("replayed") == 100.0 and found["inlined_by_samples"] > 0 and found["layouts_by_samples"] > 0 and len(found["sampled"]) == 3,
          done.stdout + done.stderr)


def hps_bench(check):
    """The bench of productions: statistics that follow from a source, the configurations that its exhibits name, and the
    number of iterations by the time there is."""
    loader = importlib.machinery.SourceFileLoader("hps_bench", os.path.join(ROOT, "benchmarks", "hps", "bench"))
    b = importlib.util.module_from_spec(importlib.util.spec_from_loader("hps_bench", loader))
    loader.exec_module(b)
    b.OUT, b.CLASSES = WORK, os.path.join(WORK, "classes")
    sources = [os.path.join(ROOT, "tests", "profiler", "CacheWalks.java"), os.path.join(ROOT, "benchmarks", "repeat", "Repeat.java")]
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-d", b.CLASSES, *sources], check=True)
    b.prepared.update({"walks": [b.CLASSES, "CacheWalks"]})
    found = b.statistics_of(b.run("walks", "method-count,call-edge,branch:scope=CacheWalks.*", "statistics"))
    # main is called, and calls four methods and a constructor, walk three times. Each loop tests once more than it runs its body.
    branches = 3 * ((2 << 20) // 16 + 1) + 2 * (1025 + 1024 * 1025) + 100001 + 4
    check("calls and branches", found == dict(zip(b.STATISTICS, (6, 6, 6, 8e-6, branches / 1e6))), str(found))
    found = b.references_of(b.run("walks", "reuse-distance:cache=line=16:scope=CacheWalks.*", "references"))
    # The numbers of tests/run/cache.py. Blocks: each of the walk's ints and the rows' elements is in a separate block or in one of four ints,
    # 1,024 rows may begin within a block, and their 1,024 references take 8 bytes each.
    references, blocks = found["references (millions)"], found["16-byte blocks (1000s)"]
    least = (2 << 20) // 16 + 1024 * 1024 // 4 + 1024 * 8 // 16
    check("references", close(references, (3 * (2 << 20) // 16 + 4 * 1024 * 1024 + 7 * 100000 + 10) / 1e6) and least <= 1000 * blocks <= least + 1100, str(found))
    names = set(b.conditional_control())
    check("the bars of Figure 7", {"framework", *("%s, %s" % (k, bar) for k in exhibits.CONTROL for bar in exhibits.BARS)} <= names, str(names))
    check("and the rows of Figure 6", list(b.STATISTICS) == list(exhibits.STATISTICS), str(b.STATISTICS))
    taken = []
    b.times_in_turns = lambda bench, driver, out, name, program, commands, runs, iterations, skip, timeout: taken.append((iterations, skip))
    b.pace["walks"], b.RUNS, b.ITERATIONS, b.SKIP = (1.0, 0.5), 1, 60, 40
    four = dict.fromkeys("abcd")
    for seconds in 1000, 100:
        b.times_of("walks", four, seconds)
    check("as many iterations as end in time", taken == [(60, 40), (16, 8)], str(taken))
    b.FIGURES, b.RATES = "789", [100]
    check("many configurations have a campaign for each figure", [(n, len(c)) for n, c in b.campaigns("x").items()] == [("7", 14), ("8", 2), ("9", 2)], str(b.campaigns("x")))
    b.BARS[:] = ["checks", "guards"]
    check("few take turns in one", [(n, len(c)) for n, c in b.campaigns("x").items()] == [("789", 11)], str(b.campaigns("x")))
    b.left_out.clear()
    check("none if it is too short", b.attempt("overheads", lambda: b.times_of("walks", four, 10)) is None and b.left_out == ["overheads"], str(b.left_out))


def shadow_cells(check):
    """Cells of the bench of shadows without a VM: a call that ends early is continued, a cell that had to share the
    processors has a reason and is measured again, and cells of another VM are dropped."""
    sys.path.insert(0, os.path.join(ROOT, "benchmarks", "shadow"))
    import cells, runs
    others, calls, slow = [0.0], [], {"load=2": 3}

    def run(words, profile, file, mode="native"):
        calls.append(profile)
        if profile and "load=4:" in profile:
            raise runs.Failed("exit code 3: no memory")
        if file:
            open(file, "w").close()
        factor = next((n for text, n in slow.items() if text in (profile or "")), 1)
        return runs.Run([(900, 900), (100 * factor, 100 * factor)], 10.0 * factor, others[0])

    runs.run, runs.OUT = run, WORK
    runs.found_of = lambda exact, file: {"paths": 90.0, "overlap": 80.0, "invarianceDifference": None, "coverage": 2.0, "shadows": 4, "pause": 1.5}
    settings = {"rounds": 0, "skip": None, "exact": 9}
    program = lambda identity: cells.Program(cells.Store(os.path.join(WORK, "cells.json"), identity), "queens", lambda n: [n], "2", "interprocedural-path", settings)
    two, later = [("1", "3ms"), ("2", "3ms")], time.monotonic() + 100
    p = program("a")
    check("no time: a reason", p.complete(two, 1, 0) == dict.fromkeys(two, cells.TIME_UP) and not p.cell(*two[0]))
    check("a cell fails alone", p.complete([*two, ("4", "3ms")], 1, later) == {("4", "3ms"): "exit code 3: no memory"})
    r = p.row("2", "3ms", 1, None)
    check("its numbers", (r["slowdown"], r["faults"], r["paths"], r["runs"]) == (200.0, 20.0, 90.0, 1), str(r))
    check("what is not analysed", r["invarianceDifference"] is None and "analyses" in r["reasons"]["invarianceDifference"], str(r))
    p, before = program("a"), len(calls)
    check("nothing is measured twice", p.complete(two, 1, later) == {} and len(calls) == before, str(calls))
    others[0] = 0.75
    check("the second run of each is missing", p.complete(two, 2, later) == {} and [len(p.cell(*c)) for c in two] == [2, 2])
    r = p.row("2", "3ms", 2, None)
    check("a busy machine is a reason", r["slowdown"] is None and "75 %" in r["reasons"]["slowdown"] and r["coverage"] == 2.0, str(r))
    measured = types.SimpleNamespace(program="queens", wrong=None, data=lambda: {"configurations": [r]})
    v = exhibits.shadow_value(measured, "2", "3ms", "slowdown")
    check("which the report has", v.value is None and v.why == "queens: " + r["reasons"]["slowdown"], str(v))
    others[0] = 0.0
    p = program("a")
    p.complete(two, 2, later)
    check("and the cell is measured again", p.row("2", "3ms", 2, None)["slowdown"] == 200.0, str(p.store.values))
    check("not that of another VM", program("b").cell(*two[0]) == [])


def whole_way(check):
    """Programs on both VMs; their output must equal the recorded output."""
    out = os.path.join(WORK, "matrix")
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
        make_tree()
        for part in (whole, resuming, missing, form_table, programs, real_parts, hps_bench, shadow_cells, whole_way):
            if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
                part(check)
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
