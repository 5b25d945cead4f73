#!/usr/bin/env python3
"""Productions: the output of cabernet-prof about them, against a reference, and their records. ROUNDS=N: the long
form."""
import json, os, random, re, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "productions")
CLASSES = os.path.join(WORK, "classes")
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "productions")]
sys.dont_write_bytecode = True
import reference
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

LIMIT = 120 * SLOWER  # seconds


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **more)


def prof(*words):
    done = run([PROF, *words])
    expect("cabernet-prof %s (%s)" % (" ".join(words)[:200], done.stderr[-300:]), done.returncode, 0)
    return done.stdout


def class_files():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(CLASSES) for name in names)


# ---- matching -----------------------------------------------------------------------------------

def compare_with_reference(methods, files, seed, rounds):
    opcodes = {(m.text(), a[0]): a[1] for m in methods for a in m.code}
    chance = random.Random(seed)
    for round_ in range(rounds):
        trees = [reference.random_tree(chance, methods) for _ in range(20)]
        text = "".join("r%d: %s => null;\n" % (i, reference.spell(t)) for i, t in enumerate(trees))
        got = set()
        for line in prof("productions", "--lines", text, *files).splitlines():
            method, bci, place, rule = line.split(" ")[:4]
            if place == "allocation" and int(bci) >= 0 and opcodes[method, int(bci)] not in reference.NEWS:
                continue  # in a place that the reference does not cover
            got.add((method, int(bci), place, int(rule[1:])))
        want = reference.expected(methods, trees)
        if got != want:
            raise AssertionError("seed %d round %d:\n%s\nmissing: %s\ntoo many: %s" % (
                seed, round_, text, sorted(want - got)[:5], sorted(got - want)[:5]))


@test_lasting(25)
def a_second_opinion_matches_the_same_instructions():
    methods = reference.read(class_files())
    assert sum(len(m.code) for m in methods) > 2000
    compare_with_reference(methods, class_files(), int(os.environ.get("CABERNET_SEED", "16")), int(os.environ.get("ROUNDS", "4")))


@test
def errors_have_a_place():
    for text, where in (("call => count(foo)", "text:1:15: "), ("call &&\n => null", "text:2:2: "), ("zero_1 => null", "text:1:1: ")):
        done = run([PROF, "productions", text])
        expect("exit code", done.returncode, 1)
        expect_in("cabernet-prof: " + where, done.stderr)
    done = run([PROF, "productions", "call => null", os.path.join(CLASSES, "nowhere.class")])
    expect("exit code", done.returncode, 2)


@test
def archives_and_damaged_files_are_read():
    jar = os.path.join(WORK, "all.jar")
    if os.path.exists(jar):
        os.remove(jar)
    subprocess.run(["jar", "cf", jar, "-C", CLASSES, "."], check=True, timeout=LIMIT)
    expect("matches", sorted(prof("productions", "--lines", "any => null;", jar).splitlines()),
           sorted(prof("productions", "--lines", "any => null;", *class_files()).splitlines()))
    chance, bytes_ = random.Random(5), open(jar, "rb").read()
    first = open(class_files()[0], "rb").read()
    for i in range(40):
        source, suffix = (bytes_, ".jar") if i % 2 else (first, ".class")
        broken = bytearray(source[:chance.randrange(1, len(source))] if i % 4 > 1 else source)
        for _ in range(4):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        file = os.path.join(WORK, "broken" + suffix)
        open(file, "wb").write(broken)
        done = run([PROF, "productions", "any && loop_depth > 0 && annotation != x => null; call && arg(1) == 1 && type == y => count(site);", file])
        if done.returncode not in (0, 2):
            raise AssertionError("%d: exit code %d\n%s" % (i, done.returncode, done.stderr))


@test
def the_shipped_productions_are_the_framework():
    for name, places in (("hot-methods", "a method's entry, a backward branch"), ("hot-pairs", "a method's entry")):
        out = prof("productions", name)
        expect_in("sampling: by the framework, as sampling=counter:interval=997 (register interval):burst=1", out)
        expect_in("%s (%s): a probe in instrumented code alone, without a test" % (name, places), out)
    out = prof("productions", "hot-streams")
    period = sum(int(n) for n in re.search(r"interval=(\d+) .*burst=(\d+)", out).groups()) - 1
    expect("factors of the period %d" % period, [n for n in range(2, 400) if period % n == 0], [])


@test
def figure_4_as_printed_is_the_framework():
    out = prof("productions", FIGURE4)
    expect_in("as sampling=counter:interval=101 (register sampleFreq + 1):burst=4 (register burstLength + 1):phase=100 "
              "(register sampleFreq);", out)
    expect("lines without a probe", sum("no probe" in line for line in out.splitlines()), 6)


@test
def what_never_records_says_so():
    never = 'use "sampling.prod"; x: entry && overflow_3 => count(method)'
    expect_in("\nnothing is recorded: x never acts: its conditions on counters", prof("productions", never))
    expect_in("\nnothing is recorded: no production has count()", prof("productions", "sampling"))
    expect("what records", "never acts" in prof("productions", "hot-methods", "hot-streams"), False)
    _, out = profile(["-Xint"], "productions=" + never, "loops")
    expect_in("cabernet: the productions record nothing: x never acts", out)
    _, out = profile(["-Xint"], "productions=hot-methods", "loops")
    expect("of what records", "record nothing" in out, False)


# ---- running ------------------------------------------------------------------------------------

