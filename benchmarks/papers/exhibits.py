"""The papers' tables and figures, made of the data of the measurements, beside the published values.

An exhibit has rows (label, here, published), claims of the paper that are tested with the values measured here, and a
fixed text `method` about what is measured differently. That text says nothing about results: sentences about results
are made of the values (report.py, and `claim` here). Published values were copied from the papers' text and tables; a
figure without printed numbers has none."""
import configparser, math, os, random, re, statistics, subprocess
from collections import namedtuple

from measure import ROOT

# A measured value with its 95 % interval. why: the reason if the value or the interval is missing; else "" or a remark.
Value = namedtuple("Value", "value low high why")
STUDENT = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179}
FEWEST = 3  # programs for an interval over programs
ONE_RUN = "one run of few iterations, so there is no interval"


def missing(why):
    return Value(None, None, None, why)


def alone(value, why=ONE_RUN):
    return Value(value, None, None, why)


def row(label, here, published=None):
    """published: a number, a range (low, high), or None if the paper prints none."""
    return {"label": label, **here._asdict(), "published": published}


def claim(text, holds, detail):
    """A statement of the paper, whether it holds here (None: cannot be said), and the values that say so."""
    return {"text": text, "holds": holds, "detail": detail}


def exhibit(paper, name, what, unit, rows, method, claims=(), figure=None):
    return {"paper": paper, "exhibit": name, "what": what, "unit": unit, "rows": rows, "method": method, "claims": list(claims), "figure": figure}


# ---- averages -----------------------------------------------------------------------------------------

def reason(m):
    """Why a value of this measurement is missing."""
    if m.wrong:
        return "%s %s" % (m.program, m.wrong)
    left = m.left_out()
    return "%s: no time within its %d s" % (m.program, m.seconds) if left else "%s: not in its data" % m.program


def is_number(v):
    return isinstance(v, (int, float)) and math.isfinite(v)


def remark(n, all_of):
    return "" if n == all_of else "of %d of %d programs" % (n, all_of)


def average(values, whys, statistic=statistics.mean):
    """A mean (or other statistic) of the programs' values with an interval over the programs: Student's, or for another
    statistic the bootstrap's, widened by Student's t. whys: the reasons of those that are missing."""
    values = list(values)
    if not values:
        return missing(most_common(whys))
    middle, n, text = statistic(values), len(values), remark(len(values), len(values) + len(whys))
    if n < FEWEST:
        return Value(middle, None, None, (text + "; " if text else "") + "too few programs for an interval")
    t = STUDENT.get(n - 1, 2.1)
    if statistic is statistics.mean:
        half = t * statistics.stdev(values) / math.sqrt(n)
        return Value(middle, middle - half, middle + half, text)
    chance = random.Random(1)
    drawn = sorted(statistic(chance.choices(values, k=n)) for _ in range(1000))
    return Value(middle, middle - (middle - drawn[25]) * t / 1.96, middle + (drawn[974] - middle) * t / 1.96, text)


def most_common(whys):
    return statistics.mode(whys) if whys else "the form has no measurement of it"


def average_of(measured, get):
    """The average over measurements of get(measurement), which returns a Value."""
    values = [(m, get(m)) for m in measured]
    return average([v.value for _, v in values if is_number(v.value)], [v.why for _, v in values if not is_number(v.value)])


def falls(values, rises=False):
    """(whether a series falls from its first to its last value, text); None with fewer than two values."""
    known = [v for v in values if is_number(v)]
    if len(known) < 2:
        return None, "fewer than two values"
    steps = sum((b > a) if rises else (b < a) for a, b in zip(known, known[1:]))
    holds = (known[-1] > known[0]) if rises else (known[-1] < known[0])
    return holds, "from %.4g to %.4g, in %d of %d steps" % (known[0], known[-1], steps, len(known) - 1)


def compared(a, b, names):
    """Whether a > b, and the values."""
    if not is_number(a) or not is_number(b):
        return None, "%s: %s" % (names[0] if not is_number(a) else names[1], "no value")
    return a > b, "%s %.4g, %s %.4g" % (names[0], a, names[1], b)


# ---- Arnold and Ryder -------------------------------------------------------------------------------------

# Tables 1 to 3 and 5 by program: exhaustive call-edge and field-access; framework, backedges alone, entries alone, KB of more
# space, % of more compile time; checks without duplication for call-edge and field-access; accuracy by timer and by counter.
AR_PROGRAMS = {
    "201_compress": (72.4, 204.8, 8.7, 8.3, 0.9, 106, 37, 0.9, 151.5, 88, 98), "202_jess": (133.2, 60.9, 3.3, 2.9, 0.1, 244, 37, 0.1, 36.6, 91, 95),
    "209_db": (8.3, 7.7, 2.1, 1.8, 0.2, 123, 34, 0.2, 6.9, 66, 95), "213_javac": (75.7, 14.2, 2.7, 0.2, 1.4, 442, 38, 1.4, 21.3, 59, 73),
    "222_mpegaudio": (129.6, 99.8, 9.9, 9.0, 0.8, 156, 31, 0.8, 100.7, 69, 95), "227_mtrt": (122.2, 46.0, 3.4, 2.0, 2.4, 163, 31, 2.4, 49.1, 51, 67),
    "228_jack": (34.3, 108.7, 8.4, 6.6, 1.2, 258, 18, 1.2, 72.1, 45, 94), "opt-compiler": (189, 34.9, 6.2, 2.1, 4.4, 976, 48, 4.4, 41.1, 58, 65),
    "pBOB": (72.3, 20.2, 3.8, 2.6, 0.9, 306, 37, 2.3, 21.3, 75, 87), "Volano": (46.6, 7.6, 1.4, 0.3, 1.0, 75, 32, 1.0, 10.4, 27, 71),
}
AR_AVERAGE = (88.3, 60.4, 4.9, 3.5, 1.3, 285, 34, 1.3, 51.1, 63, 84)
INTERVALS = [10 ** i for i in range(6)]


def counterparts(paper):
    """{program of benchmarks/programs.ini: the first of the paper's programs that it stands for}"""
    table = configparser.ConfigParser(interpolation=None)
    table.read(os.path.join(ROOT, "benchmarks", "programs.ini"))
    found = {name: re.search(paper + r": ([\w.-]+)", table[name]["stands"]) for name in table.sections()}
    return {name: f[1] for name, f in found.items() if f}


COUNTERPARTS = counterparts("AR")
IN_SPECINT = counterparts("MK")


