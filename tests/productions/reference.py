"""A second opinion about which instructions productions match: slow, and written from the text of docs/PRODUCTIONS.md
alone. Instructions come from javap, expressions are trees of Python."""
import fnmatch, os, re, subprocess

INVOKES = ("invokevirtual", "invokespecial", "invokestatic", "invokeinterface", "invokedynamic")
NEWS = ("new", "newarray", "anewarray", "multianewarray")
CONDITIONS = ("ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple if_acmpeq"
              " if_acmpne ifnull ifnonnull").split()
SWITCHES = ("tableswitch", "lookupswitch")
JUMPS = ("goto", "goto_w", "jsr", "jsr_w")
PRIMITIVES = dict(zip("BCDFIJSZV", "byte char double float int long short boolean void".split()))
ELEMENTS = dict(i="int", l="long", f="float", d="double", a="object", b="byte", c="char", s="short")


class Method:
    def __init__(self, cls, name, desc):
        self.cls, self.name, self.desc = cls, name, desc
        self.code, self.lines = [], []  # (bci, opcode, comment, operands, targets)

    def text(self):
        return "%s.%s%s" % (self.cls, self.name, self.desc)


def type_name(desc):
    dims = len(desc) - len(desc.lstrip("["))
    element = desc[dims:]
    element = PRIMITIVES[element] if len(element) == 1 else element[1:-1].replace("/", ".")
    return element + "[]" * dims


def read(files):
    """The methods of class files."""
    done = subprocess.run(["javap", "-p", "-v", *files], stdout=subprocess.PIPE, text=True, check=True, timeout=120)
    methods, cls, method, name, part = [], None, None, None, None
    for line in done.stdout.splitlines():
        if line.startswith("  this_class:"):
            cls = line.split("//")[1].strip().strip('"').replace("/", ".")
        elif re.match(r"  [a-zA-Z_$].*;$", line) and ("(" in line or line.strip() == "static {};"):
            head = line
            while re.search(r"<[^<>]*>", head):
                head = re.sub(r"<[^<>]*>", "", head)
            name = "<clinit>" if "{}" in line else re.search(r"([\w$.]+)\(", head).group(1)
            if name == cls:
                name = "<init>"
            part = None
        elif line.startswith("    descriptor: (") and name:
            method = Method(cls, name, line.split(": ")[1])
            methods.append(method)
            name = None
        elif re.match(r"    \S", line):
            part = line.strip()
        elif re.match(r"      \S", line) and line.strip() == "LineNumberTable:":
            part = "lines"
        elif re.match(r"      [A-Z]\w+:", line):
            part = None
        elif part == "lines":
            found = re.match(r"        line (\d+): (\d+)", line)
            if found:
                method.lines.append((int(found.group(2)), int(found.group(1))))
        elif part == "Code:":
            found = re.match(r"\s+(\d+): ([a-z]\w*)\s*(.*)", line)
            if found:
                bci, opcode, rest = int(found.group(1)), found.group(2), found.group(3)
                operands, _, comment = rest.partition("//")
                if opcode.endswith("_w") and opcode not in ("goto_w", "jsr_w", "ldc_w", "ldc2_w"):
                    opcode = opcode[:-2]
                targets = [int(operands)] if opcode in CONDITIONS + list(JUMPS) else []
                method.code.append((bci, opcode, comment.strip(), operands.strip(), targets))
            else:
                found = re.match(r"\s+(-?\d+|default): (\d+)$", line)
                if found and method.code and method.code[-1][1] in SWITCHES:
                    method.code[-1][4].append(int(found.group(2)))
    return methods


def place_of(opcode):
    if opcode in INVOKES: return "call"
    if opcode in ("getfield", "getstatic"): return "get"
    if opcode in ("putfield", "putstatic"): return "put"
    if re.fullmatch("[ilfdabcs]aload", opcode): return "array_load"
    if re.fullmatch("[ilfdabcs]astore", opcode): return "array_store"
    if opcode in CONDITIONS or opcode in SWITCHES: return "branch"
    if opcode in JUMPS: return "jump"
    if re.fullmatch("[ilfda]?return", opcode): return "return"
    if opcode == "monitorenter": return "monitor_enter"
    if opcode == "monitorexit": return "monitor_exit"
    if opcode == "athrow": return "throw"
    return "allocation" if opcode in NEWS else "other"


def line_of(method, bci):
    found, start = -1, -1
    for at, line in method.lines:
        if start <= at <= bci:
            found, start = line, at
    return found


def matches(pattern, text):
    pattern, text = pattern.replace("/", "."), text.replace("/", ".")
    return fnmatch.fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


def member(method, comment):
    """Class, name and descriptor that an instruction names."""
    found = re.match(r'(?:Interface)?(?:Method|Field|InvokeDynamic) (.*)', comment)
    name, _, desc = found.group(1).replace('"', "").rpartition(":")
    if comment.startswith("InvokeDynamic"):
        return "." + name.split(":")[1], desc
    slash = name.rfind(".")
    return (name if slash >= 0 else method.cls + "." + name), desc