PROGRAM = ["-cp", CLASSES, "Exact"]
FIGURE4 = os.path.join(ROOT, "tests", "productions", "figure4.prod")
MODES = (["-Xint"], ["-Xjit:compile-all,only=Exact*.*"], ["-Xjit:deopt-stress=3"])
ALL_MODES = MODES + (["-Xcomp"], [], ["-Xjit:template=off"], ["-Xjit:strip-length=3"], ["-Xjit:poll-stress-sites=2"], ["-Xthreads:green"])
LONG = "ROUNDS" in os.environ
SAMPLED_ENTRIES = 'use "sampling.prod"; entries: entry && overflow_1 => count(method)'


def profile(vm, options, *program):
    """The lines of a profile by their first word, and the program's output."""
    file = os.path.join(WORK, "x.prof")
    done = run([VM, *vm, "-Xdeterministic", "-Xprofile:%s:message=off:file=%s" % (options, file), *PROGRAM, *program])
    expect("exit code (%s)" % done.stderr, done.returncode, 0)
    words = {}
    for line in run([PROF, "export", "--lines", file]).stdout.splitlines():
        word, _, rest = line.partition(" ")
        words.setdefault(word, []).append(rest)
    report = run([PROF, "report", "--json", file])
    expect("report (%s)" % report.stderr, report.returncode, 0)
    return words, done.stdout + done.stderr


def productions(name):
    return "productions=" + os.path.join(ROOT, "tests", "productions", name)


@test
def exact_productions_are_the_exact_analyses():
    for vm in MODES[:2]:
        rows, _ = profile(vm, "method-count,call-edge,field-access,branch,receiver:scope=Exact*:" + productions("exact.prod"), "targets")
        alone, _ = profile(vm, productions("exact.prod") + ":scope=Exact*", "targets")
        for ours, theirs in (("methods", "method"), ("edges", "edge"), ("branches", "branch"), ("receivers", "receiver")):
            expect("%s %s" % (ours, vm), rows[ours], rows[theirs])
            expect("%s alone %s" % (ours, vm), alone[ours], rows[theirs])
        for ours, access in (("gets", " get "), ("puts", " put ")):
            expect(ours, rows[ours], [r.replace(access, " ") for r in rows["field"] if access in r])


@test
def allocations_are_those_of_the_events():
    rows, _ = profile(["-Xint"], "events:scope=Exact*:" + productions("exact.prod"), "loops")
    expect("allocations", rows["allocations"], [r.replace(" allocation ", " ") for r in rows["events"] if r.startswith("Exact") and " allocation " in r])


@test
def all_modes_record_the_same():
    for how in ("monitors", "loops", "targets", "exceptions", "deoptimisation", "recursion") if LONG else ("monitors",):
        want = None
        for vm in ALL_MODES if LONG else MODES:
            rows, out = profile(vm, productions("places.prod") + ":scope=Exact*", how)
            if want is None:
                want = rows, out
                if how == "monitors":
                    expect("productions without a row", [w for w in ("calls", "locks", "words", "inside", "by-main", "every-third") if w not in rows], [])
            expect("output %s" % vm, out, want[1])
            for word in want[0]:
                expect("%s %s" % (word, vm), rows.get(word), want[0][word])


@test
def the_shipped_sampling_is_the_framework():
    for vm in MODES[:2]:
        ours, _ = profile(vm, "productions=use \"hot-pairs\"; " + SAMPLED_ENTRIES, "loops")
        theirs, _ = profile(vm, "method-count,call-edge:sampling=counter:interval=997:burst=1", "loops")
        expect("methods %s" % vm, ours["entries"], theirs["method"])
        expect("hot pairs %s" % vm, ours["hot-pairs"], theirs["edge"])


def counts(rows):
    return {row.rsplit(" ", 1)[0]: int(row.rsplit(" ", 1)[1]) for row in rows}


def run_alone(vm, options, *program):
    """The rows of a program that calls no library, of its main thread."""
    file = os.path.join(WORK, "alone.prof")
    done = run([VM, *vm, "-Xdeterministic", "-Xprofile:%s:scope=%s*:from=main:message=off:file=%s" % (options, program[0], file), "-cp", CLASSES, *program])
    expect("exit code (%s)" % done.stderr, done.returncode, 0)
    words = {}
    for line in prof("export", "--lines", file).splitlines():
        words.setdefault(line.split(" ")[0], []).append(line.split(" ", 1)[1])
    return words


@test
def figure_4_samples_what_its_counters_say():
    """The framework records what the same productions record when each check is counted: one that never acts, but
    would change a counter, keeps them from being the framework."""
    counted = os.path.join(WORK, "figure4-counted.prod")
    with open(counted, "w") as f:
        f.write("use \"%s\"; apart: get && overflow_1 && zero_3 && overflow_3 => inc_2;" % FIGURE4)
    expect_in("the production apart changes counter 2", prof("productions", counted))
    want = None
    for vm in [*MODES, ["-Xthreads:green"]] if not LONG else ALL_MODES:
        for file in FIGURE4, counted:
            rows = run_alone(vm, "productions=" + file, "Figure4")
            back = counts(rows.pop("back"))
            want = want or (rows, back)
            for word in ("entries", "gets", "branches"): expect("%s %s %s" % (word, file, vm), rows[word], want[0][word])
            # A sample of the framework belongs to an activation: it has the backward branch that ends it, and not the
            # one that begins it.
            for row, n in back.items(): expect("%s %s: %d, not %d" % (row, vm, n, want[1][row]), abs(n - want[1][row]) < want[1][row] / 20, True)


