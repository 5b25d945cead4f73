#!/usr/bin/env python3
"""The adaptive system (-Xadaptive, on by default): the counts of template code are correct; the optimising tier's
decisions depend on the counts alone; they change nothing that a program or a profile shows; and options."""
import os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import NO_LIBRARY, SLOWER, expect, expect_in, has_turn, run_tests, say_turn, test

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
SOURCES = os.path.join(ROOT, "tests", "adaptive")
WORK = os.path.join(BUILD, "tests", "adaptive")
PACE = "-Xjit:optimize=3000,osr=400000,blocking,only=Shapes*"
# Methods that are also compiled separately, however often their callers inline them.
FORCED = ",force=Shapes.large,force=Shapes$Square.area,force=Shapes$Square.name,force=Shapes$Circle.area"
SHAPES = "4002 120006\n"


def run(*command, vm=VM):
    return subprocess.run([vm, *command], cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120 * SLOWER, text=True, errors="replace")


def explained(*options, program=("Shapes",)):
    r = run("-Xdeterministic", *options, "-Xadaptive:explain", "-cp", ".", *program)
    expect("exit code", r.returncode, 0)
    return r.stdout, r.stderr


def golden(name, text):
    """Compares with the golden file; GOLDEN=write writes it."""
    path = os.path.join(SOURCES, name)
    if os.environ.get("GOLDEN") == "write":
        with open(path, "w") as f:
            f.write(text)
    with open(path) as f:
        expect(name, text.splitlines(), f.read().splitlines())


@test
def decisions_follow_from_the_counts():
    """The program waits for each compilation, so the counts, and everything that depends on them, are the same in every
    run."""
    out, text = explained(PACE)
    expect("output", out, SHAPES)
    golden("Shapes.explained", text)


@test
def limits_of_inlining():
    """A limit of depth or size that is lower than the default stops inlining."""
    for limit, reason in ("inline-depth=0", "too many levels"), ("inline-total=150", "the caller is too large"):
        out, text = explained(PACE + "," + limit)
        expect("output", out, SHAPES)
        expect_in(reason, text)
    _, text = explained(PACE)
    for reason in "too many levels", "the caller is too large":
        expect("%s by default" % reason, reason in text, False)


@test
def compile_threads_have_the_nice_value():
    own = os.nice(0)  # without privileges a thread cannot go below it
    higher = min(max(own, 5) + 3, 19)
    for options, value in ([], 5), (["-Xjit:nice=%d" % higher], higher):
        if value < own:
            continue
        r = run(*options, "-cp", ".", "Nice", str(value))
        expect("nice values (%s)" % r.stderr, (r.returncode, r.stdout), (0, "%s\n" % sorted({own, value})))


@test
def what_never_came_leaves_the_code():
    """Receivers of a second class arrive after the code was made for the first class alone. The code deoptimises, is
    counted again and made for both; after that it does not deoptimise there."""
    out, text = explained(PACE.replace("Shapes", "Late"), program=("Late",))
    expect("output", out, "30000 90000\n")
    golden("Late.explained", text)


@test
def cases_that_never_came_leave_the_code():
    want = run("-cp", ".", "Cases", vm="java").stdout
    pace = PACE.replace("Shapes", "Cases").replace("400000", "3000")
    out, text = explained(pace, "-Xreplay:record=cases.plans", program=("Cases",))
    expect("output", out, want)
    plans = text.split("adaptive: ")
    # Once the other cases have come, the code has all.
    expect_in("@1 switch: 1536 times, some cases never", plans[1])
    expect("cases left in the last code", "switch" in plans[-1], False)
    again = run("-Xdeterministic", pace, "-Xreplay:cases.plans", "-cp", ".", "Cases")
    expect("replayed", (again.returncode, again.stdout, again.stderr), (0, want, ""))


@test
def a_further_target_is_inlined_alone():
    out, text = explained(PACE.replace("Shapes", "Uneven"), program=("Uneven",))
    expect("output", out, run("-Xint", "-cp", ".", "Uneven").stdout)
    golden("Uneven.explained", text)


