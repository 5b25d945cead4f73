// cabernet-prof: reads profile files. Exit codes: 0 done; 1 wrong use; 2 the file cannot be read, is damaged, or the output cannot be
// written. Of check 1 says that a bound does not hold, and nothing else.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/tool/prof_export.h"
#include "profiler/tool/prof_productions.h"
#include "profiler/tool/prof_view.h"

enum { EXIT_USE = 1, EXIT_FILE = 2 };

static int exit_use = EXIT_USE;  // of check EXIT_FILE

static const char help[] =
    "usage: cabernet-prof <command> [options] FILE\n"
    "\n"
    "commands:\n"
    "  report FILE          print the profile\n"
    "  export --lines FILE  print the counts as sorted lines for other programs:\n"
    "                         method <class>.<name><descriptor> <count>\n"
    "                         edge <caller> <bytecode index> <callee> <count>\n"
    "                         field <class>.<name>:<descriptor> get|put <count>\n"
    "                         branch <method> <bytecode index> <edge> <count>\n"
    "                       in names a space is \\s and a backslash \\\\\n"
    "  export --FORMAT [-o OUTPUT] FILE\n"
    "                       write the profile for another program:\n"
#define FORMAT(option, function, help) "                         " option ": " help "\n"
#include "profiler/tool/exports.def"
#undef FORMAT
    "  html FILE [FILE] [-o PAGE]\n"
    "                       one page for a browser, that needs nothing else: overview, flame graph, callers, tables,\n"
    "                       sources (--source), threads; of two files also their differences and overlap\n"
    "  check FILE --max 'Repo.load<=1' --min 'Repo.save>=1'\n"
    "                       are methods entered that often? A name as with --method; both may be repeated;\n"
    "                       a line for each bound that does not hold\n"
    "  overlap A B          how alike two profiles are: overlap percentage of each analysis, of all\n"
    "                       and of the rows that make up 90 %; when one is sampled and one exact,\n"
    "                       also what an ideal random sample would reach; largest differences\n"
    "  diff A B             counts that differ\n"
    "  productions FILE... [CLASSES...]\n"
    "                       check files of productions (or texts with =>), say how they are compiled and\n"
    "                       which instructions of class files and archives they match\n"
    "  trace FILE           what trace=FILE has written, as JSON that Perfetto and Chrome open\n"
    "  help                 this text\n"
    "\n"
    "options:\n"
    "  --top N              rows of each table; 0: all (default 20; all with --json and export)\n"
    "  --filter WHAT        only rows with a method or field of this package, class or name\n"
    "                       (java.util, java.util.HashMap, java.util.HashMap.put), or a pattern\n"
    "                       with * and ? ('*.HashMap.get*'); may be repeated\n"
    "  --analysis NAME      only this analysis\n"
    "  --sort ORDER         count (default), name, caller, callee\n"
    "  --all                the class library like the program; otherwise a report is about the\n"
    "                       program, and the library's work stands with the program's calls of it\n"
    "  --method NAME        report: who calls these methods, what they call, and the work below\n"
    "  --source DIR[:DIR]   report: the program's sources with the counts of each line\n"
    "  --threads            also each thread by itself\n"
    "  --json               the report as JSON\n"
    "  -o OUTPUT            export: the file to be written, in place of standard output\n"
    "  --junit OUTPUT       check: the result as JUnit's XML\n"
    "  --sarif OUTPUT       check: the bounds that do not hold as SARIF\n"
    "  --html               the tables of threads and locks as one HTML page, with timelines\n"
    "  --damaged            read what can be read of a damaged file\n"
    "\n"
    "exit code: 0 done; 1 wrong use; 2 the file cannot be read or is damaged\n"
    "of check:  0 all bounds hold; 1 one does not; 2 wrong use, or the file cannot be read, is damaged or not exact\n";

static _Noreturn void usage(const char *problem, const char *word) {
    fprintf(stderr, "cabernet-prof: %s%s%s\nTry: cabernet-prof help\n", problem, word ? " " : "",
            word ? word : "");
    exit(exit_use);
}

// ---- arguments ---------------------------------------------------------------------------------

static size_t parse_top(const char *text) {
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || *end || end == text || *text == '-') usage("--top needs a number, not", text);
    return n;
}