def ar_cell(m, config):
    """(the program's cell, None), or (None, reason)."""
    data = m.data()
    program = data["programs"][0] if data and data.get("programs") else None
    if not program:
        return None, reason(m)
    c = program["configurations"].get(config)
    if program["failed"] or (c and c["failed"]):
        return None, "%s failed%s" % (m.program, "" if program["failed"] else " in this configuration")
    return (c, None) if c else (None, reason(m))


def ar_overhead(m, config, base=None):
    """Percent of time that a configuration adds; to another configuration, if base names it."""
    c, why = ar_cell(m, config)
    ratio = (c or {}).get("time_ratio") or {}
    if not is_number(ratio.get("value")):
        return missing(why or reason(m))
    if base:
        to = ar_overhead(m, base)
        return alone(100 * (100 * ratio["value"] / (100 + to.value) - 1), "a difference of two overheads") if is_number(to.value) else to
    if not is_number(ratio.get("low")) or not is_number(ratio.get("high")):
        return alone(100 * (ratio["value"] - 1))
    return Value(*(100 * (ratio[k] - 1) for k in ("value", "low", "high")), "")


def ar_cost(m, config, key, in_percent):
    c, why = ar_cell(m, config)
    if not c or not c.get("cost") or not (c.get("plain_cost") or {}).get(key):
        return missing(why or reason(m))
    more = c["cost"][key] - c["plain_cost"][key]
    return alone(100 * more / c["plain_cost"][key] if in_percent else more / 1024)


def ar_accuracy(m, config, key):
    c, why = ar_cell(m, config)
    value = ((c or {}).get("accuracy") or {}).get(key)
    return alone(value, "one run") if is_number(value) else missing(why or reason(m))


AR_COLUMNS = [  # of AR_PROGRAMS: (exhibit, what, unit, value of a measurement)
    ("Table 1", "exhaustive call-edge", "% overhead", lambda m: ar_overhead(m, "EXACT_EDGE")),
    ("Table 1", "exhaustive field-access", "% overhead", lambda m: ar_overhead(m, "EXACT_FIELD")),
    ("Table 2", "framework of full duplication, no samples", "% overhead", lambda m: ar_overhead(m, "FULL")),
    ("Table 2", "checks on backedges alone", "% overhead", lambda m: ar_overhead(m, "FULL_BACKEDGES")),
    ("Table 2", "checks on method entries alone", "% overhead", lambda m: ar_overhead(m, "NO_EDGE")),
    ("Table 2", "more space for duplicated code", "KiB", lambda m: ar_cost(m, "FULL_INLINE", "code_bytes", False)),
    ("Table 2", "more time to compile duplicated code", "% of that without", lambda m: ar_cost(m, "FULL_INLINE", "compile_ms", True)),
    ("Table 3", "no duplication, checks of call-edge", "% overhead", lambda m: ar_overhead(m, "NO_EDGE")),
    ("Table 3", "no duplication, checks of field-access", "% overhead", lambda m: ar_overhead(m, "NO_FIELD")),
    ("Table 5", "field-access, samples by a timer", "% overlap", lambda m: ar_accuracy(m, "TIMER", "field_access")),
    ("Table 5", "field-access, as many samples by a counter", "% overlap", lambda m: ar_accuracy(m, "MATCHED", "field_access")),
]
NO_TEMPLATE = ("The baseline tier makes no code for dup=no and copies=inline: methods that the optimising tier has not compiled are interpreted, which a run of few "
               "iterations shows as overhead.")
AR_METHOD = {
    "Table 1": "The paper's instrumentation calls a routine for each event. Compiled code of cabernet counts in place where the event's key is known when the "
               "method is compiled.",
    "Table 2": "A check is a decrement and a branch in both. Time is that of the default, copies=exits: compiled code has checks and no duplicated code. Space "
               "and compile time are of copies=inline, which duplicates as the paper does. The paper adds up the final code of all methods. " + NO_TEMPLATE,
    "Table 3": "Each event has its check, in both. " + NO_TEMPLATE,
    "Table 5": "Both sampled profiles have about the same number of samples.",
}


def ar_program_rows(measured, column):
    get = AR_COLUMNS[column][3]
    rows = [row("average", average_of(measured, get), AR_AVERAGE[column])]
    for m in measured:
        other = COUNTERPARTS.get(m.program)
        rows.append(row(m.program + (" for " + other if other else ""), get(m), AR_PROGRAMS[other][column] if other else None))
    return rows


def ar_by_program(measured):
    made = []
    for i, (name, what, unit, _) in enumerate(AR_COLUMNS):
        made.append(exhibit("arnold-ryder", name, what, unit, ar_program_rows(measured, i), AR_METHOD[name]))
    first = lambda e: e["rows"][0]["value"]
    made[1]["claims"].append(claim("Exhaustive call-edge instrumentation costs more than field-access, on average.", *compared(first(made[0]), first(made[1]),
                                                                                                              ("call-edge", "field-access"))))
    made[3]["claims"].append(claim("Checks on backedges cost more than those on entries.", *compared(first(made[3]), first(made[4]), ("backedges", "entries"))))
    made[8]["claims"].append(claim("Without duplication the checks of field-access cost more than those of call-edge.",
                                   *compared(first(made[8]), first(made[7]), ("field-access", "call-edge"))))
    made[10]["claims"].append(claim("A counter is more accurate than a timer at the same number of samples.",
                                    *compared(first(made[10]), first(made[9]), ("counter", "timer"))))
    space = average_of(measured, lambda m: ar_cost(m, "FULL", "code_bytes", False))
    made[5]["rows"].append(row("average of copies=exits, which the paper has not", space))
    return made


def curve(name, rows, paper=False):
    """A curve of rows in the order of INTERVALS."""
    key = "published" if paper else "value"
    return {"name": name, "paper": paper, "points": [[n, r[key], None if paper else r["low"], None if paper else r["high"]] for n, r in zip(INTERVALS, rows)]}


def ar_interval_exhibit(measured, name, what, unit, series, method, axis=None, rising=False):
    """series: (label, prefix of the configuration, get(m, configuration), published values)."""
    rows, curves, claims = [], [], []
    for label, prefix, get, published in series:
        own = [row("%s, interval %s" % (label, format(n, ",")), average_of(measured, lambda m, n=n: get(m, "%s_%d" % (prefix, n))), p)
               for n, p in zip(INTERVALS, published)]
        rows += own
        curves += [curve(label + ", here", own), curve(label + ", paper", own, True)]
        claims.append(claim("%s, %s, falls as the interval grows." % (what[0].upper() + what[1:], label), *falls([r["value"] for r in own])))
    figure = {"kind": "lines", "x": "sample interval (checks)", "y": unit, "log": "xy" if axis == "samples" else "x", "series": curves}
    return exhibit("arnold-ryder", name, what, unit, rows, method, claims, figure)


