# The programs that `pair` and `arnold-ryder` measure. Both read this file after setting `build`, `root` and `instance`,
# which is used in the names of the directories that a program writes to ({side} where several are alive, a to i).
# Programs whose packages are missing are left out with a message; scripts/setup packages-bench.txt installs them.
kernels=$build/bench/classes driver=$build/bench/driver made=$build/bench/made jars=/usr/share/java

# Counterparts of the programs of Arnold and Ryder's paper (compress, jess, db, javac, mpegaudio, mtrt, jack); the
# kernel constraints replaces jess.
applications="compress hsqldb javac mp3 sunflow javacc"

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
    mkdir -p "$made" && compile "$driver" "$build/lib/java" benchmarks/repeat/Repeat.java benchmarks/repeat/MeasuredProfile.java &&
        compile "$kernels" . benchmarks/kernels/*.java benchmarks/demo/*.java && cp benchmarks/demo/*.txt "$kernels"
}
is_kernel() { grep -q "add(\"[a-z]*\", \"$1\"," benchmarks/kernels/Kernels.java; }
kernel_names() { sed -n 's/^ *add("[a-z]*", "\([a-z]*\)",.*/\1/p' benchmarks/kernels/Kernels.java; }

# Leaves the program out unless all of its jars exist.
need() { # program, jars...
    local name=$1 jar
    shift
    for jar; do
        [ -e "$jars/$jar" ] || { echo "$name: left out, $jars/$jar is missing" >&2; return 1; }
    done
}
own() { compile "$build/bench/programs/$name" "$@"; }  # class path, drivers of this program
words() { # class path after the program's classes, then class and arguments
    local path=$1
    shift
    program_path=$build/bench/programs/$name${path:+:$path}
    program_words=$*
}

# Prepares the application and sets program_path, its class path, and program_words, its class (or class and method) and
# arguments. False when it is left out.
application() {
    local name=$1 path
    case $name in
    compress)
        need "$name" commons-compress.jar && own $jars/commons-compress.jar benchmarks/repeat/Compress.java &&
            words $jars/commons-compress.jar Compress 300 ;;
    hsqldb)
        need "$name" hsqldb.jar && own $jars/hsqldb.jar benchmarks/apps/hsqldb/*.java benchmarks/apps/common/*.java &&
            words $jars/hsqldb.jar HsqldbApp ;;
    javac)
        mkdir -p "$made"/classes/{one,a,b,c,d,e,f,g,h,i}
        words "" com.sun.tools.javac.Main.compile -nowarn -Xlint:none -XDignore.symbol.file \
            -d "$made/classes/$instance" "$root"/benchmarks/kernels/*.java ;;
    mp3)
        if [ ! -e "$made/tone.mp3" ] && command -v lame >/dev/null; then
            (cd "$made" && python3 "$root/benchmarks/apps/jlayer/tone.py" tone.raw &&
                lame --quiet -r -s 44.1 --bitwidth 16 -m j -b 128 --noreplaygain tone.raw tone.mp3)
        fi
        [ -e "$made/tone.mp3" ] || { echo "mp3: left out, the package lame is missing" >&2; return 1; }
        need "$name" jl.jar && own $jars/jl.jar benchmarks/repeat/Mp3.java && words $jars/jl.jar Mp3 "$made/tone.mp3" ;;
    sunflow)
        path=$jars/sunflow.jar:$jars/janino.jar:$jars/commons-compiler.jar
        need "$name" sunflow.jar janino.jar && own $path benchmarks/apps/sunflow/*.java && words $path SunflowApp ;;
    javacc)
        # Its output depends on whether the files exist already.
        need "$name" javacc.jar || return 1
        for path in one a b c d e f g h i; do
            mkdir -p "$made/javacc/$path" && java -cp $jars/javacc.jar javacc \
                "-OUTPUT_DIRECTORY=$made/javacc/$path" benchmarks/apps/javacc/Calc.jj >/dev/null 2>&1
        done
        words $jars/javacc.jar org.javacc.parser.Main.mainProgram \
            "-OUTPUT_DIRECTORY=$made/javacc/$instance" "$root/benchmarks/apps/javacc/Calc.jj" ;;
    *) die "there is no program $name" ;;
    esac
}