static ProfSort parse_sort(const char *text) {
    static const char *const names[] = {"count", "name", "caller", "callee"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], text) == 0) return (ProfSort)i;
    usage("--sort takes count, name, caller or callee, not", text);
}

typedef enum OptionId { FLAG, EXPORT_FORMAT, TOP, FILTER, ANALYSIS, SORT, METHOD, SOURCE, OUTPUT, JUNIT, SARIF, MAX, MIN } OptionId;

static const struct ProfFormat {
    const char *option;
    ProfExport *write;
} formats[] = {
#define FORMAT(option, function, help) {option, function},
#include "profiler/tool/exports.def"
#undef FORMAT
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const struct {
    const char *name;
    OptionId id;
    size_t flag;  // offset in ProfOptions
} options[] = {
    {"--top", TOP, 0},           {"--filter", FILTER, 0},
    {"--analysis", ANALYSIS, 0}, {"--sort", SORT, 0},
    {"--method", METHOD, 0},     {"--source", SOURCE, 0},
    {"--all", FLAG, offsetof(ProfOptions, all)},
    {"--threads", FLAG, offsetof(ProfOptions, threads)},
    {"--json", FLAG, offsetof(ProfOptions, json)},
    {"--html", FLAG, offsetof(ProfOptions, html)},
    {"--damaged", FLAG, offsetof(ProfOptions, damaged)},
    {"-o", OUTPUT, 0},           {"--junit", JUNIT, 0},
    {"--sarif", SARIF, 0},
    {"--max", MAX, 0},           {"--min", MIN, 0},
#define FORMAT(option, function, help) {option, EXPORT_FORMAT, 0},
#include "profiler/tool/exports.def"
#undef FORMAT
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static _Noreturn void unknown_option(const char *word) {
    fprintf(stderr, "cabernet-prof: there is no option %s; there are", word);
    for (int i = 0; i < OPTION_COUNT; i++) fprintf(stderr, " %s", options[i].name);
    fputs("\nTry: cabernet-prof help\n", stderr);
    exit(exit_use);
}

static void parse_threshold(ProfOptions *o, const char *text, bool least) {
    if (o->threshold_count == MAX_FILTERS) usage("too many bounds", NULL);
    if (!prof_threshold(text, least, &o->thresholds[o->threshold_count++]))
        usage(least ? "--min takes METHOD>=NUMBER, not" : "--max takes METHOD<=NUMBER, not", text);
}

// --name, or --name VALUE or --name=VALUE.
static void take_option(ProfOptions *o, char **argv, int *i) {
    int k = 0;
    const char *word = argv[*i];
    size_t n = strcspn(word, "=");
    while (k < OPTION_COUNT && (strncmp(word, options[k].name, n) != 0 || options[k].name[n])) k++;
    if (k == OPTION_COUNT || (options[k].id <= EXPORT_FORMAT && word[n])) unknown_option(word);
    if (options[k].id == EXPORT_FORMAT) {
        if (o->format) usage("one format at a time; one too many:", word);
        for (int i = 0; i < FORMAT_COUNT; i++)
            if (strcmp(formats[i].option, word) == 0) o->format = &formats[i];
        return;
    }
    if (options[k].id == FLAG) {
        *(bool *)((char *)o + options[k].flag) = true;
        return;
    }
    const char *value = word[n] ? word + n + 1 : argv[++*i];
    if (!value) usage("a value is missing behind", options[k].name);
    switch (options[k].id) {
    case TOP: o->top = parse_top(value), o->top_given = true; break;
    case FILTER:
        if (o->filter_count == MAX_FILTERS) usage("too many filters", NULL);
        o->filters[o->filter_count++] = value;
        break;
    case ANALYSIS: o->analysis = value; break;
    case SORT: o->sort = parse_sort(value); break;
    case METHOD: o->method = value; break;
    case SOURCE: o->source = value; break;
    case OUTPUT: o->output = value; break;
    case JUNIT: o->junit = value; break;
    case SARIF: o->sarif = value; break;
    case MAX: case MIN: parse_threshold(o, value, options[k].id == MIN); break;
    case FLAG: case EXPORT_FORMAT: break;
    }
}

// Takes from `least` to `most` files.
static ProfOptions parse_files(char **argv, size_t least, size_t most) {
    ProfOptions o = {0};
    bool only_files = false;
    for (int i = 0; argv[i]; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            take_option(&o, argv, &i);
        } else if (o.file_count == most) {
            usage(most == 1 ? "one file at a time; one too many:" : "two files; one too many:", argv[i]);
        } else {
            o.files[o.file_count++] = argv[i];
        }
    }
    if (o.file_count < least) usage(least == 1 ? "name a profile file" : "name two profile files", NULL);
    return o;
}

static ProfOptions parse_arguments(char **argv, size_t files) { return parse_files(argv, files, files); }

static void refuse_check_options(const ProfOptions *o) {
    if (o->threshold_count || o->junit || o->sarif) usage("--max, --min, --junit and --sarif belong to check", NULL);
}

// ---- commands ----------------------------------------------------------------------------------

static void check_analysis(const ProfFile *f, const ProfOptions *o) {
    if (!o->analysis) return;
    for (size_t i = 0; i < f->analysis_count; i++)
        if (strcmp(f->analyses[i].name, o->analysis) == 0) return;
    fprintf(stderr, "cabernet-prof: %s holds no %s, but:", f->path, o->analysis);
    for (size_t i = 0; i < f->analysis_count; i++) fprintf(stderr, " %s", f->analyses[i].name);
    putc('\n', stderr);
    exit(EXIT_USE);
}

static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "cabernet-prof: cannot write the output: %s\n", strerror(errno));
    return EXIT_FILE;
}

