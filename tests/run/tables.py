#!/usr/bin/env python3
"""Redundant lists agree: the signatures of runtime calls (vm/api/runtime_calls.def), by which compiled code passes
arguments, are those of the C prototypes (vm/code/runtime_calls.h). Planted errors must be detected. Tables of the
documents are complete, and docs/REFERENCE.md is what scripts/reference makes of the tables of the source. The linter
accepts all programs in Python."""
import os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LETTERS = {"void": "v", "int32_t": "i", "uint32_t": "i", "int64_t": "l", "uint64_t": "l", "float": "f", "double": "d"}

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


def read(path):
    with open(os.path.join(ROOT, path)) as f:
        return re.sub(r"//[^\n]*", "", f.read())


def letter(type_and_name):
    """The letter of a parameter in a signature. The thread has a separate letter, because compiled code passes it from
    its register."""
    if re.match(r"Thread\s*\*", type_and_name):
        return "T"
    if "*" in type_and_name:
        return "p"
    return LETTERS[re.sub(r"\bconst\b", "", type_and_name).split()[0]]


def prototypes(text):
    found = {}
    for kind, name, args in re.findall(r"^(\w[\w ]*[\s*]+)rt_(\w+)\(([^)]*)\);", text, re.M):
        args = [a.strip() for a in args.split(",")]
        found[name] = letter(kind) + "".join(letter(a) for a in args if a != "void")
    return found


def rows(text):
    return dict(re.findall(r'^RUNTIME\((\w+), "(\w+)",', text, re.M))


def differences(table, header):
    c = prototypes(header)
    problems = ['rt_%s is "%s" in the table, "%s" in C' % (n, s, c.get(n, "nothing"))
                for n, s in table.items() if c.get(n) != s]
    return problems + ["rt_%s has no row" % n for n in c if n not in table]


def payloads(text):
    """{name: payload} of the reports that are not events, which both files list."""
    return dict(re.findall(r"^REPORT\((\w+), (\([^)]*\))", text, re.M))


table, header = rows(read("vm/api/runtime_calls.def")), read("vm/code/runtime_calls.h")
result("there are runtime calls", [] if len(table) > 20 else ["%d rows were read" % len(table)])
result("runtime calls have the signatures of their functions", differences(table, header))
for name in "new_array", "fmod", "deopt_pending":
    wrong = dict(table, **{name: table[name][:-1] + ("f" if table[name][-1] != "f" else "d")})
    result("a wrong signature of rt_%s is seen" % name, [] if differences(wrong, header) else ["it was not"])
result("a row without a function is seen", [] if differences(dict(table, nothing="vT"), header) else ["it was not"])
short = dict(table)
del short["poll"]
result("a function without a row is seen", [] if differences(short, header) else ["it was not"])
own, theirs = payloads(read("vm/api/runtime_calls.def")), payloads(header)
result("reports beside the events have the payloads of their functions",
       [] if own and own == theirs else ["%s, in C %s" % (own, theirs)])


def cut_tables(text):
    """Rows of tables without a header: a blank line cuts them off, so they would be shown as text."""
    blocks = [block.split("\n") for block in re.split(r"\n\s*\n", text)]
    return [block[0] for block in blocks if block[0].startswith("|") and not (len(block) > 1 and re.fullmatch(r"\|[ :|-]+", block[1]))]


for document in ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md")):
    with open(os.path.join(ROOT, document)) as f:
        result("tables of %s are whole" % document, cut_tables(f.read()))
result("a table that is cut is seen", [] if cut_tables("| a |\n|---|\n| b |\n\n| c |\n| d |\n") == ["| c |"] else ["it was not"])


def reference_differs(*page):
    done = subprocess.run([os.path.join(ROOT, "scripts", "reference"), "--check", *page], capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stderr.strip()]


result("docs/REFERENCE.md is made of the tables", reference_differs())
result("another page is seen", [] if reference_differs(os.path.join(ROOT, "README.md")) else ["it was not"])


def python_sources():
    """The programs in Python, with or without a name that says so."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "tests", "scripts", "benchmarks"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for path in (os.path.join(ROOT, name) for name in names):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                if path.endswith(".py") or re.match(rb"#!.*\bpython3?\n", f.readline()):
                    yield path


def lint(*options, **streams):
    done = subprocess.run(["pyflakes3", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **streams)
    return [line for line in done.stdout.splitlines() if done.returncode]


sources = list(python_sources())
result("there is Python", [] if len(sources) > 50 else ["%d files" % len(sources)])
result("pyflakes3 has nothing to say about it", lint(*sources))
result("an import that nothing uses is seen", [] if lint(input="import os\n") else ["it was not"])
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
