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

MOST_BYTES = 5 << 20
ROWS = """return [...document.querySelectorAll('main table')].find((t) => t.caption && t.caption.textContent.startsWith(arguments[0]))"""
CELLS = ROWS + """.querySelectorAll('tbody tr').values().map((r) => [...r.cells].map((c) => c.textContent.trim())).toArray()"""
FRAMES = "return [...document.querySelectorAll('.frame')].map((f) => [f.title, f.getBoundingClientRect().width])"

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
    for view in browser.run("return [...document.querySelectorAll('nav a')].map((a) => a.dataset.view)"):
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
        browser.until("return document.querySelectorAll('.frame').length > 3")
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
        expect("frames that are marked", browser.run("return document.querySelectorAll('.frame.found').length"), len(work))
        browser.run("[...document.querySelectorAll('.frame')].find((f) => f.title.startsWith('Ends.main(')).click()")
        expect("zoomed", [round(w) for t, w in browser.run(FRAMES) if t.startswith("Ends.main(")], [round(widest)])
        browser.run("[...document.querySelectorAll('main button')].find((b) => b.textContent.startsWith('Reset')).click()")
        expect("as before", sorted(browser.run(FRAMES)), sorted(frames))
        browser.run("[...document.querySelectorAll('main label.check')].find((l) => l.textContent.includes('icicle')).querySelector('input').click()")
        browser.until("return document.querySelectorAll('.frame').length > 3")
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
        browser.until("return document.querySelectorAll('.frame').length === 4")
        colours = browser.run("return Object.fromEntries([...document.querySelectorAll('.frame')].map((f) => [f.title, f.style.background]))")
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
        expect_in("lib/page.html is missing: `make` builds it", run([alone, "html", "-o", file + ".none", file], 2).stderr)
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
        browser.until("return document.querySelectorAll('.frame').length > 100")
        all_views()


# ---- every window and the keyboard ----

def loaded(file):
    """A profile of four threads that run for different times."""
    made = os.path.join(exports.WORK, "load.prof")
    source = os.path.join(ROOT, "tests", "page", "Load.java")
    if not os.path.exists(made) or os.path.getmtime(made) < max(map(os.path.getmtime, (VM, source))):
        classes = os.path.join(exports.WORK, "load")
        run(["javac", "-d", classes, source])
        run([VM, "-Xprofile:cpu,wall,method-count:message=off:file=" + made, "-cp", classes, "Load"])
    shutil.copy(made, file)


@test
def widths():
    """At three widths no view is wider than the window: only tables and heat maps scroll. All controls have a name."""
    unnamed = "return [...document.querySelectorAll('input, select, button')].filter((e) => !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label')).length"
    with Scratch() as file:
        for make in exports.hostile, loaded:
            make(file)
            page(file)
            for width in 360, 800, 1600:
                browser.viewport(width, 800)
                for view in browser.run("return [...document.querySelectorAll('nav a')].map((a) => a.dataset.view)"):
                    browser.view(view)
                    got = browser.run("return [innerWidth, document.documentElement.scrollWidth]")
                    expect("widths of %s in %d" % (view, width), got, [width, width])
                    expect("controls without a name in " + view, browser.run(unnamed), 0)
            expect("console", browser.errors(), [])
        browser.viewport(1200, 900)


