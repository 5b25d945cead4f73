"""The report of the papers: sentences that are derived from the values, text, and one HTML file with figures.

The figures are SVG of gnuplot, embedded; the file needs no network. Without gnuplot it has a sentence in their place."""
import html, json, os, re, shutil, subprocess, textwrap

from exhibits import NOT_MEASURED, is_number
from forms import PAPERS

BUSY = "The machine was busy with something else: differences of some percent, below zero as well, are noise."
MOST_EMPTY = 0.1  # part of the values that may be missing


def busy(result):
    return result["load"] > result["processors"] / 2 + 1


def empty_of(exhibits):
    """The values that are missing, each with its reason."""
    return ["%s, %s, %s: %s: %s" % (e["paper"], e["exhibit"], e["what"], r["label"], r["why"] or "no reason is known") for e in exhibits for r in e["rows"]
            if r["value"] is None]


# ---- sentences ----------------------------------------------------------------------------------------

def ends(published):
    return published if isinstance(published, (tuple, list)) else (published, published)


def differs(r):
    """How a value compares with the published one or its range: higher, lower, agrees, unknown, or "" if one is missing.
    A difference of half a unit, or of a fiftieth of the published number, counts as none."""
    if r["value"] is None or r["published"] is None:
        return ""
    low, high = ends(r["published"])
    close = max(0.5, 0.02 * abs(high))
    if is_number(r["low"]) and r["low"] <= high and r["high"] >= low:
        within = low <= r["value"] <= high or r["high"] - r["low"] <= max(10 * close, abs(high))
        return "agrees" if within else "unknown"
    return "agrees" if low - close <= r["value"] <= high + close else "higher" if r["value"] > high else "lower"


def order_of(rows):
    """(pairs of rows that have the paper's order, pairs that can be compared)."""
    known = [(r["value"], r["published"]) for r in rows if r["value"] is not None and is_number(r["published"])]
    pairs = [(a, b) for i, a in enumerate(known) for b in known[:i] if a[1] != b[1]]
    return sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs), len(pairs)


def where(e):
    """Sentences on the rows that differ from the published values, derived from the values."""
    known = [(r, differs(r)) for r in e["rows"] if differs(r)]
    if not known:
        return "No row has both a published value and one from here." if any(r["published"] is not None for r in e["rows"]) else "The paper prints no values to compare with."
    rows = {w: [r["label"] for r, d in known if d == w] for w in ("higher", "lower", "agrees", "unknown")}
    named = lambda n: "%d of %d rows (%s)" % (len(n), len(known), "; ".join(n[:3]) + ("; ..." if len(n) > 3 else ""))
    texts = ["It is %s than published in %s." % (w, named(rows[w])) for w in ("higher", "lower") if rows[w]]
    if len(rows["agrees"]) == len(known):
        texts.append("All rows agree with the published values.")
    elif rows["agrees"]:
        texts.append("It agrees with the published value in %s." % named(rows["agrees"]))
    if rows["unknown"]:
        texts.append("The interval contains the published value but is too wide to say more in %s." % named(rows["unknown"]))
    far = [r for r, d in known if d in ("higher", "lower")]
    if far:
        distance = lambda r: max(ends(r["published"])[0] - r["value"], r["value"] - ends(r["published"])[1])
        worst = max(far, key=distance)
        texts.append("The largest difference is that of %s: %s here, %s published." % (worst["label"], number(worst["value"]), shown_published(worst["published"])))
    same, pairs = order_of(e["rows"])
    if pairs > 2:
        texts.append("Of %d pairs of rows, %d have the paper's order." % (pairs, same))
    single = sum(not is_number(r["low"]) for r, _ in known)
    if single:
        texts.append("%d of them %s no interval, so %s may be chance." % ((single, "has", "its difference") if single == 1 else (single, "have", "their differences")))
    return " ".join(texts)


def spoken(c):
    """A claim with its verdict."""
    verdict = {True: "Holds here", False: "Does not hold here", None: "Cannot be said here"}[c["holds"]]
    return "%s %s: %s." % (c["text"], verdict, c["detail"])


# ---- values -------------------------------------------------------------------------------------------

def number(v):
    return "%.2f" % v if abs(v) < 1000 else "%.3g" % v if abs(v) >= 1e6 else "%.0f" % v


def shown(r):
    if r["value"] is None:
        return "missing"
    return number(r["value"]) + (" [%s, %s]" % (number(r["low"]), number(r["high"])) if is_number(r["low"]) else "")


def shown_published(p):
    return "-" if p is None else "%s to %s" % tuple(map(number, p)) if isinstance(p, (tuple, list)) else number(p)


# ---- text ---------------------------------------------------------------------------------------------

def shown_papers(result):
    return [name for name in PAPERS if any(e["paper"] == name for e in result["exhibits"]) or name in result["troubles"]]


def heading(result):
    return "Form %s of commit %s, %d processors, load %.1f. %d of %d values are missing.%s" % (
        result["form"], result["commit"], result["processors"], result["load"], len(result["empty"]), result["values"], " " + BUSY if busy(result) else "")