def ar_table4(measured):
    both = "Full duplication", "no duplication"
    total, no_total = [182.2, 29.3, 10.3, 6.3, 5.1, 5.0], [269.1, 79.5, 61.3, 57.2, 55.7, 55.2]
    sampled, no_sampled = [167.2, 26.4, 4.2, 0.8, 0.1, 0.1], [118.2, 22.8, 3.6, 1.0, 0.2, 0.2]
    taken, no_taken = [1.1e7, 1.1e6, 1.1e5, 1.1e4, 1137, 109], [6.7e7, 6.7e6, 6.7e5, 6.7e4, 6736, 662]
    accuracies = {"call_edge": ([100, 99, 98, 94, 82, 71], [100, 98, 97, 93, 81, 70]), "field_access": ([100, 100, 99, 97, 94, 83], [100, 100, 99, 98, 96, 87])}
    one = lambda what, unit, get, values, method, axis=None: ar_interval_exhibit(
        measured, "Table 4", what, unit, [(both[0].lower(), "FULL", get(0), values[0]), (both[1], "NO", get(1), values[1])], method, axis)
    made = [
        one("overhead of sampling both analyses, in all", "% overhead", lambda i: ar_overhead, (total, no_total), "The same quantity in both. " + NO_TEMPLATE),
        one("overhead of the samples alone", "% overhead", lambda i: lambda m, c: ar_overhead(m, c, ("FULL", "NO")[i]), (sampled, no_sampled),
            "It is relative to the framework without samples, in both."),
        one("number of samples", "samples", lambda i: lambda m, c: ar_accuracy(m, c, "samples"), (taken, no_taken),
            "It is that of checks divided by the interval, so it says how long the programs run here and there.", "samples"),
    ]
    for key, values in accuracies.items():
        made.append(one("accuracy of %s" % key.replace("_", "-"), "% overlap", lambda i, key=key: lambda m, c: ar_accuracy(m, c, key), values,
                        "Overlap depends on the number of samples and of rows, and the programs here make other numbers of checks."))
    folded = [179.9, 27.6, 8.1, 3.0, 1.5, 1.5]
    made.append(ar_interval_exhibit(measured, "Figure 8", "overhead of sampling with checks in yieldpoints", "% overhead", [("full duplication", "FULL", ar_overhead,
                                                                                                                       folded)],
                                    "The checks of cabernet always are its yieldpoints, so one measurement is compared with both of the paper's ways of checking."))
    return made


def edge_shares(path, prof):
    done = subprocess.run([prof, "export", "--lines", path], capture_output=True, text=True)
    counts = {}
    for line in done.stdout.splitlines():
        if line.startswith("edge "):
            key, count = line.rsplit(" ", 1)
            counts[key] = counts.get(key, 0) + int(count)
    total = sum(counts.values())
    return {k: 100.0 * n / total for k, n in counts.items()} if total else {}


def ar_figure7(measured, prof):
    """The share of each edge of one program in the exact and in the sampled profile. javac is the paper's program."""
    chosen = sorted(measured, key=lambda m: m.program != "javac")[0]
    pairs = [("EXACT.prof", "FULL_1000.prof"), ("timed-EXACT_ALL.prof", "timed-FULL_1000.prof")]
    found = [[os.path.join(chosen.folder, chosen.program + "." + name) for name in pair] for pair in pairs]
    found = [pair for pair in found if all(map(os.path.exists, pair))]
    exact, sampled = (edge_shares(path, prof) for path in found[0]) if found else ({}, {})
    value, figure = missing(reason(chosen)), None
    if exact and sampled:
        value = alone(sum(min(share, sampled.get(k, 0)) for k, share in exact.items()))
        top = sorted(exact, key=exact.get, reverse=True)[:60]
        figure = {"kind": "shares", "x": "call edges, most frequent first", "y": "share of the profile, %", "log": "",
                  "series": [{"name": "exact", "paper": False, "points": [[i, exact[k], None, None] for i, k in enumerate(top)]},
                             {"name": "sampled at interval 1,000", "paper": False, "points": [[i, sampled.get(k, 0.0), None, None] for i, k in enumerate(top)]}]}
    return exhibit("arnold-ryder", "Figure 7", "call edges of %s, exact and sampled at interval 1,000" % chosen.program, "% overlap",
                   [row("overlap", value, 93.8 if chosen.program == "javac" else None)], "The paper's program is 213_javac with input size 10.", figure=figure)


def arnold_ryder(measured, prof):
    native, green = [m for m in measured if m.threads == "native"], [m for m in measured if m.threads == "green"]
    made = []
    if native:
        made = ar_by_program(native) + ar_table4(native) + [ar_figure7(native, prof)]
    for m in green:
        columns = [0, 1, 2, 7]
        other = COUNTERPARTS.get(m.program)
        rows = [row(AR_COLUMNS[i][1], AR_COLUMNS[i][3](m), AR_PROGRAMS[other][i] if other else None) for i in columns]
        made.append(exhibit("arnold-ryder", "Tables 1 to 3", "%s with N:M threads, as Jalapeño has" % m.program, "% overhead", rows, AR_METHOD["Table 1"]))
    return made


# ---- Mousa and Krintz -------------------------------------------------------------------------------------

GOOD = 90.0  # percent of accuracy that the paper calls high quality
# Figure 6, without the column of dynamic instructions.
STATISTICS = {
    "methods": dict(crafty=165, gcc=1234, gzip=113, mcf=113, parser=338, perlbmk=719, eon=599),
    "call sites": dict(crafty=792, gcc=7565, gzip=218, mcf=215, parser=1149, perlbmk=3138, eon=2029),
    "call pairs": dict(crafty=792, gcc=7671, gzip=218, mcf=215, parser=1151, perlbmk=3338, eon=2065),
    "calls (millions)": dict(crafty=43.4, gcc=22.1, gzip=25.5, mcf=5.3, parser=82.0, perlbmk=5.1, eon=1.9),
    "branches (millions)": dict(crafty=496, gcc=317, gzip=351, mcf=44, parser=690, perlbmk=48, eon=1),
    "references (millions)": dict(crafty=620, gcc=590, gzip=775, mcf=85, parser=922, perlbmk=79, eon=36),
    "16-byte blocks (1000s)": dict(crafty=404, gcc=815, gzip=690, mcf=69, parser=1387, perlbmk=2728, eon=31),
}
CONTROL = {"streams": 106.0, "pairs": 16.0, "methods": 16.0}  # percent that HPS takes away of DISE without conditional control
BARS = ["checks", "guards", "checks-sampled", "guards-sampled"]


