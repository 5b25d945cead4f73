# The programs that `pair`, `arnold-ryder` and `cab` measure: kernels, and programs of benchmarks/programs.ini. They read
# this file after setting `build`, `root` and `instance`, which is used in the names of the directories that a program
# writes to ({side} where several are alive, else a letter). Programs whose packages are missing are left out with a
# message; scripts/setup installs them (packages-bench.txt, packages-apps.txt).
kernels=$build/bench/classes driver=$build/bench/driver

# Applications that `pair --programs apps` measures.
applications="compress hsqldb javac mp3 sunflow javacc"
# Counterparts of the ten programs of Arnold and Ryder's paper, in its order: compress, jess, db, javac, mpegaudio, mtrt,
# jack, opt-compiler, pBOB and Volano.
counterparts="compress constraints hsqldb javac mp3 sunflow javacc ecj h2 chat"

die() { echo "benchmarks/harness/${0##*/}: $*" >&2; exit 1; }

stale() { # directory, sources...
    local stamp=$1/.stamp
    shift
    [ ! -e "$stamp" ] || [ -n "$(find "$@" -newer "$stamp")" ]
}
compile() { # directory, class path, sources...
    local to=$1 path=$2
    shift 2
    stale "$to" "$@" || return 0
    rm -rf "$to" && mkdir -p "$to" && javac -nowarn -Xlint:none -cp "$path" -d "$to" "$@" && touch "$to/.stamp"
}
compile_common() {
    compile "$driver" "$build/lib/java" benchmarks/repeat/Repeat.java benchmarks/repeat/MeasuredProfile.java &&
        compile "$kernels" . benchmarks/kernels/*.java benchmarks/demo/*.java && cp benchmarks/demo/*.txt "$kernels"
}
is_kernel() { grep -q "add(\"[a-z]*\", \"$1\"," benchmarks/kernels/Kernels.java; }
kernel_names() { sed -n 's/^ *add("[a-z]*", "\([a-z]*\)",.*/\1/p' benchmarks/kernels/Kernels.java; }

# Prepares a program of benchmarks/programs.ini and sets program_path, its class path, and program_words, its options,
# class (or class and method) and arguments. False, with a message, when it is left out.
application() {
    local found
    found=$(BUILD=$build benchmarks/harness/matrix --words "$1") && [ -n "$found" ] || return 1
    found=${found//\{side\}/$instance}
    IFS='|' read -r _ program_path program_words <<<"$found"
    [ -n "$program_path" ] || program_path=.
}
