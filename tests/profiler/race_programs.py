"""Random multi-threaded Java programs and their racing accesses: a slow reference for the analysis "races", with a full
vector clock for each operation.

A program is a list of operations in one order, in which its threads take turns: reads and writes of fields and
elements, monitors, locks, volatile fields, atomics, latches, starts and ends of threads. The turn is a word that only
plain Unsafe accesses touch, which order nothing and which the analysis does not count as accesses. The happens-before
relation is therefore known even in the presence of races. Each operation has a separate line, by which a report names
it.

The reference includes the class library's synchronisation: starting and ending a thread take the monitor of the thread
group. To keep that order known as well, no thread ends while others may start, and only one ends at a time."""
import random

MOST_THREADS = 5
VARIABLES = [  # declaration, how it is written with a value, how it is read
    ("static int s0;", "s0 = %s", "s0"),
    ("static long s1;", "s1 = %s", "(int) s1"),
    ("int f0;", "O.f0 = %s", "O.f0"),
    ("byte f1;", "O.f1 = (byte) %s", "O.f1"),
    ("byte f2;", "O.f2 = (byte) %s", "O.f2"),
    ("Object f3;", "O.f3 = X[%s & 1]", "(O.f3 == null ? 1 : 0)"),
    ("double f4;", "O.f4 = %s", "(int) O.f4"),
    ("static final int[] ints = new int[4];", "ints[1] = %s", "ints[1]"),
    ("", "ints[2] = %s", "ints[2]"),
    ("static final byte[] bytes = new byte[8];", "bytes[3] = (byte) %s", "bytes[3]"),
    ("", "bytes[4] = (byte) %s", "bytes[4]"),
    ("static final Object[] refs = new Object[2];", "refs[0] = X[%s & 1]", "(refs[0] == null ? 1 : 0)"),
    ("static final short[] shorts = new short[4];", "shorts[1] = (short) %s", "shorts[1]"),
]
MONITORS, LOCKS, VOLATILES, ATOMICS, LATCHES = 2, 2, 2, 1, 2


class Thread:
    def __init__(self, number):
        self.number, self.clock, self.count = number, {}, 0
        self.code, self.monitors, self.locks = [], [], []
        self.state = "new"


