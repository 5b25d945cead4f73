#!/usr/bin/env python3
"""Recorded plans (-Xreplay): a program runs once and records what is compiled and how, then again from that record.
Output and the hash of every object before relocation must be the same. Then damaged files, which must end the program
with a message that names file and line."""
import collections, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
VM = os.path.join(BUILD, "cabernet")
WORK = os.path.join(BUILD, "tests", "replay")
LIMIT = 600
DIRECT = 400  # calls of work() by main() of tests/replay/Snapshots.java
BLOCKING = "optimize=1000,osr=1500,blocking"

passed = failed = 0


def result(what, problems):
    global passed, failed
    if problems:
        failed += 1
        print("FAIL", what)
        for p in problems[:12]:
            print("    " + p)
    else:
        passed += 1
    sys.stdout.flush()


def compile_java(name, *sources):
    out = os.path.join(WORK, name)
    subprocess.run(["javac", "-d", out, *[os.path.join(ROOT, s) for s in sources]], check=True)
    return out


def run(options, program):
    return subprocess.run([VM, "-Xdeterministic", *options, *program], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, text=True)


def plans(path):
    """(method, osr, earlier occurrences) -> (hash, text of the plan)"""
    out, seen, text = collections.OrderedDict(), collections.Counter(), []
    with open(path) as f:
        if f.readline() != "cabernet-advice 1\n":
            raise ValueError("no file of plans")
        for line in f:
            words = line.split()
            if words[0] == "plan":
                key, text = (words[-1], words[1]), []
            if words[0] == "code":
                out[key + (seen[key],)] = (words[-1], "".join(text))
                seen[key] += 1
            text.append(line)
    return out


def compare(recorded, replayed, all_of_them):
    problems = []
    for key, (digest, text) in recorded.items():
        if key not in replayed:
            if all_of_them:
                problems.append("never compiled: %s" % (key,))
        elif replayed[key][1] != text:
            problems.append("another plan: %s" % (key,))
        elif replayed[key][0] != digest:
            problems.append("another object: %s" % (key,))
    problems += ["not on record: %s" % (key,) for key in replayed if key not in recorded]
    if len(replayed) < len(recorded) * 3 // 4:
        problems.append("only %d of %d plans were used" % (len(replayed), len(recorded)))
    return problems


def round_trip(name, options, program, least, hidden=False, all_of_them=True):
    """Records, replays while recording again, and compares."""
    first, second = (os.path.join(WORK, "%s.%d.plans" % (name, i)) for i in (1, 2))
    a = run([*options, "-Xreplay:record=" + first], program)
    b = run([*options, "-Xreplay:" + first, "-Xreplay:record=" + second], program)
    problems = ["exit codes %d, %d: %s%s" % (a.returncode, b.returncode, a.stderr[-300:], b.stderr[-300:])] \
        if a.returncode or b.returncode else []
    if a.stdout != b.stdout:
        problems.append("output differs")
    if not problems:
        recorded, replayed = plans(first), plans(second)
        problems = compare(recorded, replayed, all_of_them)
        if len(recorded) < least:
            problems.append("only %d plans recorded" % len(recorded))
        if hidden and not any("#" in key[0].split(".")[0] for key in recorded):
            problems.append("no method of a hidden class was compiled")
        inlined = sum(text.count("\nbody ") for _, text in recorded.values()) > len(recorded)
        if inlined == any("inline=off" in o for o in options):
            problems.append("inlining was%s expected" % (" not" if inlined else ""))
        print("%s: %d plans, %d replayed" % (name, len(recorded), len(replayed)))
    result(name, problems)
    return first


def identical(name, program):
    """A program whose threads take turns: a replay records exactly the file that it replays. Without template code,
    calls are counted slightly differently (the call in which template code is made counts twice), which changes only
    the order."""
    for tiers in "", ",template=off":
        first, second = (os.path.join(WORK, "identical-%s.%d.plans" % (name, i)) for i in (1, 2))
        a = run(["-Xjit:" + BLOCKING, "-Xreplay:record=" + first], program)
        b = run(["-Xjit:" + BLOCKING + tiers, "-Xreplay:" + first, "-Xreplay:record=" + second], program)
        problems = [] if (a.returncode, b.returncode) == (0, 0) and a.stdout == b.stdout else ["output differs: " + b.stderr[-300:]]
        problems = problems or compare(plans(first), plans(second), True)
        if not tiers and open(first).read() != open(second).read():
            problems.append("another order")
        result("identical%s: %s" % (tiers, name), problems)


