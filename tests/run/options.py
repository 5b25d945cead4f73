#!/usr/bin/env python3
"""Command lines on java and on cabernet: every option of java's manual page, alone, without its value and with a wrong
one; argument files and the environment. Exit status and messages must be java's.

The table is tests/launcher/options: a mode of comparison, then variables and words in shell syntax.
  same    exit status, standard output and standard error are equal
  status  the exit status is equal, and so is which of the outputs is not empty: the texts are the VM's
  help    the same for the program's help: the part before "Usage:" must be equal too
tests/run/options.py WORD...: the rows that contain one of these words."""
import concurrent.futures, os, re, shlex, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
TABLE = os.path.join(ROOT, "tests", "launcher", "options")
VARIABLES = "CLASSPATH", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"

SAY = """public class Say {
    public static void main(String[] args) {
        System.out.println(String.join("|", args) + " " + System.getProperty("p", "-"));
        assert args.length < 3 : "too many";
    }
}
"""
# Sources by name, and the contents of the directory in which programs run.
SOURCES = {
    "Say": SAY,
    "NoMain": "public class NoMain { }",
    "Instance": "public class Instance { public void main(String[] a) { } }",
    "Number": "public class Number { public static int main(String[] a) { return 1; } }",
    "BadStart": "public class BadStart { static int x = 1 / Integer.parseInt(\"0\"); public static void main(String[] a) { } }",
    "InThread": "public class InThread { public static void main(String[] a) throws Exception {"
                " Thread t = new Thread(() -> { throw new RuntimeException(\"in thread\"); }); t.start(); t.join(); System.out.println(\"main goes on\"); } }",
    "q/Say": "package q; public class Say { public static void main(String[] a) { System.out.println(\"q\"); } }",
}
FILES = {
    "script": SAY,
    "shebang": "#!/usr/bin/java --source 17\n" + SAY,
    "Broken.java": "class Broken { int x = \"s\"; }",
    "broken.jar": "no archive",
    "xy": "x y",
    "args": "-cp \"classes\"\n# a comment\nSay from file\n",
    "opts": "-cp classes\n",
    "version": "-version",
    "empty": "",
    "nested": "-cp classes @opts Say",
    "escaped": "@@foo -cp classes Say",
    "lines": "-cp classes Say\r\nb\r\n#c\r\nd",
}
# Argument files, one grammar case each: @g0, @g1...
GRAMMAR = [
    "Say a#b c", "Say \"x\"a#b c\nd", "Say \"\" b", "Say \"\"", "Say a\"\"b", "Say \"a\"", "Say \"a", "Say 'a\\tb'", "Say \"a\\", "Say a\\ b",
    "Say \"a\\\n    b\"", "Say 'a\"b'", "Say #", "Say \"a b\"c d", "Say a\f b", "Say x\"a b\nc", "Say \"a\tb\"", "Say \"a\fb\"", "Say \"a\rb\"", "Say \"#x\"",
    "Say \"a\\\\b\\\"c\\x\"", "# first\n-Dp=1 # second\nSay # third\n", "Say \"a\nb\" c", "Say a'b'\"c\"", "Say x #y\nz", "Say q\"z\"#y\nz", "Say \"a\\\r\n  b\"",
    "Say \"\" \"\"  x", "Say @xy @@z", "Say \"x\"#", "Say \"a\"\n\n\n\"b\"\n", "Say \v b", "Say \"a\n\"b\" c\"", "-Dp=\"a b\"'c' Say \\\n x",
]


def prepare(directory):
    def write(name, text):
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", newline="") as f:
            f.write(text)
        return path

    def tool(*words):
        subprocess.run(words, cwd=directory, check=True, stdout=subprocess.DEVNULL)

    sources = [write("src/%s.java" % name, text) for name, text in SOURCES.items()]
    tool("javac", "-d", "classes", *sources)
    for name, text in FILES.items():
        write(name, text)
    for number, text in enumerate(GRAMMAR):
        write("g%d" % number, "-cp classes " + text if not text.startswith("#") else "-cp classes\n" + text)
    module = [write("modsrc/m/module-info.java", "module m { }"), write("modsrc/m/p/Say.java", "package p;\n" + SAY)]
    tool("javac", "-d", "mods/m", *module)
    tool("jar", "--create", "--file", "m.jar", "--main-class", "p.Say", "-C", "mods/m", ".")
    tool("jar", "--create", "--file", "say.jar", "--main-class", "Say", "-C", "classes", ".")
    tool("jar", "--create", "--file", "wrong.jar", "--main-class", "Nowhere", "-C", "classes", ".")
    tool("jar", "--create", "--file", "nomain.jar", "-C", "classes", ".")


def rows(words):
    with open(TABLE) as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    lines += ["same @g%d" % n for n in range(len(GRAMMAR))]
    return [line for line in lines if not words or any(word in line for word in words)]


def comparable(text):
    """Removes the VM's name and times."""
    text = re.sub(r"^(OpenJDK 64-Bit Server VM|cabernet) warning:", "VM warning:", text, flags=re.M)
    return re.sub(r"^\[[0-9.,]+s\]", "[s]", text, flags=re.M)


def execute(vm, words, environment, directory):
    try:
        done = subprocess.run([vm, *words], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120,
                              env={**{k: v for k, v in os.environ.items() if k not in VARIABLES}, **environment})
        return done.returncode, comparable(done.stdout), comparable(done.stderr)
    except subprocess.TimeoutExpired:
        return "out of time", "", ""


def equal(how, a, b):
    if how == "same":
        return a == b
    if how == "help" and not all(x.split("Usage:")[0] == y.split("Usage:")[0] and ("Usage:" in x) == ("Usage:" in y) for x, y in zip(a[1:], b[1:])):
        return False
    return (a[0], bool(a[1]), bool(a[2])) == (b[0], bool(b[1]), bool(b[2]))


def main():
    passed = failed = 0
    directory = tempfile.mkdtemp()

    def one(line):
        how, *words = shlex.split(line)
        environment = {}
        while words and words[0].partition("=")[0] in VARIABLES:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        return line, how, *(execute(vm, words, environment, directory) for vm in ("java", os.path.join(BUILD, "cabernet")))

    try:
        prepare(directory)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for line, how, theirs, ours in pool.map(one, rows(sys.argv[1:])):
                if how not in ("same", "status", "help") or not equal(how, theirs, ours):
                    failed += 1
                    print("FAILED: %s\n    java     %r\n    cabernet %r" % (line, theirs, ours), flush=True)
                else:
                    passed += 1
    finally:
        shutil.rmtree(directory)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
