#!/usr/bin/env python3
"""The page of cabernet-prof html in a browser: its numbers equal the report's, its views work, the console has no
messages, and odd names are shown as plain text. All tests share one browser."""
import json, os, re, shutil, subprocess, sys, traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "page"))
import webdriver

# Profiles written as docs/FORMATS.md defines them, and profiles of runs.
import exports

VM, PROF, run, expect, expect_in, Scratch = exports.VM, exports.PROF, exports.run, exports.expect, exports.expect_in, exports.Scratch

MOST_BYTES = 3 << 20
ROWS = """return [...document.querySelectorAll('main table')].find((t) => t.caption && t.caption.textContent.startsWith(arguments[0]))"""
CELLS = ROWS + """.querySelectorAll('tbody tr').values().map((r) => [...r.cells].map((c) => c.textContent.trim())).toArray()"""
FRAMES = "return [...document.querySelectorAll('.d3-flame-graph g')].map((g) => [g.querySelector('title').textContent, +g.getAttribute('width')])"

tests = []
browser = None


def test(function):
    tests.append(function)
    return function


def page(*files, options=()):
    """Makes and opens the page of the files and checks its size."""
    out = files[0] + ".html"
    done = run([PROF, "html", "-o", out, *options, *files])
    expect("output", (done.stdout, done.stderr), ("", ""))
    if os.path.getsize(out) > MOST_BYTES:
        raise AssertionError("the page has %d bytes" % os.path.getsize(out))
    browser.open(out)
    return out


def report(file):
    return json.loads(run([PROF, "report", "--all", "--json", file]).stdout)


def number(text):
    return int(text.replace(",", ""))


def uncheck(label):
    browser.run("""for (const l of document.querySelectorAll('main label.check')) {
        const box = l.querySelector('input');
        if (l.textContent.trim() === arguments[0] && box.checked) box.click();
    }""", label)


def all_views():
    """Visits every view; the console must have no messages."""
    for view in browser.run("return [...document.querySelectorAll('nav a')].map((a) => a.hash.slice(1))"):
        browser.view(view)
        expect("heading of " + view, bool(browser.text("main h2")), True)
    expect("console", browser.errors(), [])


# ---- numbers ----

@test
def tables():
    """Every row of the page's tables has the count of report --json; sorting and filtering."""
    with Scratch() as file:
        exports.profile(file, "method-count,branch")
        page(file)
        browser.view("tables")
        uncheck("Only the program")
        for analysis in report(file)["analyses"]:
            wanted = sorted((r["count"] for r in analysis["rows"]), reverse=True)
            head = "%s: %s %s in %s rows" % (analysis["name"], format(sum(wanted), ","), analysis["event"], format(len(wanted), ","))
            rows = browser.run(CELLS, head)
            expect("counts of " + analysis["name"], [number(r[0]) for r in rows], wanted[:len(rows)])
        by_name = {}
        for r in report(file)["analyses"][0]["rows"]:
            m = r["method"]
            by_name.setdefault("%s.%s" % (m.get("class"), m["name"]), set()).add(r["count"])
        for row in browser.run(CELLS, "method-count")[:100]:
            expect("count of " + row[2], number(row[0]) in by_name[row[2].split("(")[0]], True)
        sort = ROWS + ".tHead.querySelectorAll('button')[arguments[1]].click()"
        browser.run(sort, "method-count", 2)
        names = [r[2] for r in browser.run(CELLS, "method-count")]
        expect("sorted by name", names, sorted(names))
        browser.run(sort, "method-count", 2)
        names = [r[2] for r in browser.run(CELLS, "method-count")]
        expect("and down", names, sorted(names, reverse=True))
        expect("said to all", browser.run(ROWS + ".tHead.rows[0].cells[2].getAttribute('aria-sort')", "method-count"), "descending")
        browser.type("main input[type=search]", "Ends.work")
        expect("filtered", [r[0] for r in browser.run(CELLS, "method-count")], ["22,000"])
        expect("console", browser.errors(), [])