class Program:
    """`accesses`, by line (from 0 in `lines`): the variable, whether it writes, and the clock of each access."""
    def __init__(self, seed, name):
        self.random, self.name = random.Random(seed), name
        self.threads = [Thread(i) for i in range(MOST_THREADS)]
        self.threads[0].state = "runs"
        self.known = {}         # clock learned by a thread that acquires a place
        self.taken = {}
        self.opened = set()
        self.step = 0
        self.accesses = []      # (thread, operation, variable, write, count, clock)
        length = self.random.randint(20, 70)
        for _ in range(length):
            self.one_step(starts=True)
        for _ in range(self.random.randint(0, 30)):
            self.one_step(starts=False)

    # ---- the order ----

    def tick(self, t):
        t.count += 1
        t.clock[t.number] = t.count

    def release(self, t, place):
        self.known[place] = {k: max(self.known.get(place, {}).get(k, 0), t.clock.get(k, 0)) for k in range(MOST_THREADS)}
        self.tick(t)

    def acquire(self, t, place):
        for k, at in self.known.get(place, {}).items():
            t.clock[k] = max(t.clock.get(k, 0), at)

    def races(self):
        """Pairs of unordered operations, the earlier one first, that each access one variable, at least one with a
        write."""
        found = {}
        for i, (t, op, variable, write, count, _) in enumerate(self.accesses):
            for u, other, also, writes, _, clock in self.accesses[i + 1:]:
                if variable == also and (write or writes) and t != u and clock.get(t, 0) < count:
                    found.setdefault(variable, set()).add((op, other))
        return found

    # ---- operations ----

    def say(self, t, text, before="", after=""):
        """An operation, which is one line: `before` and `after` are not subject to the turn."""
        t.code.append((self.step, before + "turn(%d); " % self.step + text + " next(%d);" % (self.step + 1) + after))
        self.step += 1

    def one_step(self, starts):
        t = self.random.choice([t for t in self.threads if t.state == "runs"])
        kinds = [self.access] * 8 + [self.monitor] * 4 + [self.lock] * 3 + [self.volatile] * 3 + [self.atomic, self.latch]
        kinds += [self.start] * 5 if starts and len([u for u in self.threads if u.state == "new"]) else []
        kinds += [] if starts else [self.join] * 3
        self.random.choice(kinds)(t)

    def access(self, t):
        variable = self.random.randrange(len(VARIABLES))
        _, write, read = VARIABLES[variable]
        form = self.random.choice(["w", "w", "r", "r", "r", "rw", "ws", "rs"])
        text = {"w": write % self.step + ";", "r": "sink += %s;" % read, "rw": "sink += %s; " % read + write % "7" + ";",
                "ws": "for (int i = 0; i < 40; i++) { %s; }" % (write % "i"), "rs": "for (int i = 0; i < 40; i++) sink += %s;" % read}[form]
        for write_it in {"w": [True], "r": [False], "rw": [False, True], "ws": [True], "rs": [False]}[form]:
            self.tick(t)
            self.accesses.append((t.number, self.step, variable, write_it, t.count, dict(t.clock)))
        self.say(t, text)

    def monitor(self, t):
        place = "M[%d]" % self.random.randrange(MONITORS)
        if t.monitors and self.random.random() < 0.6:
            return self.leave_monitor(t)
        if self.taken.setdefault(place, t) is not t:
            return
        t.monitors.append(place)
        if t.monitors.count(place) == 1:
            self.acquire(t, place)
        t.code.append((self.step, "turn(%d); synchronized (%s) { next(%d);" % (self.step, place, self.step + 1)))
        self.step += 1

    def leave_monitor(self, t):
        place = t.monitors.pop()
        if place not in t.monitors:
            self.release(t, place)
            del self.taken[place]
        t.code.append((self.step, "turn(%d); } next(%d);" % (self.step, self.step + 1)))
        self.step += 1

    def lock(self, t):
        if t.locks and self.random.random() < 0.6:
            place = t.locks.pop()
            self.release(t, place)
            del self.taken[place]
            return self.say(t, "%s.unlock();" % place)
        place = "L[%d]" % self.random.randrange(LOCKS)
        if place in self.taken:
            return
        self.taken[place] = t
        t.locks.append(place)
        self.acquire(t, place)
        self.say(t, self.random.choice(["%s.lock();", "%s.tryLock();"]) % place)

    def volatile(self, t):
        name = "v%d" % self.random.randrange(VOLATILES)
        if self.random.random() < 0.5:
            self.release(t, name)
            self.say(t, "%s = %d;" % (name, self.step))
        else:
            self.acquire(t, name)
            self.say(t, "sink += %s;" % name)

    def atomic(self, t):
        name = "A[%d]" % self.random.randrange(ATOMICS)
        form = self.random.choice(["getAndAdd(2)", "get()", "lazySet(3)", "getAcquire()", "getPlain()"])
        if form[:9] in ("getAndAdd", "get()", "getAcquir"):
            self.acquire(t, name)
        if form[:9] in ("getAndAdd", "lazySet(3"[:9]):
            self.release(t, name)
        self.say(t, "%s.%s;" % (name, form))

    def latch(self, t):
        name = "C[%d]" % self.random.randrange(LATCHES)
        if name in self.opened:
            self.acquire(t, name)
            return self.say(t, "%s.await();" % name)
        self.opened.add(name)
        self.release(t, name)
        self.say(t, "%s.countDown();" % name)

    def start(self, t):
        child = self.random.choice([u for u in self.threads if u.state == "new"])
        child.state = "runs"
        self.acquire(t, "group")
        self.release(t, "group")
        self.tick(child)
        child.clock.update({k: at for k, at in t.clock.items() if k != child.number})
        self.tick(t)
        self.say(t, "T[%d].start();" % child.number)

    def join(self, t):
        others = [u for u in self.threads[1:] if u.state == "runs" and u is not t and not u.monitors and not u.locks]
        if not others:
            return
        u = self.random.choice(others)
        u.state = "ended"
        self.acquire(u, "group")
        self.release(u, "group")
        for k, at in u.clock.items():
            t.clock[k] = max(t.clock.get(k, 0), at)
        u.code.append((None, "turn(%d);" % self.step))
        self.say(t, "T[%d].join();" % u.number)

    # ---- the source ----

    def source(self, first_line):
        """Lines of a class; self.lines: operation by line."""
        out, self.lines = [], {}

        def put(text, operation=None):
            if operation is not None:
                self.lines[first_line + len(out)] = operation
            out.append(text)
        put("class %s extends Thread {" % self.name)
        put("  static int sinks; static volatile int v0, v1; static int[] W = new int[1]; final int me;")
        put("  static final Object[] X = {\"x\", \"y\"}, M = {new Object(), new Object()};")
        put("  static final ReentrantLock[] L = {new ReentrantLock(), new ReentrantLock()};")
        put("  static final AtomicInteger[] A = {new AtomicInteger()};")
        put("  static final CountDownLatch[] C = {new CountDownLatch(1), new CountDownLatch(1)}, D = {new CountDownLatch(1)};")
        put("  static final Thread[] T = new Thread[%d];" % MOST_THREADS)
        for declaration, _, _ in VARIABLES:
            put("  " + declaration)
        put("  static %s O;" % self.name)
        put("  %s(int me) { super(\"t\" + me); this.me = me; }" % self.name)
        put("  static void turn(int k) { while (Unsafely.U.getInt(W, Unsafely.AT) < k) Thread.yield(); }")
        put("  static void next(int k) { Unsafely.U.putInt(W, Unsafely.AT, k); }")
        put("  public void run() { try { switch (me) {")
        for t in self.threads[1:]:
            put("    case %d: t%d(); break;" % (t.number, t.number))
        put("  } } catch (Exception e) { throw new AssertionError(e); } }")
        # Main resolves everything that is resolved on first use.
        put("  static void warm() throws Exception { O = new %s(0); int sink = v0 + v1; v0 = 0; v1 = 0; turn(0); next(0);" % self.name)
        put("    synchronized (M[0]) { sink++; } L[0].lock(); L[0].unlock(); L[0].tryLock(); L[0].unlock(); A[0].getAndAdd(0); A[0].get(); A[0].lazySet(0);")
        put("    A[0].getAcquire(); A[0].getPlain(); D[0].countDown(); D[0].await();")
        for i in range(1, MOST_THREADS):
            put("    T[%d] = new %s(%d);" % (i, self.name, i))
        put("    %s w = new %s(%d); w.start(); w.join(); }" % (self.name, self.name, MOST_THREADS))
        for t in self.threads:
            put("  static void t%d() throws Exception { int sink = 0;" % t.number)
            for step, text in t.code:
                put("    " + text, step)
            put("    " + "} " * len(t.monitors) + " ".join("%s.unlock();" % l for l in t.locks))
            if t.state == "runs":
                put("    turn(%d);" % self.step)
            put("    sink(sink); }")
        put("  static void sink(int n) { if (n == 123456789) System.out.println(n); }")
        put("  static void all() throws Exception { warm(); t0(); for (int i = 1; i < T.length; i++) T[i].join(); }")
        put("}")
        return out


