"""Campaigns of cabernet-bench run whose configurations take turns, and what a configuration adds to another's time."""
import json, os, random, shutil, statistics, subprocess


def times_in_turns(bench, driver, out, name, program, configurations, runs, iterations, skip, timeout):
    """{configuration: a list for each process} of processor time in ns without the compiler's, with turns of one
    iteration and without the first `skip`. configurations: {name: command}; program: options, class, arguments."""
    shutil.rmtree(out, ignore_errors=True)
    words = [w for key, command in configurations.items() for w in ("--configuration", "%s=%s" % (key, command))]
    subprocess.run([bench, "run", "--out", out, "--driver", driver, *words, "--program", "%s=%s" % (name, program), "--invocations", str(runs),
                    "--iterations", str(iterations), "--grain", "iteration", "--quiet"], stdout=subprocess.DEVNULL, check=True, timeout=timeout)
    times = {key: [] for key in configurations}
    with open(os.path.join(out, "records.jsonl")) as records:
        for record in map(json.loads, records):
            for r in record.get("runs", ()):
                if r["status"] != "ok":
                    raise SystemExit("%s, %s: %s" % (name, r["configuration"], r["status"]))
                times[r["configuration"]].append([cpu - compiler for cpu, compiler in zip(r["cpu_ns"], r["compile_ns"])][skip:])
    return times


def excess(times, base):
    """Percent by which iterations took longer than those of the base in the same turn: the median, and its 95 %
    interval. Each argument is a list of processes, each of which is a list of iterations."""
    ratios = [[t / b for t, b in zip(ts, bs)] for ts, bs in zip(times, base)]
    chance = random.Random(1)

    def median(processes): return 100 * (statistics.median(r for p in processes for r in p) - 1)
    drawn = sorted(median([chance.choices(p, k=len(p)) for p in chance.choices(ratios, k=len(ratios))]) for _ in range(1000))
    return [round(x, 2) for x in (median(ratios), drawn[25], drawn[974])]


def prepared_programs(root, build, names):
    """{name: [class path, options, class and arguments]} of programs of benchmarks/programs.ini and kernels, without those
    whose packages are missing."""
    done = subprocess.run([os.path.join(root, "benchmarks", "harness", "matrix"), "--words", *names], stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "BUILD": build})
    return {name: [path or ".", words] for name, path, words in (line.split("|") for line in done.stdout.splitlines())}


def options_and_words(words):
    """Leading options of the VM, and the class with its arguments."""
    options = [w for i, w in enumerate(words) if all(v.startswith("-") for v in words[:i + 1])]
    return options, words[len(options):]