@test
def methods_that_share_fields_with_their_callers_are_inlined():
    out, text = explained(PACE.replace("Shapes", "Fields"), program=("Fields",))
    expect("output", out, "-1965321840\n")
    golden("Fields.explained", text)


@test
def loops_of_few_iterations_are_not_vectorised():
    """One loop with five iterations on average, the same loop with a thousand; without counts both are vectorised."""
    def vectorised(method, *options):
        r = run("-Xdeterministic", PACE.replace("Shapes*", "Trips.%s*,dump=o,dump-filter=Trips.%s,dump-file=trips" % (method, method)), *options,
                "-cp", ".", "Trips")
        expect("output", (r.returncode, r.stdout), (0, "-962745912\n"))
        with open(os.path.join(WORK, "trips")) as f:
            return " x i32>" in f.read()

    expect("with counts", (vectorised("few", "-Xadaptive"), vectorised("many", "-Xadaptive")), (False, True))
    expect("without", (vectorised("few", "-Xadaptive:off"), vectorised("many", "-Xadaptive:off")), (True, True))


@test
def counting_alone_decides_nothing():
    """With decide=off, the optimising tier's plans are those of -Xadaptive:off."""
    plans = []
    for options in ["-Xadaptive:off"], ["-Xadaptive:decide=off"]:
        r = run("-Xdeterministic", PACE, *options, "-Xreplay:record=alone.plans", "-cp", ".", "Shapes")
        expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
        text = "".join(recorded("alone.plans"))
        plans.append(sorted(p for p in re.split(r"(?m)^(?=plan )", text) if p.startswith("plan ")))
    expect("plans", len(plans[0]) > 0, True)
    expect("plans", plans[1], plans[0])


@test
def without_inlining_nothing_is_inlined():
    out, text = explained(PACE + ",inline=off")
    expect("output", out, SHAPES)
    if re.search(r"(: |; )inlined", text.replace("otherwise: inlined", "")):
        raise AssertionError(text)


@test
def a_filter_explains_one_method():
    r = run("-Xadaptive:explain,explain-filter=*.rounds", PACE, "-cp", ".", "Shapes")
    expect("methods", {l.split()[1] for l in r.stderr.splitlines() if l.startswith("adaptive:")}, {"Shapes.rounds(II)V:"})


def recorded(name):
    with open(os.path.join(WORK, name)) as f:
        return [line for line in f if not line.startswith("#")]


@test
def recorded_plans_are_replayed_byte_for_byte():
    """The plans contain the counts, so a replay has the same plans and code without counting."""
    r = run("-Xdeterministic", PACE, "-Xadaptive", "-Xreplay:record=1.plans", "-cp", ".", "Shapes")
    expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
    for again in "2", "3":
        r = run("-Xdeterministic", PACE, "-Xreplay:1.plans", "-Xreplay:record=%s.plans" % again, "-cp", ".", "Shapes")
        expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
        expect("plans and hashes", recorded(again + ".plans"), recorded("1.plans"))
    text = "".join(recorded("1.plans"))
    for part in "sampling=5 ", "\nblock 0 count=", "\nreceivers 10 count=":
        expect_in(part, text)


@test
def it_is_on_unless_something_else_says_what_is_hot():
    """The plans show it: they contain the counts of blocks."""
    with open(os.path.join(WORK, "none.advice"), "w") as f:
        f.write("cabernet-advice 1\n")
    for on, options in ((True, []), (False, ["-Xadaptive:off"]), (False, ["-Xadvice:none.advice"]),
                        (True, ["-Xadvice:none.advice", "-Xadaptive"]), (False, ["-Xjit:template=off"])):
        r = run("-Xdeterministic", PACE, *options, "-Xreplay:record=default.plans", "-cp", ".", "Shapes")
        expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
        expect("counts with %s" % options, "\nblock " in "".join(recorded("default.plans")), on)