static void refuse_to_overwrite(const char *profile, const char *output) {
    struct stat a, b;
    if (output && stat(profile, &a) == 0 && stat(output, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        usage("that would overwrite the profile:", output);
}

// Runs the command with the file that -o names, or standard output. A file that could not be written whole is removed, a device
// is not.
static int with_output(const ProfFile *f, const ProfOptions *o, int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    if (!o->output) return command(f, o, stdout);
    FILE *out = fopen(o->output, "wb");
    if (!out) {
        fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", o->output, strerror(errno));
        return EXIT_FILE;
    }
    struct stat st;
    bool regular = fstat(fileno(out), &st) == 0 && S_ISREG(st.st_mode);
    int code = command(f, o, out);
    bool failed = ferror(out);
    failed |= fclose(out) != 0;
    if (failed) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", o->output, strerror(errno));
    if (regular && (failed || code)) remove(o->output);
    return failed ? EXIT_FILE : code;
}

static int with_file(const ProfOptions *o,
                     int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfFile f;
    int code = EXIT_FILE;
    refuse_to_overwrite(o->files[0], o->output);
    refuse_to_overwrite(o->files[0], o->junit);
    refuse_to_overwrite(o->files[0], o->sarif);
    prof_file_open(&f, o->files[0]);
    if (!f.complete) fprintf(stderr, "cabernet-prof: %s: %s\n", o->files[0], f.problem);
    if (!f.complete && !o->damaged && f.meta_count)
        fputs("cabernet-prof: --damaged shows what can be read of it\n", stderr);
    if (f.complete || (o->damaged && f.meta_count)) {
        check_analysis(&f, o);
        int result = with_output(&f, o, command);
        if (f.complete) code = result;
    }
    prof_file_close(&f);
    return finish(code);
}

// Two files, none of which may be damaged.
static int with_two_read(const ProfOptions *o, int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfFile files[2];
    int code = 0;
    for (int i = 0; i < 2; i++) {
        refuse_to_overwrite(o->files[i], o->output);
        prof_file_open(&files[i], o->files[i]);
        if (files[i].complete) continue;
        fprintf(stderr, "cabernet-prof: %s: %s\n", o->files[i], files[i].problem);
        code = EXIT_FILE;
    }
    bool foreign = prof_is_foreign(&files[0]) || prof_is_foreign(&files[1]), names = false;
    for (int i = 0; i < 2; i++) names |= strcmp(prof_meta(&files[i], "precision", ""), "names") == 0;
    for (int i = 0; i < 2 && foreign; i++) prof_as_imported(&files[i], names);
    if (!code) code = with_output(files, o, command);
    for (int i = 0; i < 2; i++) prof_file_close(&files[i]);
    return finish(code);
}

static int with_two_files(char **argv,
                          int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfOptions o = parse_arguments(argv, 2);
    refuse_check_options(&o);
    if (o.format || o.output || o.threads) usage("formats and -o belong to export, --threads to report", NULL);
    if (o.damaged) usage("--damaged belongs to report and export", NULL);
    if (o.method || o.source) usage("--method and --source belong to report", NULL);
    return with_two_read(&o, command);
}

static int command_overlap(char **argv) { return with_two_files(argv, prof_overlap); }
static int command_diff(char **argv) { return with_two_files(argv, prof_diff); }

static int command_report(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    refuse_check_options(&o);
    if (o.format || o.output) usage("formats and -o belong to export", NULL);
    if (o.method && o.source) usage("--method and --source are two reports; take one", NULL);
    if (o.json && (o.method || o.source)) usage("--json is of the whole report; --method and --source print text", NULL);
    if (o.html && (o.json || o.method || o.source)) usage("--html stands alone", NULL);
    if (o.html) return with_file(&o, prof_html);
    if (o.method) return with_file(&o, prof_report_method);
    return with_file(&o, o.source ? prof_report_source : o.json ? prof_json : prof_report);
}

static int command_export(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
#define FORMAT(option, function, help) " " option
    if (!o.format)
        usage("export needs a format:"
#include "profiler/tool/exports.def"
              , NULL);
#undef FORMAT
    refuse_check_options(&o);
    if (o.method) usage("--method belongs to report", NULL);
    if (o.source && o.format->write != prof_export_lcov) usage("--source belongs to report and export --lcov", NULL);
    if (o.json) usage("--json belongs to report", NULL);
    if (o.threads) usage("export adds up all threads; --threads belongs to report", NULL);
    if (o.top) usage("export prints everything; --top belongs to report", NULL);
    o.sort = SORT_COUNT;
    return with_file(&o, o.format->write);
}

static int command_check(char **argv) {
    exit_use = EXIT_FILE;
    ProfOptions o = parse_arguments(argv, 1);
    if (!o.threshold_count) usage("check needs --max or --min", NULL);
    if (o.format || o.output || o.method || o.source || o.json || o.threads || o.damaged || o.top_given || o.filter_count || o.analysis)
        usage("check takes --max, --min, --junit and --sarif only", NULL);
    return with_file(&o, prof_check);
}

static int page_of_one(const ProfFile *f, const ProfOptions *o, FILE *out) { return prof_page(f, 1, o, out); }
static int page_of_two(const ProfFile *f, const ProfOptions *o, FILE *out) { return prof_page(f, 2, o, out); }

static int command_html(char **argv) {
    ProfOptions o = parse_files(argv, 1, 2);
    refuse_check_options(&o);
    if (o.format || o.method || o.json || o.html || o.threads || o.top_given || o.filter_count || o.analysis || o.all)
        usage("html takes -o, --source and --damaged only", NULL);
    if (o.damaged && o.file_count == 2) usage("--damaged belongs to pages of one file", NULL);
    return o.file_count == 1 ? with_file(&o, page_of_one) : with_two_read(&o, page_of_two);
}

static int command_trace(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    return finish(prof_trace(o.files[0], stdout));
}

static int command_help(char **argv) {
    (void)argv;
    fputs(help, stdout);
    return finish(0);
}

static int command_productions(char **argv) {
    bool lines = argv[0] && strcmp(argv[0], "--lines") == 0;
    argv += lines;
    if (!argv[0]) usage("name a file of productions", NULL);
    if (argv[0][0] == '-') unknown_option(argv[0]);
    return finish(prof_productions(argv, lines, stdout));
}

static const struct Command {
    const char *name;
    int (*run)(char **argv);
} commands[] = {
    {"report", command_report}, {"export", command_export}, {"help", command_help},
    {"--help", command_help},   {"-h", command_help},       {"overlap", command_overlap},
    {"diff", command_diff},     {"productions", command_productions},
    {"trace", command_trace},   {"check", command_check},
    {"html", command_html},
};

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs(help, stderr);
        return EXIT_USE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, argv[1]) != 0) continue;
        return commands[i].run(argv + 2);
    }
    fprintf(stderr, "cabernet-prof: there is no command %s; there are", argv[1]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].name[0] != '-') fprintf(stderr, " %s", commands[i].name);
    fputs("\nTry: cabernet-prof help\n", stderr);
    return EXIT_USE;
}
