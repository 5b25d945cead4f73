#!/usr/bin/env python3
"""Advice files (cabernet-prof advise, -Xadvice): their contents, field offsets with and without them, other field
orders (-Xlayout), stale advice, and damaged files."""
import os, random, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
WORK = os.path.join(BUILD, "tests", "advice")
HEADER = "cabernet-advice 1\n"
HOT = "layout Fields$Node hot:I warm:I next:LFields$Node;\n"


def run(*command, vm=VM):
    return subprocess.run([vm, *command], cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120 * SLOWER, text=True, errors="replace")


def write(name, text):
    with open(os.path.join(WORK, name), "w") as f:
        f.write(text)
    return name


def offsets(*options):
    """name -> offset, and the messages; the program's other output must be correct."""
    r = run(*options, "-cp", ".", "Fields", "offsets")
    expect("exit code", (r.returncode, r.stderr), (0, r.stderr))
    lines = r.stdout.splitlines()
    expect("output", [l for l in lines if not l.startswith("offset")], PLAIN)
    return {l.split()[1]: int(l.split()[2]) for l in lines if l.startswith("offset")}, r.stderr


def advise(profile, *options):
    r = run("-Xprofile:%s:message=off:file=p.prof" % profile, *options, "-cp", ".", "Fields")
    expect("exit code", (r.returncode, r.stderr), (0, ""))
    r = run("advise", "p.prof", vm=PROF)
    expect("advise", (r.returncode, r.stderr), (0, ""))
    return r.stdout


@test
def layouts_of_a_profile():
    text = advise("field-access,field-site")
    expect("header", text.splitlines(True)[0], HEADER)
    expect("layouts", [l for l in text.splitlines(True) if l.startswith("layout Fields")], [HOT])
    of_program = [[l for l in advise("field-access,field-site", o).splitlines() if "Fields" in l] for o in ("-Xint", "-Xjit:optimize=200")]
    expect("compiled", of_program[1], of_program[0])
    expect_in("says nothing to a later run", run("advise", "m.prof", vm=PROF).stderr if run(
        "-Xprofile:method-count:message=off:file=m.prof", "-cp", ".", "Fields").returncode == 0 else "")


@test
def layouts_are_used():
    plain, _ = offsets()
    advised, err = offsets("-Xadvice:" + write("hot", HEADER + "# a remark\n\n" + HOT))
    expect("messages", err, "")
    expect("first", [advised[f] for f in ("hot", "warm", "next")], [32, 36, 40])
    expect("superclass", [advised[f] for f in ("owner", "id", "flag")], [plain[f] for f in ("owner", "id", "flag")])
    expect("size", max(advised.values()) <= max(plain.values()) + 7, True)
    for options in (["-Xint"], ["-Xjit:optimize=200"], ["-Xthreads:green"]):
        expect(options[0], offsets(*options, "-Xadvice:hot")[0], advised)


@test
def other_orders():
    plain, _ = offsets()
    seen = {tuple(offsets("-Xlayout:" + o)[0].items()) for o in ("reversed", "random", "random=1", "random=2")}
    expect("orders", len(seen | {tuple(plain.items())}), 5)
    expect("again", offsets("-Xlayout:random=2"), offsets("-Xlayout:random=2", "-Xint"))
    for wrong in ("", "shuffled", "random=", "random=x", "random=-1", "reversed=1"):
        r = run("-Xlayout:" + wrong, "-cp", ".", "Fields")
        expect(wrong, (r.returncode, r.stdout), (1, ""))
        expect_in("-Xlayout:%s: it is reversed, random or random=SEED" % wrong, r.stderr)


@test
def stale_advice():
    plain, _ = offsets()
    stale = "layout Fields$Node hot:I gone:J next:LFields$Node;\nlayout Fields$Base id:J\nlayout Absent x:I\n"
    got, err = offsets("-Xadvice:" + write("stale", HEADER + stale))
    expect("messages", err, "cabernet: -Xadvice: Fields$Node has no field gone:J now: it is laid out as without advice\n")
    base, _ = offsets("-Xadvice:" + write("base", HEADER + "layout Fields$Base id:J\n"))
    expect("the rest", got, base)
    expect("the rest is used", got != plain and base["id"] < base["owner"], True)
    got, err = offsets("-Xadvice:" + write("type", HEADER + "layout Fields$Node hot:J\n"))
    expect("another type", (got, "no field hot:J" in err), (plain, True))


