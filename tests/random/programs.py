#!/usr/bin/env python3
"""Writes random Java programs: programs.py SEED COUNT DIRECTORY makes P<SEED>.java ... in it.

A program is a class with a run() method that prints a trail of checksums and the exceptions it caught. It uses
Trail.java and Shared.java, is deterministic, and executes at most some hundred thousand statements. Equal seeds give
equal programs."""
import os
import random
import sys

from statements import Statements
from values import Method, Scope, Var

FIELDS = (("int", "sInt"), ("int", "sCount"), ("long", "sLong"), ("float", "sFloat"), ("double", "sDouble"), ("byte", "sByte"),
          ("short", "sShort"), ("char", "sChar"), ("boolean", "sFlag"), ("int", "vInt"), ("long", "vLong"), ("double", "vDouble"),
          ("String", "sText"), ("Integer", "sBoxed"), ("Long", "sBoxedLong"), ("Object", "sObject"), ("Base", "sBase"),
          ("Shape", "sShape"), ("Color", "sColor"), ("Point", "sPoint"))
ARRAYS = (("int[]", "sInts"), ("long[]", "sLongs"), ("float[]", "sFloats"), ("double[]", "sDoubles"), ("byte[]", "sBytes"),
          ("short[]", "sShorts"), ("char[]", "sChars"), ("boolean[]", "sFlags"), ("String[]", "sTexts"), ("Object[]", "sObjects"),
          ("int[][]", "sTable"), ("long[][]", "sLongTable"))
OWN = (("int", "a"), ("long", "b"), ("double", "c"), ("byte", "d"), ("float", "f"), ("char", "ch"), ("short", "sh"), ("int", "v"),
       ("boolean", "flag"), ("Base", "next"))
PARAMETERS = ("int", "int", "int", "long", "long", "double", "float", "String", "byte", "boolean", "char", "int[]", "Base", "Object",
              "Integer", "short")
RESULTS = ("int", "int", "int", "long", "long", "double", "float", "boolean", "String", "byte", "void", "char")
ARGUMENTS = {"int": "Trail.anInt(%s)", "long": "Trail.aLong(%s)", "double": "Trail.aDouble(%s)", "float": "Trail.aFloat(%s)",
             "String": "Trail.aString(%s)", "byte": "(byte) Trail.anInt(%s)", "short": "(short) Trail.anInt(%s)",
             "char": "(char) Trail.anInt(%s)", "boolean": "(%s & 1) == 0", "int[]": "new int[] {%s, 2, 3, Trail.anInt(%s + 1)}",
             "Base": "sBase", "Object": "sObjects[%s & 3]", "Integer": "(Integer) Trail.anInt(%s)"}

FIXED = """
    static class Late {
        static int made = 7;
        static { Trail.mix("Late"); sCount++; }
        static int next(int x) { return made += x; }
    }
    static class Never {
        static int value = 1 / (sCount - sCount);
    }
    static int never(int x) {
        try {
            return x + Never.value;
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            Trail.caught(e);
            return -x;
        }
    }
"""
FIXED_METHODS = [
    Method("Late.next(%s)", ("int",), "int", 2), Method("never(%s)", ("int",), "int", 20),
    Method("Shared.sum(%s, %s)", ("int", "int"), "int", 3), Method("Shared.sum()", (), "int", 1), Method("Shared.sum(%s)", ("int[]",), "int", 8),
    Method("Shared.count(%s, %s, %s)", ("int", "String", "double"), "long", 4), Method("Shared.down(%s & 15, %s)", ("int", "int"), "int", 16),
    Method("Shared.fib(%s & 7)", ("int",), "long", 25), Method("Shared.odd(%s & 15)", ("int",), "boolean", 16),
    Method("Shape.unit(%s)", ("int",), "int", 1), Method("shade(%s)", ("int",), "int", 2, "Color"),
    Method("dot(%s)", ("Point",), "long", 2, "Point")]