def hps_figures(m, key):
    data = m.data() or {}
    return (data.get("intervals") or data.get("figures") or {}).get(key) or {}


def bracketed(values, why):
    return Value(*values, "") if isinstance(values, list) and all(map(is_number, values)) else alone(values) if is_number(values) else missing(why)


def hps_cell(m, rate, burst, figure="calls"):
    return hps_figures(m, figure).get("%s 1/%d, burst %d" % (m.program, rate, burst)) or {}


def hps_accuracy(m, key, rate, burst, figure="calls"):
    values = hps_cell(m, rate, burst, figure).get("accuracy", {}).get(key) or [None]
    return alone(values[0], "one run") if is_number(values[0]) else missing(reason(m))


def hps_cheapest(m, rates):
    """The lowest overhead above the framework of a rate whose hot methods are at least GOOD % accurate."""
    timed = [c for c in (hps_cell(m, r, 1) for r in rates) if c.get("above")]
    good = [c["above"] for c in timed if (c["accuracy"].get("hot-methods") or [0])[0] >= GOOD]
    if good:
        return bracketed(min(good, key=lambda v: v[0]), "")
    return missing("%s: no rate is %d %% accurate" % (m.program, GOOD) if timed else reason(m))


def setting(measured, name):
    """The words of a setting of the form, of all measurements."""
    return list(dict.fromkeys(w for m in measured for w in m.settings.get(name, "").split()))


def analyses_of(measured, figure, otherwise):
    return sorted({k for m in measured for r in hps_figures(m, figure).values() for k in r["accuracy"]}) or otherwise


def hps(measured, prof):
    rates, bursts = ([int(n) for n in setting(measured, name)] for name in ("RATES", "BURSTS"))
    framework = lambda m: hps_bar(m, "framework")
    above = lambda rate, burst: lambda m: bracketed(hps_cell(m, rate, burst).get("above"), reason(m))
    made = [
        hps_statistics(measured),
        hps_control(measured),
        exhibit("hps", "Figure 7", "basic overhead: checks, nothing recorded", "% overhead",
                [row("average", average_of(measured, framework), 0.0)] + [row(m.program, framework(m), 0.0) for m in measured],
                "HPS decides when to sample in the processor's decoder, at no cost. Here the checks are instructions: this is the price of doing without that hardware."),
        exhibit("hps", "Section 6.2", "overhead of sampling hot methods and call pairs, above the checks", "% overhead",
                [row("average, rate 1/%d, burst 1" % r, average_of(measured, above(r, 1)), 1.0 if r == 100 else None) for r in rates] +
                [row("average, cheapest rate with %d %% accuracy" % GOOD, average_of(measured, lambda m: hps_cheapest(m, rates)), 0.2)] +
                [row("%s, rate 1/%d, burst %d" % (m.program, r, b), above(r, b)(m), (0.0, 2.5) if r == 100 and b == 1 else None)
                 for m in measured for r in rates for b in bursts[:1]],
                "The paper has just over 1 % on average (0 to 2.5 % by program) at its most aggressive rate, 1/100, and 0.2 % for profiles of 90 % accuracy, for "
                "methods and pairs each; here both are recorded together. The checks are not in it, as HPS has none.",
                [claim("The overhead falls as samples become rarer.", *falls([average_of(measured, above(r, 1)).value for r in rates]))]),
    ]
    return made + [hps_accuracies(measured, analyses_of(measured, "calls", ["hot-methods", "hot-pairs"]), rates, bursts),
                   hps_streams_overhead(measured, rates, bursts[-1]), hps_streams(measured, analyses_of(measured, "streams", ["hot-stream"]), rates, bursts)]


def hps_statistics(measured):
    def value(m, key):
        found = (hps_figures(m, "6").get(m.program) or {}).get(key)
        return alone(found, "one run") if is_number(found) else missing(reason(m))

    rows = []
    for m in measured:
        of = IN_SPECINT.get(m.program)
        rows += [row("%s%s, %s" % (m.program, " for " + of if of else "", key), value(m, key), published.get(of)) for key, published in STATISTICS.items()]
    return exhibit("hps", "Figure 6", "statistics of the programs", "see each row", rows,
                   "Counts of one iteration and the start of the VM, with the class library's code; the paper's are of SPECint2000 with test inputs, eon's those of "
                   "cook. References are to fields and elements, and blocks of 16 bytes are counted where the paper counts addresses. Instructions are not counted.")


def hps_bar(m, name):
    return bracketed((hps_figures(m, "7").get(m.program) or {}).get(name), reason(m))


def hps_control(measured):
    wanted = setting(measured, "BARS") or BARS
    of = {(k, b): average_of(measured, lambda m: hps_bar(m, "%s, %s" % (k, b))) for k in CONTROL for b in wanted}
    bars = {"kind": "bars", "x": "", "y": "overhead, %", "log": "",
            "series": [{"name": b, "paper": False, "points": [[k, *of[k, b][:3]] for k in CONTROL]} for b in wanted]}
    return exhibit("hps", "Figure 7", "guarded probes beside checks that lead to duplicated code", "% overhead",
                   [row("average, %s, %s" % k, v, CONTROL[k[0]] if k[1] == "guards" else None) for k, v in of.items()] +
                   [row("%s, %s, %s" % (m.program, k, b), hps_bar(m, "%s, %s" % (k, b))) for m in measured for k, b in of],
                   "Guards test at each probe whether to record, as DISE does without conditional control; checks are at entries and backward branches, as in bursty "
                   "tracing. Nothing is recorded, or where sampled one check in 100, streams in bursts of 100. The published values are those that HPS takes away of "
                   "DISE: basic overhead and guards together, in a simulated processor. Methods that the optimising tier has not compiled are interpreted with guards.",
                   [claim("Guards cost %s more than checks." % k, *compared(of[k, "guards"].value, of[k, "checks"].value, ("guards", "checks"))) for k in CONTROL], bars)


