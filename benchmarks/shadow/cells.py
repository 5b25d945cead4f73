"""Figures 3 to 7: one cell for each program, load and length. Cells are kept in a file, so a later call continues."""
import hashlib, json, os, re, time

import runs
from runs import Failed, spread

BUSY = float(os.environ.get("BUSY", "0.1"))
CELLS_PER_BASE = 6
MANY = 100000  # rounds, when the time ends them
TIME_UP = "the time was up; the next call goes on here"


def contents(name):
    """A file of the build; nothing if there is none."""
    try:
        with open(os.path.join(runs.BUILD, name), "rb") as f:
            return f.read()
    except OSError:
        return b""


def identity(settings):
    """Digest of the settings and of the VM, on which cells depend. It leaves out the commit in the version text, and the
    linker's identifier, which depends on that commit."""
    digest, commit = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()), contents("commit").strip()
    for name in "lib/libjvm.so", "lib/libcabernet-jit.so":
        vm = re.sub(rb"GNU\0.{20}", b"", contents(name), flags=re.DOTALL)
        digest.update(vm.replace(commit, b"") if commit else vm)
    return digest.hexdigest()[:16]


class Store:
    """Values by name in a JSON file. Values of another VM or of other settings are dropped."""
    def __init__(self, file, identity):
        self.file, self.values = file, {"identity": identity}
        try:
            with open(file) as f:
                kept = json.load(f)
        except (OSError, ValueError):
            return
        if kept.get("identity") == identity:
            self.values = kept

    def get(self, *name):
        return self.values.get(" ".join(name))

    def put(self, value, *name):
        self.values[" ".join(name)] = value
        with open(self.file + ".new", "w") as f:
            json.dump(self.values, f)
        os.rename(self.file + ".new", self.file)


