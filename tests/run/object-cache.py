#!/usr/bin/env python3
"""Code kept across runs (-Xjit:object-cache): a later run finds the first run's code and runs the same code. Different
requests and changed methods are compiled. Whatever is in the file, the program runs as without it."""
import functools, os, re, shutil, struct, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, expect, run_tests, test, test_lasting

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM = os.path.join(BUILD, "cabernet")
WORK = os.path.join(BUILD, "tests", "object-cache")
PACE = "optimize=128,osr=2000"
KEPT = ("-cp", "kept", "Kept")
OWN = "blocking,only=Kept*"  # to save time


def command(directory, jit=OWN, options=("-Xdeterministic",), program=KEPT):
    return [VM, *options, "-Xjit:%s,%s,object-cache=%s,stats=%s.stats" % (PACE, jit, directory, directory), *program]


def run(arguments, cwd=WORK, **more):
    return subprocess.run(arguments, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300 * SLOWER, text=True, errors="replace", **more)


@functools.lru_cache(None)
def without(program=KEPT):
    """The program's output without the cache."""
    return run([VM, *program]).stdout


def counts(directory):
    """(found, not found, found but different from the compiled code)."""
    with open(os.path.join(WORK, directory + ".stats")) as f:
        stats = dict(line.split(None, 1) for line in f)
    return tuple(int(stats["cache-" + name]) for name in ("hits", "misses", "differing"))


def fresh(directory):
    shutil.rmtree(os.path.join(WORK, directory), ignore_errors=True)
    return directory


def good(directory, jit=OWN, options=("-Xdeterministic",), program=KEPT, said=""):
    """Runs it and returns the counts. The output must be that without the cache."""
    r = run(command(directory, jit, options, program))
    expect("exit code", (r.returncode, r.stderr[-500:]), (0, said))
    expect("output", r.stdout, without(program))
    return counts(directory)


def codes(path):
    """Hashes of the objects before relocation, by method and loop, in order of compilation."""
    out, method = [], None
    with open(os.path.join(WORK, path)) as f:
        for line in f:
            words = line.split()
            if words and words[0] == "plan":
                method = words[1], words[2], words[-1]
            elif words and words[0] == "code":
                out.append((method, words[-1]))
    return out


def twice(name, program, jit=OWN, options=("-Xdeterministic",)):
    """The first run keeps everything and the second finds everything: the same code as without the cache."""
    fresh(name)
    plans = [name + ".%d.plans" % i for i in range(3)]
    recording = [(*options, "-Xreplay:record=" + p) for p in plans]
    r = run([VM, *recording[0], "-Xjit:%s,%s" % (PACE, jit), *program])
    expect("exit code", r.returncode, 0)
    for i in 1, 2:
        again = run(command(name, jit, recording[i], program))
        expect("exit code", (again.returncode, again.stderr), (0, ""))
        expect("output", again.stdout, r.stdout)
        expect("code", codes(plans[i]), codes(plans[0]))
        hits, misses, _ = counts(name)
        expect("it has misses", misses > 5, i == 1)
    expect("hits", hits > 5, True)
    expect("misses", counts(name)[1:], (0, 0))


@test
def a_second_run_finds_all():
    twice("second", KEPT)


@test_lasting(20)
def it_finds_handles_and_exceptions():
    twice("handles", ("-cp", "replay", "Handles", "300"), "blocking")
    twice("exceptions", ("-cp", "replay", "Once", "exceptions"), "blocking")


@test
def what_was_counted_is_in_the_key():
    """The optimising tier's plans follow from the counts, which are the same in both runs."""
    twice("adaptive", KEPT, OWN + ",optimize=1000", options=("-Xdeterministic", "-Xadaptive"))


@test
def a_replay_finds_it():
    fresh("replayed")
    run(command("replayed", options=("-Xdeterministic", "-Xreplay:record=replayed.plans")))
    r = run([VM, "-Xdeterministic", "-Xreplay:replayed.plans", "-Xreplay:record=replayed.2.plans", "-Xjit:object-cache=replayed,stats=replayed.stats", *KEPT])
    expect("output", (r.stdout, r.stderr), (without(), ""))
    expect("code", codes("replayed.2.plans"), codes("replayed.plans"))
    expect("misses", counts("replayed")[1:], (0, 0))