@test
def keyboard():
    """Tab reaches every control of each view, and arrow keys every frame."""
    tab, up, down, enter, escape = "\ue004", "\ue013", "\ue015", "\ue007", "\ue00c"
    with Scratch() as file:
        loaded(file)
        page(file)
        for view in "flame", "findings", "callers", "threads":
            browser.view(view)
            wanted = browser.run("""window.reached = new Set();
                document.addEventListener('focusin', (e) => window.reached.add(e.target));
                window.wanted = [...document.querySelectorAll('a, button, input, select, [tabindex="0"]')].filter((e) => !e.disabled && e.offsetParent && !(e.classList.contains('frame') && e.tabIndex < 0));
                document.activeElement.blur();
                return window.wanted.length""")
            browser.press(*[tab] * (wanted + 20))
            expect("not reached in " + view, browser.run("return window.wanted.filter((e) => !window.reached.has(e)).map((e) => e.outerHTML.slice(0, 200))"), [])
        browser.view("flame")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        browser.run("document.querySelector('.frame[tabindex=\"0\"]').focus()")
        at = "return document.activeElement.title.split(' — ')[0]"
        expect("begins at", browser.run(at), "all")
        path = []
        for _ in range(3):
            browser.press(up)
            path.append(browser.run(at))
        expect("a frame of its own", len(set(path)), 3)
        browser.press(down)
        expect("down", browser.run(at), path[1])
        everywhere = browser.run("""const seen = new Set(), key = (k) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true}));
            const visit = () => {
                const e = document.activeElement;
                seen.add(e);
                key('ArrowUp');
                if (document.activeElement !== e) { visit(); for (;;) { const before = document.activeElement; key('ArrowRight'); if (document.activeElement === before) break; visit(); } key('ArrowDown'); }
            };
            key('Home');
            visit();
            return [seen.size, document.querySelectorAll('.frame').length]""")
        expect("frames reached by arrow keys", everywhere[0], everywhere[1])
        browser.press(up, up, enter)
        expect_in("frame=", browser.run("return location.hash"))
        browser.press(escape)
        expect("zoomed out", "frame=" in browser.run("return location.hash"), False)
        expect("console", browser.errors(), [])


# ---- threads and times ----

def choose(label, value):
    browser.run("""const e = [...document.querySelectorAll('.filter label')].find((l) => l.textContent.startsWith(arguments[0])).control;
        e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}));""", label, value)


def shown():
    """The samples of the whole graph."""
    browser.until("return document.querySelector('.frame[title^=\"all —\"]')")
    return number(browser.run("return document.querySelector('.frame[title^=\"all —\"]').title.match(/— ([\\d,]+)/)[1]"))


@test
def threads_and_times():
    """Counts by thread and range are those of the file, and add up to the report's."""
    with Scratch() as file:
        loaded(file)
        by_thread, by_time, width = exports.samples(file, 0, 6)
        cpu = report(file)["analyses"][0]
        expect("analysis", cpu["name"], "cpu")
        expect("samples of the threads", sum(by_thread.values()), cpu["recorded"])
        expect("samples with times, by thread", {t: sum(n for (of, _), n in by_time.items() if of == t) for t in by_thread}, by_thread)
        page(file)
        browser.view("flame")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        expect("all", shown(), cpu["recorded"])
        names = {t["name"]: i for i, t in enumerate(report(file)["threads"])}
        keys = browser.run("return [...document.querySelectorAll('.filter optgroup option')].map((o) => [o.value, o.textContent])")
        for key, name in keys:
            if key.startswith("group:worker-#") or name in ("worker-0", "worker-3", "main"):
                choose("Threads", key)
                members = [i for n, i in names.items() if n == name or name == re.sub(r"\d+", "#", n) + " (4 threads)"]
                expect("samples of " + name, shown(), sum(by_thread.get(i, 0) for i in members))
        choose("Threads", "")
        slots = 1 + max(slot for _, slot in by_time)
        middle = slots // 2 * width / 1e9
        parts = []
        for first, last in (0, middle), (middle, slots * width / 1e9):
            choose("to second", str(last))
            choose("From second", str(first))
            choose("to second", str(last))
            parts.append(shown())
            inside = [n for (_, slot), n in by_time.items() if first <= slot * width / 1e9 < last]
            expect("samples from %s to %s" % (first, last), parts[-1], sum(inside))
        expect("halves", sum(parts), cpu["recorded"])
        expect("console", browser.errors(), [])