def hps_streams_overhead(measured, rates, burst):
    cost = lambda key, rate: lambda m: bracketed(hps_cell(m, rate, burst, "streams").get(key), reason(m))
    of = {r: average_of(measured, cost("overhead", r)) for r in rates}
    return exhibit("hps", "Figures 8 and 9", "overhead of sampling hot data streams, bursts of %d" % burst, "% overhead",
                   [row("average, rate 1/%d" % r, v) for r, v in of.items()] +
                   [row("average, rate 1/%d, above the checks" % r, average_of(measured, cost("above", r))) for r in rates] +
                   [row("%s, rate 1/%d" % (m.program, r), cost("overhead", r)(m)) for m in measured for r in rates],
                   "The paper's curves have no printed numbers. Its overhead is above the checks, which HPS does not have.",
                   [claim("The overhead falls as samples become rarer.", *falls([of[r].value for r in rates])),
                    claim("Streams cost more than methods and pairs.", *compared(of[rates[0]].value, average_of(measured, lambda m: bracketed(
                        hps_cell(m, rates[0], 1).get("overhead"), reason(m))).value, ("streams, 1/%d" % rates[0], "methods and pairs, 1/%d" % rates[0])))])


def burst_rows(measured, analyses, rates, bursts, figure):
    get = lambda a, r, b: average_of(measured, lambda m: hps_accuracy(m, a, r, b, figure))
    return {(a, r, b): row("%s, rate 1/%d, burst %d" % (a, r, b), get(a, r, b)) for a in analyses for r in rates for b in bursts}


def burst_figure(rows, analyses, bursts):
    series = [{"name": "%s, burst %d" % (a, b), "paper": False, "points": [[r, v["value"], v["low"], v["high"]] for (x, r, y), v in rows.items() if (x, y) == (a, b)]}
              for a in analyses for b in bursts]
    return {"kind": "lines", "x": "one check in ... is recorded", "y": "accuracy, %", "log": "x", "series": series}


def burst_claims(rows, analyses, bursts, longer_is_better):
    made = []
    for a in analyses if len(bursts) > 1 else []:
        of = lambda b: [v["value"] for (x, _, y), v in rows.items() if (x, y) == (a, b) and is_number(v["value"])]
        short, long = (statistics.mean(of(b)) if of(b) else None for b in (bursts[0], bursts[-1]))
        names = "burst %d" % bursts[0], "burst %d" % bursts[-1]
        holds = compared(long, short, names[::-1]) if longer_is_better else compared(short, long, names)
        made.append(claim("%s: %s bursts are more accurate at the same rate." % (a, "longer" if longer_is_better else "shorter"), *holds))
    return made


def hps_accuracies(measured, analyses, rates, bursts):
    rows = burst_rows(measured, analyses, rates, bursts, "calls")
    return exhibit("hps", "Figures 8 and 10", "accuracy of hot methods and call pairs", "% overlap", list(rows.values()),
                   "Accuracy is the overlap over the members that make up 90 % of the exact profile, in both. The paper's curves have no printed numbers.",
                   burst_claims(rows, analyses, bursts, False), burst_figure(rows, analyses, bursts))


def hps_streams(measured, analyses, rates, bursts):
    rows = burst_rows(measured, analyses, rates, bursts, "streams")
    best = max((v["value"] for v in rows.values() if is_number(v["value"])), default=None)
    claims = burst_claims(rows, analyses, bursts, True)
    claims.append(claim("The average accuracy stays below 50 %.", None if best is None else best < 50, "no value" if best is None else "highest %.4g" % best))
    return exhibit("hps", "Figure 10", "accuracy of hot data streams", "% overlap", list(rows.values()),
                   "The paper cuts the trace of addresses; here references to fields and array elements of Java code. Its curves have no printed numbers, and its "
                   "axis ends at 50 %.", claims, burst_figure(rows, analyses, bursts))


# ---- Moseley et al. ----------------------------------------------------------------------------------------

def shadow_rows(m):
    return (m.data() or {}).get("configurations") or []


def shadow_value(m, load, length, key):
    for r in shadow_rows(m):
        if (r["load"], r["length"]) == (load, length) and is_number(r.get(key)):
            ends = (r.get("intervals") or {}).get(key)
            if key == "slowdown":
                return Value(r[key], *ends, "")
            return Value(r[key], *ends, "interval: lowest and highest run") if ends and r["runs"] > 1 else alone(r[key], "one run, or a mean of runs: no interval")
        if (r["load"], r["length"]) == (load, length) and r.get("reasons", {}).get(key):
            return missing("%s: %s" % (m.program, r["reasons"][key]))
    return missing(reason(m))


def milliseconds(length):
    return float(re.match(r"[\d.]+", length)[0])


# (figure, what, unit, key, published in general, published at load 0.25 and the longest samples, method, trends: (variable, rises, text))
SHADOW_FIGURES = [
    ("Figure 3", "interprocedural paths that shadows find", "% weight matched", "paths", (83.0, 93.0), 93.0,
     "The paths above the hottest twentieth of the exact profile's rows, in both.",
     [("load", True, "More load makes it more accurate."), ("length", True, "Longer samples make it more accurate.")]),
    ("Figure 4", "values: difference in invariance", "%", "invarianceDifference", (4.0, 8.0), None,
     "Weighted difference of the share of the most frequent value. The paper looks at every instruction with a destination register; here at the values of analysis "
     "`value`.", [("load", False, "More load makes the difference smaller.")]),
    ("Figure 5", "slowdown of the program", "% of its processor time", "slowdown", None, 1.0,
     "The paper's is elapsed time on a machine of four processors with 6 GB; here it is processor time of the program's threads, which other processes disturb less.",
     [("load", True, "It rises with the load."), ("length", False, "It falls as samples become longer, because forks are fewer.")]),
    ("Figure 6", "page faults more than without shadows", "a second", "faults", None, None, "The paper's figure has no printed numbers.",
     [("load", True, "It rises with the load.")]),
    ("Figure 7", "events that shadows see", "% of all", "coverage", None, 0.2,
     "The paper counts instructions of programs that run for minutes; here events of programs that run for seconds.", [("load", True, "It rises with the load.")]),
]


def shadow(measured, prof):
    native = [m for m in measured if m.threads == "native"]
    loads, lengths = sorted(setting(native, "LOADS"), key=float), sorted(setting(native, "LENGTHS"), key=milliseconds)
    made = [shadow_figure(native, loads, lengths, *f) for f in SHADOW_FIGURES] if native else []
    return made + [e for m in measured if m.threads == "green" for e in shadow_threads(m)]


