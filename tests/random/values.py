"""Random Java expressions of a given type.

A Scope tells what an expression may read, write and call. Expressions throw with small probability (division, array
indexes, casts, null). They always terminate, because calls go only to methods generated before, and their cost is added
up (Scope.afford)."""

INTEGRAL = ("byte", "short", "char", "int", "long")
NUMERIC = INTEGRAL + ("float", "double")
PRIMITIVE = NUMERIC + ("boolean",)
BOXED = {"Integer": "int", "Long": "long", "Double": "double", "Character": "char", "Boolean": "boolean"}

INTS = ["0", "1", "(-1)", "2", "3", "5", "7", "10", "31", "32", "33", "63", "64", "100", "127", "128", "(-128)", "255", "256",
        "1000", "32767", "32768", "(-32768)", "65535", "65536", "Integer.MAX_VALUE", "Integer.MIN_VALUE",
        "0x55555555", "0xcafebabe", "(int) 'x'"]
LONGS = ["0L", "1L", "(-1L)", "2L", "10L", "31L", "63L", "64L", "255L", "65536L", "0x7fffffffL", "0x80000000L",
         "0xffffffffL", "0x100000000L", "Long.MAX_VALUE", "Long.MIN_VALUE", "0x123456789abcdefL", "(-1000000007L)"]
FLOATS = ["0f", "(-0f)", "1f", "(-1f)", "0.5f", "3.14159f", "1e10f", "1e-10f", "Float.NaN", "Float.MAX_VALUE", "Float.MIN_VALUE",
          "Float.POSITIVE_INFINITY", "Float.NEGATIVE_INFINITY", "16777217f", "2.1474836e9f", "1.4e-45f"]
DOUBLES = ["0.0", "(-0.0)", "1.0", "(-1.0)", "0.1", "2.718281828", "1e100", "1e-100", "Double.NaN", "Double.MAX_VALUE",
           "Double.MIN_VALUE", "Double.POSITIVE_INFINITY", "Double.NEGATIVE_INFINITY", "4294967296.5",
           "9.223372036854775807e18", "2147483647.999", "1e-310"]
STRINGS = ['""', '"a"', '"zero"', '"one"', '"Two"', '"\\u20ac"', '"x1y2"', '((String) null)', '"  pad "']
INT_FUNCTIONS = ["Integer.bitCount(%s)", "Integer.numberOfLeadingZeros(%s)", "Integer.numberOfTrailingZeros(%s)",
                 "Integer.reverse(%s)", "Integer.reverseBytes(%s)", "Integer.highestOneBit(%s)", "Integer.signum(%s)",
                 "Math.abs(%s)", "Character.getNumericValue(%s)", "Math.negateExact(%s)"]
INT_FUNCTIONS2 = ["Math.max(%s, %s)", "Math.min(%s, %s)", "Integer.compare(%s, %s)", "Integer.rotateLeft(%s, %s)",
                  "Math.floorMod(%s, %s)", "Math.floorDiv(%s, %s)", "Integer.compareUnsigned(%s, %s)",
                  "Integer.divideUnsigned(%s, %s)", "Integer.remainderUnsigned(%s, %s)", "Math.addExact(%s, %s)",
                  "Math.multiplyExact(%s, %s)", "Math.subtractExact(%s, %s)", "Objects.checkIndex(%s, %s)"]
LONG_FUNCTIONS = ["Long.reverse(%s)", "Math.abs(%s)", "Long.highestOneBit(%s)", "Long.reverseBytes(%s)", "Math.negateExact(%s)"]
LONG_FUNCTIONS2 = ["Math.max(%s, %s)", "Math.min(%s, %s)", "Math.floorMod(%s, %s)", "Math.floorDiv(%s, %s)",
                   "Long.divideUnsigned(%s, %s)", "Math.addExact(%s, %s)", "Math.multiplyExact(%s, %s)",
                   "Math.multiplyHigh(%s, %s)", "Long.remainderUnsigned(%s, %s)"]
REAL_FUNCTIONS = ["Math.abs(%s)", "Math.sqrt(%s)", "Math.floor(%s)", "Math.ceil(%s)", "Math.rint(%s)", "Math.signum(%s)",
                  "Math.ulp(%s)"]
REAL_FUNCTIONS2 = ["Math.max(%s, %s)", "Math.min(%s, %s)", "Math.copySign(%s, %s)"]