@test
def samples_of_hot_methods_are_fair():
    """Entries and backward branches have the same share of a sample as of the program."""
    for vm in MODES[:2]:
        exact = counts(run_alone(vm, "productions=m: check => count(method)", "Figure4")["m"])
        for interval in 1, 7, 11:
            found = counts(run_alone(vm, "productions=register interval = %d; use \"hot-methods\"; %s" % (interval, SAMPLED_ENTRIES), "Figure4")["hot-methods"])
            for method, n in exact.items():
                got = found.get(method, 0) * interval
                expect("%s of %s, every %d: %d, not %d" % (method, vm, interval, got, n), abs(got - n) <= (interval > 1) * (n / 100 + interval), True)


@test_lasting(10)
def hot_methods_name_the_loop():
    """Figure 5's P3 is a call or a backward branch: a loop is hot, not the small method that is called rarely."""
    for vm, iterations in (["-Xint"], 1000000), ([], 200000000), (["-Xjit:template=off"], 200000000), (["-Xthreads:green"], 200000000):
        rows = counts(run_alone(vm, "productions=hot-methods", "HotLoop", str(iterations))["hot-methods"])
        share = rows["HotLoop.loop(J)J"] / iterations * 997
        expect("%s: %.3f of the loop" % (vm, share), 0.99 < share < 1.01, True)
        expect("%s: of tiny" % vm, 90 <= rows["HotLoop.tiny(I)I"] <= 110, True)


@test
def colons_of_labels_need_no_backslash():
    text = "a: entry && method == Exact.* => count(method); b_2 : get && class == Exact => count(site)"
    want, _ = profile(["-Xint"], "productions=" + text.replace(":", "\\:"), "loops")
    expect("rows", sorted(w for w in want if w in ("a", "b-2")), ["a", "b-2"])
    for options in ("productions=" + text, "productions=" + text + ":scope=Exact*", "method-count:productions=" + text):
        rows, _ = profile(["-Xint"], options, "loops")
        expect(options, (rows["a"], rows["b-2"]), (want["a"], want["b-2"]))
    done = run([VM, "-Xprofile:productions=entry => count(method):nothing=1", *PROGRAM, "loops"])
    expect_in("nothing", done.stderr)


@test
def counts_without_keys_are_read():
    for vm in MODES[:2]:
        rows, _ = profile(vm, "method-count:productions=n: entry => count():scope=Exact*", "loops")
        expect("rows %s" % vm, rows["n"], ["all %d" % sum(counts(rows["method"]).values())])


def code(options):
    """Size and hash before relocation of the machine code of Exact's methods."""
    file = os.path.join(WORK, "code.txt")
    if os.path.exists(file):
        os.remove(file)
    done = run([VM, "-Xdeterministic", "-Xjit:compile-all,only=Exact*.*,dump=a,dump-filter=Exact.*,dump-file=" + file] + options + [*PROGRAM, "targets"])
    expect("exit code (%s)" % done.stderr, done.returncode, 0)
    with open(file) as f:
        return re.findall(r"(\d+) bytes at .* hash (\w+), (\d+) stack maps", f.read())


@test_lasting(71)
def the_shipped_sampling_is_the_same_code():
    file = ":message=off:file=" + os.path.join(WORK, "x.prof")
    ours = code(["-Xprofile:productions=" + SAMPLED_ENTRIES + file])
    expect("a method's code", len(ours) > 5, True)
    expect("code", ours == code(["-Xprofile:method-count:sampling=counter" + file]), True)
    expect("code of something else", ours == code(["-Xprofile:method-count" + file]), False)


@test_lasting(3)
def actions_do_the_same_in_all_modes():
    """Calling contexts, bursts, streams and handlers; handlers receive the same events as the analyses do without
    productions."""
    want = None
    for vm in MODES:
        rows, out = profile(vm, productions("actions.prod") + ":scope=Exact*", "loops")
        rows = {word: lines for word, lines in rows.items() if not word.startswith("hot-stream.") and word != "tree"}
        if want is None:
            want = rows, out
            expect("what is there", [w for w in ("productions.paths", "productions.news", "reference", "in-burst", "branch", "edge", "method") if w not in rows], [])
        expect("output %s" % vm, out, want[1])
        for word in sorted(set(want[0]) | set(rows)):
            expect("%s %s" % (word, vm), rows.get(word), want[0].get(word))
    alone, _ = profile(["-Xint"], "method-count,call-edge,branch:scope=Exact*", "loops")
    for word in ("method", "edge"):
        expect(word, want[0][word], [r for r in alone[word] if (r.split(" ")[-2 if word == "edge" else 0]).startswith("Exact.")])


@test
def what_no_handler_takes_is_refused():
    for text, why in (("entry => stream", "hot-stream takes nothing at a method's entry"), ("get => handler(branch)", "the analysis branch takes nothing at a get"),
                      ("get => handler(nothing)", "no analysis nothing has a handler"), ("get => stream, handler(\"hot-stream\")", "named twice"),
                      ("get => context(0)", "a number of frames from 1 to 32"), ("entry => burst_start, burst_stop", "once")):
        done = run([PROF, "productions", text])
        expect("exit code of " + text, done.returncode, 1)
        expect_in(why, done.stderr)
    done = run([VM, "-Xprofile:method-count:productions=entry => handler(method-count)", *PROGRAM, "loops"])
    expect("exit code", done.returncode, 1)
    expect_in("leave out one of the two", done.stderr)


