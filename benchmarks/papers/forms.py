"""Parts and forms of `make bench-papers`. A form says which programs and configurations each part measures."""

PAPERS = {
    "arnold-ryder": "Arnold and Ryder, A Framework for Reducing the Cost of Instrumented Code (PLDI 2001)",
    "hps": "Mousa and Krintz, HPS: Hybrid Profiling Support (PACT 2005)",
    "shadow": "Moseley et al., Shadow Profiling (CGO 2007)",
    "cab": "Ha et al., A Concurrent Dynamic Analysis Framework for Multicore Hardware (OOPSLA 2009)",
    "threads": "Waddington et al., Dynamic Analysis and Profiling of Multi-threaded Systems (2007)",
    "decisions": "Decisions of the compiler by sampled profiles (no paper: the use that the papers name)",
}

# Part: its command, to which {program} is given as PROGRAMS or in its place, and the file of its data.
PARTS = {
    "arnold-ryder": (["benchmarks/harness/arnold-ryder"], "arnold-ryder.json"),
    "cab": (["benchmarks/cab/bench"], "cab.json"),
    "hps": (["benchmarks/hps/bench"], "hps.json"),
    "shadow": (["benchmarks/shadow/bench"], "results.json"),
    "threads": (["benchmarks/threads/profile", "{program}", "{rounds}"], "threads.json"),
    "decisions": (["benchmarks/decisions/bench"], "decisions.json"),
}

AR_SHORT, AR_LONG = "compress constraints hsqldb mp3 javacc chat", "javac sunflow ecj h2"  # by the time of an iteration
AR_TEN = AR_SHORT + " " + AR_LONG
SPECINT = "compress queens links json scheduler bytecodes javac sunflow"  # gzip crafty mcf parser vortex perlbmk gcc eon
SHADOWED = "compress queens links json scheduler bytecodes javac constraints"
CONCURRENT = "compress constraints hsqldb javac mp3 javacc lucene json"
OBJECTS = "constraints scheduler json dispatch lists maps trees links javacc hsqldb"
THREADED = "operations chat accounts documents forks streams code"