def shadow_figure(measured, loads, lengths, name, what, unit, key, general, quarter, method, trends):
    of = lambda load, length: average_of(measured, lambda m: shadow_value(m, load, length, key))
    table = {(load, length): of(load, length) for load in loads for length in lengths}
    published = lambda load, length: quarter if quarter is not None and load == "0.25" and length == lengths[-1] else general
    rows = [row("average, load %s, length %s" % k, v, published(*k)) for k, v in table.items()]
    rows += [row("%s, load %s, length %s" % (m.program, load, lengths[-1]), shadow_value(m, load, lengths[-1], key)) for m in measured for load in loads]
    claims = []
    for variable, rises, text in trends:
        along = [table[x, lengths[-1]].value for x in loads] if variable == "load" else [table["0.25" if "0.25" in loads else loads[0], x].value for x in lengths]
        claims.append(claim(text, *falls(along, rises)))
    if key == "slowdown":
        every = [shadow_value(m, *k, key).value for m in measured for k in table]
        worst = max((v for v in every if is_number(v)), default=None)
        claims.append(claim("No configuration slows a program down by more than 20 %.", None if worst is None else worst <= 20, "no value" if worst is None else
                            "highest %.4g %%" % worst))
    series = [{"name": "length " + x, "paper": False, "points": [[float(load), table[load, x].value, table[load, x].low, table[load, x].high] for load in loads]}
              for x in lengths]
    if quarter is not None:
        series.append({"name": "paper, 100M instructions, load 0.25", "paper": True, "points": [[0.25, quarter, None, None]]})
    return exhibit("shadow", name, what, unit, rows, method + " A sample is as long as a time here, and 1 to 100 million instructions in the paper, of which 30 ms of a "
                   "processor of 3 GHz are about the most.", claims,
                   {"kind": "lines", "x": "load", "y": unit, "log": "x", "series": series})


def shadow_threads(m):
    rows = (m.data() or {}).get("threads") or []
    values = [row("%s, %d threads" % (r["mode"], r["threads"]), Value(r["slowdown"], *r["intervals"]["slowdown"], "")) for r in rows]
    return [exhibit("shadow", "Section 3", "slowdown of %s by its number of N:M threads" % m.program, "% of its processor time",
                    values or [row(m.program, missing(reason(m)))], "The paper's implementation treats threads in Section 3 and measures programs of one thread.")]


# ---- Ha et al. ---------------------------------------------------------------------------------------------

HALF = {"call-edge": 50.0, "call-subtree": 60.0, "path": 50.0}


def cab_rows(m, figure, **chosen):
    return [r for r in (m.data() or {}).get(figure) or [] if all(r[k] == v for k, v in chosen.items())]


def cab_value(m, figure, get, **chosen):
    found = cab_rows(m, figure, **chosen)
    value = get(found[0]) if found else None
    return alone(value, "a median of iterations: no interval") if is_number(value) else missing(reason(m))


def with_figure(measured, letter):
    return [m for m in measured if letter in m.settings["FIGURES"]]


def reduction(measured, get, whys):
    """Percent by which concurrency lowers the mean overhead. get(m): (sequential, concurrent) or None."""
    pairs = [p for p in map(get, measured) if p]
    ratio = lambda ps: 100 * (1 - sum(c for _, c in ps) / sum(s for s, _ in ps))
    if not pairs:
        return missing(most_common(whys))
    if sum(s for s, _ in pairs) <= 0:
        return missing("the sequential analysis costs nothing that could be resolved")
    try:
        return average(pairs, [reason(m) for m in measured if not get(m)], ratio)
    except ZeroDivisionError:
        return alone(ratio(pairs), "no interval: the overheads are too small")


def cab_both(m, analysis):
    r = cab_rows(m, "figure9", analysis=analysis)
    return (r[0]["sequential"]["time"], r[0]["concurrent"]["time"]) if r else None


def cab_exhaustive(measured, threads):
    analyses, kinds = setting(measured, "ANALYSES"), ("counters", "sequential", "concurrent", "sampled")
    figure = "Figure 8" if threads == "green" else "Figure 9"
    what = "N:M threads" if threads == "green" else "native threads"
    time = lambda m, a, k: cab_value(m, "figure9", lambda r: (r.get(k) or {}).get("time"), analysis=a)
    table = {(a, k): average_of(measured, lambda m: time(m, a, k)) for a in analyses for k in kinds if not (k == "sampled" and a == "call-subtree")}
    bars = {"kind": "bars", "x": "", "y": "overhead, %", "log": "", "series": [{"name": k, "paper": False, "points": [
        [a, *table[a, k][:3]] for a in analyses if (a, k) in table]} for k in kinds]}
    reductions = [row(a, reduction(measured, lambda m: cab_both(m, a), list(map(reason, measured))), HALF.get(a) if threads == "green" else None)
                  for a in analyses if a != "method-count"]
    slower = lambda m: next((alone(100 * ((100 + c) / (100 + s) - 1)) for s, c in [cab_both(m, "method-count") or (None, None)] if is_number(s)), missing(reason(m)))
    if "method-count" in analyses:
        reductions.append(row("method-count: time more than sequential", average_of(measured, slower), 0.1 if threads == "green" else None))
    larger = "The larger of the thread's and the consumer's processor time counts here, as a machine of two processors has no third for other work. "
    return [
        exhibit("cab", figure, "overhead that concurrency takes away, " + what, "% of the sequential overhead", reductions,
                larger + "The paper's numbers are of its Core i7 with N:M threads; for native threads it says `similar` and prints none. call-subtree is its call-tree "
                "profiling: sets of calls, subtrees of depth two."),
        exhibit("cab", figure, "sequential and concurrent analyses, " + what, "% overhead", [row("%s, %s" % k, v) for k, v in table.items()],
                larger + "The paper's bars have no printed numbers. Counters are what compiled code counts in place; the paper has no such bars.",
                [claim("Concurrent %s costs less than sequential." % a, *compared(table[a, "sequential"].value, table[a, "concurrent"].value, ("sequential", "concurrent")))
                 for a in analyses if a != "method-count"], bars),
        exhibit("cab", "Figure 16" if threads == "native" else "Figure 13", "the same by program, " + what, "% overhead",
                [row("%s, %s, %s" % (m.program, a, k), time(m, a, k)) for m in measured for a in analyses for k in kinds if (a, k) in table],
                "The paper's bars have no printed numbers."),
    ]


def cab_queues(measured):
    published = {"nway": 8.0, "fastforward": 41.0}
    return [exhibit("cab", "Figure 7", "time of path profiles with other queues beside the ring", "% more time",
                    [row(q, average_of(measured, lambda m: cab_value(m, "figure7", lambda r: r[q]["time"], analysis="path")), published.get(q))
                     for q in setting(measured, "QUEUES") if q != "cab"],
                    "The paper's numbers are of path profiles on a Core 2 Quad with N:M threads.")] if measured else []