@test
def registers_change_while_the_program_runs():
    for vm in MODES:
        file = os.path.join(WORK, "x.prof")
        done = run([VM, *vm, "-Xdeterministic", "-Xprofile:%s:message=off:file=%s" % (productions("registers.prod"), file), "-cp", CLASSES,
                    "Registers", "every", "10", "100", "1"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        expect("refusals", done.stdout.splitlines()[:2],
               ["refused: nothing=1: name registers of the productions as NAME=VALUE; there is every",
                "refused: every=-1: a register holds a number from 0 to 4294967295"])
        # The first period is the initial one. The entry of the n-th increment counts.
        want, counter = 0, -5
        for every in (10, 100, 1):
            for _ in range(1000):
                counter += 1
                if counter >= 0: want, counter = want + 1, -every
        expect("samples %s" % vm, prof("export", "--lines", file), "hit Registers.work(I)I %d\n" % want)


@test
def registers_of_the_framework_change_its_samples():
    file = os.path.join(WORK, "x.prof")
    done = run([VM, "-Xint", "-Xdeterministic", "-Xprofile:productions=" + SAMPLED_ENTRIES + ":scope=Registers*:message=off:file=" + file, "-cp", CLASSES,
                "Registers", "interval", "7", "1"])
    expect("refusals", [" ".join(line.split()[:3]) for line in done.stdout.splitlines()[:2]],
           ["refused: nothing=1: name", "refused: interval=-1: a"])
    rows = dict(line.split(" ")[1:] for line in prof("export", "--lines", file).splitlines())
    # With 7, every seventh of 1,000 entries, except those before the thread has noticed the change: at most 1,000
    # checks, of which an iteration makes two. With 1, all 1,000 entries.
    expect("samples (%s)" % rows, int(rows["Registers.work(I)I"]) in range(1000 + 500 // 7 - 2, 1000 + 1000 // 7 + 3), True)
    expect("interval", json.loads(prof("report", "--json", file))["header"]["interval"], "1")


@test
def frequency_1_is_exact():
    """Consecutive samples without gaps record everything."""
    exact, _ = profile(["-Xint"], productions("exact.prod") + ":scope=Exact*", "targets")
    for vm in MODES if not LONG else ALL_MODES:
        rows, _ = profile(vm, productions("every.prod") + ":scope=Exact*", "targets")
        for word in ("methods", "edges", "gets", "puts", "branches", "receivers"):
            expect("%s %s" % (word, vm), rows.get(word), exact[word])


@test
def the_shipped_streams_are_the_analysis():
    for vm in MODES[:2]:
        ours, _ = profile(vm, "productions=hot-streams:scope=Exact*", "loops")
        theirs, _ = profile(vm, "hot-stream:sampling=counter:interval=100004:burst=100:scope=Exact*", "loops")
        expect("references %s" % vm, ours.get("reference"), theirs.get("reference"))


@test_lasting(9)
def streams_outlast_short_lived_objects():
    """limit= is not used up by references to objects that are dead: the streams are those of a run with room."""
    def streams(vm, limit):
        file = os.path.join(WORK, "short.prof")
        done = run([VM, *vm, "-Xprofile:hot-stream:limit=%d:scope=ShortLived*:message=off:file=%s" % (limit, file), "-cp", CLASSES, "ShortLived", "60000"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        report = json.loads(prof("report", "--json", file))["analyses"][0]
        rows = [line.split(" ")[1:] for line in prof("export", "--lines", file).splitlines() if line.startswith("hot-stream.streams ")]
        return report, sorted(rows, key=lambda r: -int(r[3]))[0], "WARNING" in prof("report", file)
    for vm in ["-Xint"], []:
        whole, want, warned = streams(vm, 10000000)
        expect("with room: lost, warning", (whole["lost"], warned), (0, False))
        part, got, warned = streams(vm, 150000)
        short, long_ = sorted((got[0], want[0]), key=len)  # Sequitur may cut the iteration elsewhere
        expect_in(short, long_)
        expect("lengths %s and %s" % (got[1], want[1]), abs(int(got[1]) - int(want[1])) <= 2, True)
        expect("%s: recorded %d of %d" % (vm, part["recorded"], part["produced"]), part["recorded"] > part["produced"] * 2 / 3, True)
        expect("times %s of %s" % (got[2], want[2]), int(got[2]) > int(want[2]) / 2, True)
        expect("a warning if something is lost", warned, part["lost"] > 0)


@test_lasting(19)
def what_is_switched_off_leaves_no_code():
    """After Profile.stop, methods are compiled as without a profile."""
    def last_code(options):
        file = os.path.join(WORK, "stopped.txt")
        if os.path.exists(file):
            os.remove(file)
        done = run([VM, "-Xdeterministic", "-Xjit:compile-all,inline=off,only=GoesOn.*,dump=a,dump-filter=GoesOn.work,dump-file=" + file, *options, "-cp", CLASSES, "GoesOn"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        with open(file) as f:
            return re.findall(r"(\d+) bytes at .* hash (\w+), (\d+) stack maps", f.read())
    plain = last_code([])
    guarded = last_code(["-Xprofile:productions=check && !zero_1 => count(method):message=off:file=" + os.path.join(WORK, "x.prof")])
    expect("different code with a profile", guarded[0] in plain, False)
    expect("and afterwards that without one (%s, %s)" % (plain, guarded), plain[0] in guarded, True)


@test
def guards_are_explained():
    out = prof("productions", "a: entry && !zero_1 => count(method); b: entry && (zero_1 || thread == main) => count(method); c: get && value == 1 => count(site)")
    for line, part in zip([l for l in out.splitlines() if l[:2] in ("a ", "b ", "c ")], ("compiled code tests the counters in place", "the VM is called each time", "each time it tests operands")):
        expect_in(part, line)


def random_rules(chance):
    """Random productions over everything that may differ between the interpreter and compiled code."""
    known = {"entry": ['caller == "P*"', 'method == "P*.m*"'], "call": ["arg(1) != null", "arg(1) > 3", 'callee == "P*"', "object != null"],
             "get": ["value > 2", "value == null", "object != null"], "put": ["value > 2", "object != null", "type == int"],
             "array_load": ["index > 1", "value == 0"], "array_store": ["index > 1", "object != null"], "branch": ["edge == 1"],
             "backward_branch": ["loop_depth >= 2"], "allocation": ["size > 24"], "return": ["value != 0", "type == int"], "throw": ["object != null"],
             "assign": ["value > 2", "value == 0", 'method == "P*.m*"'], "any": ["bci > 5"], "select": ['type == "P*"'], "monitor_enter": [], "jump": ["line > 20"], "check": []}
    handlers = {"entry": ["handler(method-count)", "handler(call-edge)"], "get": ["stream", "handler(field-site)"], "array_store": ["stream"],
                "branch": ["handler(branch)"], "select": ["handler(receiver)"]}
    text = "".join("counter %d = -%d;\n" % (c, chance.randrange(1, 50)) for c in (1, 2) if chance.random() < 0.7)
    for i in range(chance.randrange(4, 9)):
        place = chance.choice(list(known))
        parts = [place] + chance.sample(known[place], chance.randrange(len(known[place]) + 1))
        for _ in range(chance.randrange(3)):
            parts.append(chance.choice(["", "!"]) + chance.choice(["zero_%d", "overflow_%d"]) % chance.randrange(1, 4) if chance.random() < 0.8
                         else chance.choice(["burst", "!burst"]))
        if len(parts) > 3 and chance.random() < 0.3:
            parts[-2:] = ["(%s || %s)" % tuple(parts[-2:])]
        counts = ["count(site, with, relation)"] * 4 if place == "assign" else []
        actions = [chance.choice(["count(site)", "count(method)", "count(site)", "null"] + counts + handlers.get(place, []))]
        if chance.random() < 0.7: actions.append(chance.choice(["inc_%d", "dec_%d", "inc_%d", "set_%d(-" + str(chance.randrange(1, 30)) + ")"]) % chance.randrange(1, 4))
        if chance.random() < 0.2: actions.append(chance.choice(["burst_start", "burst_stop"]))
        if chance.random() < 0.2: actions.append("context(%d)" % chance.randrange(1, 5))
        text += "r%d: %s => %s;\n" % (i, " && ".join(parts), ", ".join(actions))
    return text + "each: assign => count(site); pairs: assign => count(site, with, relation);\n"


def compare_pairs(methods, lines):
    """Each execution of an assignment must compare with every partner that the reference names. Returns the number of
    such pairs."""
    partners, each, pairs = {m.text(): None for m in methods}, {}, {}
    for line in lines:
        words = line.split(" ")
        if words[1] not in partners: continue
        if words[0] == "each": each[words[1], int(words[2])] = int(words[3])
        if words[0] != "pairs": continue
        of = pairs.setdefault((words[1], int(words[2])), {})
        of[words[3]] = of.get(words[3], 0) + int(words[5])
    for method in methods:
        if any(m == method.text() for m, _ in each): partners[method.text()] = reference.partners(method)
    for (method, bci), count in each.items():
        expect("what %s compares at %d" % (method, bci), pairs.get((method, bci)), {name: count for name in partners[method][bci]})
    expect("pairs alone", set(pairs) - set(each), set())
    return sum(map(len, pairs.values()))


@test_lasting(15)
def random_productions_on_random_programs():
    """Compiled code records the same as the interpreter, and the reference matches the same instructions."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "random"))
    import programs
    seed, count = int(os.environ.get("CABERNET_SEED", "31")), int(os.environ.get("ROUNDS", "3"))
    folder = os.path.join(WORK, "random")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for n in range(seed, seed + count):
        programs.write(n, folder)
    support = [os.path.join(ROOT, "tests", "random", name) for name in ("Trail.java", "Shared.java")]
    done = run(["javac", "-nowarn", "-Xlint:none", "-proc:none", "-g", "-d", folder, *support, *[os.path.join(folder, "P%d.java" % n) for n in range(seed, seed + count)]])
    expect("javac (%s)" % done.stderr, done.returncode, 0)
    compared, own = 0, "P*,Trail*,Shared*,Color*,Box*,Shape*,Oops*"
    only = "-Xjit:" + ",".join("only=" + name + ".*" for name in own.split(",") if name)
    for n in range(seed, seed + count):
        rules = os.path.join(folder, "r%d.prod" % n)
        with open(rules, "w") as f:
            f.write(random_rules(random.Random(n)))
        want = None
        for vm in (["-Xint"], ["-Xcomp"], ["-Xjit:compile-all", only], ["-Xjit:compile-all", only + ",deopt-stress=3"]):
            file = os.path.join(folder, "x.prof")
            done = run([VM, *vm, "-Xdeterministic", "-Xprofile:productions=%s:scope=%s:message=off:file=%s" % (rules, own, file), "-cp", folder, "Trail", "P%d" % n])
            lines = [l for l in prof("export", "--lines", file).splitlines() if not l.startswith("hot-stream.")]
            got = done.returncode, done.stdout + done.stderr, lines
            want = want or got
            if got != want:
                raise AssertionError("seed %d, %s, %s:\n%s\nmissing: %s\ntoo many: %s" % (
                    n, vm, rules, open(rules).read(), sorted(set(want[2]) - set(lines))[:5], sorted(set(lines) - set(want[2]))[:5]))
        files = [os.path.join(folder, f) for f in os.listdir(folder) if re.match(r"P%d(\$.*)?\.class" % n, f)]
        methods = reference.read(files)
        compare_with_reference(methods, files, n, 1)
        compared += compare_pairs(methods, want[2])
    expect("many pairs were compared", compared > 100 * count, True)


@test
def accuracy_of_a_sample():
    exact, sample = os.path.join(WORK, "exact.prof"), os.path.join(WORK, "sample.prof")
    for file, options in ((exact, "method-count,hot-stream"), (sample, "method-count,hot-stream:sampling=counter:interval=100:burst=10")):
        done = run([VM, "-Xint", "-Xdeterministic", "-Xprofile:%s:scope=Exact*:message=off:file=%s" % (options, file), *PROGRAM, "loops"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
    rows = {r["name"]: r for r in json.loads(prof("overlap", "--accuracy", "--json", exact, sample))["analyses"]}
    expect("rows", sorted(rows), ["hot-stream", "method-count", "minimal-streams", "streams"])
    expect("percentages", all(0 <= r["accuracy"] <= 100 for r in rows.values()), True)
    expect("an ideal sample of events, none of streams", ("ideal" in rows["method-count"], "ideal" in rows["streams"]), (True, False))
    same = {r["name"]: r["accuracy"] for r in json.loads(prof("overlap", "--accuracy", "--json", exact, exact))["analyses"]}
    expect("with itself", {round(a, 6) for a in same.values()}, {100.0})
    expect_in("method-count", prof("overlap", "--accuracy", exact, sample))


@test
def isolation_finds_the_branch():
    """Runs fail where a branch takes one direction: that predicate ranks first."""
    good, bad = [], []
    for n in range(10):
        file = os.path.join(WORK, "fails-%d.prof" % n)
        done = run([VM, "-Xint", "-Xdeterministic", "-Xprofile:productions=isolate:scope=Fails*:message=off:file=" + file, "-cp", CLASSES, "Fails", str(n)])
        (bad if done.returncode else good).append(file)
    expect("good and bad runs", (len(good), len(bad)), (5, 5))
    found = json.loads(prof("isolate", "--json", *good, "--bad", *bad))
    sure = {p["predicate"]: p for p in found["predicates"] if p["low"] > 0}
    expect("predicates (%s)" % sorted(sure), {" ".join(p.split(" ")[:2]) for p in sure} <= {"branches Fails.step(Z)V", "branches Fails.main([Ljava/lang/String;)V"}, True)
    first = next(p for name, p in sure.items() if name.startswith("branches Fails.step(Z)V "))
    expect("its scores", (first["failure"], first["context"], first["badTrue"], first["goodTrue"]), (1.0, 0.5, 5, 0))
    expect_in("5 good and 5 bad runs", prof("isolate", *good, "--bad", *bad))
    done = run([PROF, "isolate", *good])
    expect("exit code", done.returncode, 1)
    expect_in("isolate needs bad runs after --bad", done.stderr)


@test
def wrong_requests_are_refused():
    for text, why in (("productions", "productions needs productions=FILE"), ("productions=nowhere.prod", "No such file"),
                      ("productions=call =>", "text ends"), ("productions=hot-methods:sampling=jitter", "the productions say how to sample"),
                      ("productions=hot-methods:interval=5", "the productions say how to sample")):
        done = run([VM, "-Xprofile:" + text, *PROGRAM, "loops"])
        expect("exit code of " + text, done.returncode, 1)
        expect_in(why, done.stderr)


# ---- scalar pairs -------------------------------------------------------------------------------

def java_int(n):
    return (n + (1 << 31)) % (1 << 32) - (1 << 31)


def pairs_by_hand(seed):
    """The assignments of Pairs.fill, recomputed: rows (bytecode index, with, relation) of three of them."""
    rows, word = {}, lambda a, b: "<" if a < b else ">" if a > b else "="

    def java_random(round_):
        return java_int(java_int(seed // 2 * 1103515245) + round_ * 12345 + 77) % (1 << 32) >> 16 & 63

    for n in range(1000):
        start = java_random(n) // 2 + 1
        end = start + java_random(n + 7) // 3 + 1
        start += (seed & 1) * (n % 5 // 4) * (end - start + 3)
        length, first = end + 100, start + 100
        used = length * 3 + first
        for bci, value, others in ((4, length, {"start": start, "n": n}), (9, first, {"length": length, "n": n}),
                                   (17, used, {"length": length, "from": first, "n": n})):
            for name, other in [*others.items(), *((str(c), c) for c in (0, 100, 3, 31))]:
                key = bci, name, word(value, other)
                rows[key] = rows.get(key, 0) + 1
    return rows


@test
def scalar_pairs_are_those_of_the_program():
    """Locals and fields of all numeric types give the same pairs in every tier and mode; one method's are checked
    against a recomputation."""
    want, file = None, os.path.join(WORK, "pairs.prof")
    for vm in (["-Xint"], ["-Xjit:compile-all,only=Pairs.*"], ["-Xjit:compile-all,only=Pairs.*,deopt-stress=3"], ["-Xcomp"], [], ["-Xthreads:green"]):
        done = run([VM, *vm, "-Xdeterministic", "-Xprofile:%s:scope=Pairs*:message=off:file=%s" % (productions("pairs.prod"), file), "-cp", CLASSES, "Pairs", "4"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        lines = prof("export", "--lines", file).splitlines()
        want = want or lines
        expect("rows %s" % vm, lines, want)
    rows = {(int(w[2]), w[3], w[4]): int(w[5]) for w in (line.split(" ") for line in want) if w[:2] == ["a", "Pairs.fill(III)I"] and w[2] != "30"}
    expect("Pairs.fill", rows, pairs_by_hand(4))
    types = " ".join(line for line in want if line.startswith("a Pairs.types"))
    for part in (" before = ", " before < ", " before > ", " big > ", " half < ", " 0 unordered ", " before unordered "): expect_in(part, types)
    header = json.loads(prof("report", "--json", file))
    lost = {a["name"]: a["lost"] for a in header["analyses"]}
    expect("more locals than there is room for are counted (%s)" % lost, (lost["a"] > 0, lost["b"]), (True, 0))
    each = {tuple(line.split(" ")[1:3]): line.split(" ")[3] for line in want if line.startswith("b ")}
    expect("an assignment counts once without `with`", each["Pairs.fill(III)I", "9"], "1000")


@test
def scalar_pairs_find_the_bug():
    """Runs fail where one number is greater than another. No other predicate reveals it, and samples suffice."""
    good, bad = [], []
    for n in range(24):
        file = os.path.join(WORK, "pairs-%d.prof" % n)
        done = run([VM, *(["-Xint"] if n % 4 < 2 else ["-Xjit:compile-all,only=Pairs.*"]), "-Xdeterministic", "-Xprofile:productions=isolate:scope=Pairs*:from=main:message=off:file=" + file, "-cp", CLASSES, "Pairs", str(n)])
        (bad if done.returncode else good).append(file)
    expect("good and bad runs", (len(good), len(bad)), (12, 12))
    found = json.loads(prof("isolate", "--json", *good, "--bad", *bad))["predicates"]
    expect("the first one", found[0]["predicate"].rsplit("@")[0].split(" ")[:2], ["scalars", "Pairs.fill(III)I"])
    expect("its relation (%s)" % found[0]["predicate"], found[0]["predicate"].split(" ")[-2:] in (["length", ">"], ["start", "<"]), True)
    expect("only in bad runs", (found[0]["goodTrue"], found[0]["failure"]), (0, 1.0))
    others = [p["predicate"] for p in found if p["low"] > 0 and not p["predicate"].startswith("scalars ")]
    expect("nothing else is sure", others, [])


@test
def what_is_no_pair_is_refused():
    for text, why in (("assign => count(with, relation)", "with needs site in front of it"), ("get => count(site, with)", "with"), ("assign && index > 3 => null", "index")):
        done = run([PROF, "productions", text])
        expect("exit code of " + text, done.returncode, 1)
        expect_in(why, done.stderr)


# ---- phases -------------------------------------------------------------------------------------

PHASED = ["-cp", CLASSES, "Phases"]


def phased(vm, options, script, file, length=20000):
    """Runs Phases with a script; returns samples and checks of the profile, and the output."""
    done = run([VM, *vm, "-Xdeterministic", "-Dlength=%d" % length, "-Xprofile:%s:from=main:scope=Phases*:message=off:file=%s" % (options, file), *PHASED, script])
    expect("exit code (%s)" % done.stderr, done.returncode, 0)
    report = json.loads(prof("report", "--json", file))
    header = report["header"]
    return int(header["samples"]), int(header.get("checks", 0)), done.stdout


def phases_of(file):
    """The main thread's phases (times, checks, samples, known), the row for time between phases, and the samples of all
    threads."""
    found, between, samples = [], None, 0
    for line in prof("export", "--lines", file).splitlines():
        words = line.split(" ")
        if words[0] == "phases.phases": samples += int(words[-3])
        if words[:2] != ["phases.phases", "main"]: continue
        row = [int(w) for w in words[-5:-3]] + [int(words[-3]), words[-1] == "yes"]
        if words[2] == "between": between = row
        else: found.append(row)
    return found, between, samples


def accuracies(exact, file):
    return {r["name"]: r["accuracy"] for r in json.loads(prof("overlap", "--accuracy", "--json", exact, file))["analyses"]}


BOTH_TIERS = (["-Xint"], ["-Xjit:compile-all,only=Phases*.*"])


@test_lasting(10)
def phases_are_those_of_the_script():
    """Each letter of the script is a phase, apart from the class library's work before the first, and is recognised
    when it recurs."""
    file, outputs = os.path.join(WORK, "phases.prof"), set()
    for vm in BOTH_TIERS:
        for script, times in (("a9b9a9b9a9b9", [1, 3, 3]), ("a9c9b9d9n9a9c9d9", [2, 2, 2, 1, 2])):
            samples, checks, out = phased(vm, "method-count:sampling=counter:interval=11:phases=16", script, file)
            outputs.add((script, out))
            found, between, recorded = phases_of(file)
            expect("phases of %s %s (%s)" % (script, vm, found), [f[0] for f in found], times)
            expect("all are known", [f[3] for f in found], [True] * len(times))
            expect("little is between them (%s)" % between, between[1] < checks / 50, True)
            expect("samples", recorded, samples)
            lines = prof("export", "--lines", file)
            phased(vm, "method-count:sampling=counter:interval=11:phases=16", script, file)
            expect("the same again", prof("export", "--lines", file), lines)
        # a and b make equally many checks, in three stretches each.
        phased(vm, "method-count:sampling=counter:interval=11:phases=16", "a9b9a9b9a9b9", file)
        (_, a, b), _, _ = phases_of(file)
        expect("lengths (%s, %s)" % (a, b), abs(a[1] - b[1]) < a[1] / 50, True)
    expect("outputs", len(outputs), 2)


@test
def rows_are_weighed_by_phase():
    """Rows estimate the true counts within sampling error, over all phases, although known phases are sampled eight
    times less often."""
    exact, file = os.path.join(WORK, "exact.prof"), os.path.join(WORK, "phases.prof")
    for vm in BOTH_TIERS:
        phased(vm, "method-count", "a9c9n9a9c9", exact)
        phased(vm, "method-count:sampling=counter:interval=11:phases=16", "a9c9n9a9c9", file)
        want, got = ({line.split(" ")[1]: int(line.split(" ")[2]) for line in prof("export", "--lines", f).splitlines() if line.startswith("method ")} for f in (exact, file))
        large = {m: n for m, n in want.items() if n > 100000}
        expect("methods", len(large) > 3, True)
        for m, n in large.items():
            expect("%s %s: %s of %d" % (vm, m, got.get(m), n), abs(got.get(m, 0) - n) < n / 10, True)


@test
def phases_count_across_tiers():
    """The interpreter's samples of a phase are dense; those of compiled code are rare and see more calls per check.
    Both are weighted correctly."""
    file, counts = os.path.join(WORK, "phases.prof"), {"a": 0, "b": 0}
    for seed in (1, 2, 3):
        done = run([VM, "-Xprofile:method-count:sampling=jitter:seed=%d:interval=97:phases=8:message=off:file=%s" % (seed, file), "-cp", CLASSES, "Tiers"])
        expect("exit code (%s)" % done.stderr, done.returncode, 0)
        rows = {line.split(" ")[1]: int(line.split(" ")[2]) for line in prof("export", "--lines", file).splitlines() if line.startswith("method ")}
        for m in counts: counts[m] += rows["Tiers.%s()V" % m]
    for m, n in ("a", 3 * 3000000), ("b", 3 * 1500000):
        expect("%s: %d of %d" % (m, counts[m], n), abs(counts[m] - n) < n / 40, True)


@test_lasting(14)
def phases_make_samples_better():
    """Phases improve accuracy for the same number of samples: calls occur in a small part of the execution, and the
    rest, without calls, is soon known. Uses the mean of ten seeds."""
    exact, file = os.path.join(WORK, "exact.prof"), os.path.join(WORK, "phases.prof")
    script = "n9n9n9n9n9n9c9d9n9n9n9n9n9n9c9d9"
    for vm in BOTH_TIERS:
        phased(vm, "call-edge", script, exact)
        sums = [0, 0]
        for seed in range(1, 11):
            samples, checks, _ = phased(vm, "call-edge:sampling=jitter:seed=%d:interval=101:phases=16" % seed, script, file)
            sums[0] += accuracies(exact, file)["call-edge"] / 10
            plain, _, _ = phased(vm, "call-edge:sampling=jitter:seed=%d:interval=%d" % (seed, round(checks / samples)), script, file)
            sums[1] += accuracies(exact, file)["call-edge"] / 10
            expect("as many samples (%d, %d)" % (plain, samples), abs(plain - samples) < samples / 50, True)
        expect("%s: %.2f %% with phases, %.2f %% without" % (vm, sums[0], sums[1]), sums[0] > sums[1], True)


@test
def phases_shift_nothing():
    """Data references in bursts that are far apart, so ends of phases are detected late: each place keeps its share."""
    exact, file = os.path.join(WORK, "exact.prof"), os.path.join(WORK, "phases.prof")
    script = "n9n9n9n9n9n9c9d9n9n9n9n9n9n9c9d9"
    phased(["-Xint"], "hot-stream", script, exact)
    for seed in (1, 2, 3):
        phased(["-Xint"], "hot-stream:sampling=jitter:seed=%d:burst=100:interval=10000:phases=16" % seed, script, file)
        got = accuracies(exact, file)["hot-stream"]
        expect("seed %d: %.2f %%" % (seed, got), got > 97, True)


@test
def phases_refuse_what_they_cannot_weigh():
    for text, why in (("method-count:phases=8", "phases= needs sampling=counter or sampling=jitter"),
                      ("method-count:sampling=timer:phases=8", "phases= needs sampling=counter or sampling=jitter"),
                      ("races:sampling=counter:phases=8", "races cannot be weighed"),
                      ("method-count:sampling=counter:phases=0", "must be"),
                      ("productions=use \"sampling.prod\"; entry && overflow_1 => context(3):phases=8", "contexts cannot be weighed")):
        done = run([VM, "-Xprofile:" + text, *PROGRAM, "loops"])
        expect("exit code of " + text, done.returncode, 1)
        expect_in(why, done.stderr)


# ---- all of them --------------------------------------------------------------------------------

def compile_programs():
    os.makedirs(CLASSES, exist_ok=True)
    sources = [os.path.join(ROOT, "tests", folder, name) for folder in ("profiler", "stress")
               for name in sorted(os.listdir(os.path.join(ROOT, "tests", folder))) if name.endswith(".java") and name != "CopiesRets.java"]
    newest = max(os.path.getmtime(source) for source in sources)
    if any(os.path.getmtime(os.path.join(CLASSES, name)) > newest for name in os.listdir(CLASSES)):
        return
    done = run(["javac", "-nowarn", "-Xlint:none", "-g", "-cp", os.path.join(BUILD, "lib", "java"), "-d", CLASSES, *sources])
    expect("javac (%s)" % done.stderr, done.returncode, 0)


def main():
    compile_programs()
    return run_tests()


sys.exit(main())