@test
def flame():
    """Frames are as wide as their share; search, zoom, reset; the list has the same numbers."""
    with Scratch() as file:
        exports.profile(file, "call-tree")
        _, total = exports.recorded(file, "call-tree")
        page(file)
        browser.view("flame")
        expect_in("exactly, from call-tree", browser.text("main"))
        uncheck("Only the program's methods")
        browser.until("return document.querySelectorAll('.d3-flame-graph g').length > 3")
        expect("all of it", browser.run("return document.querySelector('.tree .number').textContent"), "%s · 100.0 %%" % format(total, ","))
        frames = browser.run(FRAMES)
        widest = max(w for _, w in frames)
        for title, width in frames:
            part = re.search(r" — ([\d,]+) method entries", title)
            if abs(width - number(part.group(1)) / total * widest) > 1:
                raise AssertionError("%s is %s of %s wide" % (title, width, widest))
        work = [number(re.search("— ([0-9,]+)", t).group(1)) for t, _ in frames if t.startswith("Ends.work(")]
        expect("Ends.work in the threads", max(work), 21000)
        browser.type("main input[type=search]", "Ends.WORK")
        expect_in("frames with “Ends.WORK”" if len(work) else "", browser.text(".details").replace("ends.work", "Ends.WORK"))
        found = browser.run("return getComputedStyle(document.documentElement).getPropertyValue('--found').trim()")
        expect("frames that are marked", browser.run("return document.querySelectorAll(`rect[fill='${arguments[0]}']`).length", found), len(work))
        browser.run("[...document.querySelectorAll('.d3-flame-graph g')].find((g) => g.querySelector('title').textContent.startsWith('Ends.main(')).dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        expect("zoomed", [round(w) for t, w in browser.run(FRAMES) if t.startswith("Ends.main(")], [round(widest)])
        browser.run("[...document.querySelectorAll('main button')].find((b) => b.textContent.startsWith('Reset')).click()")
        expect("as before", sorted(browser.run(FRAMES)), sorted(frames))
        browser.run("[...document.querySelectorAll('main label.check')].find((l) => l.textContent.includes('icicle')).querySelector('input').click()")
        browser.until("return document.querySelectorAll('.d3-flame-graph g').length > 3")
        expect("icicle", sorted(browser.run(FRAMES)), sorted(frames))
        expect("console", browser.errors(), [])


@test
def approximated():
    """A tree made of call edges is marked as approximated. Its first level sums to the recorded count, and methods with
    one caller are exact."""
    with Scratch() as file:
        exports.profile(file, "call-edge,branch")
        page(file, options=("--source", os.path.join(ROOT, "tests", "profiler")))
        browser.view("flame")
        expect_in("approximated from call edges", browser.text("main"))
        browser.view("callers")
        browser.type("main input[list]", "Ends.work")
        expect_in("Callers of Ends.work", browser.text("main"))
        calls = sum(number(r[2]) for r in browser.run(CELLS, "is called by"))
        expect("calls of Ends.work", calls, 22000)
        browser.view("source")
        lines = {}
        for r in report(file)["analyses"][1]["rows"]:
            if r["method"].get("source") == "Ends.java":
                lines[r["line"]] = lines.get(r["line"], 0) + r["count"]
        table = browser.run("return [...document.querySelectorAll('.source tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
        with open(os.path.join(ROOT, "tests", "profiler", "Ends.java")) as f:
            expect("text", [r[-1] for r in table], f.read().split("\n")[:-1])
        column = browser.run("return [...document.querySelectorAll('.source thead th')].map((c) => c.textContent)").index("branch")
        expect("branches of lines", {int(r[-2]): number(r[column]) for r in table if r[column]}, lines)
        expect("console", browser.errors(), [])


@test
def differences():
    """Two profiles: overlap's result, red and blue frames."""
    with Scratch() as file:
        exports.profile(file, "call-tree")
        rows = [(1, 0, 0, -1, -1, 1, 1), (2, 1, 1, 4, 10, 2, 60), (3, 1, 1, 5, 11, 3, 40)]
        exports.write(file, exports.HOSTILE, {"call-tree": rows})
        exports.write(file + ".b", exports.HOSTILE, {"call-tree": [rows[0], (2, 1, 1, 4, 10, 2, 20), (3, 1, 1, 5, 11, 3, 80)]})
        page(file, file + ".b")
        browser.view("differences")
        overlap = json.loads(run([PROF, "overlap", "--json", file, file + ".b"]).stdout)["analyses"][0]
        expect_in("Overlap %.2f %%" % overlap["overlap"], browser.text("main"))
        browser.until("return document.querySelectorAll('.d3-flame-graph g').length === 4")
        colours = browser.run("return Object.fromEntries([...document.querySelectorAll('.d3-flame-graph g')].map((g) => [g.querySelector('title').textContent, g.querySelector('rect').getAttribute('fill')]))")
        for title, colour in colours.items():
            red, green, blue = map(int, re.findall(r"\d+", colour))
            if "bridge" in title:
                expect_in("A: 40 (39.60 %); B: 80 (79.21 %)", title)
                expect("more is red", red > blue, True)
            elif "new" in title:
                expect("less is blue", blue > red, True)
        all_views()


@test
def sample():
    with Scratch() as file:
        for name, sampling in (".a", "off"), (".b", "counter:interval=97"):
            run([VM, "-Xprofile:method-count,call-edge:message=off:sampling=%s:file=%s" % (sampling, file + name), "-cp", exports.CLASSES, "Ends", "threads"])
        page(file + ".a", file + ".b")
        browser.view("differences")
        for o in json.loads(run([PROF, "overlap", "--json", file + ".a", file + ".b"]).stdout)["analyses"]:
            expect_in("Overlap %.2f %%" % o["overlap"], browser.text("main"))
            expect_in("ideal sample would reach %.2f %%" % o["ideal"]["expected"], browser.text("main"))
        all_views()
        page(file + ".b")
        browser.view("sample")
        expect("intervals", browser.run("return document.querySelectorAll('svg.plot .line').length") >= 10, True)
        all_views()


@test
def threads():
    with Scratch() as file:
        run([VM, "-Xprofile:threads:message=off:file=" + file, "-cp", exports.CLASSES, "Ends", "threads"])
        page(file)
        browser.view("threads")
        wanted = {t["name"]: t["events"] for t in report(file)["threads"]}
        expect("events", {r[2]: number(r[0]) for r in browser.run(CELLS, "Threads")}, wanted)
        headings = browser.run("return [...document.querySelectorAll('main h3')].map((h) => h.textContent)")
        expect("sections", headings, [s["name"] for s in report(file)["sections"]])
        expect("timelines", browser.run("return document.querySelectorAll('svg.plot .area').length") > 0, True)
        all_views()


# ---- limits of a profile ----

@test
def hostile():
    with Scratch() as file:
        exports.hostile(file)
        with open(page(file), encoding="utf-8") as f:
            expect("markup of a name", "<script>alert" in f.read(), False)
        names = [("p/Odd", "</script><img src=x onerror=window.hacked=1><!--", exports.SIGNATURE, "</td><b>.java", exports.APPLICATION),
                 ("__proto__", "constructor", "()V", "<svg onload=window.hacked=1>", exports.APPLICATION),
                 ("p/X", "m\u202e\u2028\u0085\x00'\"&lt;", "not a descriptor[[", None, 0), ("p/X", "x" * 70000, "(I)V", None, 0)]
        rows = [(1, 0, 0, -1, -1, 1, 2 ** 63), (2, 1, 1, 4, 7, 2, 2 ** 63 - 1), (3, 2, 2, 0, 1, 3, 2 ** 53 + 1), (4, 3, 3, 0, 1, 4, 1)]
        exports.write(file, [exports.HOSTILE[0], *names], {
            "call-tree": rows, "branch": [(1, 0, 2 ** 31 - 1, 0, 5), (2, 3, 1, 1, 2 ** 53 + 3)], "method-count": [(1, 2 ** 64 - 1), (2, 0)]},
            {"command": "</title><script>window.hacked = 1</script>", "interval": "<b>x", "sampling": "<i>", "__proto__": "y"})
        page(file)
        all_views()
        expect("nothing ran", browser.run("return window.hacked === undefined && document.querySelectorAll('img, b, i, main script').length"), 0)
        browser.view("tables")
        expect("no digit is lost", ["18,446,744,073,709,551,615", "9,007,199,254,740,995"],
               [browser.run(CELLS, "method-count")[0][0], browser.run(CELLS, "branch")[0][0]])


@test
def without():
    """An empty profile, a damaged file, two files of which one is damaged, and a missing page template."""
    with Scratch() as file:
        exports.write(file, exports.HOSTILE, {"method-count": []})
        page(file)
        all_views()
        exports.hostile(file)
        with open(file, "rb") as f:
            whole = f.read()
        with open(file, "wb") as f:
            f.write(whole[:-60])
        done = run([PROF, "html", "-o", file + ".none", file], 2)
        expect_in("--damaged shows", done.stderr)
        expect("no page is left", os.path.exists(file + ".none"), False)
        run([PROF, "html", "--damaged", "-o", file + ".out", file], 2)
        for words in ["--damaged", file, file], ["--top", "3", file], [], [file, file, file], ["--json", file]:
            run([PROF, "html", *words], 1)
        exports.hostile(file)
        alone = os.path.join(os.path.dirname(file), "cabernet-prof")
        shutil.copy(PROF, alone)
        expect_in("lib/page.html is missing: `make page` builds it", run([alone, "html", "-o", file + ".none", file], 2).stderr)
        expect("no page", os.path.exists(file + ".none"), False)


@test
def large():
    """Many methods with long names and a deep tree: the page stays small."""
    with Scratch() as file:
        methods = [("p/Class%d%s" % (i, "x" * 150), "method%d" % i, "(I)V", None, exports.APPLICATION) for i in range(8000)]
        tree = [(i + 1, i, i, 0, 1, i + 1, 3) for i in range(700)]
        exports.write(file, [exports.HOSTILE[0], *methods], {"call-tree": tree, "method-count": [(i + 1, i + 1) for i in range(8000)]})
        page(file)
        browser.view("flame")
        browser.until("return document.querySelectorAll('.d3-flame-graph g').length > 100")
        all_views()


@test
def small_and_dark():
    """On a phone, only tables and the graph are wider than the screen."""
    with Scratch() as file:
        exports.hostile(file)
        page(file)
        browser.size(500, 800)
        for view in "overview", "flame", "callers", "tables", "source", "threads":
            browser.view(view)
            expect("width of " + view, browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)
        browser.size(1200, 900)
        unnamed = "return [...document.querySelectorAll('input, select, button')].filter((e) => !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label')).length"
        for view in "flame", "callers", "tables":
            browser.view(view)
            expect("controls without a name", browser.run(unnamed), 0)


@test
def many_rows():
    with Scratch() as file:
        exports.rows_take_little(file, (["html", "-o", file + ".html"], 75))


def main():
    global browser
    for program in (VM, PROF):
        if not os.path.exists(program):
            sys.exit("tests/run/page.py: no %s; build it with make" % program)
    if webdriver.missing():
        sys.exit("tests/run/page.py: %s is missing: scripts/packages-test.txt has what the tests need" %
                 webdriver.missing())
    made = subprocess.run(["make", "--no-print-directory", "-C", ROOT, "B=" + os.path.relpath(exports.BUILD, ROOT), "page"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        sys.exit("tests/run/page.py: the page cannot be built:\n" + made.stdout)
    exports.build()
    chosen = [t for t in tests if not sys.argv[1:] or any(a in t.__name__ for a in sys.argv[1:])]
    failed = 0
    with webdriver.Browser() as browser:
        for t in chosen:
            try:
                t()
            except Exception as e:
                failed += 1
                print("FAIL page/%s: %s" % (t.__name__, e if isinstance(e, AssertionError) else traceback.format_exc()))
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
