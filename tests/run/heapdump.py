#!/usr/bin/env python3
"""Heap dumps: each way to get one, and what is in it. A parser of the HPROF format walks every record of a dump, checks
lengths and that every identifier refers to something, and finds the objects of tests/heapdump/Graph.java with their
values and roots.

tests/run/heapdump.py FILE: checks a dump and prints its numbers."""
import collections, gzip, os, re, resource, shutil, struct, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import SLOWER, expect, expect_in, run_tests, test, test_lasting

BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM = os.path.join(BUILD, "cabernet")

# ---- the format --------------------------------------------------------------------------------

# Of a type code: name in descriptors, struct's letter, bytes.
TYPES = {2: ("L", "Q", 8), 4: ("Z", "?", 1), 5: ("C", "H", 2), 6: ("F", "f", 4), 7: ("D", "d", 8), 8: ("B", "b", 1),
         9: ("S", "h", 2), 10: ("I", "i", 4), 11: ("J", "q", 8)}
# Of a root's tag: name, bytes after the object's identifier.
ROOTS = {0xff: ("unknown", 0), 0x01: ("JNI global", 8), 0x02: ("JNI local", 8), 0x03: ("frame", 8), 0x04: ("C stack", 4),
         0x05: ("class", 0), 0x07: ("monitor", 0), 0x08: ("thread", 8)}
ClassDump = collections.namedtuple("ClassDump", "super_class loader signers domain size statics fields")