def refused(what, text, expected, original, program):
    """A damaged file: the program does not start."""
    path = os.path.join(WORK, "damaged.plans")
    with open(path, "w") as f:
        f.write(text)
    r = run(["-Xreplay:" + path], program)
    problems = []
    if r.returncode != 1 or r.stdout:
        problems.append("exit code %d, output %r" % (r.returncode, r.stdout[:100]))
    if "damaged.plans:%s" % expected not in r.stderr:
        problems.append("message: %r" % r.stderr[:300])
    result("damaged: " + what, problems)


def damaged(original, program):
    with open(original) as f:
        lines = f.readlines()
    site = next(i for i, line in enumerate(lines) if line.startswith("site"))
    cut = lines[:site] + [lines[site].rstrip("\n")]
    refused("empty", "", "0: not an advice file", original, program)
    refused("another version", "cabernet-advice 9\n", "1: not an advice file", original, program)
    refused("cut off", "".join(cut), "%d: the last line is not complete" % (site + 1), original, program)
    refused("a word too much", "".join(lines[:site]) + lines[site].rstrip("\n") + " nonsense\n",
            "%d: unexpected: nonsense" % (site + 1), original, program)
    refused("unknown line", "".join(lines[:site]) + "sight 3 unresolved\n",
            "%d: unknown kind of line: sight" % (site + 1), original, program)
    refused("ends in a plan", "".join(lines[:site + 1]), "%d: the file ends within a plan" % (site + 1),
            original, program)
    r = run(["-Xreplay:" + os.path.join(WORK, "absent.plans")], program)
    result("no file", [] if r.returncode == 1 and "absent.plans: No such file" in r.stderr else [r.stderr])
    r = run(["-Xreplay:record=" + os.path.join(WORK, "no", "such", "place")], program)
    result("not writable", [] if r.returncode == 1 and "No such file" in r.stderr else [r.stderr])


def changed_facts(original, program):
    """Plans whose facts never hold are skipped, everything else is replayed."""
    with open(original) as f:
        text = f.read()
    changed = text.replace(".area()D", ".volume()D")
    path = os.path.join(WORK, "changed.plans")
    with open(path, "w") as f:
        f.write(changed)
    second = os.path.join(WORK, "changed.2.plans")
    a = run(["-Xreplay:" + path, "-Xreplay:record=" + second], program)
    b = run(["-Xint"], program)
    problems = [] if a.returncode == 0 and a.stdout == b.stdout else ["output differs: " + a.stderr[:300]]
    if changed == text:
        problems.append("nothing was changed")
    if not problems and not plans(second):
        problems.append("nothing was replayed")
    result("facts that do not hold", problems)


def facts(path):
    """The facts from the profile, plan by plan: (method, snapshot and calls lines, hotness)."""
    out, lines, method = [], [], None
    with open(path) as f:
        for line in f:
            words = line.split()
            if words[0] == "plan":
                method, lines = words[-1], []
            elif words[0] in ("snapshot", "calls", "receivers", "body"):
                lines.append(line)
            elif words[0] == "code":
                out.append((method, lines, int(words[2].split("=")[1])))
    return out


def calls_of(lines, kind="calls"):
    """{(method, bci, callee or class): count} from the lines of that kind, over all bodies."""
    counts, body = {}, None
    for line in lines:
        words = line.split()
        if words[0] == "body":
            body = words[-1]
        elif words[0] == kind:
            counts[(body, words[1], words[-1])] = int(words[2].split("=")[1])
    return counts


def edges(profile):
    """The same from a profile."""
    text = subprocess.run([os.path.join(BUILD, "cabernet-prof"), "export", "--lines", profile],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    counts = {}
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] != "edge" or len(words) != 5:
            continue
        counts[(stable(words[1]), words[2], stable(words[3]))] = int(words[4])
    return counts


def stable(name):
    """java.lang.Math.abs(I)I -> java/lang/Math.abs(I)I"""
    head, paren, rest = name.partition("(")
    owner, dot, method = head.rpartition(".")
    return owner.replace(".", "/") + dot + method + paren + rest


