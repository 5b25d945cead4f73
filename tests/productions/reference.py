"""A slow reference for the instructions that productions match, written from the text of docs/PRODUCTIONS.md alone. It
reads instructions from javap and represents expressions as trees of Python objects."""
import fnmatch, functools, re, subprocess

INVOKES = ("invokevirtual", "invokespecial", "invokestatic", "invokeinterface", "invokedynamic")
NEWS = ("new", "newarray", "anewarray", "multianewarray")
CONDITIONS = ("ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple if_acmpeq"
              " if_acmpne ifnull ifnonnull").split()
SWITCHES = ("tableswitch", "lookupswitch")
JUMPS = ("goto", "goto_w", "jsr", "jsr_w")
PRIMITIVES = dict(zip("BCDFIJSZV", "byte char double float int long short boolean void".split()))
NUMBERS = dict(i="I", l="J", f="F", d="D")
ELEMENTS = dict(i="int", l="long", f="float", d="double", a="object", b="byte", c="char", s="short")


class Method:
    def __init__(self, cls, name, desc):
        self.cls, self.name, self.desc, self.is_static = cls, name, desc, False
        self.code, self.lines = [], []  # (bci, opcode, comment, operands, targets)
        self.handlers = []              # (start, end, handler)
        self.variables = []             # (start, length, slot, name)

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
        elif line.startswith("    flags: (") and method and not method.code:
            method.is_static = "ACC_STATIC" in line
        elif re.match(r"    \S", line):
            part = line.strip()
        elif line in ("      LineNumberTable:", "      LocalVariableTable:", "      Exception table:"):
            part = line.strip()
        elif re.match(r"      [A-Z]\w+:", line):
            part = None
        elif part == "LineNumberTable:":
            found = re.match(r"        line (\d+): (\d+)", line)
            if found:
                method.lines.append((int(found.group(2)), int(found.group(1))))
        elif part == "LocalVariableTable:":
            found = re.match(r"\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)", line)
            if found:
                method.variables.append((*map(int, found.group(1, 2, 3)), found.group(4)))
        elif part == "Exception table:":
            found = re.match(r"\s+(\d+)\s+(\d+)\s+(\d+) ", line)
            if found:
                method.handlers.append(tuple(map(int, found.group(1, 2, 3))))
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


def assigned_type(method, at):
    """I, J, F or D if the instruction assigns a number to a local or a field, else None."""
    if at[1] == "iinc": return "I"
    if re.fullmatch(r"[ilfd]store(_\d)?", at[1]): return NUMBERS[at[1][0]]
    if at[1] not in ("putfield", "putstatic"): return None
    desc = member(method, at[2])[1]
    return "I" if desc in ("B", "C", "S", "I") else desc if desc in ("J", "F", "D") else None


def local_of(at):
    """(index, type, reads, writes) of the local that an instruction accesses; None: it accesses none."""
    found = re.fullmatch(r"([ilfda])(load|store)(_(\d))?", at[1])
    if found:
        return int(found.group(4) or at[3]), NUMBERS.get(found.group(1), "A"), found.group(2) == "load", found.group(2) == "store"
    return (int(at[3].split(",")[0]), "I", True, True) if at[1] == "iinc" else None


def local_types(method):
    """{local: type} of the locals that have a single type throughout the method."""
    types = {}

    def use(local, kind):
        types.setdefault(local, set()).add(kind)
        if kind in "JD": types.setdefault(local + 1, set()).add("second half")

    parameters = re.findall(r"\[*(?:L[^;]*;|\w)", method.desc[1:].partition(")")[0])
    at, first = 0, [] if method.is_static else ["L"]
    for p in first + parameters:
        use(at, "A" if p[0] in "L[" else "I" if p in "ZBCS" else p)
        at += 2 if p in "JD" else 1
    for instruction in method.code:
        if local_of(instruction): use(*local_of(instruction)[:2])
    return {local: min(kinds) for local, kinds in types.items() if len(kinds) == 1}