@test
def stale_plans_are_named_and_the_rest_is_used():
    """With changed class files, recorded plans that involve a changed method, inlined or not, are named and skipped.
    The program's output is that of the new classes."""
    run("-Xdeterministic", PACE + FORCED, "-Xadaptive", "-Xreplay:record=stale.plans", "-cp", ".", "Shapes")
    with open(os.path.join(SOURCES, "Shapes.java")) as f:
        source = f.read()
    area, name = "Shapes$Square.area()I", "Shapes$Square.name()Ljava/lang/String;"
    for change, becomes, stale, reasons in (
            ("return 4; }", "return two() + two(); } static int two() { return 2; }", {area, "Shapes.rounds(II)V"}, {area: "has other bytecode than then"}),
            ('String name() { return "square"; }', "", {name, "Shapes.rounds(II)V"}, {name: "is not there now"}),
            ("static class Triangle extends Shape", "static class Triangle extends Square", set(), {})):
        expect("is in the source", source.count(change), 1)
        other = os.path.join(WORK, "other")
        os.makedirs(other, exist_ok=True)
        with open(os.path.join(other, "Shapes.java"), "w") as f:
            f.write(source.replace(change, becomes))
        subprocess.run(["javac", "-d", other, os.path.join(other, "Shapes.java")], check=True)
        for when in "hotness", "precompile":
            r = run("-Xdeterministic", "-Xreplay:stale.plans", "-Xreplay:when=" + when, "-Xreplay:record=used.plans", "-cp", "other", "Shapes")
            expect("output", (r.returncode, r.stdout), (0, run("-Xint", "-cp", "other", "Shapes").stdout))
            named = [re.fullmatch(r"cabernet: -Xreplay: line \d+: the plan of (\S+) is not used: (\S+) (.*)", l) for l in r.stderr.splitlines()]
            expect("named, " + becomes, {m[1] for m in named} >= stale, True)
            expect("reasons, " + becomes, {m[2]: m[3] for m in named if m[2] in reasons}, reasons)
            # In a changed class file constants have other indexes, so its other methods may differ as well.
            expect("others, " + becomes, {m[2] for m in named} - {area, name}, set())
            used = {l.split()[-1] for l in recorded("used.plans") if l.startswith("plan ")}
            expect("not used, " + becomes, used & (stale - {"Shapes.rounds(II)V"}), set())
            expect("the rest, " + becomes, {"Shapes.large(I)I", "Shapes$Circle.area()I"} - used, set())
            expect("with what is inlined, " + becomes, "Shapes.rounds(II)V" in used, not stale)


@test
def plans_of_another_vm_are_named_and_the_rest_is_used():
    """Plan files edited as if made by another VM version or build, or on another class library: a message names each
    difference. In such a file, an unreadable line skips one plan, which is named; in a file of this VM it is an error.
    All applicable plans are replayed."""
    jit = PACE + FORCED
    r = run("-Xdeterministic", jit, "-Xadaptive", "-Xreplay:record=own.plans", "-cp", ".", "Shapes")
    expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
    with open(os.path.join(WORK, "own.plans")) as f:
        own = f.read()
    head = re.search(r"(?m)^vm (\S+) library=(\S+) build=(\w{40}) compiler=(\w{40})$", own)
    plans = [p for p in re.findall(r"(?ms)^plan .*?^code .*?\n", own)]
    spoilt = [p for p in plans if " Shapes.large(I)I\n" in p.splitlines(True)[0]][-1]
    broken = own.replace(spoilt, spoilt.replace("\ncode ", "\nfurther line\ncode "))
    at = broken[:broken.index("further line")].count("\n") + 1

    def replayed(text, rc=0):
        with open(os.path.join(WORK, "foreign.plans"), "w") as f:
            f.write(text)
        r = run("-Xdeterministic", jit, "-Xreplay:foreign.plans", "-Xreplay:record=used.plans", "-cp", ".", "Shapes")
        expect("output", (r.returncode, r.stdout), (rc, "" if rc else SHAPES))
        return r.stderr.splitlines(), ["".join(p.splitlines(True)[:-1]) for p in re.findall(r"(?ms)^plan .*?^code .*?\n", "".join(recorded("used.plans")))] if rc == 0 else []

    uses = replayed(own)
    expect("its own", (uses[0], len(uses[1])), ([], len(plans)))
    for key, here, other, what in ((1, head[1], "cabernet%200.0", "VM cabernet 0.0 instead of " + head[1].replace("%20", " ")),
                                   (2, "library=" + head[2], "library=17", "class library 17 instead of " + head[2]),
                                   (3, "build=" + head[3], "build=" + "0" * 40, "build %s instead of %s" % ("0" * 40, head[3])),
                                   (4, "compiler=" + head[4], "compiler=1", "another compiler has made this file: build 1 instead of " + head[4])):
        messages, used = replayed(own.replace(here, other, 1))
        expect("named", (len(messages), what in messages[0], "-Xreplay: foreign.plans:2: another " in messages[0]), (1, True, True))
        expect("used", used, uses[1])
        if key == 4: continue
        messages, used = replayed(broken.replace(here, other, 1))
        expect("plans named", [m for m in messages if "is not used" in m],
               ["cabernet: -Xreplay: foreign.plans:%d: unknown kind of line: further; the plan of Shapes.large(I)I is not used" % at])
        expect("kinds named", [m for m in messages if "kinds" in m], ["cabernet: -Xreplay: foreign.plans:%d: lines of kinds that are not known here are passed over: further" % at])
        expect("the rest", used, [p for p in uses[1] if p.splitlines()[0] != spoilt.splitlines()[0]])
    expect_in("unknown kind of line: further", "".join(replayed(broken, rc=1)[0]))