class Program(Statements):
    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.seed = seed
        self.methods = list(FIXED_METHODS)
        self.statics = [Var(n, t) for t, n in FIELDS] + [Var(n, t, False) for t, n in ARRAYS]

    def scope(self, parameters, instance=False):
        own = [Var("this." + n, t) for t, n in OWN] if instance else []
        keep = [v for v in self.statics if self.chance(45)] + [v for v in own if self.chance(60)]
        s = Scope(keep + [Var(n, t) for t, n in parameters], self.methods)
        s.instance = instance
        return s

    def some(self, types, count):
        return [self.pick(types) for _ in range(count)]

    def body(self, s, result, size, depth):
        self.indent += 1
        self.block(s, size, depth, result)
        if result != "void":
            self.line("return %s;", self.value(s, result))
        self.indent -= 1
        self.line("}")

    def method(self, head, name, types, result, size, depth, instance=False, times=1):
        parameters = [(t, "%s%d" % (self.pick("pq"), i)) for i, t in enumerate(types)]
        s = self.scope(parameters, instance)
        s.times = times
        self.line("%s%s %s(%s) {", head, result, name, ", ".join("%s %s" % p for p in parameters))
        self.body(s, result, size, depth)
        return s.cost

    # ---- classes below Base ----

    def virtuals(self):
        """Three virtual methods; a class overrides some of them, and may call the overridden ones."""
        signatures = [("w%d" % i, self.some(PARAMETERS, self.r.randrange(0, 4)), self.pick(RESULTS)) for i in range(3)]
        costs = {}
        for cls, parent in (("Base", None), ("D1", "Base"), ("D2", "D1"), ("D3", "Base")):
            self.class_head(cls, parent)
            for name, types, result in signatures:
                if parent is None or self.chance(60):
                    own = self.overriding(name, types, result, parent, costs.get((parent, name), 0))
                    costs[cls, name] = own
                else:
                    costs[cls, name] = costs[parent, name]
            self.close()
        return [Method("%s(%s)" % (n, ", ".join(["%s"] * len(t))), t, r, max(c for (_, m), c in costs.items() if m == n), o)
                for n, t, r in signatures for o in ("Base", "D1")]

    def class_head(self, cls, parent):
        self.open("static %sclass %s %s", "final " if cls == "D2" else "", cls, "extends " + parent if parent else "implements Shape")
        if parent is None:
            self.line("int a; long b = 2; double c; byte d; float f = 1.5f; char ch = 'b'; short sh; boolean flag; volatile int v; Base next;")
            self.line("Base(int a) { this.a = a; if ((a & 15) != 7) next = this; setUp(); }")
            self.line("void setUp() { b += a; }")
            self.line("public int area(int k) { return a + k * 3; }")
            self.line("public String toString() { return getClass().getSimpleName() + a + \"/\" + b + \"/\" + c + flag + (int) ch + d; }")
        else:
            self.line("int extra = 5;")
            self.line("%s(int a) { super(a %s); extra += b; }", cls, self.pick(("+ 1", "* 3", "^ 9", "")))
            if self.chance(50):
                self.line("@Override void setUp() { super.setUp(); c = a + extra; }")
            if self.chance(60):
                self.line("@Override public int area(int k) { return super.area(k) %s; }", self.pick(("- extra", "* 2", "+ (a > 3 ? 1 : k)")))
            if self.chance(20):
                self.line("@Override public long twice(int k) { return super.twice(k) + 1; }")

    def overriding(self, name, types, result, parent, below):
        head = self.pick(("", "", "", "synchronized "))
        parameters = [(t, "p%d" % i) for i, t in enumerate(types)]
        s = self.scope(parameters, True)
        self.line("%s%s %s(%s) {", head, result, name, ", ".join("%s %s" % p for p in parameters))
        if parent and self.chance(50):
            s.cost += below
            call = "super.%s(%s)" % (name, ", ".join(n for _, n in parameters))
            self.line("    %s;", call if result == "void" else "Trail.mix(%s)" % call)
        self.body(s, result, self.r.randrange(1, 4), 1)
        return s.cost

    # ---- the whole ----

    def inner_class(self):
        self.line("int outer = 3;")
        self.open("class Inner")
        self.line("int mine = outer++;")
        cost = self.method("", "turn", ["int", "long"], "int", 3, 1)
        self.line("int both(int k) { outer += k; return mine ^ P%d.this.outer; }", self.seed)
        self.close()
        self.methods.append(Method("new P%d().new Inner().turn(%%s, %%s)" % self.seed, ("int", "long"), "int", cost + 3))
        self.methods.append(Method("new P%d().new Inner().both(%%s)" % self.seed, ("int",), "int", 5))

    def fields(self):
        for type, name in FIELDS:
            self.line("static %s%s %s = %s;", "volatile " if name[0] == "v" else "", type, name, self.constant(type))
        for type, name in ARRAYS:
            element = type[:-2]
            if element.endswith("[]"):
                self.line("static final %s %s = {%s};", type, name, ", ".join("new %s[%d]" % (element[:-2], k) for k in (4, 8, 2, 4)))
            elif element in ("String", "Object"):
                self.line("static final %s %s = {%s};", type, name, ", ".join(self.constant(element) for _ in range(4)))
            else:
                self.line("static final %s %s = new %s[%d];", type, name, element, self.pick((4, 8, 8)))
        self.line("static final Object sLock = new Object();")

    def run(self, top):
        self.open("public static void run()")
        for m, name in top:
            times = max(4, min(150, 100000 // (m.cost + 1)))
            args = ", ".join(ARGUMENTS[p].replace("%s", "i + %d" % k) for k, p in enumerate(m.params))
            self.open("for (int i = 0; i < %d; i++)", times)
            self.open("try")
            self.line("%s;" if m.result == "void" else "Trail.mix(%s);", "%s(%s)" % (name, args))
            self.close("} catch (Throwable t) {")
            self.line("    Trail.caught(t);")
            self.line("}")
            self.close()
            self.line('Trail.mark("%s");', name)
        for type, name in ARRAYS:
            if type in ("int[]", "String[]"):
                self.line("Trail.mix(%s);", name)
        for type, name in FIELDS:
            self.line("Trail.mix(%s);", name)
        self.line("Trail.mix(Thread.holdsLock(sLock));")
        self.close()

    def text(self):
        self.indent = 0
        self.line("import java.util.*;")
        self.line("import java.util.function.*;")
        self.open("public final class P%d", self.seed)
        self.fields()
        self.lines += FIXED.rstrip().split("\n")
        self.methods += self.virtuals()
        self.methods += [Method("area(%s)", ("int",), "int", 3, o) for o in ("Shape", "Base")]
        self.methods.append(Method("twice(%s)", ("int",), "long", 5, "Shape"))
        self.inner_class()
        top = []
        for n in reversed(range(self.r.randrange(3, 6))):
            types = self.some(PARAMETERS, self.r.randrange(0, 5))
            result, name = self.pick(RESULTS), "m%d" % n
            head = self.pick(("static ", "private static ", "static synchronized ", "public static "))
            cost = self.method(head, name, types, result, self.r.randrange(2, 6), 3)
            m = Method("%s(%s)" % (name, ", ".join(["%s"] * len(types))), types, result, cost)
            self.methods.append(m)
            top.append((m, name))
        self.run(top)
        self.close()
        return "\n".join(self.lines) + "\n"


def write(seed, directory):
    with open(os.path.join(directory, "P%d.java" % seed), "w", encoding="ascii") as f:
        f.write(Program(seed).text())


if __name__ == "__main__":
    os.makedirs(sys.argv[3], exist_ok=True)
    for n in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        write(n, sys.argv[3])
