#!/usr/bin/env python3
"""Files that cabernet-prof writes for other programs, read back by these programs: their totals are those of the
profile. Profiles come from runs, or are written here as docs/FORMATS.md defines them: with odd names, recursion, or no
rows."""
import calendar, collections, json, os, random, re, shutil, struct, subprocess, sys, tempfile, time, xml.etree.ElementTree, zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "exports")
CLASSES = os.path.join(WORK, "classes")
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds

profiled = set()


def run(command, code=0, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **more)
    if done.returncode != code:
        raise AssertionError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
    return done


class Scratch:
    """A directory for one test's files."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(dir=WORK)
        return os.path.join(self.path, "x.prof")

    def __exit__(self, *_):
        shutil.rmtree(self.path)


# ---- profiles ----

METHOD, SIGNED, NUMBER, NODE = 1, 2, 3, 6
PSEUDO, APPLICATION = 0x10000, 0x40000
COLUMNS = {
    "method-count": [("method", METHOD)],
    "call-edge": [("caller", METHOD), ("bci", SIGNED), ("line", SIGNED), ("callee", METHOD)],
    "call-tree": [("node", NODE), ("parent", NODE), ("caller", METHOD), ("bci", SIGNED), ("line", SIGNED), ("callee", METHOD)],
    "branch": [("method", METHOD), ("bci", SIGNED), ("line", SIGNED), ("edge", NUMBER)],
}


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def listed(items):
    items = list(items)
    return varint(len(items)) + b"".join(items)


def text(s):
    s = s if isinstance(s, bytes) else s.encode()
    return varint(len(s)) + s


def chunk(kind, payload):
    head = kind.encode() + struct.pack("<IQQI", 0, len(payload), len(payload), zlib.crc32(payload))
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def write(file, methods, analyses, meta=(), lost=0):
    """Writes a profile. methods: (class, name, descriptor, source or None, flags); analyses: {name: [row with its
    count]}."""
    strings = list(dict.fromkeys(s for m in methods for s in m[:4] if s is not None))
    at = strings.index
    cell = lambda kind, v: varint(v * 2 if v >= 0 else -v * 2 - 1) if kind == SIGNED else varint(v)
    tables, headers = [], []
    for i, (name, rows) in enumerate(analyses.items()):
        kinds = [k for _, k in COLUMNS[name]]
        rows = list(rows)
        total = sum(r[-1] for r in rows)
        headers.append(text(name) + text("event") + varint(total + lost) + varint(total) + varint(lost)
                       + listed(text(n) + varint(k) for n, k in COLUMNS[name]))
        data = listed(b"".join(cell(k, v) for k, v in zip(kinds + [NUMBER], r)) for r in rows)
        tables += [varint(i) + varint(0) + data, varint(i) + varint(1) + data]
    chunks = [("META", listed(text(k) + text(v) for k, v in dict({"command": "Made"}, **dict(meta)).items())),
              ("STRS", listed(map(text, strings))),
              ("METH", listed(varint(at(c)) + varint(at(n)) + varint(at(d)) + varint(0 if s is None else at(s) + 1) + varint(flags)
                              for c, n, d, s, flags in methods)),
              ("FLDS", listed([])), ("THRD", listed([varint(1) + text("main") + varint(0) + varint(1) + listed([])])),
              ("ANLS", listed(headers)), ("SECT", listed([])), *(("DATA", t) for t in tables)]
    chunks.append(("DONE", varint(len(chunks))))
    with open(file, "wb") as f:
        f.write(b"cabprof\n" + struct.pack("<II", 3, 0) + b"".join(chunk(*c) for c in chunks))


SIGNATURE = "(Lp/T;I)V"
HOSTILE = [("", "<thread>", "", None, PSEUDO),
           ("p/Odd", "<script>alert(\"1\")&'", SIGNATURE, "Odd.java", APPLICATION),
           ("p/Odd", "new\nline\r\x1b[31m;semi colon\\\u2028é", SIGNATURE, "Odd.java", APPLICATION),
           ("p/Odd", "bridge", "()Lp/A;", "../../Odd.java", APPLICATION),
           ("p/Odd", "bridge", "()Lp/B;", None, APPLICATION),
           ("Odd(1)", "(2) calls=3 %s", "()V", "a=b", APPLICATION),
           (b"p/Bad\xff".decode("latin-1"), "none", "()V", "Odd.java", 0)]
# A tree with recursion (1 -> 2 -> 1), a call by the VM below a method, two places with one callee, and a row with count
# 0.
HOSTILE_TREE = [(1, 0, 0, -1, -1, 1, 3), (2, 1, 1, 4, 10, 2, 5), (3, 2, 2, 8, 20, 1, 7), (4, 1, 1, 5, 11, 2, 2),
                (5, 1, 0, -1, -1, 5, 1), (6, 5, 5, 0, 3, 3, 2 ** 40 + 1), (7, 0, 0, -1, -1, 3, 0), (8, 7, 3, 1, 99, 4, 4),
                (9, 8, 4, 1, -1, 6, 6)]
TREE_TOTAL = sum(r[-1] for r in HOSTILE_TREE)


def hostile(file):
    edges = collections.Counter()
    for row in HOSTILE_TREE:
        edges[row[2:6]] += row[6]
    write(file, HOSTILE, {"call-tree": HOSTILE_TREE, "call-edge": sorted((*k, n) for k, n in edges.items() if n)})


def profile(file, analyses):
    """A profile of a run of Ends; one for all tests."""
    made = os.path.join(WORK, analyses + ".prof")
    if analyses not in profiled:
        run([VM, "-Xprofile:%s:message=off:file=%s" % (analyses, made), "-cp", CLASSES, "Ends", "threads"])
        profiled.add(analyses)
    shutil.copy(made, file)


def recorded(file, analysis):
    """The analysis's rows in the JSON report, and their sum."""
    report = json.loads(run([PROF, "report", "--all", "--json", "--analysis", analysis, file]).stdout)
    rows = report["analyses"][0]["rows"]
    expect("sum of rows", sum(r["count"] for r in rows), report["analyses"][0]["recorded"])
    return rows, sum(r["count"] for r in rows)


STACKS = "--collapsed", "--speedscope", "--pprof", "--otlp", "--perf-script"


def export(format, file, *options, ending=".out", all=True):
    """The contents of the exported file, stacks with the library's frames; standard output must have the same."""
    out = file + ending
    if all and format in STACKS:
        options = *options, "--all"
    run([PROF, "export", format, *options, "-o", out, file])
    with open(out, "rb") as f:
        data = f.read()
    expect("standard output", subprocess.run([PROF, "export", format, *options, file], stdout=subprocess.PIPE).stdout, data)
    return data.decode(errors="replace")


def entries(rows):
    found = collections.Counter()
    for r in rows:
        found[key_of(r["callee"])] += r["count"]
    return +found


def key_of(method):
    return (method.get("class", "") + "." if method.get("class") else "") + method["name"]


JARS = "/usr/share/java/"


def compiled(folder, class_path, *sources):
    run(["javac", "-nowarn", "-Xlint:none", "-proc:none", "-XDsuppressNotes", "-cp", ":".join(class_path), "-d", folder, *sources])


# ---- memory use and library copies ----