class Var:
    """A readable value: `text` is a Java expression; `writable` means that it is also an lvalue; `fixed`, a local that
    may be captured. Names of fields begin with s, v or t (this); those of locals do not."""

    def __init__(self, text, type, writable=True, fixed=False):
        self.text, self.type, self.writable, self.fixed = text, type, writable, fixed


class Method:
    """A callable method: `text` has %s for each argument, and follows a receiver of type `owner` if that is not
    None."""

    def __init__(self, text, params, result, cost, owner=None):
        self.text, self.params, self.result, self.cost, self.owner = text, params, result, cost, owner


class Scope:
    LIMIT = 2500  # statements in one call of a method, including its callees

    def __init__(self, vars, methods, classes=()):
        self.vars = list(vars)
        self.methods = list(methods)
        self.classes = tuple(classes)  # subclasses of Base, for casts
        self.cost = 0
        self.times = 1      # product of the enclosing loops' counts
        self.captured = False  # in a lambda: locals are read only

    def afford(self, cost):
        if self.cost + self.times * cost > self.LIMIT:
            return False
        self.cost += self.times * cost
        return True

    def readable(self, type):
        return [v for v in self.vars if v.type == type and (v.fixed or not self.captured or v.text[0] in "svt")]

    def writable(self, type):
        return [v for v in self.vars if v.type == type and v.writable and not (self.captured and v.text[0] not in "svt")]