def live_behind(method):
    """For each bytecode index, the locals that are live after the instruction."""
    code, live, behind = method.code, {at[0]: set() for at in method.code}, {}
    ends = ("athrow", "ret", "goto", "goto_w", *SWITCHES)
    changed = True
    while changed:
        changed = False
        for i in range(len(code) - 1, -1, -1):
            at = code[i]
            bci, local = at[0], local_of(at)
            follows = at[1] not in ends and place_of(at[1]) != "return" and i + 1 < len(code)
            after = set().union(*(live[t] for t in at[4] + ([code[i + 1][0]] if follows else [])))
            before = set(after)
            if local and local[3]: before -= {local[0], local[0] + (local[1] in "JD")}
            if local and local[2]: before.add(local[0])
            for start, end, handler in method.handlers:
                if start <= bci < end: before |= live[handler]
            behind[bci] = code[i + 1][0] if follows else None
            changed |= before != live[bci]
            live[bci] = before
    return {bci: live[after] if after is not None else set() for bci, after in behind.items()}


def partners(method):
    """{bytecode index: names of the values that the number assigned there is compared with, up to the limit}"""
    types, live, found = local_types(method), live_behind(method), {}
    constants = []
    for at in method.code:
        value = re.fullmatch(r"[il]const_(m?\d)|([bs]ipush)|(ldc(?:2_w|_w)?)", at[1])
        if value is None: continue
        if value.group(1): number = int(value.group(1).replace("m", "-"))
        elif value.group(2): number = int(at[3])
        else:
            number = re.fullmatch(r"(?:int|long) (-?\d+)l?", at[2])
            if not number: continue
            number = int(number.group(1))
        if number and number not in constants: constants.append(number)
    for n, at in enumerate(method.code):
        kind = assigned_type(method, at)
        if not kind: continue
        own, after = local_of(at), at[0] + 1 if n + 1 == len(method.code) else method.code[n + 1][0]
        locals_ = sorted(l for l in live[at[0]] if types.get(l) == kind and not (own and own[0] == l))[:8]
        names = {v[2]: v[3] for v in method.variables if v[0] <= after < v[0] + v[1]}
        found[at[0]] = [names.get(l, "local-%d" % l) for l in locals_] + ["0"] + [str(c) for c in (constants[:4] if kind in "IJ" else [])]
        if not own: found[at[0]].append("before")
    return found


def line_of(method, bci):
    found, start = -1, -1
    for at, line in method.lines:
        if start <= at <= bci:
            found, start = line, at
    return found


@functools.lru_cache(maxsize=100000)
def matches(pattern, text):
    pattern, text = pattern.replace("/", "."), text.replace("/", ".")
    return fnmatch.fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


@functools.lru_cache(maxsize=100000)
def member(method, comment):
    """Class, name and descriptor in an instruction's operand."""
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
        """Whether the condition holds. None: only known at run time."""
        if self.place == "entry" and kind in ("opcode", "line", "bci"): return False  # nothing to compare with
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
    """Three-valued; None: it may hold. nothing: every class of instructions is false."""
    if tree[0] == "not":
        inner = evaluate(tree[1], place, nothing)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        decides, result = tree[0] == "or", tree[0] == "and"
        for t in tree[1:]:
            value = evaluate(t, place, nothing)
            if value is decides: return value
            if value is None: result = None
        return result
    if nothing and tree[0] == "class_word": return False
    return place.atom(*tree)


def places(method):
    yield Place(method, None, "entry", True)
    for at in method.code:
        bci, opcode, targets = at[0], at[1], at[4]
        yield Place(method, at, place_of(opcode), False)
        if opcode in ("invokevirtual", "invokeinterface"): yield Place(method, at, "select", True)
        if assigned_type(method, at): yield Place(method, at, "assign", True)
        if any(t <= bci for t in targets): yield Place(method, at, "backward_branch", True)


def expected(methods, trees):
    """(method, bci, place, number of the production) for each place where a production may apply."""
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
         " memory branch switch jump backward_branch check monitor_enter monitor_exit monitor assign return throw any").split()


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
    """A random condition that names a class of instructions, and more."""
    def any_tree(d):
        kind = random.choice(["and", "or", "not", "atom", "atom"]) if d else "atom"
        if kind == "atom": return random_atom(random, methods)
        if kind == "not": return "not", any_tree(d - 1)
        return kind, any_tree(d - 1), any_tree(d - 1)
    words = [("class_word", True, random.choice(WORDS)) for _ in range(random.choice([1, 1, 2]))]
    head = words[0] if len(words) == 1 else ("or", *words)
    return "and", head, any_tree(depth)
