"""Runs the measurements of a form, one process each, and keeps their data: OUT/data/PART/PROGRAM-THREADS.

A measurement that has ended well leaves done.json, which says what it was: commit, form, seconds and settings. A later
run with all of these equal takes the data and does not measure again, so an interrupted run is resumed."""
import hashlib, json, os, shutil, signal, subprocess, time

import forms

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARE = 0.85  # of a measurement's seconds that its bench plans with
GRACE = 15    # seconds beyond its time after which it is stopped


def commit():
    """The commit of the tree, and what has been changed since."""
    def git(*words): return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout
    changes = git("diff", "HEAD", "--", ":!benchmarks/results")
    return (git("rev-parse", "--short=12", "HEAD").strip() or "unknown") + ("+" + hashlib.sha256(changes.encode()).hexdigest()[:8] if changes else "")


class Measurement:
    """One program of one row of a form."""
    def __init__(self, part, program, threads, seconds, settings, out):
        self.part, self.program, self.threads, self.seconds, self.settings = part, program, threads, seconds, settings
        self.folder = os.path.join(out, "data", part, program + "-" + threads)
        self.wrong = "was not measured, for the run was interrupted"

    def name(self):
        return "%s, %s%s" % (self.part, self.program, ", N:M threads" if self.threads == "green" else "")

    def identity(self, form, revision):
        return {"commit": revision, "form": form, "seconds": self.seconds, "settings": self.settings}

    def take_kept(self, form, revision):
        """Whether data of an earlier run with the same identity is there."""
        try:
            with open(os.path.join(self.folder, "done.json")) as f:
                kept = json.load(f) == self.identity(form, revision)
        except (OSError, ValueError):
            kept = False
        if kept:
            self.wrong = None
        return kept

    def environment(self, build):
        more = {"OUT": self.folder, "BUILD": os.path.relpath(build, ROOT), "PROGRAMS": self.program, "BUDGET": "%d" % max(1, SHARE * self.seconds),
                "MODE": self.threads, **self.settings}
        if self.threads == "green":
            more["VM"] = os.path.join(build, "cabernet") + " -Xthreads:green"
            more["VMOPTIONS"] = "-Xjit:blocking -Xthreads:green"
        return {**os.environ, **more}

    def run(self, form, revision, build):
        """Measures again. Sets `wrong` to the end of a sentence about the failure, or None."""
        shutil.rmtree(self.folder, ignore_errors=True)  # old data must not appear as new
        os.makedirs(self.folder)
        command = [w.format(program=self.program, rounds=self.settings.get("ROUNDS", "3")) for w in forms.PARTS[self.part][0]]
        limit = self.seconds + GRACE
        with open(os.path.join(self.folder, "output.txt"), "w") as out:
            process = subprocess.Popen(command, cwd=ROOT, env=self.environment(build), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       start_new_session=True)
            try:
                code = process.wait(timeout=limit)
                self.wrong = "ended with exit code %d" % code if code else None
            except BaseException as e:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(e, subprocess.TimeoutExpired):
                    raise
                self.wrong = "did not end within %d s and was stopped" % limit
        if not self.wrong and self.data() is None:
            self.wrong = "has left no data"
        if not self.wrong:
            with open(os.path.join(self.folder, "done.json"), "w") as f:
                json.dump(self.identity(form, revision), f, indent=1)

    def data(self):
        """The data, also that of a measurement which was stopped; None without any."""
        try:
            with open(os.path.join(self.folder, forms.PARTS[self.part][1])) as f:
                return json.load(f)
        except (OSError, ValueError):
            return None

    def left_out(self):
        """Measurements that the bench reports as left out."""
        data = self.data()
        found = list(data.get("leftOut") or []) if isinstance(data, dict) else []
        try:
            with open(os.path.join(self.folder, "output.txt"), errors="replace") as f:
                lines = f.read().splitlines()
        except OSError:
            lines = []
        marks = ": no time for ", ": left out, ", "left out, for the time was up: "
        return found or [line for line in lines if any(m in line for m in marks)]


def measurements(form, parts, factor, out):
    return [Measurement(part, program, threads, round(seconds * factor), settings, out)
            for part, programs, threads, seconds, settings in forms.FORMS[form] if part in parts for program in programs.split()]


def run_all(todo, form, build, report, again):
    """Runs what is not kept. report(text) tells what happens. False when interrupted."""
    revision = commit()
    for i, m in enumerate(todo):
        begin = time.monotonic()
        if not again and m.take_kept(form, revision):
            report("%d of %d: %s: kept from an earlier run" % (i + 1, len(todo), m.name()))
            continue
        try:
            m.run(form, revision, build)
        except KeyboardInterrupt:
            m.wrong = "was interrupted"
            return False
        report("%d of %d: %s: %.0f s%s" % (i + 1, len(todo), m.name(), time.monotonic() - begin, "; it " + m.wrong if m.wrong else ""))
    return True