@test
def advice_of_another_vm():
    """The file names the VM that made the profile, and a message names it if it differs; applicable advice is used. A
    replay file of HotSpot is recognised."""
    vm = [l for l in advise("field-access").splitlines() if l.startswith("vm ")]
    expect("vm", (len(vm), vm[0].split()[2].startswith("library=17.")), (1, True))
    got, err = offsets("-Xadvice:" + write("own", HEADER + vm[0] + "\n" + HOT))
    expect("its own", err, "")
    for line, what in ((vm[0] + "9", "class library %s9 instead of %s" % ((vm[0].split("=")[1],) * 2)), ("vm other%20vm%201", "VM other vm 1 instead of cabernet"),
                       (vm[0] + " build=1", "build 1 instead of ")):
        other, err = offsets("-Xadvice:" + write("foreign", HEADER + line + "\nnew line\n" + HOT))
        expect_in("cabernet: -Xadvice: foreign:2: another VM has made this file: " + what, err)
        expect_in("foreign:3: lines of kinds that are not known here are passed over: new", err)
        expect("the rest is used", (other, len(err.splitlines())), (got, 2))
    subprocess.run(["java", "-Xbatch", "-XX:+UnlockDiagnosticVMOptions", "-XX:CompileCommand=option,Calls::work,DumpReplay", "-cp", ".", "Calls"],
                   cwd=WORK, stdout=subprocess.DEVNULL, check=True)
    dumped = [f for f in sorted(os.listdir(WORK)) if f.startswith("replay_pid")]
    for option in "-Xadvice:", "-Xreplay:":
        expect_in(dumped[0] + ":1: not an advice file but a replay file of HotSpot's compiler", run(option + dumped[0], "-cp", ".", "Fields").stderr)
    for name in dumped: os.remove(os.path.join(WORK, name))
    for line, what in (("vm", "missing: name"), (vm[0] + " build", "not KEY=VALUE: build"), (vm[0] + "\n" + vm[0], "a second line of this kind"), ("vm a%0", "not a name")):
        expect_in(what, run("-Xadvice:" + write("wrong", HEADER + line + "\n"), "-cp", ".", "Fields").stderr)
    write("one", HEADER + vm[0] + "\n" + HOT), write("two", HEADER + "vm other\n" + HOT)
    r = run("plans", "one", "two", "-o", "x", vm=PROF)
    expect("plans of several", (r.returncode, "one and two are not of one VM" in r.stderr), (2, True))


@test
def calls_that_are_not_there_now():
    """A method with a changed body, or with a missing callee, is named once; its other advice is used."""
    at = [l.split()[0][:-1] for l in subprocess.run(["javap", "-c", "-p", "-cp", WORK, "Calls"], stdout=subprocess.PIPE, text=True)
          .stdout.splitlines() if "Calls$Shape.area" in l][0]
    edge, square = "edge %s %%s count=900 %%s\n" % WORK_METHOD, "Calls$Square.area(I)I"
    for stale, what in ((edge % (65000, square), "there is no call at bytecode index 65000"),
                        (edge % (at, "Calls$Square.gone()V"), "what it called is not there at bytecode index " + at),
                        ("receiver %s 65000 count=9 Calls$Square\n" % WORK_METHOD, "there is no call at bytecode index 65000")):
        write("plan", HEADER + edge % (at, square) + 2 * stale)
        r = run("-Xadvice:plan", "-Xjit:blocking,optimize=1000,osr=1000000,only=Calls*,dump=p,dump-filter=Calls.work,dump-file=dumped", "-cp", ".", "Calls")
        expect("output", (r.returncode, r.stdout), (0, CALLS))
        with open(os.path.join(WORK, "dumped")) as f:
            expect("the rest is used", any("guarded=1" in l and square in l for l in f), True)
        expect("named", r.stderr.splitlines(), ["cabernet: -Xadvice: %s is not what was profiled: %s; such lines are not used" % (WORK_METHOD, what)])


def plan(advice, method, *options):
    """How the optimising tier compiles a method: its guarded calls (bytecode index, target), the inlined bodies and the
    plan's text."""
    r = run("-Xadvice:" + write("plan", HEADER + advice), "-Xjit:blocking,optimize=1000,osr=1000000,dump=p,dump-filter="
            + method, *options, "-cp", ".", "Calls")
    expect("exit code", (r.returncode, r.stdout), (0, CALLS))
    text = r.stderr.split("==== plan: ")[-1]
    guards = [(int(l.split()[1]), l.split("target=")[1].split()[0]) for l in text.splitlines() if "guarded=1" in l]
    bodies = [l.split()[-1] for l in text.splitlines() if l.startswith("body") and " at=" in l]
    return guards, bodies, text