class Place:
    def __init__(self, method, at, place, secondary):
        self.method, self.place, self.secondary = method, place, secondary
        self.bci, self.opcode, self.comment, self.operands, self.targets = at if at else (-1, None, "", "", [])

    def atom(self, kind, equal, right):
        """Is it true? None: only the running program knows."""
        if self.place == "entry" and kind in ("opcode", "line", "bci"): return False  # there is nothing to compare with
        value = self.value(kind, right)
        return value if value is None or equal else not value

    def value(self, kind, right):
        m = self.method
        if kind == "class_word": return self.is_class(right)
        if kind == "method": return matches(right, m.cls + "." + m.name + (m.desc if "(" in right else ""))
        if kind == "class": return matches(right, m.cls)
        if self.place == "entry": return False
        if kind == "opcode": return self.opcode == right
        if kind == "line": return line_of(m, self.bci) == right
        if kind == "bci": return self.bci == right
        if kind == "callee" and self.place == "call":
            name, desc = member(m, self.comment)
            return matches(right, name + (desc if "(" in right else ""))
        if kind == "field" and self.place in ("get", "put"): return matches(right, member(m, self.comment)[0])
        if kind == "type":
            name = self.type()
            return None if name is None else name != "" and matches(right, name)
        return False

    def type(self):
        if self.place in ("get", "put"): return type_name(member(self.method, self.comment)[1])
        if self.place in ("array_load", "array_store"): return ELEMENTS[self.opcode[0]]
        if self.place == "call": return type_name(member(self.method, self.comment)[1].rpartition(")")[2])
        if self.place == "return": return type_name(self.method.desc.rpartition(")")[2])
        if self.place == "select" or self.place == "allocation" and self.secondary: return None
        if self.place != "allocation": return ""
        if self.opcode == "newarray": return self.operands + "[]"
        name = re.match("class (.*)", self.comment).group(1).replace('"', "")
        name = type_name(name) if name.startswith("[") else name.replace("/", ".")
        return name + "[]" * (self.opcode == "anewarray")

    def is_class(self, word):
        if word == "any": return not self.secondary
        sets = {"array": ("array_load", "array_store"), "memory": ("get", "put", "array_load", "array_store"),
                "check": ("entry", "backward_branch"), "monitor": ("monitor_enter", "monitor_exit")}
        if word == "switch": return self.place == "branch" and self.opcode in SWITCHES
        if word.endswith("_call"): return self.place == "call" and self.opcode == "invoke" + word[:-5]
        return self.place in sets.get(word, (word,))


def evaluate(tree, place, nothing=False):
    """Three-valued: None is possible. nothing: as if no class of instructions were there."""
    if tree[0] == "not":
        inner = evaluate(tree[1], place, nothing)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        values = [evaluate(t, place, nothing) for t in tree[1:]]
        decides = tree[0] == "or"
        return decides if decides in values else None if None in values else not decides
    if nothing and tree[0] == "class_word": return False
    return place.atom(*tree)


def places(method):
    yield Place(method, None, "entry", True)
    for at in method.code:
        bci, opcode, targets = at[0], at[1], at[4]
        yield Place(method, at, place_of(opcode), False)
        if opcode in ("invokevirtual", "invokeinterface"): yield Place(method, at, "select", True)
        if any(t <= bci for t in targets): yield Place(method, at, "backward_branch", True)


def expected(methods, trees):
    """(method, bci, place, number of the production) where a production may apply."""
    found = set()
    for method in methods:
        for place in places(method):
            for i, tree in enumerate(trees):
                if evaluate(tree, place) is False: continue
                if place.secondary and evaluate(tree, place, True) is not False: continue
                found.add((method.text(), place.bci, place.place, i))
    return found


def spell(tree):
    if tree[0] == "not": return "!(%s)" % spell(tree[1])
    if tree[0] in ("and", "or"): return "(%s)" % (" && " if tree[0] == "and" else " || ").join(map(spell, tree[1:]))
    if tree[0] == "class_word": return tree[2]
    right = tree[2] if tree[0] in ("opcode", "line", "bci") else '"%s"' % tree[2]
    return "%s %s %s" % (tree[0], "==" if tree[1] else "!=", right)


WORDS = ("entry call virtual_call special_call static_call interface_call dynamic_call select get put array_load array_store array"
         " memory branch switch jump backward_branch check monitor_enter monitor_exit monitor return throw any").split()


def random_atom(random, methods):
    method = random.choice(methods)
    at = random.choice(method.code) if method.code else (0, "nop", "", "", [])
    kind = random.choice("class_word class_word opcode method class callee field type line bci".split())
    equal = random.random() < 0.8
    if kind == "class_word": return kind, True, random.choice(WORDS)
    if kind == "opcode": return kind, equal, at[1]
    if kind == "line": return kind, equal, max(line_of(method, at[0]), 0)
    if kind == "bci": return kind, equal, at[0]
    if kind == "method": text = method.text() if random.random() < 0.5 else "%s.%s" % (method.cls, method.name)
    elif kind == "class": text = method.cls
    elif kind == "type": text = random.choice(list(PRIMITIVES.values()) + ["java.lang.String", "byte[]", "java.*", "object", "*[]"])
    else:
        members = [member(method, a[2]) for m in [method] for a in m.code if re.match("(Interface)?(Method|Field) ", a[2])]
        text = random.choice(members)[0].replace("/", ".") if members else "*.x"
    if random.random() < 0.3:
        cut = random.randrange(len(text) + 1)
        text = random.choice([text[:cut] + "*", "*" + text[cut:]])
    return kind, equal, text


def random_tree(random, methods, depth=3):
    """Says somewhere what instructions it is about: a class of them and more."""
    def any_tree(d):
        kind = random.choice(["and", "or", "not", "atom", "atom"]) if d else "atom"
        if kind == "atom": return random_atom(random, methods)
        if kind == "not": return "not", any_tree(d - 1)
        return kind, any_tree(d - 1), any_tree(d - 1)
    words = [("class_word", True, random.choice(WORDS)) for _ in range(random.choice([1, 1, 2]))]
    head = words[0] if len(words) == 1 else ("or", *words)
    return "and", head, any_tree(depth)
