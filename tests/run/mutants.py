#!/usr/bin/env python3
"""Mutated class files through reader, verifier and linker of a running VM, and through HotSpot's.

tests/fuzz/MutateClasses makes them from the class files of tests/e2e. Nothing may crash or hang; the VM must accept
what HotSpot accepts, and reject the rest with an error of the same class, except for the differences listed in
docs/CLASSFILE-DIFFERENCES.md. CABERNET_SEED and CABERNET_MUTANTS choose the sequence (CABERNET_SEED=random: a different
one each time) and its length; `alone` skips HotSpot (for long runs under the sanitizers), `run` also initialises and
calls accepted classes.
"""
import glob, os, random, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
WORK = os.path.join(BUILD, "tests", "mutants")
SAMPLE_MAX = 6000

# (HotSpot's error, ours): docs/CLASSFILE-DIFFERENCES.md has a row for each.
EXPLAINED = {
    ("link ClassFormatError", "link VerifyError"),
    ("link VerifyError", "link ClassFormatError"),
    ("link NoClassDefFoundError", "link VerifyError"),
    ("link NoClassDefFoundError", "link ClassFormatError"),
    ("link VerifyError", "link NoClassDefFoundError"),
    ("link ClassFormatError", "link NoClassDefFoundError"),
    ("define NoClassDefFoundError", "define ClassFormatError"),
    ("define IncompatibleClassChangeError", "define ClassFormatError"),
    ("define IllegalAccessError", "define ClassFormatError"),
    ("define ClassCircularityError", "define ClassFormatError"),
}


def compile_all():
    sources = sorted(glob.glob(os.path.join(ROOT, "tests", "e2e", "*", "*.java")))
    sources = [s for s in sources if "/regression/" not in s]
    os.makedirs(WORK, exist_ok=True)
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-XDignore.symbol.file", "-parameters", "-encoding",
                    "UTF-8", "-d", WORK, os.path.join(ROOT, "tests", "fuzz", "MutateClasses.java")] + sources,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(f for f in glob.glob(os.path.join(WORK, "*.class"))
                  if os.path.getsize(f) < SAMPLE_MAX and not os.path.basename(f).startswith("MutateClasses"))


def outcomes(vm, seed, count, mode, files):
    # HotSpot prints warnings about classes on standard output by default.
    quiet = ["-Xlog:disable"] if vm == "java" else []
    done = subprocess.run([vm, "-Xmx256m"] + quiet + ["-cp", WORK, "MutateClasses", str(seed), str(count)] + mode + files,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60 + count / 20)
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    if done.returncode != 0 or not any(l.startswith("seed ") for l in lines[-2:]):
        print("%s: exit %d after %d mutants (CABERNET_SEED=%d)" % (vm, done.returncode, len(lines) - 1, seed))
        print(done.stderr.decode("utf-8", "replace")[:4000])
        return None
    print(os.path.basename(vm) + ": " + lines[-2])
    return lines[:-2]


def short(line):
    words = line.split(" ")[2:]
    return " ".join(w.rsplit(".", 1)[-1] for w in words)


def main():
    modes = set(sys.argv[1:])
    seed = os.environ.get("CABERNET_SEED") or "1"
    seed = random.SystemRandom().randrange(1 << 30) if seed == "random" else int(seed)
    count = int(os.environ.get("CABERNET_MUTANTS") or 5000)
    files = compile_all()
    mode = ["run"] if "run" in modes else []
    ours = outcomes(os.path.join(BUILD, "cabernet"), seed, count, mode, files)
    if ours is None:
        print("0 passed, 1 failed")
        return 1
    failed = explained = 0
    if "alone" not in modes:
        theirs = outcomes("java", seed, count, mode, files)
        for a, b in zip(theirs, ours):
            if a == b:
                continue
            if (short(a), short(b)) in EXPLAINED:
                explained += 1
                continue
            failed += 1
            print("java     %s\ncabernet %s" % (a, b))
        print("%d differences explained in docs/CLASSFILE-DIFFERENCES.md" % explained)
    if failed:
        print("CABERNET_SEED=%d repeats this" % seed)
    print("%d passed, %d failed" % (len(ours) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