class Dump:
    """A parsed and checked dump. Identifiers are numbers; 0 is null."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        self.names, self.class_names, self.serials = {}, {}, {}
        self.frames, self.traces = {}, {}
        self.classes = {}
        self.instances = {}   # object: (class, offset of its values)
        self.arrays = {}      # object: (class, offset of elements, length)
        self.primitives = {}  # object: (type, offset of elements, length)
        self.roots = collections.defaultdict(list)  # object: (kind, further values)
        self.segments = 0
        self.read()
        self.check()

    def unpack(self, form, at):
        return struct.unpack_from(">" + form, self.data, at)

    def read(self):
        expect("format", self.data[:19], b"JAVA PROFILE 1.0.2\0")
        size, when = self.unpack("IQ", 19)
        expect("size of identifiers", size, 8)
        if abs(when / 1000 - time.time()) > 24 * 3600:
            raise AssertionError("time %d" % when)
        at, tag = 31, None
        while at < len(self.data):
            expect("nothing follows the end", tag == 0x2c, False)
            tag, _, length = self.unpack("BII", at)
            at += 9
            if at + length > len(self.data):
                raise AssertionError("record %#x at %d is too long: %d" % (tag, at, length))
            self.record(tag, at, length)
            at += length
        expect("last record", tag, 0x2c)

    def record(self, tag, at, length):
        if tag == 0x01:
            name, = self.unpack("Q", at)
            expect("a name is written once", name in self.names, False)
            self.names[name] = self.data[at + 8:at + length].decode("utf-8", "replace")
        elif tag == 0x02:
            expect("length of a class's record", length, 24)
            serial, cls, _, name = self.unpack("IQIQ", at)
            expect("a class is loaded once", cls in self.class_names or serial in self.serials, False)
            self.class_names[cls] = self.names[name].replace("/", ".").replace("+0x", "/0x")  # hidden classes
            self.serials[serial] = cls
        elif tag == 0x04:
            expect("length of a frame", length, 40)
            frame, method, descriptor, source, serial, line = self.unpack("QQQQIi", at)
            self.frames[frame] = (self.class_names[self.serials[serial]], self.names[method], self.names[descriptor],
                                  self.names[source] if source else None, line)
        elif tag == 0x05:
            serial, thread, count = self.unpack("III", at)
            expect("length of a trace", length, 12 + 8 * count)
            self.traces[serial] = (thread, [self.frames[f] for f in self.unpack("%dQ" % count, at + 12)])
        elif tag == 0x1c:
            self.segments += 1
            end = at + length
            while at < end:
                at = self.part(at)
            expect("end of a segment", at, end)
        elif tag != 0x2c or length:
            raise AssertionError("record %#x of %d bytes" % (tag, length))

    def part(self, at):
        tag = self.data[at]
        at += 1
        if tag == 0x21:
            o, _, cls, size = self.unpack("QIQI", at)
            self.new(o)
            self.instances[o] = (cls, at + 24, size)
            return at + 24 + size
        if tag == 0x22:
            o, _, count, cls = self.unpack("QIIQ", at)
            self.new(o)
            self.arrays[o] = (cls, at + 24, count)
            return at + 24 + 8 * count
        if tag == 0x23:
            o, _, count, code = self.unpack("QIIB", at)
            self.new(o)
            self.primitives[o] = (code, at + 17, count)
            return at + 17 + TYPES[code][2] * count
        if tag == 0x20:
            return self.class_dump(at)
        kind, more = ROOTS[tag]
        o, = self.unpack("Q", at)
        self.roots[o].append((kind, self.unpack({0: "", 4: "I"}.get(more, "Q" if kind == "JNI global" else "Ii"), at + 8)))
        return at + 8 + more

    def new(self, o):
        if o in self.instances or o in self.arrays or o in self.primitives or o in self.classes:
            raise AssertionError("%#x is dumped twice" % o)

    def class_dump(self, at):
        cls, _, super_class, loader, signers, domain, _, _, size, constants, count = self.unpack("QIQQQQQQIHH", at)
        expect("constants", constants, 0)
        self.new(cls)
        at += 68
        statics, fields = {}, []
        for _ in range(count):
            name, code = self.unpack("QB", at)
            statics[self.names[name]] = (code, self.unpack(TYPES[code][1], at + 9)[0])
            at += 9 + TYPES[code][2]
        count, = self.unpack("H", at)
        at += 2
        for _ in range(count):
            name, code = self.unpack("QB", at)
            fields.append((self.names[name], code))
            at += 9
        self.classes[cls] = ClassDump(super_class, loader, signers, domain, size, statics, fields)
        return at

    # ---- what every dump must fulfil ----

    def layout(self, cls):
        """The fields of an instance: (class, name, type), as they follow each other."""
        found = self.layouts.get(cls)
        if found is None:
            dump = self.classes[cls]
            found = [(cls, name, code) for name, code in dump.fields]
            found += self.layout(dump.super_class) if dump.super_class else []
            self.layouts[cls] = found
        return found

    def references(self, o):
        if o in self.instances:
            cls, at, _ = self.instances[o]
            if cls not in self.shapes:
                codes = [code for _, _, code in self.layout(cls)]
                self.shapes[cls] = struct.Struct(">" + "".join(TYPES[c][1] if c == 2 else "%dx" % TYPES[c][2] for c in codes))
            return [cls, *self.shapes[cls].unpack_from(self.data, at)]
        if o in self.arrays:
            cls, at, count = self.arrays[o]
            return [cls, *self.unpack("%dQ" % count, at)]
        if o in self.classes:
            c = self.classes[o]
            return [c.super_class, c.loader, c.signers, c.domain, *(v for code, v in c.statics.values() if code == 2)]
        return []

    def check(self):
        self.layouts, self.shapes = {}, {}
        expect("classes", sorted(self.classes), sorted(self.class_names))
        objects = {*self.instances, *self.arrays, *self.primitives, *self.classes}
        for o, (cls, _, size) in self.instances.items():
            expect("bytes of fields of a " + self.class_names[cls], size, sum(TYPES[c][2] for _, _, c in self.layout(cls)))
        for o in objects:
            for to in self.references(o):
                if to and to not in objects:
                    raise AssertionError("%#x, a %s, refers to %#x" % (o, self.class_of(o), to))
        for o, roots in self.roots.items():
            if o not in objects:
                raise AssertionError("no object for the roots %r" % roots)
            for kind, more in roots:
                if kind in ("frame", "JNI local") and more[1] != -1:
                    expect("a root's frame exists", more[1] < len(self.traces[more[0] + 1][1]), True)
        reached, todo = set(), list(self.roots)
        while todo:
            o = todo.pop()
            if o and o not in reached:
                reached.add(o)
                todo += self.references(o)
        self.unreached = objects - reached
        if len(self.unreached) > len(objects) / 200:
            raise AssertionError("%d of %d objects are not reachable: %s" % (len(self.unreached), len(objects),
                collections.Counter(map(self.class_of, self.unreached)).most_common(10)))

    # ---- questions ----

    def class_of(self, o):
        if o in self.classes:
            return "java.lang.Class"
        if o in self.primitives:
            return "[" + TYPES[self.primitives[o][0]][0]
        return self.class_names[(self.instances.get(o) or self.arrays[o])[0]]

    def named(self, name):
        found = [c for c, n in self.class_names.items() if n == name]
        expect("classes named " + name, len(found), 1)
        return found[0]

    def all_of(self, name):
        cls = self.named(name)
        return [o for o, (c, _, _) in self.instances.items() if c == cls]

    def only(self, name):
        found = self.all_of(name)
        expect("objects of " + name, len(found), 1)
        return found[0]

    def fields(self, o):
        """Values of an instance by class and name."""
        cls, at, _ = self.instances[o]
        values = {}
        for of, name, code in self.layout(cls):
            values[self.class_names[of].split(".")[-1], name], = self.unpack(TYPES[code][1], at)
            at += TYPES[code][2]
        return values

    def elements(self, o):
        if o in self.arrays:
            _, at, count = self.arrays[o]
            return list(self.unpack("%dQ" % count, at))
        code, at, count = self.primitives[o]
        return list(self.unpack("%d%s" % (count, TYPES[code][1]), at))

    def text(self, o):
        f = self.fields(o)
        data = bytes(x & 255 for x in self.elements(f["String", "value"]))
        return data.decode("utf-16-le" if f["String", "coder"] else "latin-1")

    def counts(self):
        """Number and bytes of objects by class, with the heap's rounding of small objects."""
        found = collections.defaultdict(lambda: [0, 0])
        for o in [*self.instances, *self.arrays, *self.primitives, *self.classes]:
            name = self.class_of(o)
            if o in self.arrays:
                size = 16 + 8 * self.arrays[o][2]
            elif o in self.primitives:
                code, _, count = self.primitives[o]
                size = 16 + TYPES[code][2] * count
            else:
                size = self.classes[self.named_class[name]].size if name in self.named_class else 0
            found[name][0] += 1
            found[name][1] += (size + 15) // 16 * 16
        return found

    @property
    def named_class(self):
        if not hasattr(self, "by_name"):
            self.by_name = {n: c for c, n in self.class_names.items()}
        return self.by_name