WORK_METHOD = "Calls.work(LCalls$Shape;I)I"


@test_lasting(13)
def virtual_calls_are_guarded_by_the_profile():
    at = [l.split()[0][:-1] for l in subprocess.run(["javap", "-c", "-p", "-cp", WORK, "Calls"], stdout=subprocess.PIPE, text=True)
          .stdout.splitlines() if "Calls$Shape.area" in l][0]
    edge = "edge %s %s count=%%d %%s\n" % (WORK_METHOD, at)
    square, circle = "Calls$Square.area(I)I", "Calls$Circle.area(I)I"
    guards, bodies, _ = plan("edge X.y()V 0 count=5 X.y()V\n", "Calls.work")
    expect("without", (guards, square in bodies or circle in bodies), ([], False))
    for usual, other in ((square, circle), (circle, square)):
        for count, rest, inlined in ((950, 50, [usual]), (900, 100, [usual, other])):  # a second target needs a tenth
            guards, bodies, text = plan(edge % (count, usual) + edge % (rest, other), "Calls.work")
            expect(usual, (guards, [b for b in bodies if "area" in b]), ([(int(at), usual)], inlined))
            expect_in("calls %s count=%d %s" % (at, count, usual), text)
        again = plan(edge % (900, usual) + edge % (100, other), "Calls.work")
        expect("the same plan", again[2].split("code id")[0], text.split("code id")[0])
    shape, other = "Calls$Shape.area(I)I", "Calls.main([Ljava/lang/String;)V"
    three = plan("".join(edge % row for row in ((39, square), (31, circle), (30, shape))), "Calls.work")
    expect("three targets together", three[0], [(int(at), square)])
    many = plan("".join(edge % row for row in ((39, square), (25, circle), (20, shape), (16, other))), "Calls.work")
    expect("no usual target", many[0], [])
    expect("too few", plan(edge % (15, square), "Calls.work")[0], [])
    for wrong in ("Calls.main([Ljava/lang/String;)V", "Calls$Square.name()Ljava/lang/String;", "Absent.area(I)I"):
        expect(wrong, plan(edge % (900, wrong), "Calls.work")[0], [])


@test_lasting(11)
def interface_calls_are_guarded_by_receivers():
    at = [l.split()[0][:-1] for l in subprocess.run(["javap", "-c", "-p", "-cp", WORK, "Calls"], stdout=subprocess.PIPE, text=True)
          .stdout.splitlines() if "Calls$Step.next" in l][0]
    line = "receiver Calls.steps(LCalls$Step;I)I %s count=%%d %%s\nedge Calls.steps(LCalls$Step;I)I %s count=%%d %%s\n" % (at, at)
    for cls in ("Calls$One", "Calls$Two"):
        guards, bodies, text = plan(line % (900, cls, 900, cls + ".next(I)I"), "Calls.steps")
        expect(cls, (guards, [b for b in bodies if "next" in b]), ([(int(at), cls + ".next(I)I")], [cls + ".next(I)I"]))
    # A subclass that inherits the method is a separate receiver. A receiver class without the method gets no guard.
    expect("heir", plan(line % (900, "Calls$Heir", 900, "Calls$One.next(I)I"), "Calls.steps")[0], [(int(at), "Calls$One.next(I)I")])
    expect("another", plan(line % (900, "Calls$Square", 900, "Calls$One.next(I)I"), "Calls.steps")[0], [])