class Program:
    """A program in runs of some seconds of processor time. words: from the first argument of Timed to a command. timed:
    all runs have the same number of rounds, and some have no profile."""
    def __init__(self, store, name, words, seconds, analyses, settings, timed=True):
        self.store, self.name, self.words, self.seconds, self.settings = store, name, words, seconds, settings
        self.analyses, self.timed = analyses, timed
        self.base_age, self.base = CELLS_PER_BASE, None

    def rounds(self):
        """Rounds of each run: as many as the seconds have, at least two."""
        if self.settings["rounds"]:
            return self.settings["rounds"]
        if not self.store.get(self.name, "rounds", self.seconds):
            one = runs.run(self.words("%d:%s" % (MANY, self.seconds)), None, None)
            self.store.put(len(one.rounds), self.name, "rounds", self.seconds)
        return self.store.get(self.name, "rounds", self.seconds)

    def skipped(self):
        """Rounds at the beginning of which no time counts."""
        skip = self.settings["skip"]
        return min(self.rounds() // 2 if skip is None else skip, self.rounds() - 1)

    def exact(self):
        """The file of an exact profile of some seconds of processor time, or of the given rounds if they take less."""
        file = os.path.join(runs.OUT, "exact-%s-%s.prof" % (self.name, self.analyses.replace(",", "-")))
        if not self.store.get(self.name, "exact", self.analyses) or not os.path.exists(file):
            limit = "%d:%g" % (self.settings["rounds"] or MANY, self.settings["exact"])
            done = runs.run(self.words(limit), self.analyses + ":message=off", file)
            self.store.put(len(done.rounds), self.name, "exact", self.analyses)
        return file

    def cell(self, load, length):
        return self.store.get(self.name, load, length, self.seconds, self.analyses) or []

    def base_number(self):
        """Number of the latest run without a profile, at most six cells old."""
        number = len(self.store.get(self.name, "base", self.seconds) or [])
        if self.base is None or self.base_age == CELLS_PER_BASE:
            one, self.base_age = runs.run(self.words(str(self.rounds())), None, None), 0
            all_bases = (self.store.get(self.name, "base", self.seconds) or []) + [self.kept(one)]
            self.store.put(all_bases, self.name, "base", self.seconds)
            self.base = number
        self.base_age += 1
        return self.base

    def kept(self, one):
        if not one.rounds:
            raise Failed("printed no rounds")
        rounds = one.rounds[min(self.skipped(), len(one.rounds) - 1):] if self.timed else []
        return {"rounds": rounds, "faults": one.faults,
                "others": one.others, "machine": os.getloadavg()[0]}

    def measure(self, load, length, number):
        """Measures the run with this number of a cell, again if it is there."""
        exact, file = self.exact(), os.path.join(runs.OUT, "%s-%sx%s.prof" % (self.name, load, length))
        base = self.base_number() if self.timed else None
        limit = str(self.rounds()) if self.timed else "%d:%s" % (MANY, self.seconds)
        one = runs.run(self.words(limit), self.analyses + ":" + runs.shadows(load, length), file)
        done = {**self.kept(one), "base": base, **runs.found_of(exact, file)}
        done["coverage"] *= self.store.get(self.name, "exact", self.analyses) / len(one.rounds)
        os.remove(file)
        cell = self.cell(load, length)
        self.store.put(cell[:number] + [done] + cell[number + 1:], self.name, load, length, self.seconds, self.analyses)

    def is_quiet(self, one):
        if not self.timed:
            return True
        bases = self.store.get(self.name, "base", self.seconds)
        return max(one["others"], bases[one["base"]]["others"]) <= BUSY

    def todo(self, configurations, count):
        """Runs that are missing, in turn, and then those that had to share the processors."""
        missing = [(*c, n) for n in range(count) for c in configurations if len(self.cell(*c)) <= n]
        there = [(*c, n, one) for c in configurations for n, one in enumerate(self.cell(*c)[:count])]
        return missing + [(load, length, n) for load, length, n, one in there if not self.is_quiet(one)]

    def complete(self, configurations, count, end):
        """Measures until `end`. Returns why cells have no values: {(load, length): reason}."""
        reasons, todo = {}, self.todo(configurations, count)
        try:
            if todo and time.monotonic() < end:
                self.exact()
        except Failed as e:
            reasons, todo = {c: "no exact profile: %s" % e for c in configurations}, []
        for load, length, number in todo:
            if time.monotonic() > end:
                break
            try:
                self.measure(load, length, number)
            except Failed as e:
                reasons[load, length] = str(e)
        return {c: reasons.get(c, TIME_UP) for c in configurations if not self.cell(*c)}

    def row(self, load, length, count, reason):
        """The cell as a row of results.json: numbers, or None with a reason, with the intervals of several runs."""
        cell, row = self.cell(load, length)[:count], {"program": self.name, "load": load, "length": length}
        names = ("paths", "overlap", "invarianceDifference", "coverage", "shadows", "pause")
        costs = {"slowdown": 1, "wall": 0}
        if not cell:
            every = (*names, *costs, "faults")
            return {**row, "runs": 0, **dict.fromkeys(every), "intervals": {}, "reasons": dict.fromkeys(every, reason)}
        bases = self.store.get(self.name, "base", self.seconds)
        bases = [bases[i] for i in sorted({one["base"] for one in cell})]
        held = {name: spread([one[name] for one in cell]) for name in names}
        held["faults"] = spread([one["faults"] - bases[0]["faults"] for one in cell])
        held.update({name: runs.slowdown([one["rounds"] for one in cell], [b["rounds"] for b in bases], which)
                     for name, which in costs.items()})
        reasons = {name: "not among the analyses" for name, v in held.items() if v is None}
        others = max(one["others"] for one in [*cell, *bases])
        if others > BUSY:
            why = "other processes took %.0f %% of the processors" % (100 * others)
            reasons.update(dict.fromkeys((*costs, "faults"), why))
        return {**row, "runs": len(cell), "machine": max(one["machine"] for one in cell), "others": others,
                **{name: None if name in reasons else v[0] for name, v in held.items()},
                "intervals": {name: v[1:] for name, v in held.items() if name not in reasons}, "reasons": reasons}