class Values:
    def __init__(self, random):
        self.r = random

    def chance(self, percent):
        return self.r.randrange(100) < percent

    def pick(self, items):
        return items[self.r.randrange(len(items))]

    def any_type(self):
        return self.pick(("int", "int", "int", "int", "long", "long", "double", "float", "boolean", "byte", "short",
                          "char", "String", "Integer", "Long"))

    # ---- entry ----

    def value(self, s, type, depth=3):
        """An expression of exactly the given static type."""
        if depth <= 0:
            return self.leaf(s, type)
        if type in PRIMITIVE or type == "String":
            if self.chance(25):
                return self.leaf(s, type)
            special = self.special(s, type, depth)
            if special is not None:
                return special
            return getattr(self, "a_" + type)(s, depth)
        return self.reference(s, type, depth)

    def leaf(self, s, type):
        known = s.readable(type)
        if known and self.chance(88):
            return self.pick(known).text
        return self.constant(type)

    def constant(self, type):
        if type == "int":
            return self.pick(INTS) if self.chance(70) else "%d" % self.r.randrange(20)
        if type == "long":
            return self.pick(LONGS)
        if type == "float":
            return self.pick(FLOATS)
        if type == "double":
            return self.pick(DOUBLES)
        if type == "boolean":
            return self.pick(("true", "false"))
        if type in ("byte", "short", "char"):
            return "(%s) %s" % (type, self.pick(INTS))
        if type == "String":
            return self.pick(STRINGS)
        if type in BOXED:
            if self.chance(8):
                return "(%s) null" % type
            return "%s.valueOf(%s)" % (type, self.constant(BOXED[type]))
        if type.endswith("[][]"):
            return "new %s[%d][%d]" % (type[:-4], self.r.randrange(4), self.r.randrange(4))
        if type.endswith("[]"):
            if type[:-2] in NUMERIC and self.chance(60):
                return "new %s {%s}" % (type, ", ".join(self.constant(type[:-2]) for _ in range(self.r.randrange(1, 6))))
            return "new %s[%d]" % (type[:-2], self.r.randrange(9))
        if type == "Color":
            return "Color." + self.pick(("RED", "GREEN", "BLUE", "GREY"))
        if type == "Point":
            return "new Point(%s, %s, %s)" % (self.constant("int"), self.constant("long"), self.constant("String"))
        if type in ("Base", "D1", "D2", "D3", "Shape"):
            name = self.pick({"Base": ("D1", "D2", "D3"), "Shape": ("D1", "D2", "D3"), "D1": ("D1", "D2"), "D2": ("D2",),
                              "D3": ("D3",)}[type])
            return "new %s(%s)" % (name, self.constant("int"))
        assert type == "Object", type
        return "((Object) %s)" % self.pick((
            '"obj"', self.constant("int"), "null", "new int[2]", "Color.RED", "new D1(1)", "new Point(1, 2L, null)", "'c'", "1.5"))

    # ---- what every primitive type has ----

    def special(self, s, type, depth):
        """Conditionals, calls, array elements, assignments and casts; None: use the type's operators."""
        what = self.r.randrange(100)
        if what < 7:
            return "(%s ? %s : %s)" % (self.value(s, "boolean", depth - 1), self.value(s, type, depth - 1),
                                       self.value(s, type, depth - 1))
        if what < 20:
            return self.call(s, type, depth)
        if what < 30:
            return self.element(s, type, depth)
        if what < 36:
            return self.assignment(s, type, depth)
        if what < 40 and type != "String":
            return self.unboxed(s, type, depth)
        if what < 43:
            return self.switch(s, type, depth)
        if what < 46 and depth > 1:
            return self.member(s, type, depth)
        return None

    def call(self, s, type, depth):
        if s.captured:
            return None
        fit = [m for m in s.methods if m.result == type]
        if not fit:
            return None
        m = self.pick(fit)
        if not s.afford(m.cost + 1):
            return None
        call = m.text % tuple(self.value(s, p, depth - 1) for p in m.params)
        return call if m.owner is None else "%s.%s" % (self.receiver(s, m.owner, depth), call)

    def receiver(self, s, type, depth):
        text = self.reference(s, type, min(depth - 1, 1))
        return "(%s)" % text if text.startswith("new ") or text.startswith("(") else text

    def index(self, s, array, depth):
        if self.chance(6):
            return self.value(s, "int", depth - 1)
        mask = self.pick((1, 3, 3, 7))
        return "%s & %d" % (self.value(s, "int", depth - 1), mask)

    def element(self, s, type, depth):
        arrays = s.readable(type + "[]")
        twice = s.readable(type + "[][]")
        if twice and self.chance(30):
            a = self.pick(twice).text
            return "%s[%s][%s]" % (a, self.index(s, a, depth), self.index(s, a, depth))
        if not arrays:
            return None
        a = self.pick(arrays).text
        return "%s[%s]" % (a, self.index(s, a, depth))

    def assignment(self, s, type, depth):
        fit = s.writable(type)
        if not fit:
            return None
        v = self.pick(fit).text
        if type in NUMERIC and self.chance(60):
            return self.pick(("(%s++)", "(++%s)", "(%s--)", "(--%s)")) % v
        if type == "String":
            return "(%s = Trail.cut(%s))" % (v, self.value(s, type, depth - 1))
        if type in NUMERIC and self.chance(50):
            op = self.pick(("+=", "-=", "*=", "/=") if type in ("float", "double")
                           else ("+=", "-=", "*=", "/=", "%=", "<<=", ">>=", ">>>=", "&=", "|=", "^="))
            right = self.pick(("int", type))
            if type in INTEGRAL and op not in ("/=", "%=") and self.chance(10) and op in ("+=", "-=", "*="):
                right = "double"
            return "(%s %s %s)" % (v, op, self.value(s, right, depth - 1))
        return "(%s = %s)" % (v, self.value(s, type, depth - 1))

    def unboxed(self, s, type, depth):
        for box, primitive in BOXED.items():
            if primitive == type:
                if self.chance(50):
                    return "(%s) %s" % (type, self.value(s, box, depth - 1))
                return "%s.%sValue()" % (self.receiver(s, box, depth), type)
        return None

    def switch(self, s, type, depth):
        if depth < 2:
            return None
        value = lambda: self.value(s, type, depth - 2)
        if self.chance(25):
            return "(switch (%s) { case RED -> %s; case GREEN, BLUE -> %s; case GREY -> %s; })" % (
                self.value(s, "Color", 1), value(), value(), value())
        labels = self.r.sample(range(-2, 12) if self.chance(70) else [-2**31, -100, 0, 9, 1000, 2**31 - 1, 77777], 4)
        return "(switch (%s) { case %d -> %s; case %d, %d -> %s; case %d -> %s; default -> %s; })" % (
            self.value(s, "int", depth - 1), labels[0], value(), labels[1], labels[2], value(), labels[3], value(), value())

    def member(self, s, type, depth):
        fields = {"int": ("%s.a", "Base"), "long": ("%s.b", "Base"), "double": ("%s.c", "Base"), "byte": ("%s.d", "Base"),
                  "String": ("%s.s()", "Point"), "boolean": ("%s.flag", "Base"), "char": ("%s.ch", "Base"),
                  "short": ("%s.sh", "Base"), "float": ("%s.f", "Base")}
        if type not in fields:
            return None
        text, owner = fields[type]
        if type == "int" and self.chance(50):
            text, owner = self.pick((("%s.x()", "Point"), ("%s.weight", "Color"), ("%s.ordinal()", "Color"), ("%s.v", "Base"),
                                     ("%s.hashCode()", "Point")))
        if type == "long" and self.chance(40):
            text, owner = "%s.y()", "Point"
        return text % self.receiver(s, owner, depth)

    # ---- operators ----

    def a_int(self, s, depth):
        v = lambda: self.value(s, "int", depth - 1)
        what = self.r.randrange(100)
        if what < 45:
            return "(%s %s %s)" % (v(), self.pick(("+", "-", "*", "&", "|", "^", "+", "-", "*")), v())
        if what < 55:
            right = v() if self.chance(25) else "(%s | 1)" % v()
            return "(%s %s %s)" % (v(), self.pick(("/", "%")), right)
        if what < 67:
            shift = v() if self.chance(70) else self.value(s, "long", depth - 1)
            return "(%s %s %s)" % (v(), self.pick(("<<", ">>", ">>>")), shift)
        if what < 72:
            return self.pick(("(-%s)", "(~%s)")) % v()
        if what < 80:
            return "(int) %s" % self.value(s, self.pick(("long", "float", "double", "char", "byte")), depth - 1)
        if what < 83:
            return self.pick(INT_FUNCTIONS) % v()
        if what < 86:
            return self.pick(INT_FUNCTIONS2) % (v(), v())
        if what < 88:
            return self.pick(("Long.compare(%s, %s)", "Long.signum(%s ^ %s)", "Long.bitCount(%s + %s)")) % (
                self.value(s, "long", depth - 1), self.value(s, "long", depth - 1))
        if what < 90:
            return self.pick(("Float.floatToIntBits(%s)", "Math.round(%s)")) % self.value(s, "float", depth - 1)
        if what < 92:
            return "Double.compare(%s, %s)" % (self.value(s, "double", depth - 1), self.value(s, "double", depth - 1))
        if what < 95:
            return self.of_string(s, depth)
        arrays = [x for t in {x.type for x in s.vars} if t.endswith("[]") for x in s.readable(t)]
        if arrays and what < 98:
            return "%s.length" % self.pick(sorted(x.text for x in arrays))
        return "(int) %s" % self.value(s, self.pick(("byte", "short", "char")), depth - 1)

    def of_string(self, s, depth):
        string = self.receiver(s, "String", depth)
        return self.pick(("%s.length()", "%s.hashCode()", "%s.indexOf('e')", "(int) %s.charAt(1)", "(int) %s.charAt(0)",
                          '%s.compareTo("one")', "Objects.hashCode(%s)")) % string

    def a_long(self, s, depth):
        v = lambda: self.value(s, "long", depth - 1)
        what = self.r.randrange(100)
        if what < 45:
            return "(%s %s %s)" % (v(), self.pick(("+", "-", "*", "&", "|", "^")), v())
        if what < 52:
            right = v() if self.chance(25) else "(%s | 1L)" % v()
            return "(%s %s %s)" % (v(), self.pick(("/", "%")), right)
        if what < 65:
            return "(%s %s %s)" % (v(), self.pick(("<<", ">>", ">>>")), self.value(s, self.pick(("int", "long")), depth - 1))
        if what < 70:
            return self.pick(("(-%s)", "(~%s)")) % v()
        if what < 88:
            return "(long) %s" % self.value(s, self.pick(("int", "int", "float", "double", "char")), depth - 1)
        if what < 92:
            return self.pick(LONG_FUNCTIONS) % v()
        if what < 96:
            return self.pick(LONG_FUNCTIONS2) % (v(), v())
        return self.pick(("Double.doubleToLongBits(%s)", "Math.round(%s)")) % self.value(s, "double", depth - 1)

    def real(self, s, type, depth, suffix):
        v = lambda: self.value(s, type, depth - 1)
        what = self.r.randrange(100)
        if what < 55:
            return "(%s %s %s)" % (v(), self.pick(("+", "-", "*", "/", "%")), v())
        if what < 60:
            return "(-%s)" % v()
        if what < 85:
            other = self.pick(("int", "long", "double" if type == "float" else "float", "short"))
            return "(%s) %s" % (type, self.value(s, other, depth - 1))
        if what < 93:
            return "(%s) %s" % (type, self.pick(REAL_FUNCTIONS) % v())
        if what < 97:
            return self.pick(REAL_FUNCTIONS2) % (v(), v())
        if type == "float":
            return "Float.intBitsToFloat(%s)" % self.value(s, "int", depth - 1)
        return self.pick(("Double.longBitsToDouble(%s)", "(double) %s")) % self.value(s, "long", depth - 1)

    def a_float(self, s, depth):
        return self.real(s, "float", depth, "f")

    def a_double(self, s, depth):
        return self.real(s, "double", depth, "")

    def narrow(self, s, type, depth):
        return "(%s) %s" % (type, self.value(s, self.pick(("int", "int", "long", "double", "float")), depth - 1))

    def a_byte(self, s, depth):
        return self.narrow(s, "byte", depth)

    def a_short(self, s, depth):
        return self.narrow(s, "short", depth)

    def a_char(self, s, depth):
        return self.narrow(s, "char", depth)

    def a_boolean(self, s, depth):
        v = lambda t: self.value(s, t, depth - 1)
        what = self.r.randrange(100)
        if what < 50:
            t = self.pick(("int", "int", "long", "float", "double", "char", "byte"))
            return "(%s %s %s)" % (v(t), self.pick(("<", "<=", ">", ">=", "==", "!=")), v(t))
        if what < 68:
            return "(%s %s %s)" % (v("boolean"), self.pick(("&&", "||", "&", "|", "^", "==", "!=")), v("boolean"))
        if what < 75:
            return "!%s" % v("boolean")
        if what < 80:
            return "Double.isNaN(%s)" % v("double")
        if what < 85:
            return self.pick(("Objects.equals(%s, %s)", "(%s == %s)")) % (v("Object"), "null" if self.chance(40) else v("Object"))
        if what < 94:
            type = self.pick(("Base", "D1", "D2", "Shape", "Integer", "String", "int[]", "Comparable<?>", "Object[]"))
            return "(%s instanceof %s)" % (self.reference(s, "Object", depth - 1, plain=True), type)
        return "%s.startsWith(%s)" % (self.receiver(s, "String", depth), self.pick(('"o"', '"a"', '""')))

    def a_String(self, s, depth):
        v = lambda t: self.value(s, t, depth - 1)
        what = self.r.randrange(100)
        if what < 45:
            return "(%s + %s)" % (v("String"), v(self.any_type()))
        if what < 70:
            return "String.valueOf(%s)" % v(self.pick(PRIMITIVE))
        if what < 80:
            return '(%s + "-" + %s + %s)' % (v(self.any_type()), v(self.any_type()), v("char"))
        if what < 86:
            return "Integer.toHexString(%s)" % v("int")
        receiver = self.receiver(s, "String", depth)
        return self.pick(("%s.trim()", "%s.toUpperCase()", "%s.substring(1)", "%s.concat(\"q\")", "%s.replace('o', 'u')",
                          "%s.substring(0, 2)", "%s.repeat(2)")) % receiver

    # ---- references ----

    def reference(self, s, type, depth, plain=False):
        if type == "String" or type in PRIMITIVE:
            return self.leaf(s, type) if depth <= 0 else self.value(s, type, depth)
        known = s.readable(type)
        if plain:
            known = [v for v in s.vars if v.type == "Object" and not s.captured] or s.readable("Object")
            return self.pick(known).text if known else '((Object) "plain")'
        what = self.r.randrange(100)
        if type in BOXED and depth > 0 and what < 60:
            return "(%s) %s" % (type, self.value(s, BOXED[type], depth - 1))
        if known and what < 80:
            return self.pick(known).text
        if depth > 0 and what < 82 and type in ("D1", "D2", "D3", "String", "Integer", "Point"):
            return "((%s) %s)" % (type, self.reference(s, "Object", 0, plain=True))
        if depth > 0 and what < 92 and type == "Object":
            return "(Object) %s" % self.value(s, self.pick(("int", "String", "Base", "double", "Color", "int[]")), depth - 1)
        if depth > 0 and what < 86 and type == "Base":
            return self.receiver(s, "Base", 0) + ".next"
        return self.constant(type)