@test
def counts_are_what_happened():
    """A snapshot of an exact profile (-Xjit:snapshot) agrees with the counts, where only template code has run."""
    run("-Xdeterministic", PACE, "-Xadaptive", "-Xreplay:record=counted.plans", "-cp", ".", "Shapes")
    shares = {}
    for line in recorded("counted.plans"):
        words = line.split()
        if words[0] == "plan":
            method = None
        elif words[0] == "body":
            method = words[-1]
        elif words[0] == "receivers" and method == "Shapes.round(I)V" and words[1] == "10":
            shares[words[3]] = int(words[2].split("=")[1])
    total = sum(shares.values())
    expect("shares", {c: round(10 * n / total) for c, n in shares.items()},
           {"Shapes$Square": 6, "Shapes$Circle": 3, "Shapes$Triangle": 1})


SETTLES = "-Xjit:optimize=3000,osr=3000,only=Settles*,blocking,stats=settles"


def settles(options, seconds="2"):
    r = run(SETTLES, *options, "-cp", ".", "Settles", seconds)
    expect("exit code", r.returncode, 0)
    with open(os.path.join(WORK, "settles")) as f:
        figures = dict(line.split(None, 1) for line in f)
    return r.stdout, set(re.findall(r"cabernet: (\S+) has changed: (.*)", r.stderr)), int(figures["code-samples"]), int(figures["code-changed"])


@test
def code_is_compiled_again_when_the_program_changes():
    """Samples of optimised code find a site that now calls one of four receivers."""
    wanted, said, samples, changed = settles(["-Xadaptive:rate=0"], "0.1")
    expect("without samples", (said, samples, changed), (set(), 0, 0))
    out, said, samples, changed = settles(["-Xadaptive:rate=2000,explain"])
    expect("output", out, wanted)
    expect("the site has changed", ("Settles.loop([LSettles$Op;I)I", "the receivers at 15") in said, True)
    expect("samples", (samples > 200, changed >= 1), (True, True))
    expect("deterministic", settles(["-Xdeterministic", "-Xadaptive:rate=2000"], "0.1")[2], 0)
    expect("a profile", settles(["-Xadaptive:rate=2000", "-Xprofile:method-count:message=off:file=s.prof"], "0.1")[2], 0)


def codes_by_loop(name):
    """The hashes of codes in order, by method and loop."""
    codes, loop = {}, None
    for line in recorded(name):
        if line.startswith("plan "):
            loop = line.split()[-1] + " " + line.split()[1]
        elif line.startswith("code "):
            codes.setdefault(loop, []).append(line.split(" hash=")[1])
    return codes