def cab_sampling(measured):
    if not measured:
        return []
    rates = sorted(map(int, setting(measured, "RATES")))
    at = lambda rate, get: average_of(measured, lambda m: cab_value(m, "figure11", get, rate=rate, analysis="call-edge"))
    cost, error = {r: at(r, lambda x: x["time"]) for r in rates}, {r: at(r, lambda x: x["errors"][0]["error"]) for r in rates}
    ideal = {r: at(r, lambda x: x["errors"][0]["ideal"]) for r in rates}
    down = reduction(measured, lambda m: next(((r["exhaustive"]["time"], r["time"]) for r in cab_rows(m, "figure11", rate=5, analysis="call-edge")), None),
                     list(map(reason, measured)))
    line = lambda name, table: {"name": name, "paper": False, "points": [[r, *table[r][:3]] for r in rates]}
    rows = [row("overhead taken away at 5 %", down, 55.0)] + [row("overhead, rate %d %%" % r, cost[r]) for r in rates]
    rows += [row("error of all rows, rate %d %%" % r, error[r], (0.0, 3.0) if r == 5 else None) for r in rates]
    rows += [row("error of an ideal sample, rate %d %%" % r, ideal[r]) for r in rates]
    return [exhibit("cab", "Figure 11", "call graph, sampled in the consumer", "%", rows,
                    "Error is the mean over all rows with equal weights, in both. A row that the program executed once has an error of almost 100 % in any sample of "
                    "5 %; the ideal sample has each event with the probability of the rate, and shows what the rows of these programs permit.",
                    [claim("The overhead rises with the rate.", *falls([cost[r].value for r in rates], True)),
                     claim("The error falls as the rate rises.", *falls([error[r].value for r in rates]))],
                    {"kind": "lines", "x": "rate, %", "y": "%", "log": "xy", "series": [line("overhead", cost), line("error", error), line("error, ideal sample", ideal)]})]


def cab_steps(measured):
    analyses = setting(measured, "ANALYSES")
    steps = ("word", "enqueue", "transfer", "concurrent", "sequential")
    return [exhibit("cab", "Figure 8", "the steps of concurrent analysis", "% overhead",
                    [row("%s, %s" % (a, s), average_of(measured, lambda m: cab_value(m, "figure8", lambda r: r[s]["time"], analysis=a))) for a in analyses for s in steps],
                    "The paper's bars have no printed numbers.")] if measured else []


FLAT = 5.0  # percent between the mean times with two sizes of rings that count as the same