# ---- the program -------------------------------------------------------------------------------


class Program:
    """tests/heapdump/Graph.java on the VM: a line is a request, and so is its answer."""

    def __init__(self, *options, args=(), vm=VM):
        self.process = subprocess.Popen([vm, "-Xmx512m", *options, "-Djava.library.path=" + WORK, "-cp", WORK, "dump.Graph", *args],
                                        cwd=WORK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        line = self.process.stdout.readline()
        if line != "ready\n":
            raise AssertionError("the program did not start: " + line + self.process.stdout.read())
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        expect("exit status", self.process.wait(60), 0)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def jcmd(self, *words):
        return tool("jcmd", str(self.pid), *words)


def tool(*words):
    r = subprocess.run(words, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300 * SLOWER)
    return r.returncode, r.stdout


def path(name):
    return os.path.join(WORK, name)


def dumped(program, name, *options):
    rc, out = program.jcmd("GC.heap_dump", *options, name)
    expect("exit status of jcmd: " + out, rc, 0)
    if not re.fullmatch(r"%d:\nDumping heap to %s \.\.\.\nHeap dump file created \[%d bytes in \d+\.\d{3} secs\]\n"
                        % (program.pid, re.escape(name), os.path.getsize(path(name))), out):
        raise AssertionError(out)
    return Dump(path(name))


def no_rest(name, exists=False):
    """Neither the file nor a part of it is there."""
    expect("files", [f for f in os.listdir(WORK) if f.startswith(name)], [name] if exists else [])


def frame_of(dump, o):
    """The method in whose frame the object is a root."""
    methods = []
    for kind, more in dump.roots.get(o, ()):
        if kind == "frame" and more[1] >= 0:
            methods.append(dump.traces[more[0] + 1][1][more[1]][1])
    return methods


def check_graph(d):
    statics = d.classes[d.named("dump.Graph$Statics")].statics
    values = {n: v for n, (code, v) in statics.items() if code != 2}
    expect("statics", values, {"z": True, "b": -1, "c": ord("q"), "s": 12, "i": 42, "l": -5, "f": 0.25, "d": 1e100})
    expect("a static string", d.text(statics["text"][1]), "a static")
    expect("a static null", statics["none"][1], 0)
    o = statics["fields"][1]
    f = d.fields(o)
    F, B = "Graph$Fields", "Graph$Base"
    expect("fields", {n: f[c, n] for c, n in f if n in "bl" and c == B or n in "zcsifd" and c == F},
           {"b": -7, "l": 0x123456789abcdef, "z": True, "c": 0x20ac, "s": -1234, "i": 123456789, "f": 1.5, "d": -2.25})
    expect("fields of one name", [d.text(f[B, "name"]), d.text(f[F, "name"])], ["in the superclass", "in the class"])
    expect("a reference to itself", [f[F, "self"], f[F, "none"]], [o, 0])
    table = d.elements(f[F, "table"])
    expect("an array of arrays", [d.text(d.elements(table[0])[0]), d.elements(table[0])[1], table[1], d.elements(table[2])],
           ["a string", o, 0, []])
    expect("its class", [d.class_of(f[F, "table"]), d.class_of(table[0])], ["[[Ljava.lang.Object;", "[Ljava.lang.Object;"])
    want = {"booleans": [True, False], "bytes": [1, -2, 3], "chars": [0x78, 0xe9], "shorts": [-1, 300],
            "ints": [1, -2, 1 << 30], "longs": [-1, 1 << 40], "floats": [0.5, -0.0], "doubles": [3.141592653589793]}
    expect("arrays", {n: d.elements(f[F, n]) for n in want}, want)
    expect("int[][]", [d.elements(a) for a in d.elements(f[F, "nested"])], [[7], [8, 9]])
    constant = d.classes[d.named("dump.Graph$Constants")].statics["CONSTANT"][1]
    expect("a constant", d.text(d.elements(constant)[0]), "of an interface")
    expect("garbage", len(d.all_of("dump.Graph$Garbage")) <= 1, True)
    node, length = d.classes[d.named("dump.Graph")].statics["list"][1], 0
    while node:
        length, node = length + 1, d.fields(node)["Graph$Node", "next"]
    expect("length of the list", length, len(d.all_of("dump.Graph$Node")))
    # roots
    expect_in("JNI global", [kind for kind, _ in d.roots[d.only("dump.Graph$InGlobal")]])
    expect_in("holder", frame_of(d, d.only("dump.Graph$InLocal")))
    expect_in("busy", frame_of(d, d.only("dump.Graph$InCompiled")))
    expect_in("monitor", [kind for kind, _ in d.roots[d.only("dump.Graph$Locked")]])
    threads = {}
    for o, roots in d.roots.items():
        for kind, more in roots:
            if kind == "thread":
                threads[d.text(d.fields(o)["Thread", "name"])] = d.traces[more[1]][1]
    expect("threads", {"main", "holder", "busy", "Reference Handler"} - set(threads), set())
    expect("frames of main", ("dump.Graph", "main", "([Ljava/lang/String;)V", "Graph.java") in [f[:4] for f in threads["main"]], True)
    expect("frames of holder", [f[1] for f in threads["holder"] if f[0].startswith("dump")], ["holder", "run"])
    expect("a native frame", [threads["holder"][0][1], threads["holder"][0][4]], ["wait", -3])


def check_histogram(program, d):
    """The classes of the program and the strings are as many as in the histogram, with as many bytes."""
    rc, out = program.jcmd("GC.class_histogram")
    want = {name: [int(n), int(size)] for n, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+)  (\S+)", out, re.M)}
    got = d.counts()
    exact = [n for n in want if n.startswith(("dump.", "[Ldump.", "[[I", "[D", "[F", "[Z"))]
    expect("classes to compare", len(exact) > 6, True)
    expect("counts and bytes", {n: got[n] for n in exact}, {n: want[n] for n in exact})
    for sums in ("objects", "bytes"):
        k = sums == "bytes"
        a, b = sum(c[k] for c in got.values()), sum(c[k] for c in want.values())
        if abs(a - b) > b / 50:
            raise AssertionError("%d %s in the dump, %d in the histogram" % (a, sums, b))


# ---- tests -------------------------------------------------------------------------------------


@test
def graph():
    with Program() as p:
        d = dumped(p, "graph.hprof")
        check_graph(d)
        check_histogram(p, d)
        print("        %d objects, %d not reachable" % (len(d.instances) + len(d.arrays) + len(d.primitives), len(d.unreached)))


@test
def tiers_and_threads():
    for options in (["-Xint"], ["-Xthreads:green"], ["-Xgcstress:20000"]):
        with Program(*options) as p:
            for n in range(3):
                check_graph(dumped(p, "tiers.hprof", "-overwrite"))


# VisualVM's reader of heap dumps (package visualvm), the independent one that Debian has.
READER = "/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"


def read_independently(file):
    """Lines of tests/heapdump/Reader.java on the dump."""
    classes = path("reader")
    if not os.path.exists(classes):
        subprocess.run(["javac", "-d", classes, "-cp", READER, os.path.join(ROOT, "tests", "heapdump", "Reader.java")], check=True)
    done = subprocess.run(["java", "-cp", classes + ":" + READER, "Reader", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect("exit status of VisualVM's reader on %s: %s" % (file, done.stdout), done.returncode, 0)
    return done.stdout.splitlines()


@test
def visualvm():
    """VisualVM's reader finds in a dump what the parser of this file finds, and in one of HotSpot the same."""
    if not os.path.exists(READER):
        raise AssertionError("no visualvm: scripts/packages-test.txt has what the tests need")
    read = []
    for vm in VM, "java":
        with Program(vm=vm) as p:
            rc, out = p.jcmd("GC.heap_dump", path("read.hprof"))
            expect("exit status: " + out, rc, 0)
        lines = read_independently(path("read.hprof"))
        d = Dump(path("read.hprof")) if vm == VM else None
        if d:
            everything = len(d.instances) + len(d.arrays) + len(d.primitives)
            expect("objects", lines[0], "objects %d" % everything)
            expect("objects of all classes", [l for l in lines if l.startswith("objects of")], ["objects of classes %d" % everything])
        read.append(lines)
        os.unlink(path("read.hprof"))
    # Names of hidden classes and the class loaders' ways of keeping classes alive are the VM's own.
    kinds = "class dump.", "static dump.", "field dump.", "path dump.Graph$In", "thread "
    found = [sorted(l for l in lines if l.startswith(kinds) and "$$Lambda" not in l) for lines in read]
    expect("paths to roots", sum(l.startswith("path") and l.endswith("(root)") for l in found[0]), 3)
    expect("the program's classes, values, paths and threads", found[0], found[1])
    print("        %d equal lines" % len(found[0]))


@test
def compressed():
    with Program() as p:
        check_graph(dumped(p, "compressed.hprof.gz", "-gz=6"))
        expect("gzip", open(path("compressed.hprof.gz"), "rb").read(2), b"\x1f\x8b")
        check_graph(dumped(p, "compressed.hprof.gz", "-gz", "-overwrite"))


@test
def tools():
    with Program() as p:
        for n, option in enumerate(("live,", "", "all,")):
            name = path("jmap%d" % n)
            rc, out = tool("jmap", "-dump:%sformat=b,file=%s" % (option, name), str(p.pid))
            expect("jmap: " + out, [rc, out.split("\n")[0]], [0, "Dumping heap to %s ..." % name])
            check_graph(Dump(name))
        expect("jmap, to a file that exists", tool("jmap", "-dump:file=" + path("jmap0"), str(p.pid))[0], 1)
        expect("dumpHeap", p.ask(path("bean.hprof")), "done")
        check_graph(Dump(path("bean.hprof")))
        expect("dumpHeap again", p.ask(path("bean.hprof")), "java.io.IOException: File exists")


@test
def refused():
    with Program() as p:
        with open(path("there"), "w") as f:
            f.write("mine")
        os.mkdir(path("folder"))
        for words, message in [
                (["there"], "Unable to create there: File exists"),
                (["no/such"], "Unable to create no/such: No such file or directory"),
                (["-overwrite", "folder"], "Unable to create folder: not a regular file"),
                (["-overwrite", "/dev/null"], "Unable to create /dev/null: not a regular file"),
                (["-gz=0", "x"], "Compression level out of range (1-9): 0"),
                (["-gz=a", "x"], "Integer parsing error in command argument '-gz'. Could not parse: a."),
                (["-gz=", "x"], "Integer parsing error in command argument '-gz'. Could not parse: ."),
                ([], "The argument 'filename' is mandatory."),
                (["x", "y"], "Unknown argument 'y' in diagnostic command.")]:
            rc, out = p.jcmd("GC.heap_dump", *words)
            expect("exit status of " + " ".join(words), rc, 1)
            expect_in(message, out)
        expect("an existing file", open(path("there")).read(), "mine")
        no_rest("x")
        rc, out = tool("jmap", "-dump:gz=10,file=" + path("x"), str(p.pid))
        expect("jmap: " + out, rc, 1)
        os.symlink("there", path("link"))
        check_graph(dumped(p, "link", "-overwrite"))
        expect("a link stays", [os.path.islink(path("link")), os.path.getsize(path("there")) > 4], [True, True])


@test
def full_disk():
    """Writing fails in the middle: nothing is left, and the program continues."""
    with Program() as p:
        for level in ([], ["-gz=1"]):
            resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
            rc, out = p.jcmd("GC.heap_dump", *level, "full")
            expect("exit status", rc, 1)
            expect_in("Unable to write full: File too large", out)
            no_rest("full")
        expect("dumpHeap", p.ask(path("full.hprof")), "java.io.IOException: File too large")
        resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        check_graph(dumped(p, "full"))


@test
def out_of_memory():
    for where, name in (("", "java_pid%d.hprof"), ("folder%d", "folder%d/java_pid%d.hprof"), ("file%d", "file%d")):
        n = len(where)
        if where.startswith("folder"):
            os.mkdir(path(where % n))
        options = ["-XX:HeapDumpPath=" + where % n] if where else []
        with Program("-XX:+HeapDumpOnOutOfMemoryError", *options) as p:
            file = name % ((n, p.pid)[-name.count("%d"):] if where.startswith("folder") else n if where else p.pid)
            lines = [p.ask("fill")] + [p.process.stdout.readline().rstrip("\n") for _ in range(3)]
            expect("output", lines[:2] + lines[3:],
                   ["java.lang.OutOfMemoryError: Java heap space", "Dumping heap to %s ..." % file, "java.lang.OutOfMemoryError: Java heap space"])
            expect_in("Heap dump file created [", lines[2])
            expect("a second time", p.ask("fill"), "java.lang.OutOfMemoryError: Java heap space")
            expect("large arrays", len([1 for _, _, n in Dump(path(file)).primitives.values() if n == 100_000]) > 1000, True)
            os.unlink(path(file))
    with Program("-XX:+HeapDumpOnOutOfMemoryError", "-XX:HeapDumpPath=no/folder") as p:
        expect("output", [p.ask("fill"), p.process.stdout.readline()],
               ["java.lang.OutOfMemoryError: Java heap space", "Unable to create no/folder: No such file or directory\n"])
        expect("the error", p.process.stdout.readline(), "java.lang.OutOfMemoryError: Java heap space\n")


@test
def profile_heap():
    with Program() as p:
        rc, out = p.jcmd("Profile.heap")
        expect("exit status", rc, 0)
        for row in (r"\d+ live objects of \d+ classes, \d+ bytes", r" +\d+ +\d+\.\d % +\d+  byte\[\]", r" .*  \d+ other classes \(-all lists them\)"):
            expect("row %s of\n%s" % (row, out), bool(re.search("^" + row + "$", out, re.M)), True)
        rc, out = p.jcmd("Profile.heap", "-all")
        rows = [l.split(None, 4) for l in out.splitlines()[4:]]
        expect("sums", [sum(int(r[3]) for r in rows), len(rows), sum(int(r[0]) for r in rows)], list(map(int, re.findall(r"\d+", out.splitlines()[1]))))
        expect_in("  int[][]\n", out)
        expect("nodes", [r[3] for r in rows if r[4] == "dump.Graph$Node"], ["1000"])


@test_lasting(40)
def large():
    """A heap of 1 GB: time, memory, and arrays larger than the buffer."""
    with Program("-Xmx1500m", args=("1000000", "640")) as p:
        def resident():
            return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % p.pid).read()).group(1)) >> 10
        before, most, ending = resident(), [0], threading.Event()

        def watch():
            while not ending.wait(0.05):
                most[0] = max(most[0], resident())
        watcher = threading.Thread(target=watch)
        watcher.start()
        rc, out = p.jcmd("GC.heap_dump", "large")
        ending.set()
        watcher.join()
        expect("exit status of jcmd: " + out, rc, 0)
        print("        %s; resident %d MB before, at most %d MB" % (out.splitlines()[-1], before, most[0]))
        if most[0] > before + 64:
            raise AssertionError("%d MB of memory for a dump" % (most[0] - before))
        d = Dump(path("large"))
        expect("nodes", len(d.all_of("dump.Graph$Node")), 1_000_000)
        expect("arrays", sum(n >= 1 << 20 for _, _, n in d.primitives.values()), 640)
        os.unlink(path("large"))


if sys.argv[1:] and os.path.exists(sys.argv[1]):
    d = Dump(sys.argv[1])
    print("%d classes, %d instances, %d arrays of references, %d of primitives, %d roots, %d segments" %
          (len(d.classes), len(d.instances), len(d.arrays), len(d.primitives), sum(map(len, d.roots.values())), d.segments))
    sys.exit()
WORK = tempfile.mkdtemp(prefix="heapdump")
try:
    sources = os.path.join(ROOT, "tests", "heapdump")
    subprocess.run(["javac", "-d", WORK, os.path.join(sources, "Graph.java")], check=True)
    home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac"))))
    subprocess.run(["gcc", "-shared", "-fPIC", "-I", home + "/include", "-I", home + "/include/linux", "-o", path("libkeep.so"),
                    os.path.join(sources, "keep.c")], check=True)
    status = run_tests()
finally:
    shutil.rmtree(WORK)
sys.exit(status)