@test
def plans_that_replaced_code_are_replayed():
    r = run(SETTLES, "-Xadaptive:rate=2000", "-Xreplay:record=settles1.plans", "-cp", ".", "Settles", "2")
    expect("exit code", r.returncode, 0)
    expect("plans that replaced code", any(" replaces=1" in line for line in recorded("settles1.plans")), True)
    again = run(SETTLES, "-Xreplay:settles1.plans", "-Xreplay:record=settles2.plans", "-cp", ".", "Settles", "2")
    expect("output", (again.returncode, again.stdout), (0, r.stdout))
    # Samples execute template code, so methods may become hot in the recording, and references resolved, that do not in a replay.
    first, second = (codes_by_loop(name) for name in ("settles1.plans", "settles2.plans"))
    expect("codes of what was compiled", second, {loop: first[loop][:len(codes)] for loop, codes in second.items()})
    expect("replaced code", any(len(codes) > 1 for codes in second.values()), True)


@test
def exact_profiles_stay_exact():
    lines = []
    for options in ["-Xadaptive:off"], ["-Xadaptive"]:
        r = run("-Xdeterministic", "-Xprofile:call-edge,branch,receiver,field-access:scope=Shapes*:message=off:file=p.prof", PACE, *options, "-cp", ".", "Shapes")
        expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
        export = run("export", "--lines", "p.prof", vm=PROF).stdout.splitlines()
        lines.append(sorted(l for l in export if not l.startswith(("#", "meta")) and "Shapes" in l))
    expect("rows", len(lines[0]) > 30, True)
    expect("profile", lines[1], lines[0])


@test
def threads_and_unloading():
    """Many threads update the same counters, while classes with counts, and receiver rows that name them, are
    unloaded."""
    for options in [], ["-Xthreads:green"]:
        r = run("-Xadaptive", "-Xjit:optimize=500,blocking,only=Loaders*", *options, "-cp", ".", "Loaders")
        expect("output", (r.returncode, r.stdout, r.stderr), (0, "8 threads, 240 loaders: 240000\n", ""))


@test
def what_follows_a_further_guard_is_not_rare():
    """Three equally frequent receivers: objects that their methods allocate and publish are not allocated by the slow
    call for rare paths."""
    r = run("-Xdeterministic", PACE.replace("Shapes", "Thirds") + ",stats=thirds", "-Xadaptive", "-cp", ".", "Thirds")
    expect("output", (r.returncode, r.stdout, r.stderr), (0, "24000\n", ""))
    with open(os.path.join(WORK, "thirds")) as f:
        figures = dict(line.split(None, 1) for line in f)
    expect("allocations, and those that vanished", (figures["allocations"], figures["vanished"]), ("3\n", "0\n"))


# The compiler's stress options together with deciding counts: options for compiling the program's classes, and the
# programs of tests/e2e.
SOON = "-Xjit:osr=3000,optimize=1500," + NO_LIBRARY
SAMPLED = "-Xprofile:method-count,call-edge,branch:message=off:file=x.prof:sampling=counter:interval=3:dup=full"
MODES = [
    ("-Xadaptive " + SOON + ",blocking,verify", ["exc/", "lang/S", "jit/L"]),
    ("-Xadaptive " + SOON + ",deopt-stress=7", ["exc/", "lang/S", "jit/L"]),
    ("-Xadaptive -Xcomp -Xjit:osr=3000,optimize=1500," + NO_LIBRARY, ["exc/", "lang/S", "jit/L"]),
    ("-Xadaptive " + SOON + ",poll-stress=101", ["lang/S", "jit/L"]),
    ("-Xadaptive " + SAMPLED + " " + SOON, ["lang/S", "jit/L"]),
    ("-Xadaptive:rate=10000 " + SOON, ["exc/", "lang/S", "jit/L", "thread/"]),
    ("-Xadaptive -Xthreads:green:carriers=2 " + SOON, ["lang/S", "thread/"]),
]
EVERYWHERE = ["lang/", "exc/", "coll/", "gc/", "init/", "indy/", "jit/", "num/", "regression/", "string/", "thread/"]