@test
def code_of_profiles_is_found():
    """Exact counters and duplicated code: kept code gives the same profile."""
    for name, what in ("exact", "call-edge,branch,receiver"), ("sampled", "call-edge:sampling=counter:interval=100"):
        fresh(name)
        profiles, exports = [name + ".%d.prof" % i for i in (1, 2)], []
        for i, profile in enumerate(profiles):
            options = ("-Xdeterministic", "-Xprofile:%s:message=off:file=%s" % (what, profile))
            hits, misses, _ = good(name, options=options)
            if i:
                expect("counts", (hits > 8, misses), (True, 0))
            exports.append(run([os.path.join(BUILD, "cabernet-prof"), "export", "--lines", profile]).stdout)
        lines = [sorted(x for x in e.splitlines() if x.startswith("edge ")) for e in exports]
        expect("edges", (len(lines[0]) > 20, lines[1] == lines[0]), (True, True))


@test
def other_options_find_nothing():
    """Code of another optimisation level, and code for another processor."""
    fresh("options")
    _, all_of_it, _ = good("options")
    expect("another level", good("options", OWN + ",opt=1")[0], 0)
    expect("another processor", good("options", OWN + ",cpu=x86-64")[0] < all_of_it // 5, True)
    expect("the first ones", good("options")[1:], (0, 0))


@test
def a_changed_class_is_compiled_anew():
    """The same names with another constant; code that does not depend on it is found."""
    fresh("changed")
    good("changed")
    hits, misses, _ = good("changed", program=("-cp", "other", "Kept"))
    expect("the other class", (hits > 5, misses > 0), (True, True))
    expect("outputs differ", without() != without(("-cp", "other", "Kept")), True)
    expect("the first one", good("changed")[1:], (0, 0))


def verified(name, program=KEPT, jit=OWN, options=("-Xdeterministic",)):
    for verify in "", ",object-cache-verify":
        hits, misses, differing = good(name, jit + verify, options, program)
    expect("differing", differing, 0)
    return hits, misses


@test
def verifying_finds_no_difference():
    hits, misses = verified(fresh("verify"))
    expect("counts", (hits > 8, misses), (True, 0))


@test_lasting(20)
def verifying_finds_no_difference_in_all_that_is_compiled():
    hits, misses = verified(fresh("verify-json"), ("-cp", "replay", "Once", "json"), "blocking")
    expect("counts", (hits > 100, misses), (True, 0))
    # With background compilation, plans differ between runs.
    verified(fresh("verify-background"), jit="threads=2", options=())


@test_lasting(40)
def verifying_programs_of_all_kinds():
    """Programs of tests/e2e with one cache for all of them; the second time all code is compiled and compared. VERIFIED
    selects the programs; all: ''."""
    chosen = os.environ.get("VERIFIED", "indy/ lang/S jit/D").split()
    directory = os.path.join(WORK, fresh("e2e"))
    for verify in "", ",object-cache-verify":
        r = run([os.path.join(ROOT, "tests", "run", "e2e.py"), "--vm-args=-Xjit:optimize=300,osr=500,object-cache=%s%s" % (directory, verify),
                 *chosen], cwd=ROOT, env={**os.environ, "BUILD": BUILD})
        expect("programs", (r.returncode, r.stdout.splitlines()[-12:] if r.returncode else []), (0, []))


def hash_words(data):
    """As in base/hash.h."""
    mask = (1 << 64) - 1
    h = len(data) * 0x9e3779b97f4a7c15 & mask
    end = len(data) // 8 * 8
    for word in struct.unpack("<%dQ" % (end // 8), data[:end]):
        h = (h ^ word) * 0xff51afd7ed558ccd & mask
        h ^= h >> 32
    h = (h ^ int.from_bytes(data[end:], "little")) * 0xff51afd7ed558ccd & mask
    h ^= h >> 29
    return h * 0xc4ceb9fe1a85ec53 & mask


def change_an_object(path):
    """Flips one bit at the end of the first batch's last object, and corrects all hashes."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    mark, count, size, _ = struct.unpack_from("<IIQQ", data, 32)
    rows, objects = 56, 56 + 48 * count + (4 * count + 7) // 8 * 8
    last = rows + 48 * (count - 1)
    length = struct.unpack_from("<Q", data, last + 40)[0]
    data[objects + size - 1] ^= 1
    struct.pack_into("<Q", data, last + 32, hash_words(bytes(data[objects + size - length:objects + size])))
    parts = struct.pack("<QQQQ", mark, count, size, hash_words(bytes(data[rows:rows + 48 * count])))
    struct.pack_into("<Q", data, 48, hash_words(parts))
    with open(path, "wb") as f:
        f.write(data)


@test
def verifying_names_a_difference():
    fresh("differs")
    good("differs")
    change_an_object(os.path.join(WORK, "differs", "objects"))
    r = run(command("differs", OWN + ",object-cache-verify"))
    expect("output", (r.returncode, r.stdout), (0, without()))
    if not re.fullmatch(r"cabernet: -Xjit:object-cache: \S+\.\S+\(\S+: the object that was kept is another one\n", r.stderr):
        raise AssertionError(r.stderr)
    expect("differing", counts("differs")[1:], (0, 1))


@test
def damaged_files_are_not_used():
    fresh("damaged")
    good("damaged")
    path = os.path.join(WORK, "damaged", "objects")
    with open(path, "rb") as f:
        data = f.read()
    flipped = bytearray(data)
    flipped[len(data) * 2 // 3] ^= 4  # in an object
    for what, change, said in (("cut off", data[:len(data) // 2], "the file is damaged from byte 32 on, and not used from there"),
                               ("an object", flipped, "an object is damaged, and not used"),
                               ("another file", b"hello", "the file is not one of objects of this format, and begun anew"),
                               ("nothing", b"", "the file is not one of objects of this format, and begun anew")):
        with open(path, "wb") as f:
            f.write(change)
        good("damaged", said="cabernet: -Xjit:object-cache=damaged: %s\n" % said)
        expect(what + ", afterwards", good("damaged")[1:], (0, 0))


@test
def directories_that_cannot_be_used():
    with open(os.path.join(WORK, "plain"), "w"):
        pass
    os.makedirs(os.path.join(WORK, fresh("open")))
    os.chmod(os.path.join(WORK, "open"), 0o777)
    for directory, said in (("plain", "nothing is kept: Not a directory"), ("no/such", "nothing is kept: No such file or directory"),
                            ("open", "the directory can be written by others, so nothing is kept")):
        r = run([VM, "-Xjit:%s,%s,object-cache=%s" % (PACE, OWN, directory), *KEPT])
        expect(directory, (r.returncode, r.stdout, r.stderr), (0, without(), "cabernet: -Xjit:object-cache=%s: %s\n" % (directory, said)))
    # No space: files are limited to 4 KiB.
    r = run(["bash", "-c", "ulimit -f 4; trap '' XFSZ; exec \"$@\"", "-", VM, "-Xjit:%s,%s,object-cache=%s" % (PACE, OWN, fresh("full")), *KEPT])
    expect("no room", (r.returncode, r.stdout, r.stderr), (0, without(), "cabernet: -Xjit:object-cache=full: what was compiled cannot be kept: File too large\n"))
    expect("files left", os.listdir(os.path.join(WORK, "full")), [])


@test
def processes_share_the_file():
    """Several at once, from an empty cache; afterwards it has all code that any of them needs. Code written before a
    process is killed persists."""
    fresh("shared")
    processes = [subprocess.Popen(command("shared"), cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for _ in range(3)]
    for p in processes:
        out, err = p.communicate(timeout=300 * SLOWER)
        expect("output", (p.returncode, out, err), (0, without(), ""))
    expect("misses", good("shared")[1:], (0, 0))
    p = subprocess.Popen(command("shared", program=(*KEPT, "wait")), cwd=WORK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.readline()
    text = run(["jcmd", str(p.pid), "Compiler.codecache"]).stdout
    if not re.search(r"\n kept code in shared: [1-9]\d* found, 0 not, 0 found but other than what was compiled\n", text):
        raise AssertionError(text)
    p.kill()
    p.communicate()
    expect("misses", good("shared")[1:], (0, 0))


@test_lasting(20)
def the_file_stays_within_its_limit():
    fresh("limit")
    path = os.path.join(WORK, "limit", "objects")
    for program in ("-cp", "replay", "Once", "json"), ("-cp", "replay", "Handles", "300"), ("-cp", "replay", "Once", "streams"):
        good("limit", "blocking,object-cache-size=1m", program=program)
        expect("size", os.path.getsize(path) <= 1 << 20, True)


def main():
    os.makedirs(WORK, exist_ok=True)
    os.chdir(WORK)
    kernels = [os.path.join(ROOT, "benchmarks", "kernels", f) for f in os.listdir(os.path.join(ROOT, "benchmarks", "kernels"))]
    with open(os.path.join(ROOT, "tests", "jit", "Kept.java")) as f:
        text = f.read()
    os.makedirs("source", exist_ok=True)
    with open("source/Kept.java", "w") as f:
        f.write(text.replace("STEP = 7", "STEP = 9"))
    for to, sources in (("kept", [os.path.join(ROOT, "tests/jit/Kept.java")]), ("other", ["source/Kept.java"]),
                        ("replay", [os.path.join(ROOT, "tests/replay", f) for f in ("Handles.java", "Once.java")] + kernels)):
        subprocess.run(["javac", "-d", to, *sources], check=True)
    return run_tests()


sys.exit(main())