def own_times():
    """The milliseconds of each method in the table of cpu, of which one is a sample."""
    uncheck("Only the program")
    for _ in range(20):
        browser.run("for (const b of document.querySelectorAll('main button')) if (b.textContent === 'Show more rows' && !b.hidden) b.click()")
    return {r[4]: number(r[0]) for r in browser.run(CELLS, "cpu:") if number(r[0])}


def added(parts):
    return {name: sum(part.get(name, 0) for part in parts) for name in set().union(*parts)}


@test
def tables_of_times():
    """Tables of samples follow the range, those of counts without times say that they do not."""
    with Scratch() as file:
        loaded(file)
        cpu_by_time, width = exports.samples(file, 0, 6)[1:]
        data = report(file)
        names = [t["name"] for t in data["threads"]]
        end = max(slot for _, slot in cpu_by_time) + 1
        first, last = end // 2, end
        inside = {}
        for (thread, slot), n in cpu_by_time.items():
            if first <= slot < last:
                inside[names[thread]] = inside.get(names[thread], 0) + n
        if not 0 < sum(inside.values()) < data["analyses"][0]["recorded"]:
            raise AssertionError("the range is no part of the samples: %s" % inside)
        page(file)
        captions = "return [...document.querySelectorAll('main caption')].map((c) => c.textContent)"
        for view in "tables", "findings", "threads":
            browser.view(view)
            for caption in browser.run(captions):
                expect("%s follows the whole run: %s" % (view, caption), "whole run" in caption or " s to " in caption, False)
        browser.view("tables")
        whole, methods, parts = own_times(), browser.run(CELLS, "method-count"), []
        for part in (0, first), (first, last):
            browser.run("[...document.querySelectorAll('.filter button')].find((b) => b.textContent === 'Whole run').click()")
            choose("to second", str(part[1] * width / 1e9))
            choose("From second", str(part[0] * width / 1e9))
            parts.append(own_times())
        span = "%.2f s to %.2f s" % (first * width / 1e9, last * width / 1e9)
        heads = browser.run(captions)
        head = next(h for h in heads if h.startswith("cpu:"))
        expect_in("cpu: %s samples (%s)" % (format(sum(inside.values()), ","), span), head)
        expect("the whole is the sum of the parts", added(parts), whole)
        expect_in("of the whole run, because these counts have no times", next(h for h in heads if h.startswith("method-count")))
        expect("counts of the whole run", browser.run(CELLS, "method-count"), methods)
        choose("Threads", next(k for k, n in browser.run(
            "return [...document.querySelectorAll('.filter optgroup option')].map((o) => [o.value, o.textContent])") if n == "worker-3"))
        expect_in("cpu: %s samples (thread worker-3, %s)" % (format(inside.get("worker-3", 0), ","), span),
                  next(h for h in browser.run(captions) if h.startswith("cpu:")))
        query = browser.run("return location.hash").split("?")[1]
        browser.view("threads?" + query)
        expect("no selector of threads", browser.run("return document.querySelectorAll('.filter select').length"), 0)
        titles = browser.run(ROWS + ".tHead.innerText.split(/\\t/)", "Threads")
        column = next(i for i, t in enumerate(titles) if t.startswith("cpu ms"))
        expect_in(span, titles[column])
        by_name = {r[2]: number(r[column]) for r in browser.run(CELLS, "Threads")}
        for name, samples in inside.items():
            expect("samples of " + name, by_name[name], samples)
        expect("all others", {n for n, ms in by_name.items() if ms}, set(inside))
        collections = next(s["rows"] for s in data["sections"] if s["name"] == "collections")
        touched = [c for c in collections if c["start"] < last * width and c["start"] + c["pause"] >= first * width]
        title = next(h for h in browser.run("return [...document.querySelectorAll('main caption, main p.note')].map((c) => c.textContent)") if "ollections" in h)
        expect_in(span, title)
        expect("collections", len(browser.run(CELLS, title)) if touched else title.endswith(": nothing."), len(touched) or True)
        browser.view("findings?" + query)
        for caption in browser.run(captions):
            expect("%s of the findings says which times" % caption, "whole run" in caption or span in caption, True)
        expect("console", browser.errors(), [])