@test
def programs_do_what_they_do_without_it():
    """Two of the modes in each turn (TURN). ADAPTIVE=all: all modes on ten times as many programs, and all programs
    with -Xadaptive:off."""
    long = os.environ.get("ADAPTIVE") == "all"
    runs = [(options, EVERYWHERE if long else programs) for n, (options, programs) in enumerate(MODES) if long or has_turn(n)]
    for options, programs in runs + [("-Xadaptive:off", [])] * long:
        r = subprocess.run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--vm-args=" + options, *programs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace")
        if r.returncode != 0:
            raise AssertionError("%s\n%s" % (options, r.stdout))


@test
def what_the_interpreter_ran_is_named():
    """-Xjit:stats lists hot methods without code, hottest first, with the reason; it does not list compiled methods."""
    r = run("-Xdeterministic", PACE + ",template=off,exclude=Shapes.large,stats=hot", "-cp", ".", "Shapes")
    expect("output", (r.returncode, r.stdout, r.stderr), (0, SHAPES, ""))
    with open(os.path.join(WORK, "hot")) as f:
        lines = [re.fullmatch(r"interpreted (\d+) (\S+): (.+)", l.strip()).groups() for l in f if l.startswith("interpreted ")]
    expect("counts descend", [int(n) for n, _, _ in lines], sorted((int(n) for n, _, _ in lines), reverse=True))
    expect("reasons", {m: why for _, m, why in lines if m.startswith("Shapes.")}, {"Shapes.large(I)I": "excluded by -Xjit"})
    expect("of the library", {why for _, m, why in lines if not m.startswith("Shapes")}, {"excluded by -Xjit"})


@test
def what_the_vm_has_functions_for_is_compiled_as_well():
    """Where interpreted code calls such a method, it is compiled like any other; its code begins with a call of the
    function."""
    printed = run("-cp", ".", "Alone", vm="java").stdout
    for options in (["-Xjit:optimize=200"], ["-Xjit:template=off,optimize=50", "-Xprofile:method-count:message=off:file=alone.prof"]):
        r = run(*options, "-Xjit:blocking,only=java/lang/S*,only=java/lang/Ch*,only=java/util/Arrays.*,stats=alone", "-cp", ".", "Alone")
        expect("output", (r.returncode, r.stdout), (0, printed))
        with open(os.path.join(WORK, "alone")) as f:
            expect("refused", [l.strip() for l in f if l.startswith("refused")], ["refused 0"])


@test
def wrong_options():
    def refused(message, *options):
        r = run(*options, "-cp", ".", "Shapes")
        expect("%s: output" % " ".join(options), (r.returncode != 0, r.stdout), (True, ""))
        expect_in(message, r.stderr)

    refused("-Xadaptive: no such suboption: explane (did you mean explain?); there are off, explain, explain-filter, decide, rate and help", "-Xadaptive:explane")
    refused("-Xadaptive: explain=", "-Xadaptive:explain=maybe")
    refused("-Xadaptive: explain-filter needs explain", "-Xadaptive:explain-filter=*.run")
    refused("-Xadaptive and -Xint exclude each other", "-Xadaptive", "-Xint")
    refused("-Xadaptive and -Xjit:template=off exclude each other", "-Xadaptive", "-Xjit:template=off")
    refused("-Xadaptive and -Xjit:compile-all exclude each other", "-Xadaptive", "-Xjit:compile-all")
    with open(os.path.join(WORK, "empty.plans"), "w") as f:
        f.write("cabernet-advice 1\n")
    refused("-Xadaptive and -Xreplay exclude each other", "-Xadaptive", "-Xreplay:empty.plans")
    r = run("-Xadaptive:help")
    expect("exit code", r.returncode, 0)
    expect_in("explain-filter", r.stdout)


def main():
    if not sys.argv[1:]:
        say_turn("modes of programs of tests/e2e")
    os.makedirs(WORK, exist_ok=True)
    subprocess.run(["javac", "-d", WORK, *[os.path.join(SOURCES, f) for f in sorted(os.listdir(SOURCES)) if f.endswith(".java")]], check=True)
    return run_tests()


sys.exit(main())