def batch(seeds):
    """Makes programs, and the source of a class RacePrograms that runs them all."""
    lines = ["import java.util.concurrent.*;", "import java.util.concurrent.atomic.*;", "import java.util.concurrent.locks.*;",
             "public class RacePrograms { public static void main(String[] args) throws Exception {"]
    programs = [Program(seed, "P%d" % i) for i, seed in enumerate(seeds)]
    lines += ["  %s.all();" % p.name for p in programs] + ["} }"]
    lines += ["class Unsafely {", "  static final sun.misc.Unsafe U; static final long AT = sun.misc.Unsafe.ARRAY_INT_BASE_OFFSET;",
              "  static { try { var f = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); f.setAccessible(true);",
              "    U = (sun.misc.Unsafe) f.get(null); } catch (Exception e) { throw new AssertionError(e); } }", "}"]
    for p in programs:
        lines += p.source(len(lines) + 1)
    return programs, "\n".join(lines) + "\n"


def disagreements(programs, rows):
    """False statements and omissions of the table "races". For each racing variable it must report at least one of its
    pairs, and no ordered pair."""
    by_line = {line: (p, op) for p in programs for line, op in p.lines.items()}
    truth = {p.name: p.races() for p in programs}
    found, wrong = {p.name: set() for p in programs}, []
    for row in rows:
        places = [int(stack[0].rsplit(":", 1)[1]) if stack and ":" in stack[0] else None for stack in (row["earlier at"], row["at"])]
        ends = [by_line.get(line) for line in places]
        if None in ends or ends[0][0] is not ends[1][0]:
            wrong.append("a race at no operation: %s" % row)
            continue
        p, pair = ends[0][0], (ends[0][1], ends[1][1])
        variables = [v for v, pairs in truth[p.name].items() if pair in pairs]
        if not variables:
            wrong.append("in order: %s of %s" % (pair, p.name))
        found[p.name].update(variables)
    for p in programs:
        missing = set(truth[p.name]) - found[p.name]
        if missing:
            wrong.append("not found in %s: %s" % (p.name, {v: sorted(truth[p.name][v])[:2] for v in missing}))
    return wrong
