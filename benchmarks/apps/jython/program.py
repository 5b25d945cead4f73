# -*- coding: utf-8 -*-
# Classes, generators, comprehensions, big integers, the standard library, Java classes.
from __future__ import print_function, division
import re, json, hashlib, collections, itertools, functools, struct, random
from java.util import ArrayList, TreeMap, Collections
from java.io import File
from java.lang import ProcessHandle, Runnable, Thread, StringBuilder, Math


class Account(object):
    total = 0

    def __init__(self, owner, cents=0):
        self.owner, self._cents = owner, cents
        Account.total += 1

    @property
    def cents(self):
        return self._cents

    def __add__(self, n):
        return Account(self.owner, self._cents + n)

    def __repr__(self):
        return "<%s %.2f>" % (self.owner, self._cents / 100)


print(Account("anna", 120) + 35, Account.total)


def primes():
    found = {}
    n = 2
    while True:
        p = found.pop(n, None)
        if p is None:
            yield n
            found[n * n] = n
        else:
            x = n + p
            while x in found:
                x += p
            found[x] = p
        n += 1


print(list(itertools.islice(primes(), 20)), next(itertools.dropwhile(lambda p: p < 5000, primes())))
print(2 ** 200, functools.reduce(lambda a, b: a * b, range(1, 40)), divmod(-7, 3), 7 // -2, round(2.675, 2))
text = "the quick brown fox jumps over the lazy dog while the other dog sleeps"
print(sorted(collections.Counter(text.split()).items(), key=lambda i: (-i[1], i[0]))[:4])
print(re.sub(r"(\w+) (dog|fox)", r"\2 \1", text), re.findall(r"\b\w{5}\b", text))
print(json.dumps({"a": [1, 2.5, None, True], "b": {u"\u00e9": "x"}}, sort_keys=True), json.loads("[1, {\"k\": -2e3}]"))
print(hashlib.md5(b"abc").hexdigest(), hashlib.sha1(b"abc").hexdigest())
print(repr(struct.pack(">IHd", 1, 2, 0.5)), struct.unpack("<h", b"\xff\xfe"))
random.seed(12)
print([random.randint(0, 99) for _ in range(8)], "%05d|%-6s|%+.3e|%x" % (42, "ab", 12345.678, 255))
print({k: v for k, v in zip("abc", range(3))} == dict(a=0, b=1, c=2), [x for x in range(20) if x % 3 == 0][::-1])


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print("fib", fib(17))
try:
    {}["missing"]
except KeyError as e:
    print("KeyError", e)
try:
    int("zz")
except ValueError as e:
    print(e)
# Several processes may run in one directory, which must stay unchanged.
note = "note-%d.txt" % ProcessHandle.current().pid()
with open(note, "w") as f:
    f.write("one\ntwo\nthree\n")
with open(note) as f:
    print([line.strip() for line in f])
File(note).delete()

names = ArrayList(["pear", "apple", "fig"])
Collections.sort(names)
tree = TreeMap()
for n in names:
    tree.put(n, len(n))
print(names, tree, Math.floorMod(-7, 3), StringBuilder("x").append(3).toString())


class Job(Runnable):
    def run(self):
        print("in", Thread.currentThread().getName())


t = Thread(Job(), "worker")
t.start()
t.join()
z = 0
exec("z = 6 * 7")
print(z, eval("z + 1"), (lambda *a, **k: (a, sorted(k.items())))(1, 2, x=3))
s = 0
for i in range(60000):
    s = (s * 31 + i) % 1000003
print("hash", s)