def cab_buffers(measured, threads):
    if not measured:
        return []
    buffers, what = setting(measured, "BUFFERS"), "N:M threads" if threads == "green" else "native threads"
    of = lambda key, buffer: average_of(measured, lambda m: cab_value(m, "figure10", lambda r: r[key], buffer=buffer))
    cost, waited = ({b: of(key, b) for b in buffers} for key in ("time", "waited"))
    large = [100 + cost[b].value for b in buffers[len(buffers) // 2:] if is_number(cost[b].value)]
    apart = 100 * (max(large) / min(large) - 1) if len(large) > 1 else None
    rows = [row("average, ring of %s" % b, cost[b]) for b in buffers] + [row("average, time waited, ring of %s" % b, waited[b]) for b in buffers[1:]]
    rows += [row("%s, ring of %s" % (m.program, b), cab_value(m, "figure10", lambda r: r["time"], buffer=b)) for m in measured for b in buffers]
    points = [[i, *cost[b][:3]] for i, b in enumerate(buffers, 1)]
    return [exhibit("cab", "Figures 10 and 17", "paths with rings of other sizes, " + what, "% overhead; time waited as a multiple of that with the smallest ring", rows,
                    "The paper's curves have no printed numbers; its Figure 10 is hsqldb, and Figure 17 the rest of DaCapo.",
                    [claim("The time is nearly constant for rings that are large enough.", None if apart is None else apart <= FLAT,
                           "no value" if apart is None else "from %s to %s: %.2g %% apart" % (buffers[len(buffers) // 2], buffers[-1], apart))],
                    {"kind": "lines", "x": "ring: " + ", ".join("%d is %s" % (i, b) for i, b in enumerate(buffers, 1)), "y": "overhead, %", "log": "",
                     "series": [{"name": "paths", "paper": False, "points": points}]})]


def cab_affinity(measured, threads):
    """Of one program, a place that this machine does not have is missing with the reason in the data."""
    def time(m, place):
        value = cab_value(m, "figure12", lambda r: r[place] and r[place]["time"])
        why = ((m.data() or {}).get("filled") or {}).get("Figure 12, " + place)
        return missing(why) if value.value is None and why else value
    published = {"sequential": None, "shared": 1.57, "apart": 3.5}
    table = {p: average_of(measured, lambda m: time(m, p)) for p in published}
    names = {"sequential": "sequential", "shared": "processors that share a cache", "apart": "processors that share none"}
    return [exhibit("cab", "Figure 12", "paths by the processors of thread and consumer, " + ("N:M" if threads == "green" else "native") + " threads",
                    "times the time without a profile", [row("average, " + names[p], v, published[p]) for p, v in table.items()] +
                    [row("%s, %s" % (m.program, names[p]), time(m, p)) for m in measured for p in published if is_number(table[p].value)],
                    "The paper has an overhead of 57 % on average with a shared cache, and of 250 % without, on a Core 2 Quad.",
                    [claim("Without a shared cache, concurrent analysis costs more than with one.", *compared(table["apart"].value, table["shared"].value,
                                                                                                           ("apart", "shared")))])] if measured else []


def cab(measured, prof):
    native, green = [m for m in measured if m.threads == "native"], [m for m in measured if m.threads == "green"]
    made = cab_queues(with_figure(native, "7")) + cab_steps(with_figure(native, "8"))
    for of, threads in (green, "green"), (native, "native"):
        made += cab_exhaustive(with_figure(of, "9"), threads) if with_figure(of, "9") else []
        made += cab_buffers(with_figure(of, "a"), threads) + cab_affinity(with_figure(of, "c"), threads)
    return made + cab_sampling(with_figure(native, "b"))


# ---- Waddington et al. -------------------------------------------------------------------------------------

# Table 4: loss of speed in percent by profiling of functions and arcs with gcc, of the tests of BYTEmark that have a counterpart.
GCC = {"sort": 38.67, "fft": 0.79, "matmul": 53.67}
GCC_AVERAGE = 35.74  # of its nine tests
THREAD_PROFILES = ["locks", "concurrency", "quanta", "dependency", "tasks", "threads"]


def rounds(m, what):
    return ((m.data() or {}).get("rounds") or {}).get(what) or {}


def least_added(m, what, profile, name, relative, slower=False):
    """Addition of a profile to the fastest round, and the lowest and highest addition of any round."""
    base, with_profile = (rounds(m, what).get(p, {}).get(name) for p in ("", profile))
    if not base or not with_profile:
        return missing(reason(m))
    change = (lambda a, b: 100 * (1 - a / b)) if slower else (lambda a, b: 100 * (b / a - 1)) if relative else (lambda a, b: b - a)
    each = [change(a, b) for a, b in zip(base, with_profile)]
    value = change(min(base), min(with_profile))
    return alone(value, "one round, so there is no interval") if len(each) < 3 else Value(value, min(each + [value]), max(each + [value]), "interval: lowest and highest round")


def threads(measured, prof):
    made = []
    for m in measured:
        profiles, suffix = THREAD_PROFILES if m.program == "operations" else ["locks", "threads"], " with N:M threads" if m.threads == "green" else ""
        names = list(rounds(m, m.program).get("", {}))
        if m.program == "code":
            made += threads_code(m, names)
        elif names:
            relative = m.program != "operations"
            made.append(exhibit("threads", "Section 2.2", "what profiles of threads add to %s%s" % (m.program, suffix), "% of processor time" if relative else "ns",
                                [row("%s: %s" % (p, n), least_added(m, m.program, p, n, relative)) for p in profiles for n in names],
                                "The paper names these characteristics and measures none of their prices."))
        else:
            made.append(exhibit("threads", "Section 2.2", "what profiles of threads add to %s%s" % (m.program, suffix), "%", [row(m.program, missing(reason(m)))],
                                "The paper names these characteristics and measures none of their prices."))
    return made + threads_switches(measured)


def threads_code(m, names):
    if not names:
        return [exhibit("threads", "Table 4", "speed lost by exact profiles of calls and branches", "% of the speed", [row("kernels", missing(reason(m)))], "")]
    lost = {n: least_added(m, "code", "call-edge,branch", n, True, True) for n in names}
    blocks = {n: least_added(m, "code", "branch", n, True) for n in names}
    mean = lambda table: average([v.value for v in table.values() if is_number(v.value)], [v.why for v in table.values() if not is_number(v.value)])
    return [
        exhibit("threads", "Table 4", "speed lost by exact profiles of calls and branches", "% of the speed",
                [row("average", mean(lost), GCC_AVERAGE)] + [row(n, v, GCC.get(n)) for n, v in lost.items()],
                "The paper measures gcc's -pg and -ftest-coverage arcs on BYTEmark, an average over nine tests. sort, fft and matmul stand for Numeric Sort, Fourier and "
                "LU Decomp; the other kernels have no counterpart there."),
        exhibit("threads", "Figure 5", "time added by counts of basic blocks", "% overhead",
                [row("average", mean(blocks), 300.0)] + [row(n, v) for n, v in blocks.items()],
                "The paper says that programs under Pin are typically four times slower, on other programs; its bars have no printed numbers. Pin translates machine "
                "code, and cabernet's compiler inserts the counters itself."),
    ]


def threads_switches(measured):
    rows = []
    for m in measured:
        for name, values in ((m.data() or {}).get("switches") or {}).items():
            text = m.program + (", N:M threads" if m.threads == "green" else "")
            here = Value(statistics.median(values), min(values), max(values), "interval: lowest and highest run") if len(values) > 2 else alone(statistics.median(values))
            rows.append(row(text, here, (800.0, 170000.0)))
    return [exhibit("threads", "Table 3", "context switches of programs with threads", "a second", rows,
                    "The paper's range is that of a whole machine with Windows XP under load; here those of one process, as the kernel counts them.")] if rows else []


# ---- decisions by samples ----------------------------------------------------------------------------------

def decisions(measured, prof):
    def value(m, key):
        found = next((p.get(key) for p in (m.data() or {}).get("programs") or []), None)
        return missing(reason(m)) if found is None else bracketed(found, "") if isinstance(found, list) else alone(found, "of one recording")

    def table(what, unit, keys, method):
        rows = [row("average, " + text, average_of(measured, lambda m: value(m, key))) for key, text in keys]
        return exhibit("decisions", "Times" if "time" in what else "Plans", what, unit,
                       rows + [row("%s, %s" % (m.program, text), value(m, key)) for m in measured for key, text in keys], method)
    return [
        table("time with decisions by samples, beside those by counts of the baseline tier", "% more time",
              [("sampled", "sampled profile"), ("exact", "exact profile"), ("none", "no counts")],
              "All plans are recorded before and replayed, so the code differs in the decisions alone. Below zero is a gain."),
        table("price of taking the profile", "% overhead", [("price_sampled", "sampled"), ("price_counts", "counts of the baseline tier")],
              "The time of the run that takes the profile, beside one without counts and profile."),
        table("decisions that differ", "% of those of both", [("inlining_differs", "inlined calls, samples and counts"), ("inlining_differs_from_exact", "inlined calls, sampled and exact profile"),
                                                            ("layout_differs_from_exact", "layouts, sampled and exact profile")],
              "Calls are those in methods that both runs have compiled. Counts of the baseline tier decide no layouts."),
        table("replays whose plans are equal byte for byte", "% of the replays", [("replayed", "plans")], "The plan that a replay records is compared with the plan it read."),
    ]


EXHIBITS = {"arnold-ryder": arnold_ryder, "cab": cab, "hps": hps, "shadow": shadow, "threads": threads, "decisions": decisions}
# Parts of the papers that are not measured, with reasons.
NOT_MEASURED = [
    ("arnold-ryder", "Figure 8 by program", "checks always are yieldpoints here, so it would repeat Table 2"),
    ("hps", "Figure 6, dynamic instructions", "cabernet counts no executed bytecodes"),
    ("cab", "Figures 10 and 17, misses of the caches", "they need the processor's counters, which few virtual machines have; where they exist, `make bench-cab` shows them"),
    ("cab", "Figures 14 and 15", "other processors of the authors"),
    ("threads", "Table 3 beyond context switches, Table 5", "properties of the authors' machine and of Windows"),
    ("threads", "Table 6, interference of probes in calls between components", "cabernet has no stubs and skeletons between components of a distributed program"),
    ("all", "the other figures", "drawings and listings of how the systems work"),
]