def text_of(result):
    lines = ["Five papers beside this machine", heading(result)]
    for name in shown_papers(result):
        lines += ["", PAPERS[name]] + ["  " + t for t in result["troubles"].get(name, ())]
        for e in result["exhibits"]:
            if e["paper"] != name:
                continue
            lines += ["\n  %s: %s, %s" % (e["exhibit"], e["what"], e["unit"]), "    %-52s %28s %16s  %s" % ("", "here", "paper", "")]
            lines += ["    %-52s %28s %16s  %s" % (r["label"], shown(r), shown_published(r["published"]), r["why"]) for r in e["rows"]]
            lines += ["    " + e["where"]] + ["    " + spoken(c) for c in e["claims"]] + (["    " + e["method"]] if e["method"] else [])
    lines += ["", "Not measured:"] + ["  %s, %s: %s" % row for row in NOT_MEASURED]
    lines += ["", "Missing values:"] + ["  " + t for t in result["empty"]] if result["empty"] else []
    return "\n".join(lines) + "\n"


def markdown_of(result):
    """The page for benchmarks/results: averages and rows with a published value, and all sentences."""
    lines = ["# The five papers beside this machine", "", textwrap.fill(heading(result), 118), "",
             "Values in brackets are 95 % intervals; the column *paper* has the published values. `make bench-papers` makes this page",
             "and a report with figures ([MEASURING.md](../../docs/MEASURING.md#the-benches))."]
    for name in shown_papers(result):
        lines += ["", "## " + PAPERS[name]] + ["- " + t for t in result["troubles"].get(name, ())]
        for e in result["exhibits"]:
            rows = [r for r in e["rows"] if r["published"] is not None or r["label"].startswith("average")] or e["rows"][:8]
            if e["paper"] == name:
                lines += ["", "### %s: %s, %s" % (e["exhibit"], e["what"], e["unit"]), "", "| | here | paper | |", "|---|---|---|---|"]
                lines += ["| %s | %s | %s | %s |" % (r["label"], shown(r), shown_published(r["published"]), r["why"]) for r in rows]
                lines += ["", textwrap.fill(" ".join([e["where"]] + [spoken(c) for c in e["claims"]] + [e["method"]]).strip(), 118, break_on_hyphens=False)]
    return "\n".join(lines) + "\n"


# ---- figures ------------------------------------------------------------------------------------------

def beside(e):
    """Bars of the values here beside the published ones, for an exhibit without a figure."""
    rows = [r for r in e["rows"] if r["value"] is not None and is_number(r["published"])]
    if len(rows) < 3:
        return None
    return {"kind": "bars", "x": "", "y": e["unit"], "log": "", "series": [
        {"name": "here", "paper": False, "points": [[r["label"], r["value"], r["low"], r["high"]] for r in rows]},
        {"name": "paper", "paper": True, "points": [[r["label"], r["published"], None, None] for r in rows]}]}


def quoted(text):
    return '"%s"' % text.replace("\\", "/").replace('"', "'")


def known_points(series, log):
    return [p for p in series["points"] if is_number(p[1]) and not ("y" in log and p[1] <= 0)]


def lines_script(figure):
    """Curves with bars for intervals; those of the paper are dashed."""
    data, plots, log = "", [], figure["log"]
    for i, s in enumerate(s for s in figure["series"] if known_points(s, log)):
        points = known_points(s, log)
        bar = all(is_number(p[2]) and not ("y" in log and p[2] <= 0) for p in points)
        data += "$s%d << EOD\n%s\nEOD\n" % (i, "\n".join("%g %g %g %g" % (p[0], p[1], *(p[2:] if bar else (p[1], p[1]))) for p in points))
        plots.append("$s%d using 1:2%s title %s%s lc %d lw 1.5" % (i, ":3:4 with yerrorlines" if bar else " with linespoints", quoted(s["name"]),
                                                                   " dt 2" if s["paper"] else "", i + 1))
    return (data + "".join("set logscale %s\n" % a for a in log) + "plot " + ", ".join(plots) + "\n") if plots else ""


def bars_script(figure):
    """Clusters of bars, one for each label."""
    labels = list(dict.fromkeys(p[0] for s in figure["series"] for p in s["points"]))
    tables = [{p[0]: p for p in s["points"]} for s in figure["series"]]
    entry = lambda p: "%g %g %g" % (p[1], *(p[2:] if is_number(p[2]) else (p[1], p[1]))) if p and is_number(p[1]) else "NaN NaN NaN"
    data = "".join("%s %s\n" % (quoted(x), " ".join(entry(t.get(x)) for t in tables)) for x in labels)
    plots = ["$d using %d:%d:%d%s title %s" % (3 * i + 2, 3 * i + 3, 3 * i + 4, ":xtic(1)" if i == 0 else "", quoted(s["name"])) for i, s in enumerate(figure["series"])]
    return "$d << EOD\n%sEOD\nset style data histograms\nset style histogram errorbars gap 1 lw 1\nset style fill solid 0.6\nset xtics rotate by -35\nset yrange [*<0:*]\nplot %s\n" % (
        data, ", ".join(plots))