@test
def heat():
    """Dragging over the heat map chooses the cells from where it began to where it ended."""
    with Scratch() as file:
        loaded(file)
        _, by_time, width = exports.samples(file, 0, 6)
        page(file)
        browser.view("flame")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        columns, rows = browser.run("const c = document.querySelector('canvas.heat'); return [c.width, c.height]")
        painted = browser.run("""const c = document.querySelector('canvas.heat'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            const cells = [];
            for (let x = 0; x < c.width; x++) for (let y = c.height - 1; y >= 0; y--) cells.push([...d.slice(4 * (y * c.width + x), 4 * (y * c.width + x) + 4)]);
            return cells""")
        stopped = set()
        for row in next(s["rows"] for s in report(file)["sections"] if s["name"] == "collections"):
            stopped |= set(range(row["start"] // width, (row["start"] + row["pause"]) // width + 1))
        expect("cells of collections", {i for i, (red, _, blue, alpha) in enumerate(painted) if alpha and blue > red}, stopped)
        expect_in("Blue cells have collections", browser.text(".heatmap figcaption"))
        expect("painted cells", {i for i, p in enumerate(painted) if p[3]}, {slot for _, slot in by_time} | stopped)
        browser.run("""const c = document.querySelector('canvas.heat'), r = c.getBoundingClientRect();
            c.setPointerCapture = () => {};
            const at = (kind, x, y) => c.dispatchEvent(new PointerEvent(kind, {clientX: r.left + (x + 0.5) * r.width / c.width, clientY: r.top + (c.height - y - 0.5) * r.height / c.height, bubbles: true}));
            at('pointerdown', 1, 2); at('pointermove', 3, 1); at('pointerup', 3, 1);""")
        first, last = rows + 2, 3 * rows + 2
        expect("chosen", shown(), sum(n for (_, slot), n in by_time.items() if first <= slot < last))
        hash = browser.run("return location.hash")
        for part in "from=%g" % (first * width / 1e6), "to=%g" % (last * width / 1e6):
            expect_in(part, hash)
        expect("marked cells", browser.run("""const c = document.querySelector('canvas.marks'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n"""), last - first)
        expect("console", browser.errors(), [])


@test
def allocated_classes():
    """A flame graph of allocations has the classes of the objects on top of the methods, also of the program alone."""
    with Scratch() as file:
        loaded(file)
        run([VM, "-Xprofile:alloc-tree:every=16k:message=off:file=" + file, "-cp", os.path.join(exports.WORK, "load"), "Load"])
        page(file)
        browser.view("flame")
        for box in "", "Only the program's methods":
            if box:
                uncheck(box)
            browser.until("return document.querySelectorAll('.frame').length > 3")
            browser.until("return [...document.querySelectorAll('.frame')].some((f) => f.title.startsWith('java.lang.Integer —'))")
        expect("bytes", browser.run("return document.querySelector('.frame[title^=\"all —\"]').title").split("— ")[1].split(" ")[0],
               format(exports.recorded(file, "alloc-tree")[1], ","))
        expect("console", browser.errors(), [])


@test
def links():
    """A copied address opens the same view: analysis, thread, range, frame, search."""
    with Scratch() as file:
        loaded(file)
        # A range in which workers run, whenever the busy machine let them.
        data = report(file)
        names, wall = [t["name"] for t in data["threads"]], [a["name"] for a in data["analyses"]].index("wall")
        _, by_time, width = exports.samples(file, wall, 6)
        slots = [slot for thread, slot in by_time if names[thread].startswith("worker-")]
        first, last = min(slots) * width // 10 ** 6, (max(slots) + 1) * width // 10 ** 6
        out = page(file)
        browser.view("flame")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        choose("Stacks of", "wall")
        choose("Threads", "group:worker-#")
        choose("to second", str(last / 1000))
        choose("From second", str(first / 1000))
        browser.type("main input[type=search]", "Load.")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        browser.run("[...document.querySelectorAll('.frame')].find((f) => f.title.includes('Load.')).click()")
        hash = browser.run("return location.hash")
        for part in "tree=wall", "thread=group", "from=%d" % first, "to=%d" % last, "frame=", "search=Load.":
            expect_in(part, hash)
        before = sorted(browser.run(FRAMES))
        browser.open("/dev/null")
        browser.open(out, hash)
        browser.until("return document.querySelectorAll('.frame').length > 1")
        expect("frames", sorted(browser.run(FRAMES)), before)
        expect("marked", browser.run("return document.querySelectorAll('.frame.found').length > 0"), True)
        for odd in "#flame?frame=999999.x&thread=none&from=9&to=1&tree=%00", "#nowhere?", "#flame?from=-1&to=1e99&search=%":
            browser.open("/dev/null")
            browser.open(out, odd)
            browser.until("return document.querySelectorAll('.frame').length > 0")
        expect("console", browser.errors(), [])


@test
def findings():
    """The first view is the flame graph, then come the findings; these have the report's numbers."""
    with Scratch() as file:
        loaded(file)
        page(file)
        order = browser.run("return [...document.querySelectorAll('nav a')].map((a) => a.dataset.view)")
        expect("order", order[:3], ["flame", "findings", "tables"])
        expect("shown first", browser.text("main h2"), "Flame graph")
        lines = run([PROF, "report", "--analysis", "cpu", file]).stdout.splitlines()
        wanted = [re.findall(r"\S+", l) for l in lines if re.match(r" +\d+ +\d+\.\d +\d+ +\d+\.\d +", l)]
        entries = "entries" in next(l for l in lines if "self ms" in l)
        browser.view("findings")
        rows = browser.run(CELLS, "cpu:")
        text = {r[4]: [r[0].replace(",", ""), r[1], r[2].replace(",", ""), r[3]] for r in rows}
        for row in wanted[:5]:
            name = " ".join(row[5 if entries else 4:])
            expect("row of " + name, text.get(name), row[:4])
        expect("console", browser.errors(), [])


@test
def opens_quickly():
    """The page of a large call tree is small and opens quickly. CABERNET_ROWS=10000000 is the long form."""
    rows = int(os.environ.get("CABERNET_ROWS", "200000"))
    with Scratch() as file:
        exports.large_tree(file, rows)
        page(file)
        opened = browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd")
        drawn = browser.run("return performance.getEntriesByName('first-contentful-paint').map((e) => e.startTime)[0]")
        size = os.path.getsize(file + ".html")
        if max(opened, drawn or 0) > 3000 or not opened:
            raise AssertionError("opens in %s ms, drawn after %s ms" % (opened, drawn))
        if os.environ.get("CABERNET_ROWS"):
            print("%d rows: %d bytes, loaded in %.0f ms, first drawn after %.0f ms" % (rows, size, opened, drawn))
        browser.view("flame")
        expect_in("smaller nodes are left out", browser.text("main"))
        uncheck("Only the program's methods")
        browser.until("return document.querySelectorAll('.frame').length > 3")
        total = browser.run("return document.querySelector('.frame[title^=\"all —\"]').title")
        expect_in("— %s method entries" % format(exports.large_total(rows), ","), total)
        all_views()


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
    made = subprocess.run(["make", "--no-print-directory", "-C", ROOT, "B=" + os.path.relpath(exports.BUILD, ROOT),
                           os.path.join(os.path.relpath(exports.BUILD, ROOT), "lib", "page.html")], stdout=subprocess.PIPE,
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