# Form: rows of (part, programs, threads, seconds for each program, settings). Each row and program is one measurement.
FORMS = {
    # 10 minutes: values without claims to accuracy.
    "quick": [
        ("arnold-ryder", "javac", "native", 95, {"TURNS": "30", "ITERATIONS": "4", "LAYOUTS": "1"}),
        ("arnold-ryder", "constraints", "native", 55, {"TURNS": "30", "ITERATIONS": "4", "LAYOUTS": "1"}),
        ("cab", "json javacc", "native", 45, {"ANALYSES": "call-edge path", "FIGURES": "79b", "QUEUED": "path", "QUEUES": "cab nway fastforward",
                                              "SAMPLED": "call-edge", "RATES": "5 100", "RUNS": "1", "ITERATIONS": "5", "SKIP": "3"}),
        ("cab", "json", "green", 45, {"ANALYSES": "call-edge path", "FIGURES": "9ac", "BUFFERS": "16k 256k 2m", "RUNS": "1", "ITERATIONS": "5", "SKIP": "3"}),
        ("hps", "queens json", "native", 60, {"RATES": "100 1000", "BURSTS": "1 100", "BARS": "checks guards", "RUNS": "1", "ITERATIONS": "16", "SKIP": "8", "FIGURES": "6789"}),
        ("shadow", "queens json", "native", 40, {"LOADS": "0.25 1", "LENGTHS": "3ms 30ms", "RUNS": "1", "ROUNDS": "8", "SKIP": "3", "FIGURES": "3"}),
        ("threads", "operations chat code", "native", 25, {"ROUNDS": "1", "KERNELS": "sort fft matmul"}),
        ("decisions", "constraints json", "native", 30, {"RUNS": "1", "ITERATIONS": "8"}),
    ],
    # 40 minutes.
    "default": [
        ("arnold-ryder", AR_SHORT, "native", 65, {"TURNS": "30", "ITERATIONS": "4", "LAYOUTS": "1"}),
        ("arnold-ryder", AR_LONG, "native", 100, {"TURNS": "25", "ITERATIONS": "4", "LAYOUTS": "1"}),
        ("arnold-ryder", "chat", "green", 60, {"TURNS": "40", "ITERATIONS": "2", "LAYOUTS": "1", "TABLES": "12"}),
        ("cab", CONCURRENT, "native", 45, {"ANALYSES": "method-count call-edge call-subtree path", "FIGURES": "79b", "QUEUED": "path",
                                           "QUEUES": "cab nway fastforward", "SAMPLED": "call-edge", "RATES": "1 5 100", "RUNS": "1",
                                           "ITERATIONS": "4", "SKIP": "2"}),
        ("cab", "json javacc constraints", "green", 50, {"ANALYSES": "call-edge path", "FIGURES": "9ac", "BUFFERS": "16k 128k 1m 8m", "RUNS": "1", "ITERATIONS": "5",
                                                         "SKIP": "3"}),
        ("hps", SPECINT + " maps trees", "native", 44, {"RATES": "100 1000 10000", "BURSTS": "1 100", "BARS": "checks guards", "RUNS": "1", "ITERATIONS": "16", "SKIP": "8", "FIGURES": "6789"}),
        ("shadow", SHADOWED, "native", 25, {"LOADS": "0.0625 0.25 1", "LENGTHS": "3ms 30ms", "RUNS": "1", "ROUNDS": "8", "SKIP": "3", "FIGURES": "3"}),
        ("shadow", "queens", "green", 20, {"MODES": "green", "THREADS": "1 4", "RUNS": "1", "ROUNDS": "8", "SKIP": "3", "FIGURES": "T"}),
        ("threads", THREADED, "native", 20, {"ROUNDS": "3"}),
        ("threads", "operations chat", "green", 15, {"ROUNDS": "3"}),
        ("decisions", OBJECTS, "native", 30, {"RUNS": "1", "ITERATIONS": "12"}),
    ],
    # A night, about ten hours: every configuration of the papers.
    "full": [
        ("arnold-ryder", AR_TEN, "native", 1000, {"TURNS": "60", "ITERATIONS": "5", "SKIP": "2", "LAYOUTS": "10"}),
        ("arnold-ryder", "chat", "green", 600, {"TURNS": "60", "ITERATIONS": "5", "SKIP": "2", "TABLES": "12"}),
        ("cab", CONCURRENT + " queens maps", "native", 780, {"ANALYSES": "method-count call-edge call-subtree path", "RUNS": "5", "FIGURES": "789abc", "QUEUED": "path",
                                                             "QUEUES": "cab nway fastforward", "BUFFERS": "16k 64k 256k 1m 4m 8m", "SAMPLED": "call-edge",
                                                             "RATES": "1 5 10 20 50 100"}),
        ("cab", CONCURRENT, "green", 300, {"ANALYSES": "method-count call-edge call-subtree path", "RUNS": "3", "FIGURES": "9ac", "BUFFERS": "16k 64k 256k 1m 4m 8m"}),
        ("hps", SPECINT + " maps trees", "native", 900, {"RATES": "100 500 1000 5000 10000", "BURSTS": "1 10 50 100", "FIGURES": "6789"}),
        ("shadow", SHADOWED + " sunflow sort", "native", 600, {"LOADS": "0.0625 0.125 0.25 0.5 1 2", "LENGTHS": "3ms 10ms 30ms", "RUNS": "3", "FIGURES": "3"}),
        ("shadow", "queens", "green", 420, {"MODES": "green", "RUNS": "3", "FIGURES": "T"}),
        ("threads", THREADED, "native", 120, {"ROUNDS": "10"}),
        ("threads", "operations chat", "green", 60, {"ROUNDS": "10"}),
        ("decisions", OBJECTS, "native", 180, {"RUNS": "6", "ITERATIONS": "60"}),
    ],
}
