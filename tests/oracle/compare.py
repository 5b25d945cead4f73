#!/usr/bin/env python3
"""Compares two exact profiles given as lines.

  method <class>.<name><descriptor> <count>
  edge <caller> <bytecode index> <callee> <count>
  field <class>.<name>:<descriptor> get|put <count>
  branch <method> <bytecode index> <edge> <count>
  lock <method> <bytecode index> <count>

Only the application's methods count (those of the class files under --classes). A caller that is not
one of them, be it the library, a hidden class or a pseudo-caller of the VM, becomes "<other> -1".
Only the application's fields count, and branches of its methods.
Within each profile the edges into a method must add up to its entries.

Usage: compare.py --classes DIR ORACLE PROFILE
"""
import argparse, os, sys


def application_classes(directory):
    found = set()
    for base, _, files in os.walk(directory):
        for name in files:
            if name.endswith(".class"):
                path = os.path.relpath(os.path.join(base, name), directory)
                found.add(path[:-len(".class")])
    return found


def split_method(text):
    """(class with slashes, name and descriptor); the class name in `text` may have dots."""
    head, paren, descriptor = text.partition("(")
    owner, _, name = head.rpartition(".")
    return owner.replace(".", "/"), name + paren + descriptor


class Profile:
    def __init__(self, lines, classes):
        self.methods, self.edges, self.places, self.complaints = {}, {}, {}, []
        for number, line in enumerate(lines, 1):
            fields = line.split()
            if not fields or fields[0].startswith("#") or "." in fields[0]:  # threads.overhead: belongs to a section
                continue
            if fields[0] == "method" and len(fields) == 3:
                self.method(classes, fields[1], int(fields[2]))
            elif fields[0] == "edge" and len(fields) == 5:
                self.edge(classes, fields[1], int(fields[2]), fields[3], int(fields[4]))
            elif fields[0] == "field" and len(fields) == 4:
                owner = fields[1].partition(":")[0].rpartition(".")[0].replace(".", "/")
                self.place(classes, owner, "%s %s" % (fields[1], fields[2]), int(fields[3]))
            elif fields[0] == "branch" and len(fields) == 5:
                owner, rest = split_method(fields[1])
                self.place(classes, owner, "%s.%s %s edge %s" % (owner, rest, fields[2], fields[3]), int(fields[4]))
            elif fields[0] == "lock" and len(fields) == 4:
                owner, rest = split_method(fields[1])
                self.place(classes, owner, "%s.%s %s monitor" % (owner, rest, fields[2]), int(fields[3]))
            else:
                self.complaints.append("line %d is no count: %s" % (number, line))

    def place(self, classes, owner, text, count):
        if owner in classes and count:
            self.places[text] = self.places.get(text, 0) + count

    def method(self, classes, text, count):
        owner, rest = split_method(text)
        if owner in classes and count:
            key = owner + "." + rest
            self.methods[key] = self.methods.get(key, 0) + count

    def edge(self, classes, caller, bci, callee, count):
        owner, rest = split_method(callee)
        if owner not in classes or not count:
            return
        from_owner, from_rest = split_method(caller)
        source = (from_owner + "." + from_rest, bci) if from_owner in classes else ("<other>", -1)
        key = source + (owner + "." + rest,)
        self.edges[key] = self.edges.get(key, 0) + count

    def check_sums(self, name):
        sums = {}
        for (_, _, callee), count in self.edges.items():
            sums[callee] = sums.get(callee, 0) + count
        for method in sorted(set(sums) | set(self.methods)):
            if sums.get(method, 0) != self.methods.get(method, 0):
                self.complaints.append("%s: %s has %d entries but edges into it add up to %d" % (
                    name, method, self.methods.get(method, 0), sums.get(method, 0)))


def differences(what, want, got, text):
    return ["%s %s: expected %d, got %d" % (what, text(k), want.get(k, 0), got.get(k, 0))
            for k in sorted(set(want) | set(got)) if want.get(k, 0) != got.get(k, 0)]


def compare(oracle_lines, profile_lines, classes):
    """All complaints; none if the profiles agree on every count."""
    oracle, profile = Profile(oracle_lines, classes), Profile(profile_lines, classes)
    oracle.check_sums("oracle")
    profile.check_sums("profile")
    return (oracle.complaints + profile.complaints
            + differences("method", oracle.methods, profile.methods, lambda k: k)
            + differences("edge", oracle.edges, profile.edges, lambda k: "%s %d %s" % k)
            + differences("place", oracle.places, profile.places, lambda k: k))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--classes", required=True)
    p.add_argument("oracle")
    p.add_argument("profile")
    options = p.parse_args()
    with open(options.oracle) as a, open(options.profile) as b:
        complaints = compare(a, b, application_classes(options.classes))
    print("\n".join(complaints[:50]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