def shares_script(figure):
    """Figure 7 of Arnold and Ryder: a bar for each edge's exact share, and a circle at its sampled one."""
    data = "".join("$s%d << EOD\n%s\nEOD\n" % (i, "\n".join("%g %g" % (p[0], p[1]) for p in s["points"])) for i, s in enumerate(figure["series"]))
    return data + "set style fill solid 0.5\nset boxwidth 0.8\nset xrange [-1:*]\nset yrange [0:*]\nplot $s0 with boxes title %s, $s1 with points pt 6 title %s\n" % tuple(
        quoted(s["name"]) for s in figure["series"])


SCRIPTS = {"lines": lines_script, "bars": bars_script, "shares": shares_script}


def picture(figure, mark):
    """The figure as an SVG element whose identifiers begin with `mark`; None if gnuplot is missing or has nothing to draw."""
    script = SCRIPTS[figure["kind"]](figure)
    if not script or not shutil.which("gnuplot"):
        return None
    head = "set terminal svg size 860,400 dynamic noenhanced font 'sans,12'\nset key outside\nset grid ytics\nset xlabel %s\nset ylabel %s\n" % (quoted(figure["x"]), quoted(figure["y"]))
    done = subprocess.run(["gnuplot"], input=head + script, capture_output=True, text=True)
    if done.returncode or "<svg" not in done.stdout:
        return None
    svg = done.stdout[done.stdout.index("<svg"):]
    return re.sub(r'(\bid=["\']|url\(#|href=["\']#)', lambda m: m[1] + mark, svg)


# ---- HTML ---------------------------------------------------------------------------------------------

STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:64em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}
td,th{padding:.15em .8em;text-align:right;border-bottom:1px solid #ddd}td:first-child,td:last-child{text-align:left}
.missing{color:#b00020}.no{color:#b00020}.yes{color:#00600f}.why,.method{color:#666;font-size:90%}svg{max-width:100%;height:auto}"""


def html_row(r):
    say = html.escape
    return "<tr%s><td>%s</td><td>%s</td><td>%s</td><td class=\"why\">%s</td></tr>" % (
        ' class="missing"' if r["value"] is None else "", say(r["label"]), say(shown(r)), shown_published(r["published"]), say(r["why"]))


def html_exhibit(e, mark):
    say = html.escape
    out = ["<h3>%s: %s</h3>" % (say(e["exhibit"]), say(e["what"])), "<p>%s</p>" % say(e["where"])]
    if e["claims"]:
        out.append("<ul>%s</ul>" % "".join('<li class="%s">%s</li>' % ({True: "yes", False: "no", None: "why"}[c["holds"]], say(spoken(c))) for c in e["claims"]))
    figure = e["figure"] or beside(e)
    svg = picture(figure, mark) if figure else None
    if svg:
        out.append("<figure>%s<figcaption>%s, %s</figcaption></figure>" % (svg, say(e["exhibit"]), say(e["what"])))
    elif figure:
        out.append("<p class=\"why\">The figure is missing: gnuplot is not installed, or no value of it is known.</p>")
    out.append("<table><tr><th>%s</th><th>here</th><th>paper</th><th></th></tr>" % say(e["unit"]))
    out += [html_row(r) for r in e["rows"]]
    return out + ["</table><p class=\"method\">%s</p>" % say(e["method"])]


def html_of(result):
    """One file, well-formed as XML too, without anything to load."""
    say = html.escape
    out = ["<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"utf-8\"/><title>Five papers beside this machine</title>"
           "<style>%s</style></head><body>" % STYLE, "<h1>Five papers beside this machine</h1><p>%s</p>" % say(heading(result))]
    for name in shown_papers(result):
        out.append("<h2>%s</h2>" % say(PAPERS[name]))
        out += ['<p class="missing">%s</p>' % say(t) for t in result["troubles"].get(name, ())]
        for i, e in enumerate(result["exhibits"]):
            if e["paper"] == name:
                out += html_exhibit(e, "f%d" % i)
    out.append("<h2>Not measured</h2><ul>%s</ul>" % "".join("<li>%s, %s: %s</li>" % tuple(map(say, row)) for row in NOT_MEASURED))
    if result["empty"]:
        out.append("<h2>Missing values</h2><ul>%s</ul>" % "".join("<li>%s</li>" % say(t) for t in result["empty"]))
    data = json.dumps(result).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return "\n".join(out) + '<script type="application/json" id="results">%s</script></body></html>\n' % data


def write(result, folder):
    """Writes papers.txt, papers.json, papers.md and papers.html."""
    os.makedirs(folder, exist_ok=True)
    for file, content in (("papers.txt", text_of(result)), ("papers.json", json.dumps(result, indent=1) + "\n"), ("papers.md", markdown_of(result)),
                          ("papers.html", html_of(result))):
        with open(os.path.join(folder, file), "w") as f:
            f.write(content)