MEASURED = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(status, used.ru_maxrss)"""


def chunks(file):
    """The chunks of a profile: type, payload."""
    with open(file, "rb") as f:
        data = f.read()
    at = 16
    while at < len(data):
        kind, flags, stored = struct.unpack_from("<4sIQ", data, at)
        payload = data[at + 32:at + 32 + stored]
        yield kind.decode(), zlib.decompress(payload) if flags & 1 else payload
        at += 32 + stored


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def samples(file, number, columns):
    """The contents of the file, read as docs/FORMATS.md describes it: samples by thread of analysis `number`, and those
    of its times by thread and slot; the width of a slot."""
    by_thread, by_time, width = {}, {}, 0
    for kind, data in chunks(file):
        numbers = varints(data)
        if kind == "DATA":
            if next(numbers) != number:
                continue
            thread, rows = next(numbers), next(numbers)
            total = sum([[next(numbers) for _ in range(columns + 1)][-1] for _ in range(rows)])
            if thread and total:
                by_thread[thread - 1] = total
        elif kind == "TIME":
            for _ in range(next(numbers)):
                analysis, thread, slot_ns, rows = (next(numbers) for _ in range(4))
                at = 0
                for _ in range(rows):
                    at += next(numbers)
                    _, count = next(numbers), next(numbers)
                    if analysis == number:
                        by_time[thread, at] = by_time.get((thread, at), 0) + count
                        width = slot_ns
    return by_thread, by_time, width


def large_tree(file, rows):
    """A call tree of that many rows: subtrees of 1000 rows, at most 200 of them, 10 levels deep and then wide."""
    size = max(1000, rows // 200)
    methods = [("", "<thread>", "", None, PSEUDO)] + [("p%d/C%d" % (i % 40, i // 10), "m%d" % (i % 10), "()V", "C.java", APPLICATION if i % 3 else 0) for i in range(20000)]

    def tree():
        for row in range(rows):
            place = row % size
            parent = row if 0 < place < 10 else row - place + 10 if place else 0
            caller = 0 if not place else (row // size * 17 + place - 1) % 20000 + 1 if place < 10 else (row // size * 17 + 9) % 20000 + 1
            yield row + 1, parent, caller, -1 if not caller else 3, -1 if not caller else 10, (row // size * 17 + place) % 20000 + 1, 1 + row % 5
    write(file, methods, {"call-tree": tree()})


def large_total(rows):
    return rows // 5 * 15 + sum(range(1, rows % 5 + 1))


def rows_take_little(file, *commands):
    """A row of a large profile takes few bytes of cabernet-prof's memory. commands: (words, maximum bytes per row)."""
    rows = int(os.environ.get("CABERNET_ROWS", "200000"))
    methods = max(1, rows // 100)
    names = [("p/C%d" % (i // 10), "m%d" % (i % 10), "()V", "C.java", APPLICATION if i < 50 else 0) for i in range(methods)]
    write(file, names, {"call-edge": ((i // 100, i % 100 * 3, i % 100 + 10, (i // 100 * 7 + i % 100 * 13) % methods, 1 + i % 5000) for i in range(rows))})
    for command, most in commands:
        # In a separate process, because this one's memory would count.
        status, size = map(int, run([sys.executable, "-c", MEASURED, PROF, *command, file]).stdout.split())
        expect("exit code of " + command[0], status, 0)
        if size << 10 > (24 << 20) + rows * most:
            raise AssertionError("%s of %d rows takes %d KB" % (" ".join(command), rows, size))


@test
def many_rows():
    """CABERNET_ROWS=10000000 is the long form; tests/run/page.py tests the page's rows."""
    with Scratch() as file:
        rows_take_little(file, (["report"], 70), (["report", "--all"], 60))
        expect("rows of a thread", run([PROF, "report", "--threads", "--top", "3", file]).stdout.count("-> p.C") > 5, True)


@test
def copies_of_the_library():
    """JDK classes that another loader defines count as class library."""
    with Scratch() as file:
        folder = file + ".classes"
        compiled(folder, [], os.path.join(ROOT, "tests/integrations/Jrt.java"))
        run([VM, "-Xprofile:method-count:message=off:file=" + file, "-cp", folder, "Jrt"])
        rows = recorded(file, "method-count")[0]
        expect("copies", any(r["method"].get("class", "").startswith("jdk.internal.jrtfs.JrtFileSystemProvider@") for r in rows), True)
        part = run([PROF, "report", file]).stdout.split("\nmethod-count: ")[1].split("\n\n")[0]
        expect_in("Jrt.main(String[])", part)
        expect("of the program", "jdk.internal" in part, False)


# ---- collapsed ----

@test_lasting(12)
def collapsed():
    with Scratch() as file:
        for made in profile, hostile:
            profile(file, "call-tree") if made == profile else hostile(file)
            rows, total = recorded(file, "call-tree")
            leaves = collections.Counter()
            for line in export("--collapsed", file).split("\n")[:-1]:
                stack, count = line.rsplit(" ", 1)
                leaves[re.sub(r"\(([^()]|\[)*\).*$", "", stack.split(";")[-1]) if made == profile else stack.split(";")[-1]] += int(count)
            expect("total", sum(leaves.values()), total)
            if made == profile:
                expect("entries of Ends.work", leaves["Ends.work"], 22000)
                expect("entries", {k: n for k, n in leaves.items() if k[0] != "<"}, dict(entries(rows)))
            else:
                expect("names", set(leaves), {"p.Odd.<script>alert(\"1\")&'(T, int)", "p.Odd.new?line??[31m:semi colon\\\u2028é(T, int)",
                                              "p.Odd.bridge()Lp/A:", "p.Odd.bridge()Lp/B:", "Odd(1).(2) calls=3 %s()", "p.Badÿ.none()"})
        some = export("--collapsed", file, "--filter", "p.Badÿ")
        expect("with a filter", some, "p.Odd.bridge()Lp/A:;p.Odd.bridge()Lp/B:;p.Badÿ.none() 6\n")


@test
def small_exports():
    """The program's own frames, and with --min only the frequent stacks; nothing is lost in the sums. pprof has threads as
    labels."""
    def stacks(*options):
        return [(stack.split(";"), int(n)) for stack, n in
                (line.rsplit(" ", 1) for line in export("--collapsed", file, *options, all=False).split("\n")[:-1])]
    with Scratch() as file:
        profile(file, "call-tree")
        _, total = recorded(file, "call-tree")
        every, own, frequent = stacks("--all"), stacks(), stacks("--min", "1%")
        expect("sums", {sum(n for _, n in s) for s in (every, own, frequent)}, {total})
        expect("sizes", len(every) > 10 * len(own) and len(own) > len(frequent), True)
        expect("own frames", {f.split(".")[0] for s, _ in own for f in s if f[0] not in "<["}, {"Ends"})
        expect("library", max(sum(f == "[library]" for f in pair) for s, _ in own for pair in zip(s, s[1:])) < 2, True)
        count = lambda found: sum(n for s, n in found if s[-1].startswith("Ends.work("))
        expect("entries of Ends.work itself", (count(every), count(own)), (22000, 22000))
        data = json.loads(export("--speedscope", file, all=False))
        expect("speedscope", data["profiles"][0]["endValue"], total)
        wanted = collections.Counter()
        for name, n in re.findall(r"^call-tree of thread (.*): ([\d,]+) in ", run([PROF, "report", "--all", "--threads", "--top", "1", file]).stdout, re.M):
            wanted[name] += int(n.replace(",", ""))
        for some in [], ["--all"]:
            run([PROF, "export", "--pprof", *some, "-o", file + ".pb.gz", file])
            found = collections.Counter()
            for count, name in re.findall(r"^ +(\d+): [\d ]+\n +thread:\[(.*)\]$",
                                          run(["go", "tool", "pprof", "-raw", file + ".pb.gz"]).stdout, re.M):
                found[name] += int(count)
            expect("threads", found, +wanted)


@test
def refused():
    with Scratch() as file:
        write(file, HOSTILE, {"call-edge": [(1, 4, 10, 2, 5)]})
        for format in "--collapsed", "--speedscope", "--pprof", "--otlp", "--perf-script":
            expect_in("record call-tree", run([PROF, "export", format, file], 1).stderr)
        write(file, HOSTILE, {"call-tree": []})
        expect_in("record path, or branch", run([PROF, "export", "--lcov", file], 1).stderr)
        expect_in("no counts", run([PROF, "export", "--jfr", "-o", file + ".out", file], 1).stderr)
        for format in "--collapsed", "--speedscope", "--callgrind", "--pprof":
            expect_in("no calls", run([PROF, "export", format, "-o", file + ".out", file], 1).stderr)
        expect("no file is left", os.path.exists(file + ".out"), False)
        expect_in("cannot write", run([PROF, "export", "--lines", "-o", file + ".none/x", file], 2).stderr)
        before = os.stat(file)
        for format in "--lines", "--collapsed":
            expect_in("overwrite the profile", run([PROF, "export", format, "-o", file, file], 1).stderr)
        expect_in("overwrite the profile", run([PROF, "check", "--max", "a<=1", "--junit", file, file], 2).stderr)
        expect("the profile", os.stat(file), before)
        pipe = file + ".pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        run([PROF, "export", "--collapsed", "-o", pipe, file], 1)
        os.close(reader)
        expect("what is no file stays", os.path.exists(pipe), True)
        # Stacks of 30,000 methods have 450 million frames; the tree itself is small.
        write(file, HOSTILE, {"call-tree": [(i + 1, i, 1, 0, 1, 1, 1) for i in range(30000)]})
        for format in "--collapsed", "--pprof", "--jfr", "--otlp", "--perf-script":
            expect_in("450,015,000 frames", run([PROF, "export", format, file], 1).stderr)
        expect("events", len(json.loads(export("--speedscope", file))["profiles"][0]["events"]), 60000)
        with open(file, "r+b") as f:
            f.truncate(os.path.getsize(file) - 100)
        for format in "--collapsed", "--speedscope", "--callgrind", "--pprof", "--lcov", "--jfr", "--otlp", "--perf-script":
            expect_in("cut off", run([PROF, "export", format, file], 2).stderr)


# ---- JDK Flight Recorder, and what is imported ----

JFR = os.path.join(os.path.dirname(os.path.realpath(shutil.which("javac"))), "jfr")


def summary(file):
    """Number of events in a recording, by type."""
    return {m.group(1): int(m.group(2)) for m in re.finditer(r"^ (\S+) +(\d+) +\d+ *$", run([JFR, "summary", file]).stdout, re.M)}


def printed(file, event, *options):
    data = json.loads(run([JFR, "print", "--json", "--events", event, *options, file]).stdout)
    return [e["values"] for e in data["recording"]["events"]]


@test_lasting(32)
def jfr():
    """The recording has an event for each row of each analysis, and jfr prints the row's count."""
    with Scratch() as file:
        profile(file, "call-tree,branch,field-access,receiver")
        out = file + ".jfr"
        export("--jfr", file, ending=".jfr")
        events = summary(out)
        for analysis, event in ("call-tree", "CallTree"), ("branch", "Branch"), ("field-access", "FieldAccess"), ("receiver", "Receiver"):
            rows = recorded(file, analysis)[0]
            expect(analysis, events["cabernet." + event], sum(r["count"] > 0 for r in rows))
        meta = {e["key"]: e["value"] for e in printed(out, "cabernet.Meta")}
        expect("header", meta["command"], "Ends threads")
        fields = collections.Counter()
        for r in recorded(file, "field-access")[0]:
            fields["%s.%s:%s %s" % (r["field"]["class"], r["field"]["name"], r["field"]["descriptor"], r["access"])] += r["count"]
        expect("fields", {"%s %s" % (e["field"], e["access"]): e["count"] for e in printed(out, "cabernet.FieldAccess")}, dict(fields))
        export("--jfr", file, "--filter", "Ends", "--analysis", "call-tree", ending=".jfr")
        rows = [r for r in recorded(file, "call-tree")[0] if r["count"] and "Ends" in (r["callee"].get("class"), r["caller"].get("class"))]
        found = collections.Counter()
        for e in printed(out, "cabernet.CallTree", "--stack-depth", "1"):
            top = e["stackTrace"]["frames"][0]["method"]
            found[top["type"]["name"].replace("/", ".") + "." + top["name"]] += e["count"]
        expect("entries", {k: n for k, n in found.items() if k.startswith("Ends.")},
               {k: n for k, n in entries(rows).items() if k.startswith("Ends.")})


@test_lasting(20)
def jfr_samples():
    """Each sample of time is an event with its thread and, to the slot, its time, also beside a call tree."""
    with Scratch() as file:
        classes = os.path.join(WORK, "samples")
        run(["javac", "-d", classes, os.path.join(ROOT, "tests", "page", "Load.java")])
        for analyses, number in ("cpu", 0), ("wall", 0), ("call-tree,cpu", None):
            run([VM, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", classes, "Load"])
            run([PROF, "export", "--jfr", "-o", file + ".jfr", file])
            data = json.loads(run([PROF, "report", "--json", file]).stdout)
            index = next(i for i, a in enumerate(data["analyses"]) if a["name"] in ("cpu", "wall"))
            by_thread, by_time, width = samples(file, index, 6)
            started = nanoseconds(data["header"]["started"])
            threads, times = collections.Counter(), collections.Counter()
            names = [(t["name"], t["id"] or -1) for t in data["threads"]]
            events = printed(file + ".jfr", "jdk.ExecutionSample", "--stack-depth", "64")
            for e in events:
                thread = e["sampledThread"]
                who = names.index((thread["javaName"], thread["javaThreadId"] or -1))
                threads[who] += 1
                times[who, (nanoseconds(e["startTime"]) - started) // width] += 1
            expect("%s by thread" % analyses, dict(threads), by_thread)
            expect("%s by time" % analyses, dict(times), by_time)
            expect("workers", {n for n, _ in names if n.startswith("worker-")} <= {names[t][0] for t in threads}, True)
            if "call-tree" in analyses:
                expect("entries", sum(e["count"] for e in printed(file + ".jfr", "cabernet.CallTree", "--stack-depth", "1")), recorded(file, "call-tree")[1])
            for e in events:
                frames = [f["method"]["name"] for f in e["stackTrace"]["frames"]]
                if e["sampledThread"]["javaName"].startswith("worker-") and "run" in frames[2:]:  # and does not start or end
                    expect_in("work", frames)


def nanoseconds(text):
    """A time such as 2026-01-31T12:00:00.25Z, from 1970 on."""
    seconds, fraction = re.fullmatch(r"([^.]*?)(?:\.(\d+))?Z", text).groups()
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 10 ** 9 + int((fraction or "0").ljust(9, "0"))


@test
def jfr_names():
    with Scratch() as file:
        hostile(file)
        export("--jfr", file, ending=".jfr")
        found = collections.Counter()
        for e in printed(file + ".jfr", "cabernet.CallTree", "--stack-depth", "64"):
            found["/".join(f["method"]["name"] for f in e["stackTrace"]["frames"])] += e["count"]
        first, second, fifth = "<script>alert(\"1\")&'", "new?line??[31m;semi colon\\\u2028é", "(2) calls=3 %s"
        expect("stacks, innermost first", dict(found), {
            first: 3, second + "/" + first: 7, first + "/" + second + "/" + first: 7, fifth + "/" + first: 1,
            "bridge/%s/%s" % (fifth, first): 2 ** 40 + 1, "bridge/bridge": 4, "none/bridge/bridge": 6})
        text = run([JFR, "print", file + ".jfr"]).stdout
        expect_in('caller = p.Odd.<script>alert("1")&\'(T, int)', text)


def compared(command, a, b):
    """{analysis: result} of overlap or diff."""
    report = json.loads(run([PROF, command, "--json", a, b]).stdout)
    return {x["name"]: x for x in report["analyses"]}


@test_lasting(5)
def imported():
    """Exported profiles that are imported again: nothing is lost except what the format cannot express."""
    with Scratch() as file:
        for made in profile, hostile:
            profile(file, "call-tree") if made == profile else hostile(file)
            total = recorded(file, "call-tree")[1]
            for format, ending in ("--jfr", ".jfr"), ("--collapsed", ".folded"):
                export(format, file, ending=ending)
                if made == hostile and format == "--collapsed":
                    continue  # names with inner parentheses are ambiguous: they look like parameters
                tree = compared("diff", file, file + ending)["call-tree"]
                expect("totals", (tree["totalA"], tree["totalB"]), (total, total))
                expect("differences", tree["differences"], [])
                expect("overlap", round(compared("overlap", file + ending, file)["call-tree"]["overlap"], 9), 100)
        text = run([PROF, "report", file + ".jfr"]).stdout
        expect_in("exact, every event recorded", text)
        with open(file, "w") as f:
            f.write("[main tid=7];p/Main.main;java/lang/Thread.run_[j];p/Main.a;p/Main.b_[0];p/Main.a 12\n"
                    "p.Main.main(String[]);p.Main.a(p.X<y>, int) 3\r\n\nlibc.so`read_[k] 1\n")
        lines = run([PROF, "export", "--lines", file]).stdout.splitlines()
        expect("entries", [l for l in lines if l.startswith("method")], ["method libc.so`read 1", "method p.Main.a 15"])
        expect("edges", [l for l in lines if l.startswith("edge")],
               ["edge <thread> -1 libc.so`read 1", "edge p.Main.b -1 p.Main.a 12", "edge p.Main.main -1 p.Main.a 3"])
        text = run([PROF, "report", file]).stdout
        expect_in("from collapsed stacks: 16 samples", text)
        expect_in("method-count: 16 samples in 2 rows, of them 15 of the program", text)
        for words, what in ("a;b", "not a cabernet profile"), ("a;b 1\nc\n", "not a cabernet profile"), ("a 99999999999999999999\n", "not a"):
            with open(file, "w") as f:
                f.write(words)
            expect_in(what, run([PROF, "report", file], 2).stderr)


@test_lasting(20)
def exported_comes_back():
    """A recording preserves every analysis with the same rows; collapsed stacks preserve what stacks can express."""
    with Scratch() as file:
        for asked in ("method-count,call-edge,field-access,field-site,branch,receiver,path,events,value", "call-tree:recursion=3",
                      "call-subtree", "interprocedural-path", "method-count,call-edge:sampling=counter:interval=50",
                      "method-count,call-edge,call-tree"):
            run([VM, "-Xprofile:%s:message=off:file=%s" % (asked, file), "-cp", CLASSES, "Ends", "threads"])
            export("--jfr", file, ending=".jfr")
            parts = {}
            for name in file, file + ".jfr":
                report = json.loads(run([PROF, "report", "--all", "--json", name]).stdout)
                parts[name] = [{k: v for k, v in a.items() if k != "threads"} for a in report["analyses"]]
                for analysis in parts[name]:
                    analysis["rows"].sort(key=lambda row: json.dumps(row, sort_keys=True))
            expect("analyses of " + asked, [a["name"] for a in parts[file + ".jfr"]], [a["name"] for a in parts[file]])
            for was, came in zip(parts[file], parts[file + ".jfr"]):
                expect("rows of " + was["name"], came == was, True)
            expect("lines of " + asked, run([PROF, "export", "--lines", file + ".jfr"]).stdout, run([PROF, "export", "--lines", file]).stdout)
            for name, found in compared("diff", file, file + ".jfr").items():
                expect("differences in %s of %s" % (name, asked), found["differences"], [])
        callers = {r["caller"]["name"] for r in recorded(file + ".jfr", "call-edge")[0]}
        expect("pseudo-callers", {"<thread>", "<vm>", "<class-init>"} <= callers, True)
        export("--collapsed", file, ending=".folded")
        found = compared("diff", file, file + ".folded")
        expect("from collapsed stacks", sorted(found), ["call-edge", "call-tree", "method-count"])
        for name, one in found.items():
            expect("differences in " + name, one["differences"], [])


@test_lasting(16)
def imported_from_hotspot():
    """A recording of java: the samples that jfr counts, with their methods, next to the exact profile of the same
    program."""
    with Scratch() as file:
        out = file + ".jfr"
        run(["java", "-XX:StartFlightRecording:filename=%s,settings=profile" % out, "-Xlog:disable", "-cp", CLASSES, "Mix", "40000"])
        rows, total = recorded(out, "call-tree")
        expect("samples", total, summary(out)["jdk.ExecutionSample"])
        own = entries(rows)
        if not any(name.startswith("Mix.") for name in own):
            raise AssertionError("no samples of the program: %r" % own)
        run([VM, "-Xprofile:call-tree,method-count:message=off:file=" + file, "-cp", CLASSES, "Mix", "20"])
        found = compared("overlap", file, out)
        expect("compared", sorted(found), ["call-tree", "method-count"])
        for name, x in found.items():
            if not 0 <= x["overlap"] <= 100 or "ideal" not in x:
                raise AssertionError("%s: %r" % (name, x))
        expect_in("imported from a JFR recording, %d samples" % total, run([PROF, "overlap", file, out]).stdout)


@test
def imported_damaged():
    """Corrupted and truncated recordings give a message or a report."""
    with Scratch() as file:
        hostile(file)
        export("--jfr", file, ending=".jfr")
        with open(file + ".jfr", "rb") as f:
            whole = f.read()
        dice = random.Random(21)
        refused = 0
        for i in range(150):
            data = bytearray(whole[:dice.randrange(len(whole))] if i % 10 == 0 else whole)
            for _ in range(dice.choice([1, 1, 3, 10])):
                data[dice.randrange(len(data))] = dice.randrange(256)
            with open(file, "wb") as f:
                f.write(data)
            done = subprocess.run([PROF, "report", file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT)
            if done.returncode not in (0, 2) or (done.returncode == 2) != bool(done.stderr):
                raise AssertionError("damage %d: exit code %d, %r" % (i, done.returncode, done.stderr))
            refused += done.returncode == 2
        if not 20 < refused < 150:
            raise AssertionError("%d refused" % refused)


# ---- Callgrind ----

def annotated(file, *options):
    """Rows of functions that callgrind_annotate prints, {name: [costs]}, and the totals."""
    with open(file + ".out") as f:
        shown = ",".join(re.search(r"^events: (.*)$", f.read(), re.M).group(1).split()[:2])  # entries and calls
    lines = run(["callgrind_annotate", "--threshold=100", "--show=" + shown, *options, file + ".out"]).stdout.split("\n")
    number = lambda word: 0 if word == "." else int(word.replace(",", ""))
    found, totals = collections.defaultdict(list), None
    for line in lines:
        m = re.match(r"^\s*([\d,.]+)(?: \([ \d.]+%\))?\s+([\d,.]+)(?: \([ \d.]+%\))?\s{2}(.*)$", line)
        if m and m.group(3) == "PROGRAM TOTALS":
            totals = [number(m.group(1)), number(m.group(2))]
        elif m and totals:
            found[m.group(3).strip()].append([number(m.group(1)), number(m.group(2))])
    return found, totals


@test_lasting(17)
def callgrind():
    with Scratch() as file:
        for analysis, event in ("call-tree", "call_tree"), ("call-edge,branch", "call_edge"):
            profile(file, analysis)
            rows, total = recorded(file, analysis.split(",")[0])
            more = " branches branches_taken" if "branch" in analysis else ""
            expect_in("\nevents: %s_entries %s_calls%s\n" % (event, event, more), export("--callgrind", file))
            found, totals = annotated(file)
            expect("totals", totals, [total, total])
            own = collections.Counter()
            for name, costs in found.items():
                own[re.sub(r"\(.*", "", name.split(":", 1)[1])] += sum(c[0] for c in costs)
            expect("entries", {k: n for k, n in own.items() if n and k[0] != "<"}, dict(entries(rows)))
            top = entries(rows).most_common(10)
            expect("top ten", sorted(own.values(), reverse=True)[:10], [n for _, n in top])
            below, _ = annotated(file, "--inclusive=yes")
            text = run([PROF, "report", "--method", "Ends.work", file]).stdout
            number = int(re.search(r"times; ([\d,]+) method entries", text).group(1).replace(",", ""))
            expect("work below", [c[0] for n, costs in below.items() if ":Ends.work(" in n for c in costs], [number])


def annotated_lines(file, event):
    """{text: cost} of the lines of Ends that callgrind_annotate prints, and the total."""
    text = run(["callgrind_annotate", "--threshold=100", "--show=" + event, "--sort=" + event, "--auto=yes", "--context=0",
                "--include=" + os.path.join(ROOT, "tests", "profiler"), file + ".out"]).stdout
    part = re.split(r"-- Auto-annotated source: .*Ends\.java\n", text)[1].split("-- Auto-annotated")[0]
    found = collections.Counter()
    for line in part.split("\n"):
        m = re.match(r"^\s*([\d,]+) \([ \d.]+%\)  (.*)$", line)
        if m and not re.match(r"\s*=>|<|events annotated", m.group(2)):
            found[m.group(2)] += int(m.group(1).replace(",", ""))
    return found, int(re.search(r"([\d,]+) \([ \d.]+%\)  PROGRAM TOTALS", text).group(1).replace(",", ""))


@test
def callgrind_lines():
    """Counts on each line of Ends, as callgrind_annotate prints them with the source: calls, field accesses,
    branches."""
    with Scratch() as file:
        profile(file, "call-edge,branch,field-site")
        with open(os.path.join(ROOT, "tests", "profiler", "Ends.java")) as f:
            source = f.read().split("\n")
        export("--callgrind", file)
        for analysis, event, method in (("call-edge", "call_edge_calls", "caller"), ("field-site", "field_accesses", "method"),
                                        ("branch", "branches", "method"), ("branch", "branches_taken", "method")):
            rows, total = recorded(file, analysis)
            if event == "branches_taken":
                rows = [r for r in rows if r["edge"]]
                total = sum(r["count"] for r in rows)
            lines = collections.Counter()
            for r in rows:
                if r[method].get("class") == "Ends" and r["line"] > 0:
                    lines[source[r["line"] - 1]] += r["count"]
            found, totals = annotated_lines(file, event)
            expect("total of " + event, totals, total)
            expect(event + " by line", {k: n for k, n in found.items() if k in lines}, dict(lines))
            expect("top ten", [n for _, n in found.most_common(10)], [n for _, n in lines.most_common(10)])


@test
def callgrind_below():
    """Inclusive branch counts: the calls of main include all branches except those that the program's other threads
    run."""
    with Scratch() as file:
        # main calls f twice and g once, f calls g thrice: g's 20 branches are 5 per entry.
        methods = [("", "<thread>", "", None, PSEUDO)] + [("A", n, "()V", "A.java", APPLICATION) for n in ("main", "f", "g")]
        write(file, methods, {"call-edge": [(0, -1, -1, 1, 1), (1, 0, 1, 2, 2), (1, 3, 2, 3, 1), (2, 0, 5, 3, 3)],
                              "branch": [(2, 4, 6, 0, 6), (3, 1, 9, 0, 12), (3, 1, 9, 1, 8)]})
        out = export("--callgrind", file)
        expect_in("\nevents: call_edge_entries call_edge_calls branches branches_taken\n", out)
        expect_in("\n9 0 0 20 8\n", out)
        expect_in("calls=2 0\n1 5 3 21 6\n", out)  # f: 6 branches itself, and three quarters of g's
        expect_in("calls=1 0\n2 1 0 5 2\n", out)
        expect_in("\ntotals: 7 7 26 8\n", out)


@test
def callgrind_names():
    with Scratch() as file:
        hostile(file)
        out = export("--callgrind", file)
        found, totals = annotated(file)
        expect("totals", totals, [TREE_TOTAL, TREE_TOTAL])
        expect("names", {n: sum(c[0] for c in costs) for n, costs in found.items()},
               {"p/Odd.java:p.Odd.<script>alert(\"1\")&'(T, int)": 10, "p/Odd.java:p.Odd.new?line??[31m;semi colon\\\u2028é(T, int)": 7,
                "p/.._.._Odd.java:p.Odd.bridge()Lp/A;": 2 ** 40 + 1, "???:p.Odd.bridge()Lp/B;": 4, "a=b:Odd(1).(2) calls=3 %s()": 1,
                "p/Odd.java:p.Badÿ.none()": 6, "???:<thread>": 0})
        expect_in("calls=1 0\n0 %d " % (2 ** 40 + 2), out)  # called by the VM below the first method


# ---- speedscope ----

def opened(file, *options):
    """{method: entries} from a speedscope file, after checking that the format allows it: events are properly
    nested."""
    data = json.loads(export("--speedscope", file, *options))
    expect("keys", sorted(data), ["$schema", "activeProfileIndex", "exporter", "name", "profiles", "shared"])
    frames = data["shared"]["frames"]
    one, = data["profiles"]
    expect("kind", [one["type"], one["unit"], one["startValue"]], ["evented", "none", 0])
    own, stack, last = collections.Counter(), [], 0
    for e in one["events"]:
        if stack:
            own[frames[stack[-1]]["name"]] += e["at"] - last
        elif e["at"] != last:
            raise AssertionError("a gap between stacks")
        last = e["at"]
        if e["type"] == "O":
            stack.append(e["frame"])
        else:
            expect("closed", e["frame"], stack.pop())
    expect("left open, end", (stack, last), ([], one["endValue"]))
    return own, last


@test_lasting(1)
def speedscope():
    with Scratch() as file:
        profile(file, "call-tree")
        rows, total = recorded(file, "call-tree")
        own, end = opened(file)
        expect("total", end, total)
        found = collections.Counter()
        for name, count in own.items():
            found[re.sub(r"\(.*", "", name)] += count
        expect("entries", {k: n for k, n in found.items() if n and k[0] != "<"}, dict(entries(rows)))
        hostile(file)
        own, end = opened(file)
        expect("total", end, TREE_TOTAL)
        expect("entries", {n: c for n, c in own.items() if c},
               {"p.Odd.<script>alert(\"1\")&'(T, int)": 10, "p.Odd.new?line??[31m;semi colon\\\u2028é(T, int)": 7,
                "p.Odd.bridge()Lp/A;": 2 ** 40 + 1, "p.Odd.bridge()Lp/B;": 4, "Odd(1).(2) calls=3 %s()": 1, "p.Badÿ.none()": 6})
        own, end = opened(file, "--filter", "p.Badÿ")
        expect("with a filter", (end, +own), (6, {"p.Badÿ.none()": 6}))


# ---- pprof ----

def pprof(file, *options):
    """{stack of (name, line), outermost first: entries}, read by go tool pprof."""
    export("--pprof", file, *options)
    text = run(["go", "tool", "pprof", "-raw", file + ".out"]).stdout
    samples, locations = re.search(r"Samples:\nentries/count\n(.*)Locations\n(.*)Mappings", text, re.S).groups()
    places = {}
    for line in locations.split("\n")[:-1]:
        m = re.match(r"^ *(\d+): 0x0 (?:M=\d+ )?(.*) \S*:(\d+) s=0(?:\(.*\))?$", line)
        places[int(m.group(1))] = (m.group(2), int(m.group(3)))
    found = collections.Counter()
    for line in samples.splitlines():
        if not re.match(r" +\d+: ", line):  # a label
            continue
        count, stack = line.split(":")
        found[tuple(places[int(n)] for n in reversed(stack.split()))] += int(count)
    return found


@test_lasting(11)
def pprof_samples():
    with Scratch() as file:
        profile(file, "call-tree")
        rows, total = recorded(file, "call-tree")
        found = pprof(file)
        expect("total", sum(found.values()), total)
        own = collections.Counter()
        for stack, count in found.items():
            own[re.sub(r"\(.*", "", stack[-1][0])] += count
        expect("entries", {k: n for k, n in own.items() if k[0] != "<"}, dict(entries(rows)))
        text = run(["go", "tool", "pprof", "-top", "-nodecount=10", file + ".out"]).stdout
        exact = collections.Counter()
        for r in rows:
            exact[key_of(r["callee"]) + r["callee"]["descriptor"]] += r["count"]
        expect("top ten", [int(l.split()[0]) for l in text.split("cum%\n")[1].splitlines()], [n for _, n in exact.most_common(10)])


@test
def pprof_names():
    with Scratch() as file:
        hostile(file)
        found = {"/".join("%s:%d" % (p[0].split("(")[0], p[1]) for p in stack): n for stack, n in pprof(file).items()}
        expect("total", sum(found.values()), TREE_TOTAL)
        first, second = "p.Odd.<script>alert", "p.Odd.new?line??[31m;semi colon\\\u2028é"
        expect("a call by the VM below a method", [n for s, n in found.items() if s.startswith(first + ":0/Odd:")],
               [1, 2 ** 40 + 1])
        expect("recursion", found["%s:10/%s:20/%s:0" % (first, second, first)], 7)
        expect("a place", found["%s:11/%s:0" % (first, second)], 2)
        # A tree whose leaves are no methods, as the samples of compile threads are.
        write(file, [HOSTILE[0], ("", "<compiler>", "", None, PSEUDO), HOSTILE[1]],
              {"call-tree": [(1, 0, 0, -1, -1, 1, 90), (2, 0, 0, -1, -1, 2, 10)]})
        expect("pseudo-methods", {"/".join(n for n, _ in stack).split("(")[0]: n for stack, n in pprof(file).items()}.get("<compiler>"), 90)
        text = run(["go", "tool", "pprof", "-top", file + ".out"]).stdout
        expect("names in a report", ["<compiler>" in text, "<unknown>" in text], [True, False])


# ---- perf script, OTLP ----

@test
def perf_script():
    """In the format of `man perf-script`, parsed by the rules of stackcollapse-perf.pl: a header, frames, an empty
    line."""
    with Scratch() as file:
        for made in profile, hostile:
            profile(file, "call-tree") if made == profile else hostile(file)
            some = ("--filter", "Ends") if made == profile else ()
            out = export("--perf-script", file, *some)
            stacks = collections.Counter()
            for part in out.split("\n\n")[:-1]:
                head, *frames = part.split("\n")
                count = re.fullmatch(r"\S+ \d+ \[000\] 0\.000000: (\d+) entries:", head).group(1)
                stacks[tuple(re.fullmatch(r"\t *0 (.*) \(([^()]*)\)", f).group(1) for f in frames)] += int(count)
            lines = collections.Counter()
            for line in export("--collapsed", file, *some).split("\n")[:-1]:
                stack, count = line.rsplit(" ", 1)
                lines[tuple(reversed(stack.split(";")))] += int(count)
            expect("stacks", dict(stacks), dict(lines))
            if made == hostile:
                expect("total", sum(stacks.values()), TREE_TOTAL)


# The part of profiles.proto (opentelemetry-proto 1.7) that protoc needs here.
OTLP = """syntax = "proto3";
message Data { repeated Resources resources = 1; Dictionary dictionary = 2; }
message Resources { Resource resource = 1; repeated Scopes scopes = 2; }
message Resource { repeated Attribute attributes = 1; }
message Attribute { string key = 1; Value value = 2; }
message Value { string text = 1; }
message Scopes { Scope scope = 1; repeated Profile profiles = 2; }
message Scope { string name = 1; }
message Dictionary { repeated Empty mapping = 1; repeated Location location = 2; repeated Function function = 3; repeated Empty link = 4; repeated string text = 5; }
message Empty {}
message Location { repeated Line line = 3; }
message Line { int32 function = 1; int64 line = 2; }
message Function { int32 name = 1; int32 system = 2; int32 file = 3; }
message Profile { Type type = 1; repeated Sample sample = 2; repeated int32 locations = 3; uint64 time = 4; uint64 duration = 5; }
message Type { int32 type = 1; int32 unit = 2; int32 temporality = 3; }
message Sample { int32 start = 1; int32 length = 2; repeated int64 values = 3; }
"""


def message(lines):
    """Output of protoc as {field: [values]}, up to the closing brace."""
    found = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line in ("}", ""):
            break
        if line.endswith(" {"):
            found[line[:-2]].append(message(lines))
        else:
            key, value = line.split(": ", 1)
            found[key].append(json.loads(re.sub(r"\\'", "'", value)) if value[0] == '"' else int(value))
    return found


@test
def otlp():
    with Scratch() as file:
        proto = os.path.join(os.path.dirname(file), "otlp.proto")
        with open(proto, "w") as f:
            f.write(OTLP)
        for made in profile, hostile:
            profile(file, "call-tree") if made == profile else hostile(file)
            some = ("--filter", "Ends") if made == profile else ()
            export("--otlp", file, *some)
            with open(file + ".out", "rb") as f:
                done = subprocess.run(["protoc", "--decode=Data", "-I", os.path.dirname(proto), "otlp.proto"],
                                      stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
            expect("protoc", (done.returncode, done.stderr), (0, b""))
            octal = lambda m: bytes(int(o, 8) for o in re.findall(r"\\(\d{3})", m.group(0))).decode()
            data = message(iter(re.sub(r"(?:\\[0-7]{3})+", octal, done.stdout.decode()).split("\n")))
            dictionary, one = data["dictionary"][0], data["resources"][0]["scopes"][0]["profiles"][0]
            texts = dictionary["text"]
            expect("type", [texts[one["type"][0][k][0]] for k in ("type", "unit")], ["entries", "count"])
            expect("first entries", (texts[0], dictionary["location"][0], dictionary["function"][0]), ("", {}, {}))
            name = lambda l: texts[dictionary["function"][dictionary["location"][l]["line"][0]["function"][0]]["name"][0]]
            stacks, lines = collections.Counter(), collections.Counter()
            for sample in one["sample"]:
                at, n = sample.get("start", [0])[0], sample["length"][0]
                stacks[tuple(name(l) for l in reversed(one["locations"][at:at + n]))] += sample["values"][0]
            for line in export("--collapsed", file, *some, ending=".folded").split("\n")[:-1]:
                stack, count = line.rsplit(" ", 1)
                lines[tuple(stack.split(";"))] += int(count)
            same = lambda stacks: {tuple(n.replace(";", ":") for n in k): v for k, v in stacks.items()}
            expect("stacks", same(stacks), dict(lines))


# ---- lcov ----

def covered(file):
    """{(source, line): (edges taken, edges, whether the line was executed)} of a tracefile."""
    taken, edges, lines, source = collections.Counter(), collections.Counter(), {}, None
    with open(file) as f:
        for line in f:
            key, _, value = line.strip().partition(":")
            numbers = value.split(",")
            if key == "SF":
                source = value
            elif key == "BRDA":
                edges[source, int(numbers[0])] += 1
                taken[source, int(numbers[0])] += numbers[3] != "0"
            elif key == "DA":
                lines[source, int(numbers[0])] = numbers[1] != "0"
    return {k: (taken[k], edges[k], executed) for k, executed in lines.items()}


@test
def lcov():
    """Branches and lines of Ends as lcov rewrites them, and genhtml's totals; without class files, only executed
    lines."""
    with Scratch() as file:
        profile(file, "call-edge,branch")
        folder = os.path.join(ROOT, "tests", "profiler")
        export("--lcov", file, "--classes", "/nowhere", "--source", "/nowhere:" + folder)
        again, branches = file + ".again", "lcov_branch_coverage=1"
        run(["lcov", "-q", "--rc", branches, "-a", file + ".out", "-o", again])
        wanted, lines = collections.Counter(), collections.defaultdict(collections.Counter)
        for analysis, key in ("branch", "method"), ("call-edge", "caller"):
            for r in recorded(file, analysis)[0]:
                if r[key].get("class", "").split("$")[0] != "Ends" or r["line"] <= 0:
                    continue
                site = (analysis, r[key]["name"], r[key]["descriptor"], r["bci"])
                lines[r["line"]][site] += r["count"]
                if analysis == "branch":
                    wanted[r["line"]] += r["count"]
        found = collections.Counter()
        with open(again) as f:
            text = f.read()
        expect("source", re.findall("SF:(.*)", text), [os.path.join(folder, "Ends.java")])
        for line, count in re.findall(r"BRDA:(\d+),\d+,\d+,(\d+)", text):
            found[int(line)] += int(count)
        expect("branches", dict(found), dict(wanted))
        expect("lines", {int(l): int(n) for l, n in re.findall(r"DA:(\d+),(\d+)(?![,\d])", re.sub("BRDA.*", "", text))},
               {l: max(sites.values()) for l, sites in lines.items()})
        page = run(["genhtml", "--branch-coverage", "-o", file + ".html", file + ".out"]).stdout
        expect_in("(%d of %d lines)" % (len(lines), len(lines)), page)
        all_edges = re.findall(r"BRDA:\d+,\d+,\d+,(\d+)", text)
        expect_in("(%d of %d branches)" % (sum(n != "0" for n in all_edges), len(all_edges)), page)


@test
def lcov_lines():
    """Every line with its count, and 0 for lines never reached, from class files in a folder and in an archive. Without
    the analysis path, code after an exception counts as executed."""
    source = os.path.join(ROOT, "tests/integrations/Lines.java")
    with open(source) as f:
        wanted = {i: int(m[1]) for i, m in ((i, re.search(r"// (\d+)$", line)) for i, line in enumerate(f, 1)) if m}
    with Scratch() as file:
        folder, archive = file + ".classes", file + ".jar"
        compiled(folder, [], source)
        run(["jar", "--create", "--file", archive, "-C", folder, "."])
        for analyses in "path,branch,call-edge", "branch,call-edge", "branch,call-tree,path,method-count,field-site,receiver":
            run([VM, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", folder, "Lines"])
            text = export("--lcov", file)
            found = {int(l): int(n) for l, n in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}
            wrong = {l for l, n in wanted.items() if found.get(l) != n}
            expect("lines of " + analyses, {l for l in wrong if not found.get(l) or not wanted[l]}, set() if "path" in analyses else {31, 32, 66, 73})
            if "path" in analyses:
                expect("counts", wrong, set())
                expect("methods", dict(re.findall(r"^FNDA:(\d+),Lines\.(never|chosen|throwing|main)", text, re.M)), {"0": "never", "4": "chosen", "3": "throwing", "1": "main"})
                edges = re.findall(r"^BRDA:14,0,\d,(\d+)$", text, re.M)
                expect("a switch, by where it goes", sorted(edges), ["0", "2", "2"])
            expect("of an archive", export("--lcov", file, "--classes", archive), text)
        # Another version of the class, or a damaged one: no crash, and counts as far as possible.
        with open(os.path.join(folder, "Lines.class"), "rb") as f:
            whole = f.read()
        for changed in whole[:len(whole) // 2], whole.replace(b"\x1a\x04\xa4", b"\x1a\x04\xaa"), whole.replace(b"\xaa", b"\xab"):
            with open(os.path.join(folder, "Lines.class"), "wb") as f:
                f.write(changed)
            run([PROF, "export", "--lcov", "-o", file + ".out", file])
        run([VM, "-Xprofile:branch,call-edge:sampling=counter:interval=7:message=off:file=" + file, "-cp", archive, "Lines"])
        expect_in("has samples", run([PROF, "export", "--lcov", "--classes", archive, "-o", file + ".out", file]).stderr)


def lcov_lines_of(text, source):
    """{line: count} of a source in a tracefile; None if it is missing."""
    for record in text.split("end_of_record\n"):
        if "SF:%s\n" % source in record:
            return {int(m.group(1)): int(m.group(2)) for m in re.finditer(r"^DA:(\d+),(\d+)$", record, re.M)}
    return None


def written(folder, **sources):
    os.makedirs(folder, exist_ok=True)
    for name, text in sources.items():
        with open(os.path.join(folder, name + ".java"), "w", encoding="utf-8") as f:
            f.write(text)
    return [os.path.join(folder, name + ".java") for name in sources]


FACTS = "path,branch,call-edge:message=off:file="


@test_lasting(14)
def class_file_that_ran():
    """Reads the class file that was defined: among several versions in an archive, and several of one name on the class
    path. A file that has changed since is not used, and a message says so."""
    with Scratch() as file:
        folder = file + ".classes"
        base = written(folder + "/b", Main="public class Main { public static void main(String[] a) { System.out.println(Ver.v(3)); } }\n",
                       Ver="class Ver { static int v(int n) { return n; } }\n")
        newer = written(folder + "/v", Ver="class Ver {\n\n\n static int v(int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++)\n   s += i;\n  return s;\n }\n}\n")
        run(["javac", "-g", "--release", "9", "-d", folder + "/bo", *base])
        run(["javac", "-g", "--release", "17", "-d", folder + "/vo", *newer])
        for name, option, want in ("new", ["--release", "17"], {5: 1, 6: 4, 7: 3, 8: 1}), ("far", ["--release", "18"], {1: 1}):
            jar = "%s/%s.jar" % (folder, name)
            run(["jar", "--create", "--file", jar, "--main-class", "Main", "-C", folder + "/bo", ".", *option, "-C", folder + "/vo", "."])
            run([VM, "-Xprofile:" + FACTS + file, "-jar", jar])
            found = {line: n for line, n in lcov_lines_of(export("--lcov", file), "Ver.java").items() if n}
            expect("lines, " + name, found, want)
            text = run([PROF, "report", "--bytecode", "Ver.v", file]).stdout
            expect("bytecode, " + name, ("if_icmpge" in text, "not the one that ran" in text), (name == "new", False))
        # Two files of one name, of which the second ran; then neither.
        run([VM, "-Xprofile:" + FACTS + file, "-cp", folder + "/bo", "Main"])
        both = folder + "/vo:" + folder + "/bo"
        expect("of two", lcov_lines_of(export("--lcov", file, "--classes", both), "Ver.java"), {1: 1})
        expect_in("ireturn", run([PROF, "report", "--classes", both, "--bytecode", "Ver.v", file]).stdout)
        shutil.copy(folder + "/vo/Ver.class", folder + "/bo/Ver.class")
        done = run([PROF, "export", "--lcov", "-o", file + ".out", file])
        expect_in("1 class files of the class path are not those that ran, and are not used: Ver, which came from file:", done.stderr)
        with open(file + ".out") as f:
            expect("of another class file", lcov_lines_of(f.read(), "Ver.java"), None)
        text = run([PROF, "report", "--bytecode", "Ver.v", file]).stdout
        expect_in("the class file that was found is not the one that ran", text)
        expect_in("came from file:", text)


def with_source_map(path, text):
    """Adds a SourceDebugExtension to a class file whose only attribute is SourceFile."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    count, at, i = struct.unpack_from(">H", data, 8)[0], 10, 1
    sizes = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5}
    while i < count:
        tag = data[at]
        at += 3 + struct.unpack_from(">H", data, at + 1)[0] if tag == 1 else sizes[tag]
        i += 2 if tag in (5, 6) else 1
    expect("attributes", struct.unpack_from(">H", data, len(data) - 10)[0], 1)
    struct.pack_into(">H", data, len(data) - 10, 2)
    data += struct.pack(">HI", count, len(text)) + text.encode()
    name = b"SourceDebugExtension"
    data[at:at] = struct.pack(">BH", 1, len(name)) + name
    struct.pack_into(">H", data, 8, count + 1)
    with open(path, "wb") as f:
        f.write(data)


SOURCE_MAP = """SMAP
K.java
Kotlin
*S Kotlin
*F
1 K.java
+ 2 Lib.kt
lib/LibKt
*L
1#1,6:1
2#1:7
100#2,2:8
*S KotlinDebug
*F
1 K.java
*L
3#1:7
*E
"""


@test_lasting(6)
def lcov_source_maps():
    """Inlined functions' lines are those of the functions; lines in another file are left out."""
    with Scratch() as file:
        folder = file + ".classes"
        source = written(folder, K="class K {\n  static int n;\n  public static void main(String[] a) {\n    int s = 0;\n"
                                   "    for (int i = 0; i < 9; i++)\n      s += i;\n    n += s;\n    n++;\n    n--;\n  }\n}\n")
        run(["javac", "-g", "-d", folder, *source])
        plain = {1: 0, 4: 1, 5: 10, 6: 9, 7: 1, 8: 1, 9: 1, 10: 1}
        run([VM, "-Xprofile:" + FACTS + file, "-cp", folder, "K"])
        expect("without a map", lcov_lines_of(export("--lcov", file), "K.java"), plain)
        for text, want in (SOURCE_MAP, {1: 0, 2: 1, 4: 1, 5: 10, 6: 9}), (SOURCE_MAP.replace("100#2,2:8", "100#2,2:x"), plain):
            run(["javac", "-g", "-d", folder, *source])
            with_source_map(folder + "/K.class", text)
            run([VM, "-Xprofile:" + FACTS + file, "-cp", folder, "K"])
            found = export("--lcov", file)
            expect("lines", lcov_lines_of(found, "K.java"), want)
            expect("sources", found.count("SF:"), 1)


@test_lasting(6)
def class_files_and_names():
    """Names with characters beyond 16 bits; module descriptors; methods that differ only in their result types."""
    with Scratch() as file:
        folder = file + ".classes"
        name = "\U0001d4b3"
        sources = written(folder + "/s", Names="public class Names {\n  static class %s { static int %sf(int n) { return n + 1; } }\n"
                          "  interface Source { Object get(); }\n  static class Text implements Source { public String get() { return null; } }\n"
                          "  public static void main(String[] a) { int s = 0; for (int i = 0; i < 7; i++) s = %s.%sf(s);\n"
                          "    Source source = new Text(); source.get(); }\n}\n" % (name, name, name, name))
        with open(folder + "/s/module-info.java", "w") as f:
            f.write("module names { }\n")
        run(["javac", "-encoding", "UTF-8", "-g", "-d", folder + "/c", *sources, folder + "/s/module-info.java"],
            env=dict(os.environ, LC_ALL="C.UTF-8"))
        run(["jar", "--create", "--file", folder + "/n.jar", "-C", folder + "/c", "."], env=dict(os.environ, LC_ALL="C.UTF-8"))
        for path in folder + "/c", folder + "/n.jar":
            run([VM, "-Xprofile:" + FACTS + file, "-cp", path, "Names"], env=dict(os.environ, LC_ALL="C.UTF-8"))
            done = run([PROF, "export", "--lcov", file])
            expect("messages", done.stderr, "")
            expect_in("FNDA:7,Names$%s.%sf(I)I\n" % (name, name), done.stdout)
            expect("line", lcov_lines_of(done.stdout, "Names.java")[2], 7)
            text = run([PROF, "report", "--bytecode", "%sf" % name, file]).stdout
            expect("bytecode", ("iadd" in text, "not the one that ran" in text), (True, False))
        text = run([PROF, "report", "--analysis", "call-edge", file]).stdout
        expect_in("-> Names$Text.get(): Object\n", text)
        expect_in("-> Names$Text.get(): String\n", text)
        expect_in("Names.main(String[])", run([PROF, "report", "--analysis", "path", file]).stdout)


@test
def lcov_edges():
    """The untaken edge of a conditional branch, gaps of a switch, two branches in one line."""
    with Scratch() as file:
        rows = [(1, 3, 7, 1, 5), (1, 9, 7, 0, 2), (2, 1, 8, 0, 1), (2, 1, 8, 4, 6), (2, 2, 9, 2 ** 31, 1)]
        write(file, HOSTILE, {"branch": rows})
        expect("file", export("--lcov", file).splitlines(),
               ["TN:cabernet", "SF:p/Odd.java", "BRDA:7,0,0,0", "BRDA:7,0,1,5", "BRDA:7,1,0,2", "BRDA:7,1,1,0",
                "BRDA:8,0,0,1", "BRDA:8,0,1,0", "BRDA:8,0,2,0", "BRDA:8,0,3,0", "BRDA:8,0,4,6", "BRDA:9,0,2147483648,1",
                "BRF:10", "BRH:5", "DA:7,5", "DA:8,7", "DA:9,1", "LF:3", "LH:3", "end_of_record"])


@test_lasting(6)
def lcov_and_jacoco():
    """Branches and lines of a library equal JaCoCo's on java, except for lines with a known reason. JaCoCo leaves out
    private constructors without a body and the copy of a finally for exceptions. Its probes come after calls, so it
    misses a line that an exception ended."""
    libraries = [JARS + n + ".jar" for n in ("org.jacoco.core", "asm", "asm-tree", "asm-commons", "asm-analysis", "commons-cli")]
    with Scratch() as file:
        folder = file + ".classes"
        compiled(folder, libraries, *(os.path.join(ROOT, "tests/integrations", n + ".java") for n in ("Jacoco", "Cover")))
        java = run(["java", "-cp", ":".join([folder, *libraries]), "Jacoco", libraries[-1], "Cover"])
        theirs = {}
        for line in java.stderr.splitlines():
            source, *numbers = line.rsplit(" ", 4)
            branches, all_branches, instructions = map(int, numbers[1:])
            theirs[source, int(numbers[0])] = branches, all_branches, instructions > 0
        left_out = {("HelpFormatter", 71): True, ("OptionBuilder", 354): False, ("OptionBuilder", 356): False, ("OptionBuilder", 116): False}
        for (name, line), executed in left_out.items():
            theirs["org/apache/commons/cli/%s.java" % name, line] = 0, 0, executed
        expect("ended by an exception", theirs["org/apache/commons/cli/DefaultParser.java", 383], (0, 0, False))
        theirs["org/apache/commons/cli/DefaultParser.java", 383] = 0, 0, True
        for analyses in "path,branch,call-edge", "branch,call-edge":
            done = run([VM, "-Xprofile:%s:message=off:file=%s" % (analyses, file), "-cp", folder + ":" + libraries[-1], "Cover"])
            expect("output", done.stdout, java.stdout)
            run([PROF, "export", "--lcov", "-o", file + ".out", "--filter", "org.apache.commons.cli.*", file])
            ours = covered(file + ".out")
            expect("coverage of %s, not so in JaCoCo" % analyses, {k: v for k, v in ours.items() if theirs.get(k) != v}, {})
            expect("only in JaCoCo", set(theirs) - set(ours), set())
        expect("lines", len(ours) > 1200, True)
        run(["genhtml", "--branch-coverage", "-q", "--ignore-errors", "source", "-o", file + ".html", file + ".out"])
        index = re.sub(r"<[^>]*>|\s+", " ", open(os.path.join(file + ".html", "index.html")).read())
        for what, hit, found in (("Lines", sum(v[2] for v in ours.values()), len(ours)),
                                 ("Branches", sum(v[0] for v in ours.values()), sum(v[1] for v in ours.values()))):
            expect("genhtml's " + what, tuple(map(int, re.search(what + r": +(\d+) +(\d+)", index).groups())), (hit, found))


@test
def one_way():
    """The report's branches with an edge that was never taken; lcov agrees."""
    with Scratch() as file:
        write(file, HOSTILE, {"branch": [(1, 3, 7, 1, 5), (1, 9, 7, 0, 2), (1, 12, 8, 0, 3), (1, 12, 8, 1, 4), (2, 1, 8, 4, 6)]})
        part = run([PROF, "report", file]).stdout.split("one way was never taken: ")[1].splitlines()
        expect("branches", [part[0], *(l.split("  ")[-1].strip() for l in part[2:4])],
               ["2", "p.Odd.<script>alert(\"1\")&'(Odd.java:7) @3 edge 1 always, edge 0 never", "p.Odd.<script>alert(\"1\")&'(Odd.java:7) @9 edge 0 always, edge 1 never"])
        write(file, HOSTILE, {"branch": [(1, 3, 7, 1, 5)]}, {"sampling": "counter"})
        expect("of samples nobody knows", "never taken" in run([PROF, "report", file]).stdout, False)


# ---- check ----

@test
def check():
    with Scratch() as file:
        for analyses in "call-tree", "call-edge,branch":
            profile(file, analyses)
            done = run([PROF, "check", "--max", "Ends.work<=22000", "--min", "Ends.work >= 22000", "--max=No.such<=0", file])
            expect("output", (done.stdout, done.stderr), ("", ""))
            done = run([PROF, "check", "--max", "Ends.work<=21999", "--min", "Ends.main>=2", "--max", "Ends.main<=1", file], 1)
            expect("violated", done.stdout.splitlines(), ["Ends.work<=21999: 22000 entries (Ends.work(int) 22000)",
                                                          "Ends.main>=2: 1 entry (Ends.main(String[]) 1)"])
        expect_in("is the name right?", run([PROF, "check", "--max", "Edns.work<=1", file]).stderr)
        write(file, HOSTILE, {"method-count": [(i, i) for i in range(1, 6)]})
        name = "p.Odd.<script>alert(\"1\")&'"
        junit = file + ".xml"
        run([PROF, "check", "--junit", junit, "--max", name + "<=0", "--min", "bridge>=7", "--min", "bridge>=8", "--min", "a\nb>=1", file], 1)
        sarif = file + ".sarif"
        run([PROF, "check", "--sarif", sarif, "--max", name + "<=0", "--min", "bridge>=8", "--max", "a\nb\udcff<=0", "--min", "No.such>=1", file], 1)
        with open(sarif) as f:
            log = json.load(f)
        expect("SARIF", (log["version"], log["runs"][0]["tool"]["driver"]["name"]), ("2.1.0", "cabernet-prof"))
        results = log["runs"][0]["results"]
        expect("results", [(r["ruleId"], r["level"], r["message"]["text"].split(":")[0]) for r in results],
               [("max-entries", "error", name + "<=0"), ("min-entries", "error", "bridge>=8"), ("min-entries", "error", "No.such>=1")])
        expect("methods", [r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for r in results], [name, "bridge", "No.such"])
        expect("sources", [r["locations"][0].get("physicalLocation", {}).get("artifactLocation", {}).get("uri") for r in results],
               ["p/Odd.java", "p/.._.._Odd.java", None])
        suite = xml.etree.ElementTree.parse(junit).getroot()
        expect("suite", (suite.get("tests"), suite.get("failures")), ("4", "3"))
        expect("cases", [c.get("name") for c in suite], [name + "<=0", "bridge>=7", "bridge>=8", "a?b>=1"])
        expect("failures", [[f.get("message") for f in c] for c in suite],
               [[name + "<=0: 1 entry (%s(T, int) 1)" % name], [], ["bridge>=8: 7 entries (p.Odd.bridge(): A 3; p.Odd.bridge(): B 4)"], ["a?b>=1: 0 entries"]])


@test
def check_refused():
    with Scratch() as file:
        write(file, HOSTILE, {"method-count": [(1, 1)]})
        for words in ["--max", "a>=1"], ["--max", "a"], ["--min", ">=1"], ["--max", "a<=x"], ["--max", "a<=99999999999999999999"]:
            expect_in("takes METHOD", run([PROF, "check", *words, file], 2).stderr)
        expect_in("needs --max", run([PROF, "check", file], 2).stderr)
        expect_in("belong to check", run([PROF, "report", "--max", "a<=1", file], 1).stderr)
        expect_in("cannot write", run([PROF, "check", "--max", "a<=1", "--junit", "/nowhere/x", file], 2).stderr)
        write(file, HOSTILE, {"branch": []})
        expect_in("no entries", run([PROF, "check", "--max", "a<=1", file], 2).stderr)
        write(file, HOSTILE, {"method-count": [(1, 1)]}, lost=3)
        expect_in("3 events of method-count were lost", run([PROF, "check", "--max", "a<=1", file], 2).stderr)
        for meta in {"sampling": "counter"}, {"consume": "sampled"}, {"where": "shadow"}:
            write(file, HOSTILE, {"method-count": [(1, 1)]}, meta)
            expect_in("samples only", run([PROF, "check", "--max", "a<=1", file], 2).stderr)


# ---- test runners and harnesses ----

JUNIT = [JARS + n + ".jar" for n in ("junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-engine",
                                      "junit-platform-launcher", "junit-platform-console", "junit-platform-reporting", "opentest4j",
                                      "opentest4j-reporting-events", "opentest4j-reporting-schema", "apiguardian-api", "picocli")]


@test_lasting(5)
def junit():
    """Tests whose calls are counted: those with too many or too few calls fail with the reason; on java they do not
    run."""
    jar, lib = os.path.join(BUILD, "lib/cabernet-junit.jar"), os.path.join(BUILD, "lib/java")
    with Scratch() as file:
        folder = file + ".classes"
        compiled(folder, [jar, lib, *JUNIT], os.path.join(ROOT, "tests/integrations/RepoTest.java"))
        runner = ["-cp", ":".join([folder, jar, *JUNIT]), "org.junit.platform.console.ConsoleLauncher", "--disable-banner",
                  "--disable-ansi-colors", "--details=tree", "--select-class=RepoTest"]
        text = run([VM, "-Xprofile:method-count:message=off:file=" + file, *runner], 1).stdout
        failures = dict(re.findall(r"JUnit Jupiter:RepoTest:(\w+)\(\)\n.*\n +=> java.lang.AssertionError: (.*)", text))
        expect("failures", failures, {"wrongTwice": "Repo.load: expected 1 call, counted 2", "wrongNever": "Repo.save: expected at least 1 call, counted 0",
                                      "wrongTooOften": "Repo.save: expected 1 to 2 calls, counted 3"})
        expect_in("[         2 tests successful      ]", text)
        run([PROF, "check", "--max", "Repo.load<=30003", "--min", "Repo.load>=30003", file])
        text = run(["java", *runner]).stdout
        expect_in("calls are counted on cabernet alone", text)


@test
def assertions():
    """Assertions of cabernet.Profile without JUnit, and requests that cannot count calls."""
    with Scratch() as file:
        folder = os.path.dirname(file)
        with open(os.path.join(folder, "Asserts.java"), "w") as f:
            f.write("""public class Asserts {
    static void f() {}
    static void g() { f(); f(); }
    public static void main(String[] args) {
        if (args.length > 0) g();
        cabernet.Profile.countCalls();
        g();
        cabernet.Profile.assertCalls("Asserts.f", 2);
        cabernet.Profile.assertCalls("Asserts.g", 1, 3);
        System.out.println(cabernet.Profile.calls("f") + " " + cabernet.Profile.calls("No.such"));
        cabernet.Profile.countCalls();
        cabernet.Profile.assertCalls("f", 0);
        cabernet.Profile.assertCalls("Asserts.f", 1, Long.MAX_VALUE);
    }
}""")
        compiled(folder, [os.path.join(BUILD, "lib/java")], os.path.join(folder, "Asserts.java"))
        for mode, words in ((), "x"), (("-Xprofile:method-count:message=off:file=" + file,), "x"), (("-Xint", "-Xprofile:exact:message=off:file=" + file), ""), \
                (("-Xprofile:cpu:message=off:file=" + file,), "x"):
            done = run([VM, *mode, "-cp", folder, "Asserts", *words], 1, cwd=folder)
            expect("calls", done.stdout, "2 0\n")
            expect_in("AssertionError: Asserts.f: expected at least 1 call, counted 0", done.stderr)
        for request, why in ("call-edge", "the profile has no method-count"), ("method-count:sampling=counter", "samples only"):
            done = run([VM, "-Xprofile:%s:message=off:file=%s" % (request, file), "-cp", folder, "Asserts"], 1)
            expect_in("IllegalStateException: ", done.stderr)
            expect_in(why, done.stderr)


# Stubs of the parts of JMH and DaCapo that the harnesses use, by their documentation, and programs that drive them in
# the same order.
STUBS = {
    "jmh": {
        "org/openjdk/jmh/infra/BenchmarkParams": "public class BenchmarkParams {}",
        "org/openjdk/jmh/infra/IterationParams": "public class IterationParams {}",
        "org/openjdk/jmh/profile/Profiler": "public interface Profiler { String getDescription(); }",
        "org/openjdk/jmh/profile/InternalProfiler": """public interface InternalProfiler extends Profiler {
            void beforeIteration(org.openjdk.jmh.infra.BenchmarkParams b, org.openjdk.jmh.infra.IterationParams i);
            java.util.Collection<? extends org.openjdk.jmh.results.Result> afterIteration(org.openjdk.jmh.infra.BenchmarkParams b,
                org.openjdk.jmh.infra.IterationParams i, org.openjdk.jmh.results.IterationResult r); }""",
        "org/openjdk/jmh/profile/ProfilerException": "public class ProfilerException extends Exception {}",
        "org/openjdk/jmh/results/AggregationPolicy": "public enum AggregationPolicy { AVG }",
        "org/openjdk/jmh/results/Result": "public class Result {}",
        "org/openjdk/jmh/results/ScalarResult": """public class ScalarResult extends Result {
            public String text;
            public ScalarResult(String label, double n, String unit, AggregationPolicy p) { text = label + " " + n + " " + unit; } }""",
        "org/openjdk/jmh/results/IterationResult": """public class IterationResult {
            public static class Metadata { public long getAllOps() { return 1000; } }
            public Metadata getMetadata() { return new Metadata(); } }""",
        "Drive": """public class Drive {
            static void operation() { helper(); helper(); }
            static void helper() {}
            public static void main(String[] a) throws Exception {
                var p = (org.openjdk.jmh.profile.InternalProfiler) Class.forName("cabernet").getConstructor(String.class).newInstance("Drive.helper,operation");
                for (int i = 0; i < 2; i++) {
                    p.beforeIteration(null, null);
                    for (int k = 0; k < 1000; k++) operation();
                    for (var r : p.afterIteration(null, null, new org.openjdk.jmh.results.IterationResult()))
                        System.out.println(((org.openjdk.jmh.results.ScalarResult) r).text);
                } } }"""},
    "dacapo": {
        "org/dacapo/harness/CommandLineArgs": "public class CommandLineArgs {}",
        "org/dacapo/harness/Callback": """public class Callback {
            int iterations;
            public Callback(CommandLineArgs a) {}
            public boolean isWarmup() { return iterations < 2; }
            public boolean runAgain() { return iterations++ < 2; }
            public void start(String benchmark) {}
            public void stop(long duration) {} }""",
        "Drive": """public class Drive {
            static void iteration() {}
            public static void main(String[] a) {
                var c = new cabernet.dacapo.CountedIteration(new org.dacapo.harness.CommandLineArgs());
                do {
                    c.start("x");
                    iteration();
                    c.stop(1);
                } while (c.runAgain()); } }"""},
}


def harness_of(name, folder):
    """Compiles the harness's stubs, our class for it, and its driver into `folder`."""
    sources = []
    for path, code in STUBS[name].items():
        source = os.path.join(folder, "src", path + ".java")
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, "w") as f:
            f.write(("package %s;\n" % os.path.dirname(path).replace("/", ".") if "/" in path else "") + code)
        sources.append(source)
    ours = os.path.join(ROOT, "java/jmh/cabernet.java" if name == "jmh" else "java/cabernet/dacapo/CountedIteration.java")
    compiled(os.path.join(folder, "classes"), [os.path.join(BUILD, "lib/java")] if name == "dacapo" else ["/nowhere"], ours, *sources)
    return os.path.join(folder, "classes")


@test
def jmh():
    with Scratch() as file:
        classes = harness_of("jmh", os.path.dirname(file))
        lines = run([VM, "-cp", classes, "Drive"], cwd=os.path.dirname(file)).stdout.splitlines()
        expect("calls by operation", lines[1:3] + lines[4:], ["calls.Drive.helper 2.0 calls/op", "calls.operation 1.0 calls/op"] * 2)
        for line in lines[0], lines[3]:
            if not 3 <= float(line.split()[1]) < 100:
                raise AssertionError("all calls: " + line)
        expect_in("needs cabernet", run(["java", "-cp", classes, "Drive"], 1).stderr)


@test
def dacapo():
    """Counts only the timed iteration, whether the profile starts there or on the command line."""
    with Scratch() as file:
        classes = harness_of("dacapo", os.path.dirname(file))
        for options in ["-Dcabernet.profile=method-count:message=off:file=" + file], ["-Xprofile:method-count:message=off:file=" + file]:
            run([VM, *options, "-cp", classes, "Drive"])
            run([PROF, "check", "--max", "Drive.iteration<=1", "--min", "Drive.iteration>=1", file])


def build():
    os.makedirs(WORK, exist_ok=True)
    for folder, program in ("tests/profiler", "Ends"), ("benchmarks/samplers", "Mix"):
        source = os.path.join(ROOT, folder, program + ".java")
        built = os.path.join(CLASSES, program + ".class")
        if not os.path.exists(built) or os.path.getmtime(built) < os.path.getmtime(source):
            run(["javac", "-nowarn", "-Xlint:none", "-d", CLASSES, source])


def main():
    for program in (VM, PROF):
        if not os.path.exists(program):
            sys.exit("tests/run/exports.py: no %s; build it with make" % program)
    build()
    return run_tests()


if __name__ == "__main__":
    sys.exit(main())