def bounded(name, sampling, options, program, words):
    """Whatever threads do concurrently, no plan has read higher counts than the profile has in the end."""
    profile, path = (os.path.join(WORK, "snapshots-%s.%s" % (name, kind)) for kind in ("prof", "plans"))
    r = run(["-Xprofile:call-edge,branch,field-access%s:message=off:file=%s" % (sampling, profile), *options,
             "-Xreplay:record=" + path], program)
    problems = ["exit code %d: %s" % (r.returncode, r.stderr[-300:])] if r.returncode or r.stderr else []
    final, compared = edges(profile) if not problems else {}, 0
    for method, lines, _ in facts(path) if not problems else []:
        if lines[0].split()[:1] + lines[0].split()[2:4] != ["snapshot", *words]:
            problems.append("%s: %s" % (method, lines[0]))
        for key, count in calls_of(lines).items():
            if any(c in key[0] + key[2] for c in "#~%"):
                continue  # the profile names hidden classes differently
            compared += 1
            if count > final.get(key, 0):
                problems.append("%s: %d, but %d in the end" % (key, count, final.get(key, 0)))
    if compared < 20:
        problems.append("only %d counts compared" % compared)
    print("snapshots %s: %d counts" % (name, compared))
    result("snapshots: " + name, problems)


def snapshots(program):
    """Plans read a snapshot of the profile and record what they read (-Xjit:snapshot)."""
    profile = os.path.join(WORK, "snapshots.prof")
    first, second, third, fourth = (os.path.join(WORK, "snapshots.%d.plans" % i) for i in (1, 2, 3, 4))
    profiled = "-Xprofile:call-edge,branch,receiver:message=off:file=" + profile
    jit = "-Xjit:template=off,optimize=300,osr=4000,blocking,only=Snapshots*"
    a = run([profiled, jit + ",snapshot", "-Xreplay:record=" + first], program)
    problems = ["exit code %d: %s" % (a.returncode, a.stderr[-300:])] if a.returncode or a.stderr else []
    plans_read = facts(first) if not problems else []
    final = edges(profile) if not problems else {}
    work, rounds, main, checked, versions = "Snapshots.work(I)V", "Snapshots.rounds(II)V", "Snapshots.main([Ljava/lang/String;)V", set(), []
    for method, lines, hotness in plans_read:
        head = lines[0].split()
        if head[0] != "snapshot" or head[2:4] != ["sampling=0", "interval=1"]:
            problems.append("no exact snapshot: %s %s" % (method, lines[0]))
            continue
        versions.append(int(head[1].split("=")[1]))
        counts = calls_of(lines)
        for key, count in counts.items():
            if count > final.get(key, 0):
                problems.append("%s: %d, but %d in the end" % (key, count, final.get(key, 0)))
        # Compiled by itself: the program waits in call number `hotness`, before the first instruction. Inlined into
        # main() or rounds(): as many calls as these have made. In that case the program waits at a backedge, which may
        # already count the next call.
        n = hotness - 1 if method == work else counts.get((work, "4", "Snapshots.step(I)I"), 0)
        called = sum(v for k, v in counts.items() if k[2] == work) + (DIRECT if method == rounds else 0)
        if any(k[2] == work for k in counts) and called - n not in (0, 1):
            problems.append("%s at hotness %d: %d calls of work(), of which %d began" % (method, hotness, called, n))
        if any(caller == work for caller, _, _ in counts):
            checked.add(method)
            want = [n, (n + 3) // 4, n - (n + 1) // 3, (n + 1) // 3]
            have = sorted((v for k, v in counts.items() if k[0] == work), reverse=True)
            if have != sorted(want, reverse=True):
                problems.append("work() at hotness %d: %s instead of %s" % (hotness, have, want))
            # area() is the only call that selects by the receiver's class. Squares and tiles inherit it from one class.
            want = {"Snapshots$Square": (n + 2) // 3, "Snapshots$Circle": (n + 1) // 3, "Snapshots$Tile": n // 3}
            have = {k[2]: v for k, v in calls_of(lines, "receivers").items() if k[0] == work}
            if have != {name: count for name, count in want.items() if count}:
                problems.append("receivers in work() at hotness %d: %s instead of %s" % (hotness, have, want))
    if checked != {work, rounds, main}:
        problems.append("work() is in the code of %s" % checked)
    if versions != list(range(1, len(versions) + 1)):
        problems.append("versions: %s" % versions)
    # The final counts are exact too: the test compares with the profile of the whole run.
    if final and final.get((work, "4", "Snapshots.step(I)I")) != 3600 + DIRECT:
        problems.append("final profile: %s" % {k: v for k, v in final.items() if k[0] == work})
    result("snapshots: counts", problems)
    print("snapshots: %d plans" % len(plans_read))

    b = run([profiled, jit, "-Xreplay:" + first, "-Xreplay:record=" + second], program)
    problems = [] if b.returncode == 0 and b.stdout == a.stdout else ["output differs: " + b.stderr[-300:]]
    result("snapshots: replay with a profile", problems or compare(plans(first), plans(second), True))
    c = run([jit, "-Xreplay:" + first, "-Xreplay:record=" + third], program)
    problems = [] if c.returncode == 0 and c.stdout == a.stdout else ["output differs: " + c.stderr[-300:]]
    if not problems and facts(third) != plans_read:
        problems = ["facts differ: %s\n%s" % pair for pair in zip(plans_read, facts(third)) if pair[0] != pair[1]]
    result("snapshots: replay without a profile", problems)

    # Every plan but the first uses that single snapshot; without the suboption or without a profile there is none.
    run([profiled, jit + ",snapshot=1000000", "-Xreplay:record=" + fourth], program)
    read = [l[0].split()[1] for _, l, _ in facts(fourth)]
    result("snapshots: one for all plans", [] if len(read) > 2 and set(read) == {"version=1"} else [str(read)])
    for what, options in (("not asked for", [profiled, jit, "-Xadaptive:off"]), ("no profile", [jit + ",snapshot"])):
        run([*options, "-Xreplay:record=" + fourth], program)
        with open(fourth) as f:
            text = f.read()
        found = [w for w in ("\nsnapshot ", "\ncalls ", "\nreceivers ") if w in text]
        result("snapshots: " + what, found + ([] if "\ncode " in text else ["nothing was compiled"]))


def at_points(name, program, point):
    """-Xreplay:when=: before main, and at the second call of a method. Code compiled then, and afterwards, follows the
    recorded plans. Two such runs compile the same in the same order."""
    first = os.path.join(WORK, name + ".when.plans")
    a = run(["-Xjit:" + BLOCKING, "-Xreplay:record=" + first], program)
    for when in "precompile", "warmup=" + point:
        paths = [os.path.join(WORK, "%s.when.%d.plans" % (name, i)) for i in (1, 2)]
        runs = [run(["-Xreplay:when=" + when, "-Xreplay:" + first, "-Xreplay:record=" + path], program) for path in paths]
        problems = ["%d %s" % (r.returncode, r.stderr[-300:]) for r in runs if r.returncode or r.stderr or r.stdout != a.stdout]
        if not problems:
            recorded, one, two = plans(first), plans(paths[0]), plans(paths[1])
            if list(one.items()) != list(two.items()):
                problems.append("two runs differ: %s" % sorted(set(one) ^ set(two))[:5])
            by_name = collections.defaultdict(set)
            for key, value in recorded.items():
                by_name[key[:2]].add(value)
            problems += ["not as on record: %s" % (key,) for key, value in one.items() if value not in by_name[key[:2]]]
            best, used = {key[:2] for key in recorded}, {key[:2] for key in one}
            print("%s, %s: %d plans of %d, of %d of %d methods and loops" % (name, when, len(one), len(recorded), len(used), len(best)))
            if len(used) < len(best) * 3 // 4:
                problems.append("only plans of %d of %d methods and loops were used" % (len(used), len(best)))
        result("%s: %s" % (name, when.split("=")[0]), problems)
    r = run(["-Xreplay:when=warmup=no.such", "-Xreplay:" + first], program)
    expected = "cabernet: -Xreplay:when=warmup=no.such: no such method was called twice, so nothing was compiled\n"
    result("%s: the point never comes" % name, [] if (r.returncode, r.stdout, r.stderr) == (0, a.stdout, expected) else [r.stderr])
    for options, expected in ((["-Xreplay:when=later", "-Xreplay:" + first], "-Xreplay:when=later: must be hotness, precompile or warmup=PATTERN"),
                              (["-Xreplay:when=warmup=", "-Xreplay:" + first], "must be hotness"),
                              (["-Xreplay:when=precompile"], "-Xreplay:when= needs -Xreplay:FILE")):
        r = run(options, program)
        result("%s: %s" % (name, " ".join(options[:1])), [] if r.returncode == 1 and expected in r.stderr else [r.stderr])


def programs_by_their_plans():
    """Programs of tests/e2e, replayed from plans that they recorded with counts: the output is java's. REPLAYED selects
    them (indy/ lang/S); all: ''."""
    chosen = os.environ.get("REPLAYED", "indy/ lang/S").split()
    r = subprocess.run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--vm-args=-Xadaptive -Xjit:optimize=500,osr=500", "--replay", "", *chosen],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    result("programs by their plans", [] if r.returncode == 0 else r.stdout.splitlines()[-12:])


def main():
    os.makedirs(WORK, exist_ok=True)
    handles = ["-cp", compile_java("handles", "tests/replay/Handles.java"), "Handles", "3000"]
    sources = [os.path.join("benchmarks/demo", f) for f in os.listdir(os.path.join(ROOT, "benchmarks/demo"))]
    classes = compile_java("demo", *[s for s in sources if s.endswith(".java")])
    subprocess.run(["cp", os.path.join(ROOT, "benchmarks/demo/handbook.txt"), classes], check=True)
    demo = ["-cp", classes, "Demo"]

    kernels = ["benchmarks/kernels/" + f for f in os.listdir(os.path.join(ROOT, "benchmarks/kernels"))]
    once = ["-cp", compile_java("once", "tests/replay/Once.java", *kernels), "Once"]

    snapshots(["-cp", compile_java("snapshots", "tests/replay/Snapshots.java"), "Snapshots"])
    background = "-Xjit:optimize=300,osr=500,nice=0"
    bounded("background", "", [background + ",snapshot=3"], [*once, "json", "dispatch"], ["sampling=0", "interval=1"])
    bounded("sampled", ":sampling=counter:interval=10", [background + ",snapshot"], [*once, "json", "dispatch"],
            ["sampling=1", "interval=10"])
    bounded("threads", "", [background + ",snapshot"], demo, ["sampling=0", "interval=1"])
    original = round_trip("handles", ["-Xjit:" + BLOCKING], handles, 30, hidden=True)
    round_trip("handles-no-inlining", ["-Xjit:%s,inline=off" % BLOCKING], handles, 30, hidden=True)
    round_trip("handles-interpreted", ["-Xjit:%s,template=off" % BLOCKING], handles, 20, hidden=True)
    identical("streams", [*once, "streams"])
    identical("handles", handles)
    round_trip("handles-first-call", ["-Xcomp", "-Xjit:" + BLOCKING], handles, 20, hidden=True)
    for kernel in "streams", "dispatch", "fft", "exceptions", "json":
        round_trip(kernel, ["-Xadaptive:off", "-Xjit:" + BLOCKING], [*once, kernel], 20)
    # With counts, code may deoptimise and be compiled again.
    for kernel in "streams", "dispatch":
        round_trip(kernel + "-adaptive", ["-Xjit:" + BLOCKING], [*once, kernel], 20)
    round_trip("dispatch-no-inlining", ["-Xjit:%s,inline=off" % BLOCKING], [*once, "dispatch"], 20)
    # The demo has several threads, so lambdas are named in varying order. In background compilation, a plan may use
    # more facts than held when the compilation was requested; the moment at which they hold may not occur in the second
    # run.
    round_trip("demo", ["-Xjit:" + BLOCKING], demo, 30, all_of_them=False)
    round_trip("demo-no-inlining", ["-Xjit:%s,inline=off" % BLOCKING], demo, 30, all_of_them=False)
    round_trip("demo-background", [background], demo, 5, all_of_them=False)
    at_points("dispatch", [*once, "dispatch"], "Dispatch.drive")
    damaged(original, handles)
    changed_facts(original, handles)
    programs_by_their_plans()
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
