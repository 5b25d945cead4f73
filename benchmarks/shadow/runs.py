"""Runs of programs with shadows, and what their profiles say beside an exact one. benchmarks/shadow/bench uses it."""
import json, os, random, re, resource, statistics, subprocess, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
VM, PROF = os.path.join(BUILD, "cabernet"), os.path.join(BUILD, "cabernet-prof")
OUT = os.environ.get("OUT", os.path.join(BUILD, "bench", "shadow"))
LIMIT = 900  # seconds after which a run is stopped
KEPT = "busy=ignore:converge=off:message=off"


class Failed(Exception):
    """A run without a result; its text is the reason."""


class Run:
    """One run: [(wall, processor time)] of its rounds in ns, page faults per second, and the part of all processors
    that other processes used meanwhile."""
    def __init__(self, rounds, faults, others):
        self.rounds, self.faults, self.others = rounds, faults, others


def used_by_all():
    """Seconds for which the machine's processors were busy."""
    try:
        with open("/proc/stat") as f:
            user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    except (OSError, ValueError):
        return 0.0
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run(words, profile, file, mode="native"):
    """Runs `words`: options, class and arguments. Its output has a line for each round."""
    options = ["-Xprofile:%s:file=%s" % (profile, file)] if profile else []
    begin, all_before, before = time.time(), used_by_all(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([VM, "-Xthreads:" + mode, *options, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed("did not end within %d s" % LIMIT) from None
    if done.returncode:
        raise Failed("exit code %d: %s" % (done.returncode, (done.stderr.strip().splitlines() or [""])[0]))
    took, after = time.time() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    others = max(0.0, used_by_all() - all_before - own) / took / (os.cpu_count() or 1)
    faults = after.ru_minflt - before.ru_minflt
    if profile and "where=shadow" in profile:
        faults = int(header(file)["page-faults"])  # of the program alone
    rounds = [tuple(map(int, m)) for m in re.findall(r"(?:round|iteration) (\d+) (\d+)", done.stdout)]
    return Run(rounds, faults / took, others)


def shadows(load, length):
    """Options of shadows. Decisions to fork are as frequent as short shadows need."""
    period = min(10.0, float(re.match(r"[\d.]+", length)[0])) if length.endswith("ms") else 10.0
    return "where=shadow:load=%s:length=%s:period=%gms:prepare=%s:%s" % (
        load, length, period, os.environ.get("PREPARE", "code"), KEPT)


def prof(*words):
    done = subprocess.run([PROF, *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed("cabernet-prof %s ended with exit code %d" % (words[0], done.returncode))
    return json.loads(done.stdout)


def header(file):
    return prof("report", "--json", "--top", "1", file)["header"]


def found_of(exact, file):
    """How much of the exact profile a run's profile contains."""
    found, facts = {a["name"]: a for a in prof("overlap", "--json", exact, file)["analyses"]}, header(file)
    value, path = found.get("value") or {}, next((a for name, a in found.items() if name.endswith("path")), {})
    either = value or path
    return {"paths": path.get("weightMatch"), "overlap": path.get("overlap"),
            "invarianceDifference": value.get("invarianceDifference"), "invariance": value.get("invariance"),
            "coverage": 100 * either["totalB"] / max(1, either["totalA"]), "shadows": int(facts["shadows"]),
            "pause": int(facts["fork-pauses-ns"]) / 1e6 / max(1, int(facts["shadows"]))}


def slowdown(times, base, which):
    """Percent by which the median round is slower, and its interval. times: the rounds of each run; which: 0 wall, 1
    processor time."""
    chance = random.Random(1)

    def middle(runs):
        return statistics.median(t[which] for rounds in runs for t in rounds)

    def drawn(runs):
        return [chance.choices(rounds, k=len(rounds)) for rounds in chance.choices(runs, k=len(runs))]
    samples = sorted(100 * (middle(drawn(times)) / middle(drawn(base)) - 1) for _ in range(1000))
    return [100 * (middle(times) / middle(base) - 1), samples[25], samples[974]]


def spread(values):
    """Mean, lowest and highest value; None without any."""
    values = [v for v in values if v is not None]
    return [statistics.mean(values), min(values), max(values)] if values else None


def bracket(v, digits=1):
    """A value with its interval, which one run does not have."""
    if v is None:
        return "-"
    text = "%.*f" % (digits, v[0])
    return text if v[1] == v[2] else text + " [%.*f, %.*f]" % (digits, v[1], digits, v[2])
