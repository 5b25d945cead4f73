"""Random Java statements. All terminate: loops have fixed bounds, whose product Scope.times tracks."""
import copy

from values import NUMERIC, PRIMITIVE, Scope, Values, Var

LOCAL_TYPES = ("int", "int", "int", "long", "long", "double", "float", "boolean", "byte", "short", "char", "String", "Integer",
               "Long", "int[]", "long[]", "double[]", "byte[]", "char[]", "int[][]", "Base", "Object", "Color", "Point")


class Statements(Values):
    def __init__(self, random):
        super().__init__(random)
        self.names = 0
        self.lines = []
        self.indent = 1

    # ---- text ----

    def line(self, text, *args):
        self.lines.append("    " * self.indent + (text % args if args else text))

    def open(self, text, *args):
        self.line(text + " {", *args)
        self.indent += 1

    def close(self, text="}"):
        self.indent -= 1
        self.line(text)

    def name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # ---- blocks ----

    def inner(self, s):
        """A nested scope: the same cost, separate variables."""
        t = copy.copy(s)
        t.vars = list(s.vars)
        return t

    def block(self, s, size, depth, result=None, labels=()):
        """Statements that javac knows to complete normally."""
        t = self.inner(s)
        for _ in range(size):
            if t.cost > Scope.LIMIT:
                break
            t.cost += t.times
            self.statement(t, depth, result, labels)
        s.cost = t.cost

    def statement(self, s, depth, result, labels):
        simple = ((self.declare, 16), (self.assign, 22), (self.store, 10), (self.mix, 8), (self.invoke, 8), (self.field, 6))
        nested = ((self.conditional, 10), (self.loop, 14), (self.switch_statement, 6), (self.attempt, 10), (self.locked, 4),
                  (self.lambda_statement, 5), (self.builder, 3), (self.each, 4), (self.labelled, 4), (self.collection, 3), (self.array_loop, 9), (self.library, 5))
        if labels and self.chance(9):
            return self.jump(s, labels)
        if result is not None and self.chance(4):
            return self.early_return(s, result)
        if self.chance(4):
            return self.throw(s)
        self.pick([f for f, weight in (simple + nested if depth > 0 else simple) for _ in range(weight)])(
            s, depth, result, labels)

    # ---- simple statements ----

    def declare(self, s, *_):
        type = self.pick(LOCAL_TYPES)
        fixed = self.chance(25)
        name = self.name("x")
        self.line("%s%s %s = %s;", "final " if fixed else "", type, name, self.value(s, type))
        s.vars.append(Var(name, type, not fixed, fixed))

    def assign(self, s, depth, *_):
        type = self.pick(LOCAL_TYPES)
        if type in PRIMITIVE or type == "String":
            text = self.assignment(s, type, 4)
            if text is not None:
                self.line("%s;", text[1:-1])
        else:
            fit = s.writable(type)
            if fit:
                self.line("%s = %s;", self.pick(fit).text, self.value(s, type))

    def store(self, s, *_):
        type = self.pick(("int", "int", "long", "float", "double", "byte", "short", "char", "boolean", "String", "Object"))
        arrays = s.readable(type + "[]")
        if not arrays:
            return
        a = self.pick(arrays).text
        if type in NUMERIC and self.chance(30):
            op = self.pick(("+=", "-=", "*=")) if type in ("float", "double") else self.pick(("+=", "^=", "*=", "|=", "<<="))
            right = self.value(s, type if op != "<<=" else "int")
        else:
            op, right = "=", self.value(s, type)
            if type == "String":
                right = "Trail.cut(%s)" % right
        if s.readable("int[][]") and type == "int" and self.chance(25):
            self.line("%s[%s][%s] %s %s;", self.pick(s.readable("int[][]")).text, self.index(s, a, 2), self.index(s, a, 2), op, right)
        else:
            self.line("%s[%s] %s %s;", a, self.index(s, a, 3), op, right)

    def mix(self, s, *_):
        self.line("Trail.mix(%s);", self.value(s, self.any_type()))

    def invoke(self, s, *_):
        fit = [m for m in s.methods if m.result == "void"]
        m = self.pick(fit) if fit else None
        if m is None or s.captured or not s.afford(m.cost + 1):
            return self.mix(s)
        call = m.text % tuple(self.value(s, p, 2) for p in m.params)
        self.line("%s;", call if m.owner is None else "%s.%s" % (self.receiver(s, m.owner, 2), call))

    def field(self, s, *_):
        object = self.receiver(s, "Base", 1)
        name, type = self.pick((("a", "int"), ("b", "long"), ("c", "double"), ("d", "byte"), ("f", "float"), ("ch", "char"),
                                ("sh", "short"), ("v", "int"), ("flag", "boolean"), ("next", "Base")))
        op = "="
        if type in NUMERIC and self.chance(40):
            op = self.pick(("+=", "-=", "*="))
        self.line("%s.%s %s %s;", object, name, op, self.value(s, type))

    def throw(self, s):
        what = self.pick(('new Oops(%s)' % self.value(s, "int", 2), 'new IllegalStateException("n" + %s)' % self.value(s, "int", 1),
                          "new Oops(%s)" % self.value(s, "int", 1), 'new ArithmeticException(%s)' % self.value(s, "String", 1)))
        self.line("if (%s && %s) throw %s;", self.value(s, "boolean"), self.value(s, "boolean", 1), what)

    def early_return(self, s, result):
        if result == "void":
            self.line("if (%s) return;", self.value(s, "boolean"))
        else:
            self.line("if (%s) return %s;", self.value(s, "boolean"), self.value(s, result))

    def jump(self, s, labels):
        self.line("if (%s) %s;", self.value(s, "boolean"), self.pick(labels))

    # ---- control ----

    def conditional(self, s, depth, result, labels):
        self.open("if (%s)", self.value(s, "boolean"))
        self.block(s, self.r.randrange(1, 4), depth - 1, result, labels)
        if self.chance(50):
            self.close("} else {")
            self.indent += 1
            self.block(s, self.r.randrange(1, 4), depth - 1, result, labels)
        self.close()

    def loop_head(self, s, t, count):
        """Opens a loop that runs `count` times at most."""
        i = self.name("i")
        kind = self.r.randrange(12)
        step = self.pick((1, 1, 2, 3))
        type = "int"
        if kind < 5:
            self.open("for (int %s = 0; %s < %d; %s += %d)", i, i, count * step, i, step)
        elif kind < 7:
            self.open("for (int %s = %d; %s >= 0; %s -= %d)", i, count * step - 1, i, i, step)
        elif kind == 7:
            type = "long"
            base = self.pick((0, 2**31 - 2, -3, 2**62))
            self.open("for (long %s = %dL; %s < %dL; %s++)", i, base, i, base + count, i)
        elif kind == 8:
            type = self.pick(("short", "char", "byte"))
            self.open("for (%s %s = 1; %s <= %d; %s++)", type, i, i, count, i)
        elif kind == 9:  # ends by overflow
            self.open("for (int %s = Integer.MAX_VALUE - %d; %s > 0; %s++)", i, count - 1, i, i)
        elif kind == 10:
            self.line("int %s = %d;", i, count)
            self.open("while (%s > 0)", i)
            self.line("%s--;", i)
        else:
            a = self.pick(s.readable("int[]") or [Var("sInts", "int[]")]).text
            self.open("for (int %s = 0; %s < %s.length && %s < %d; %s++)", i, i, a, i, count, i)
        t.vars.append(Var(i, type, False))
        return i

    def loop(self, s, depth, result, labels, label=None):
        count = self.pick((2, 3, 4, 5, 8, 8, 16, 40))
        if s.cost + s.times * count * 4 > Scope.LIMIT:
            return self.conditional(s, depth, result, labels)
        t = self.inner(s)
        t.times = s.times * count
        jumps = ["break", "continue"] + [x for x in labels if " " in x]
        if self.chance(12) and label is None:
            i = self.name("i")
            self.line("int %s = 0;", i)
            self.open("do")
            t.vars.append(Var(i, "int", False))
            jumps.remove("continue")
            self.block(t, self.r.randrange(1, 4), depth - 1, result, jumps)
            self.close("} while (++%s < %d && %s);" % (i, count, self.value(t, "boolean", 2)))
        else:
            if label is not None:
                jumps += ["break " + label, "continue " + label]
            self.loop_head(s, t, count)
            self.block(t, self.r.randrange(1, 5), depth - 1, result, jumps)
            self.close()
        s.cost = t.cost

    def labelled(self, s, depth, result, labels):
        label = self.name("L")
        if self.chance(30):
            self.open("%s:", label)
            self.block(s, 3, depth - 1, result, list(labels) + ["break " + label])
            self.close()
        else:
            at = len(self.lines)
            self.loop_labelled(s, depth, result, labels, label, at)

    def loop_labelled(self, s, depth, result, labels, label, at):
        """A label belongs before the loop statement, which may not be on its first line."""
        self.loop(s, depth, result, labels, label)
        for n in range(at, len(self.lines)):
            text = self.lines[n].lstrip()
            if text.startswith(("for (", "while (", "if (")):
                self.lines[n] = self.lines[n].replace(text, label + ": " + text)
                return

    def each(self, s, depth, result, labels):
        type = self.pick(("int", "long", "byte", "char", "String", "double", "int[]"))
        arrays = s.readable(type + "[]")
        if not arrays or s.cost + s.times * 32 > Scope.LIMIT:
            return self.mix(s)
        t = self.inner(s)
        t.times = s.times * 8
        name = self.name("e")
        self.open("for (%s %s : %s)", type, name, self.pick(arrays).text)
        t.vars.append(Var(name, type, self.chance(50)))
        self.block(t, self.r.randrange(1, 4), depth - 1, result, ["break", "continue"] + [x for x in labels if " " in x])
        self.close()
        s.cost = t.cost

    def array_loop(self, s, *_):
        """Loops that compilers optimise most: sums, fills, copies and stencils, forwards and backwards."""
        type = self.pick(("int", "int", "long", "double", "float", "byte", "short", "char"))
        arrays = s.readable(type + "[]")
        if not arrays or s.cost + s.times * 24 > Scope.LIMIT:
            return self.mix(s)
        s.cost += 24 * s.times
        a, b, i = self.pick(arrays).text, self.pick(arrays).text, self.name("i")
        t = self.inner(s)
        t.vars.append(Var(i, "int", False))
        step = self.pick((1, 1, 1, 2, 3))
        if self.chance(60):
            self.open("for (int %s = %d; %s < %s.length; %s += %d)", i, self.pick((0, 0, 1, 2)), i, a, i, step)
        else:
            self.open("for (int %s = %s.length - 1; %s >= %d; %s -= %d)", i, a, i, self.pick((0, 0, 1, -1)), i, step)
        at = self.pick(("", "", "", " - 1", " + 1"))
        what = self.r.randrange(5)
        acc = s.writable("int") + s.writable("long") + s.writable("double")
        if what == 0:
            self.line("%s[%s] = (%s) (%s[%s%s] %s %s);", a, i, type, b, i, at, self.pick("+-*"), i)
        elif what == 1:
            self.line("%s[%s] %s %s;", a, i, self.pick(("=", "+=")), self.value(t, type, 2))
        elif what == 2 or not acc:
            self.line("%s[%s] = %s[%s.length - 1 - %s];", a, i, b, b, i)
        else:
            self.line("%s += %s[%s%s] * %s;", self.pick(acc).text, a, i, at if what == 3 else "", self.pick((b + "[%s]" % i, i, "3")))
        self.close()

    def library(self, s, *_):
        """Calls of methods that VMs implement themselves."""
        type = self.pick(("int", "long", "byte", "char", "double", "short"))
        arrays = s.readable(type + "[]")
        if not arrays:
            return self.mix(s)
        s.cost += 8 * s.times
        a, b = self.pick(arrays).text, self.pick(arrays).text
        small = lambda: "%s & %d" % (self.value(s, "int", 2), self.pick((1, 3, 3, 7)))
        what = self.r.randrange(9)
        if what < 3:
            self.line("System.arraycopy(%s, %s, %s, %s, %s);", a, small(), b, small(), small())
        elif what == 3:
            self.line("Trail.mix(Arrays.hashCode(%s.clone()));", a)
        elif what == 4:
            self.line("Trail.mix(Arrays.equals(%s, Arrays.copyOf(%s, %s)));", a, b, small())
        elif what == 5:
            self.line("Arrays.fill(%s, %s);", a, self.value(s, type, 2))
        elif what == 6:
            self.line("Trail.mix(Arrays.compare(%s, %s));", a, b)
        elif what == 7:
            self.line("Trail.mix(Math.fma(%s, %s, %s));", *(self.value(s, "double", 2) for _ in range(3)))
        else:
            self.line("Trail.mix(%s.getClass().getName());", self.receiver(s, self.pick(("Base", "Object", "String")), 1))

    def switch_statement(self, s, depth, result, labels):
        kind = self.r.randrange(4)
        if kind == 0:
            head, cases = self.value(s, "String", 2), ['"zero"', '"one"', '"Two"', '""', '"a"']
        elif kind == 1:
            head, cases = self.value(s, "Color", 2), ["RED", "BLUE", "GREY"]
        elif kind == 2:
            head, cases = self.value(s, "int"), [str(x) for x in self.r.sample((0, 1, -1, 1000, 77, -2**31, 2**31 - 1, 255), 4)]
        else:
            first = self.r.randrange(-2, 3)
            head, cases = "%s & 7" % self.value(s, "int"), [str(first + x) for x in range(5)]
        if len(cases) > 4:
            cases = cases[self.r.randrange(2):4 + self.r.randrange(2)]
        self.open("switch (%s)", head)
        jumps = ["break"] + [x for x in labels if x != "break"]
        for case in cases + ["default"] * self.chance(70):
            self.line("case %s:" % case if case != "default" else "default:")
            self.indent += 1
            self.open("")
            self.block(s, 1, depth - 1, result, jumps)
            self.close()
            if self.chance(65):
                self.line("break;")
            self.indent -= 1
        self.close()

    def attempt(self, s, depth, result, labels):
        self.open("try")
        self.block(s, self.r.randrange(1, 4), depth - 1, result, labels)
        if self.chance(15):
            self.line("Oops.check(%s);", self.value(s, "int", 2))
            kinds = ["Checked"]
        else:
            kinds = []
        kinds += self.r.sample(("ArithmeticException", "ArrayIndexOutOfBoundsException", "NullPointerException",
                                "ClassCastException", "Oops", "IllegalStateException | StringIndexOutOfBoundsException",
                                "NegativeArraySizeException"), self.r.randrange(0, 3))
        ends = self.chance(45) or not kinds
        if self.chance(35):
            kinds.append("RuntimeException")
        for kind in kinds:
            name = self.name("ex")
            self.close("} catch (%s %s) {" % (kind, name))
            self.indent += 1
            self.line("Trail.caught(%s);", name)
            if kind == "Oops":
                self.line("Trail.mix(%s.code);", name)
            self.block(s, self.r.randrange(0, 3), depth - 1, result, labels)
            if self.chance(10):
                self.line("if (%s) throw %s;", self.value(s, "boolean", 2), name if kind != "Checked" else "new Oops(4)")
            if self.chance(8):
                self.line("if (%s) throw new IllegalStateException(\"again\", %s);", self.value(s, "boolean", 2), name)
        if ends:
            self.close("} finally {")
            self.indent += 1
            self.block(s, self.r.randrange(1, 3), depth - 1, result if self.chance(15) else None,
                       labels if self.chance(15) else ())
        self.close()

    def locked(self, s, depth, result, labels):
        lock = self.pick((["this"] if s.instance else []) + ["sLock", "sLock", "sInts", self.receiver(s, "Base", 1)])
        self.open("synchronized (%s)", lock)
        self.block(s, self.r.randrange(1, 4), depth - 1, result, labels)
        self.close()

    # ---- library ----

    def lambda_statement(self, s, *_):
        """A lambda that is made and called: captures fixed locals and, in instance methods, this."""
        type, parameter, result, call = self.pick((
            ("IntUnaryOperator", "int", "int", "applyAsInt"), ("LongUnaryOperator", "long", "long", "applyAsLong"),
            ("DoubleUnaryOperator", "double", "double", "applyAsDouble"), ("IntToLongFunction", "int", "long", "applyAsLong"),
            ("Function<String, Integer>", "String", "Integer", "apply"), ("IntFunction<String>", "int", "String", "apply"),
            ("UnaryOperator<String>", "String", "String", "apply"), ("IntPredicate", "int", "boolean", "test")))
        name = self.name("fn")
        p = self.name("y")
        t = self.inner(s)
        t.captured = True
        t.vars.append(Var(p, parameter, False, True))
        references = {"IntUnaryOperator": ("Math::abs", "Integer::bitCount", "sShape::area"), "LongUnaryOperator": ("Math::abs", "Long::reverse"),
                      "IntFunction<String>": ("Integer::toString", "String::valueOf"), "UnaryOperator<String>": ("String::trim", "Trail::cut"),
                      "DoubleUnaryOperator": ("Math::sqrt",)}
        if type in references and self.chance(25):
            self.line("%s %s = %s;", type, name, self.pick(references[type]))
        elif self.chance(70):
            self.line("%s %s = %s -> %s;", type, name, p, self.value(t, result))
        else:
            self.open("%s %s = %s ->", type, name, p)
            self.line("%s = %s;", *self.some_store(t))
            self.line("return %s;", self.value(t, result))
            self.close("};")
        times = self.pick((1, 1, 6))
        if times > 1:
            i = self.name("i")
            self.open("for (int %s = 0; %s < %d; %s++)", i, i, times, i)
        self.line("Trail.mix(%s.%s(%s));", name, call, self.value(s, parameter, 2))
        if times > 1:
            self.close()
        s.cost += 10 * times * s.times

    def some_store(self, s):
        v = self.pick(s.writable("int") + s.writable("long") + [Var("sInt", "int")])
        return v.text, self.value(s, v.type, 2)

    def builder(self, s, *_):
        name = self.name("sb").replace("s", "b", 1)
        self.line("StringBuilder %s = new StringBuilder(%s);", name, self.pick(("", '"<"', "3")))
        for _ in range(self.r.randrange(1, 5)):
            self.line("%s.append(%s);", name, self.value(s, self.pick(PRIMITIVE + ("String", "Integer")), 2))
        self.line("Trail.mix(%s.%s);", name, self.pick(("toString()", "reverse().toString()", "length()", "insert(0, 'q').toString()")))
        s.cost += 5 * s.times

    def collection(self, s, depth, result, labels):
        name, i = self.name("c"), self.name("i")
        kind = self.r.randrange(3)
        s.cost += 60 * s.times
        if kind == 0:
            self.line("ArrayList<Integer> %s = new ArrayList<>();", name)
            self.line("for (int %s = 0; %s < 6; %s++) %s.add(%s);", i, i, i, name, self.value(s, "int", 2))
            self.line("Collections.sort(%s); Trail.mix(%s);", name, name)
            self.line("Trail.mix(%s.get(%s));", name, self.index(s, name, 2))
        elif kind == 1:
            self.line("HashMap<String, Long> %s = new HashMap<>();", name)
            self.line("for (int %s = 0; %s < 5; %s++) %s.merge(\"k\" + (%s & 3), %s, Long::sum);", i, i, i, name,
                      self.value(s, "int", 2), self.value(s, "long", 2))
            self.line("Trail.mix(%s);", name)
        else:
            self.line("Box<Long> %s = new Box<>(%s);", name, self.value(s, "long", 2))
            self.line("Trail.mix(%s.max(%s) + %s.get());", name, self.value(s, "long", 2), name)