@test_lasting(7)
def size_goes_with_heat():
    caller = "edge Calls.mixed(I)I %s count=%d Calls.large(I)I\nedge Calls.mixed(I)I 0 count=%d Calls.tiny(I)I\n"
    code = subprocess.run(["javap", "-c", "-p", "-cp", WORK, "Calls"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
    at = [l.split()[0][:-1] for l in code if "Method large" in l][0]
    expect("cold", "Calls.large(I)I" in plan("edges count=1000000\n" + caller % (at, 20, 500), "Calls.mixed")[1], False)
    expect("hot", "Calls.large(I)I" in plan("edges count=1000\n" + caller % (at, 500, 20), "Calls.mixed")[1], True)
    small = [l.split()[0][:-1] for l in code if "Method small" in l][0]
    never = plan("edges count=1000\nedge Calls.mixed(I)I %s count=500 Calls.large(I)I\n" % at, "Calls.mixed")[1]
    expect("never called", "Calls.small(I)I" in never, False)
    said = plan("edges count=1000\nedge Calls.mixed(I)I %s count=500 Calls.small(I)I\n" % small, "Calls.mixed")[1]
    expect("called", "Calls.small(I)I" in said, True)


@test
def plans_by_advice_are_replayed():
    at = [l.split()[0][:-1] for l in subprocess.run(["javap", "-c", "-p", "-cp", WORK, "Calls"], stdout=subprocess.PIPE, text=True)
          .stdout.splitlines() if "Calls$Shape.area" in l][0]
    write("guard", HEADER + "layout Calls$Square side:I\nedge %s %s count=900 Calls$Circle.area(I)I\n" % (WORK_METHOD, at))
    jit = "-Xjit:blocking,optimize=1000,osr=5000"
    def codes(name):
        with open(os.path.join(WORK, name)) as f:
            lines = f.read().splitlines()
        return [(l.split()[-1]) for l in lines if l.startswith(("plan", "code"))], [l for l in lines if l.startswith("layout")]
    for threads in ("native", "green"):
        for profile in ([], ["-Xprofile:method-count:message=off:file=r.prof"]):
            common = ["-Xdeterministic", "-Xthreads:" + threads, *profile, jit]
            for name, options in (("one", ["-Xadvice:guard"]), ("two", ["-Xreplay:one"]), ("three", ["-Xreplay:one"])):
                r = run(*common, *options, "-Xreplay:record=" + name, "-cp", ".", "Calls")
                expect("exit code", (r.returncode, r.stdout, r.stderr), (0, CALLS, ""))
            expect("layouts", codes("two")[1], ["layout Calls$Square side:I"])
            expect("code of two replays, " + threads, sorted(codes("three")[0]), sorted(codes("two")[0]))
            expect("recorded and replayed", len(codes("two")[0]) >= len(codes("one")[0]) * 3 // 4, True)
            with open(os.path.join(WORK, "two")) as f:
                expect_in("target=Calls$Circle.area(I)I guarded=1", f.read())


@test
def plans_of_changed_methods():
    """One method's bytecode changed: plans that involve it are named and skipped, the others are used."""
    jit = "-Xjit:blocking,optimize=1000,osr=5000,only=Calls*,force=Calls.large"
    r = run("-Xdeterministic", jit, "-Xreplay:record=before", "-cp", ".", "Calls")
    expect("exit code", (r.returncode, r.stdout), (0, CALLS))
    other = os.path.join(WORK, "other")
    with open(os.path.join(ROOT, "tests/advice/Calls.java")) as f:
        text = f.read()
    os.makedirs(other, exist_ok=True)
    with open(os.path.join(other, "Calls.java"), "w") as f:
        f.write(text.replace("return x + 1; }\n\n    static int small", "return 1 + x; }\n\n    static int small"))
    subprocess.run(["javac", "-d", other, os.path.join(other, "Calls.java")], check=True)
    r = run("-Xdeterministic", jit, "-Xreplay:before", "-Xreplay:record=after", "-cp", other, "Calls")
    expect("exit code", (r.returncode, r.stdout), (0, CALLS))
    for line in r.stderr.splitlines():
        expect("message", bool(re.fullmatch(r"cabernet: -Xreplay: line \d+: the plan of \S+ is not used: Calls.tiny\(I\)I has other "
                                            "bytecode than then", line)), True)
    expect_in("the plan of Calls.mixed(I)I is not used", r.stderr)
    with open(os.path.join(WORK, "after")) as f:
        after = [l.split()[-1] for l in f if l.startswith("plan")]
    expect("the rest", ("Calls.large(I)I" in after, WORK_METHOD in after, "Calls.tiny(I)I" in after, "Calls.mixed(I)I" in after),
           (True, True, False, False))


def record(method, *lines, hotness=10, osr=-1, head="", code=None, rows=()):
    """A plan; `lines` are the lines of its bodies."""
    lines = lines or ("body 0 bytes=00000000 %s" % method,)
    return "".join(l + "\n" for l in ("plan osr=%d events=0 %ssampling=0 dup=0 checks=0 stress=0 %s" % (osr, head, method),
                                      *lines, "code id=0 hotness=%d hash=%016x" % (hotness, code if code is not None else len(lines))))


def plain(name, *sites, **more):
    return record(name, "body 0 bytes=00000000 " + name, *sites, **more)


def compared(*files, rc=1, options=()):
    r = run("plans", *files, *options, vm=PROF)
    expect("exit code and messages", (r.returncode, r.stderr), (rc, ""))
    return r.stdout.splitlines()


def averaged(*files):
    r = run("plans", *files, "-o", "averaged", vm=PROF)
    expect("averaged", (r.returncode, r.stdout, r.stderr), (0, "", ""))
    with open(os.path.join(WORK, "averaged")) as f:
        return f.read().splitlines()


def summary(equal=0, plans=0, counts=0, code=0, moments=0, missing=0):
    return ("%d equal, %d with other plans, %d with other counts alone, %d with other code of equal plans, %d at other moments alone, "
            "%d not in all files" % (equal, plans, counts, code, moments, missing))


@test
def plans_compared_and_merged():
    f, g, loop, only = "A.f()V", "A.g()V", "A.loop()V", "A.only()V"
    site = "site 3 unresolved"
    write("a", HEADER + "layout A x:I\nlayout B y:I\n" + plain(f) + plain(loop, osr=7) + plain(g, site, hotness=9) + plain(g, site, hotness=9))
    write("b", HEADER + "layout A x:I\n" + plain(f, hotness=30) + plain(g, hotness=9) + plain(g, hotness=9) + plain(only, hotness=9))
    write("c", HEADER + plain(f, hotness=20) + plain(loop, osr=7) + plain(g, hotness=9) + plain(g, hotness=9))
    expect("same", compared("a", "a", rc=0), [summary(4)])
    lines = ["    A.g()V: site 3", "        unresolved: a", "        not there: b"]
    expect("others", compared("a", "b"), [
        "advice differs   layout B", "moments differ   A.f()V #0", "    moment: 10, 30", "plans differ     A.g()V #0", *lines,
        "plans differ     A.g()V #1", *lines, "in 1 of 2 files  A.loop()V loop 7 #0 (a)", "in 1 of 2 files  A.only()V #0 (b)",
        summary(plans=2, moments=1, missing=2)])
    lines = averaged("a", "b", "c")
    expect("layout", [l for l in lines if l.startswith("layout")], ["layout A x:I"])
    expect("plans", [l.split()[-1] for l in lines if l.startswith("plan")], [f, loop, g, g])
    expect("moments", [l.split()[2] for l in lines if l.startswith("code")], ["hotness=20", "hotness=10", "hotness=9", "hotness=9"])
    expect("majority", [l for l in lines if l.startswith("site")], [])
    expect("a tie is the first file's", [l for l in averaged("a", "b") if l.startswith("site")], [site, site])
    expect("in the order of the files", [l for l in averaged("b", "a") if l.startswith("site")], [])
    r = run("-Xreplay:averaged", "-cp", ".", "Calls")
    expect("runs", (r.returncode, r.stdout), (0, CALLS))
    expect("use", run("plans", "a", vm=PROF).returncode, 1)
    expect_in("excludes", run("plans", "a", "b", "--all", "-o", "x", vm=PROF).stderr)


@test
def differences_of_decisions_and_counts():
    """Inlined bodies are matched by their call chains, not by their numbers; a count is not a decision."""
    f, one, two = "A.f()V", "B.one()V", "B.two()V"
    def made(calls, first, inlined, guarded="", never=""):
        lines = ["snapshot version=%d sampling=5 interval=1 calls=%d" % (calls, calls), "body 0 bytes=0000000a " + f,
                 "site 3 call_vtable index=1 method=%s target=%s%s" % (one, one, guarded), "site 9 call_direct method=" + two,
                 "block 0 count=%d%s" % (calls, never), "calls 3 count=%d %s" % (first, one)]
        for i, (at, m) in enumerate(inlined):
            lines += ["body %d in=0 at=%d bytes=0000000b %s" % (i + 1, at, m), "site 1 unresolved", "block 0 count=%d" % (calls // 2)]
        return record(f, *lines, "depends " + one)
    write("p", HEADER + made(100, 90, [(3, one), (9, two)], " guarded=1"))
    write("q", HEADER + made(201, 150, [(9, two)], never=" never=1"))
    write("r", HEADER + made(300, 30, [(3, one), (9, two)], " guarded=1"))
    expect("counts alone", compared("p", "r"), ["counts differ    A.f()V #0",
           "    5 of 5 counts differ, most of all A.f()V at 3 B.one()V: block 0: 50, 150", summary(counts=1)])
    site = "call_vtable index=1 method=B.one()V target=B.one()V"
    expect("decisions", compared("p", "q", "r"), ["plans differ     A.f()V #0",
           "    A.f()V at 3 B.one()V", "        inlined: p, r", "        not there: q",
           "    A.f()V: block 0", "        there: p, r", "        never=1: q",
           "    A.f()V: site 3", "        %s guarded=1: p, r" % site, "        %s: q" % site,
           "    5 of 5 counts differ, most of all A.f()V at 3 B.one()V: block 0: 50, 0, 150", summary(plans=1)])
    lines = averaged("p", "q", "r")
    expect("majority and means", lines[1:-2], ["plan osr=-1 events=0 sampling=0 dup=0 checks=0 stress=0 " + f,
           "snapshot version=100 sampling=5 interval=1 calls=200", "body 0 bytes=0000000a " + f, "site 3 %s guarded=1" % site,
           "site 9 call_direct method=" + two, "block 0 count=200", "calls 3 count=90 " + one,
           "body 1 in=0 at=3 bytes=0000000b " + one, "site 1 unresolved", "block 0 count=100",
           "body 2 in=0 at=9 bytes=0000000b " + two, "site 1 unresolved", "block 0 count=100"])
    expect("code is not known", lines[-1].split()[-1], "hash=" + 16 * "0")
    expect("and no difference", compared("averaged", "p")[-1], summary(counts=1))
    expect("of equal files it is", averaged("p", "p")[-1].split()[-1], "hash=%016x" % 13)
    edges = "edges count=%d\nedge A.f()V 3 count=%d B.one()V\n"
    write("s", HEADER + edges % (100, 80) + "receiver A.f()V 3 count=9 B\n")
    write("t", HEADER + edges % (200, 100))
    expect("advice of profiles", averaged("s", "t", "t"), [HEADER.strip(), "edge A.f()V 3 count=93 B.one()V", "edges count=167", "receiver A.f()V 3 count=3 B"])
    many = [plain(f, *["site %d %s" % (i, "unresolved" if k else "call_basic") for i in range(20)]) for k in range(2)]
    write("u", HEADER + many[0]), write("v", HEADER + many[1])
    expect("the first ones", compared("u", "v")[-2], "    and 12 more (--all)")
    expect("all", len(compared("u", "v", options=["--all"])), 2 + 3 * 20)


@test
def plans_that_do_not_go_together():
    f = "A.f()V"
    body = "body 0 bytes=00000000 " + f
    write("a", HEADER + plain(f))
    for text, what in (
            ("", "w:0: not an advice file"), ("cabernet-advice 9\n", "w:1: not an advice file"), (HEADER + "plan ", "w:2: the last line is not complete"),
            (HEADER + "plan \n", "w:2: missing: osr"), (HEADER + "plan tier=1 osr=-1 A.f()V\n", "w:2: a plan of a VM whose compiler had two tiers"),
            (HEADER + "plan osr=-2 A.f()V\n", "w:2: not a number"), (HEADER + "plan osr=-1\n", "w:2: missing: name"),
            (HEADER + "plan osr=-1 x\n", "w:2: the file ends within a plan"),
            (HEADER + "plan osr=-1 x\nplan osr=-1 y\n", "w:3: the plan before has no code line"),
            (HEADER + "code id=0\n", "w:2: it belongs to no plan: code"), (HEADER + "lay A x:I\n", "w:2: unknown kind of line: lay"),
            (HEADER + record(f, "body 0 bytes=00000000 B.g()V"), "w:3: the first body is not of the plan's method: B.g()V"),
            (HEADER + record(f, "site 3 unresolved"), "w:3: it belongs to no body"), (HEADER + record(f, body, "body 1 in=1 at=0 bytes=00000000 B.g()V"), "w:4: its caller"),
            (HEADER + record(f, body, "body 2 in=0 at=0 bytes=00000000 B.g()V"), "w:4: not the number of the next body"),
            (HEADER + record(f, body, "site 3"), "w:4: missing: kind of the site"), (HEADER + record(f, body, "calls 3 count=-1 x"), "w:4: not a number"),
            (HEADER + record(f, body, "block 0 count=9999999999999999999"), "w:4: not a number"), (HEADER + record(f, body, "block 0 count=1 ever=1"), "w:4: missing: never"),
            (HEADER + record(f, "body 0 bytes=0000000 " + f), "w:3: not a hash"), (HEADER + record(f, body).replace("hash=", "hsah="), "w:4: missing: hash"),
            (HEADER + record(f, body, "calls 3 count=1 x", "calls 3 count=2 x"), "w:6: a second line of the same: calls 3 count=2 x"),
            (HEADER + "edge A.f()V x count=1 B.g()V\n", "w:2: not a number"), (HEADER + "layout\n", "w:2: missing: class"), (HEADER + "a\0b\n", "w:0: it is no text")):
        for options in [], ["-o", "x"]:
            r = run("plans", "a", write("w", text), *options, vm=PROF)
            expect(text, (r.returncode, r.stdout), (2, ""))
            expect_in(what, r.stderr)
    for text, what in ((record(f, "body 0 bytes=00000001 " + f), "a and w are not of one version of the program: other bytecode in the plan of A.f()V #0"),
                       (plain(f, head="counted=4 "), "a and w are not of one profile and option"),
                       (plain("A.g()V"), "a and w have no plan in common: they are of different programs")):
        r = run("plans", "a", write("w", HEADER + text), "-o", "x", vm=PROF)
        expect(what, (r.returncode, r.stdout), (2, ""))
        expect_in(what, r.stderr)
    expect_in("w: No such file", run("plans", "a", "no/w", vm=PROF).stderr)
    expect_in("cannot write no/such", run("plans", "a", "a", "-o", "no/such", vm=PROF).stderr)
    r, original = random.Random(7), HEADER + plain(f, "site 3 unresolved", "calls 3 count=4 B.g()V", "depends B.g()V") + "layout A x:I\n"
    for i in range(100):
        b = bytearray(original.encode())
        for _ in range(r.choice((1, 1, 3))):
            at = r.randrange(len(b))
            b[at:at + r.randrange(0, 9)] = r.choice((b"", b" ", b"\n", b"\0", b"%", b"-1", b"99999999999999999999", b"count=", b"body 1 in=0 at=3 bytes=00000000 B.g()V\n"))
        with open(os.path.join(WORK, "w"), "wb") as out:
            out.write(b)
        for options in [], ["-o", "x"]:
            expect("mutant %d" % i, run("plans", "a", "w", *options, vm=PROF).returncode in (0, 1, 2), True)


@test_lasting(13)
def averaged_plans_are_replayed():
    """The VM accepts a plan file averaged from -Xadaptive runs with different counts, and two replays of it are
    identical."""
    jit = "-Xjit:blocking,optimize=%d,osr=5000"
    for i, optimize in enumerate((300, 400, 500)):
        r = run("-Xdeterministic", "-Xadaptive", jit % optimize, "-Xreplay:record=run%d" % i, "-cp", ".", "Calls")
        expect("exit code", (r.returncode, r.stdout, r.stderr), (0, CALLS, ""))
    expect("they differ in counts", bool(re.search(r"[1-9]\d* with other", compared("run0", "run1", "run2")[-1])), True)
    first = averaged("run0", "run1", "run2")
    expect("once more", averaged("run0", "run1", "run2"), first)
    expect("no wider than all", len([l for l in first if l.startswith("plan")]) > 20, True)
    for again in "again0", "again1":
        r = run("-Xdeterministic", "-Xreplay:averaged", "-Xreplay:record=" + again, "-cp", ".", "Calls")
        expect("exit code", (r.returncode, r.stdout, r.stderr), (0, CALLS, ""))
    expect("two replays", re.fullmatch(r"(\d+) equal.* 0 not in all files", compared("again0", "again1", rc=0)[0]) is not None, True)
    used = run("plans", "averaged", "again0", vm=PROF).stdout.splitlines()[-1]
    expect("they follow the file", (re.search(r"equal, 0 with other plans, 0 with other counts alone", used) is not None, int(used.split()[0]) > 20), (True, True))


@test
def refused():
    for text, line, what in (
            ("", 0, "not an advice file"), ("cabernet-advice 2\n", 1, "not an advice file"), ("cabprof\n", 1, "not an advice file"),
            (HEADER + "layout\n", 2, "missing: class"), (HEADER + "layout A\n", 2, "missing: fields"),
            (HEADER + "layout  \n", 2, "missing: class"), (HEADER + "layout A x\n", 2, "not a field NAME:TYPE: x"),
            (HEADER + "layout A x:\n", 2, "not a field NAME:TYPE"), (HEADER + "layout A x:Q\n", 2, "not a field NAME:TYPE"),
            (HEADER + "layout A :I\n", 2, "not a name"), (HEADER + "layout A%0 x:I\n", 2, "not a name"),
            (HEADER + "layout A%00 x:I\n", 2, "not a name"), (HEADER + "layout A x:I y:I x:I\n", 2, "a field that was there before: x"),
            (HEADER + "layout A x:I\nlayout A y:I\n", 3, "a second layout: A"), (HEADER + "layout A x:I", 2, "the last line is not complete"),
            (HEADER + "lay A x:I\n", 2, "unknown kind of line: lay"), (HEADER + "edge A.f()V 1 count=3\n", 2, "missing: name"),
            (HEADER + "edge A.f()V 1 count=0 B.g()V\n", 2, "not a number that may stand here"),
            (HEADER + "edge A.f()V 65536 count=1 B.g()V\n", 2, "not a number that may stand here: 65536"),
            (HEADER + "edge A.f()V 1 count=9223372036854775807 B.g()V\nedge A.f()V 1 count=1 B.g()V\n", 3, "too many calls"),
            (HEADER + "edge A.f()V 1 1 B.g()V\n", 2, "missing: count="), (HEADER + "receiver A.f()V 1 count=1 B C\n", 2, "unexpected: C"),
            (HEADER + "edges count=1\nedges count=1\n", 3, "a second line of this kind")):
        r = run("-Xadvice:" + write("wrong", text), "-cp", ".", "Fields")
        expect(text, (r.returncode, r.stdout), (1, ""))
        expect_in("wrong:%d: %s" % (line, what), r.stderr)
    expect_in("absent: No such file", run("-Xadvice:absent", "-version").stderr)
    expect_in("exclude each other", run("-Xadvice:hot", "-Xreplay:hot", "-version").stderr)


@test_lasting(34)
def mutated_files():
    """However a file is damaged, either the program runs as without advice, or it does not start and the message names
    the file."""
    text = advise("field-access,field-site,call-edge,receiver")
    lines = [l for l in text.splitlines(True) if "Fields" in l or random.Random(len(l)).random() < 0.05]
    text, r = HEADER + "".join(l for l in lines if l != HEADER), random.Random(5)
    for i in range(150):
        b = bytearray(text.encode())
        for _ in range(r.choice((1, 1, 2, 8))):
            at = r.randrange(len(b))
            kind = r.randrange(4)
            if kind == 0: b[at] = r.randrange(256)
            elif kind == 1: del b[at:at + r.randrange(1, 40)]
            elif kind == 2: b[at:at] = b[r.randrange(len(b)):][:r.randrange(1, 40)]
            else: b[at:at + 1] = r.choice((b" ", b"\n", b"%", b"-1", b"99999999999999999999", b"count="))
        with open(os.path.join(WORK, "mutant"), "wb") as f:
            f.write(b)
        got = run("-Xadvice:mutant", "-cp", ".", "Fields")
        if got.returncode == 1:
            expect("mutant %d" % i, (got.stdout, bool(re.search(r"mutant(:\d+)?: ", got.stderr))), ("", True))
        else:
            expect("mutant %d" % i, (got.returncode, got.stdout.splitlines()), (0, PLAIN))
            for line in got.stderr.splitlines():
                expect_in("cabernet: -Xadvice: ", line)


@test_lasting(28)
def programs_in_other_orders():
    """Users of field offsets: Unsafe, reflection, serialization, VarHandles, records, weak references, cloning."""
    chosen = ["io/Serial", "reflect/", "sys/Unsafe", "jit/Unsafe", "thread/Atomic", "gc/", "indy/Lambda", "lang/Records", "linkage/Resolve"]
    for order in ("reversed", "random=%d" % (int.from_bytes(os.urandom(2), "little"))):
        r = subprocess.run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--vm-args=-Xlayout:" + order, *chosen],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect("%s\n%s" % (order, r.stdout[-2000:]), r.returncode, 0)


os.makedirs(WORK, exist_ok=True)
subprocess.run(["javac", "-nowarn", "-XDignore.symbol.file", "-d", WORK, *[os.path.join(ROOT, "tests/advice", f) for f in ("Fields.java", "Calls.java")]], check=True,
               stderr=subprocess.DEVNULL)
PLAIN = subprocess.run(["java", "-cp", WORK, "Fields"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
CALLS = subprocess.run(["java", "-cp", WORK, "Calls"], check=True, stdout=subprocess.PIPE, text=True).stdout
sys.exit(run_tests())
