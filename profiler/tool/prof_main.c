// cabernet-prof: reads profile files. Exit codes: 0 success; 1 wrong usage; 2 the file cannot be read or is damaged, or
// the output cannot be written. For check, 1 only means that a threshold is violated.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "profiler/tool/advise/prof_advise.h"
#include "profiler/tool/advise/prof_plans.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/compare/prof_isolate.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/prof_commands.h"
#include "profiler/tool/prof_record.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_source.h"

enum { EXIT_USE = 1, EXIT_FILE = 2 };

static int exit_use = EXIT_USE;  // EXIT_FILE for check

static _Noreturn void usage(const char *problem, const char *word) {
    fprintf(stderr, "cabernet-prof: %s%s%s\nTry: cabernet-prof help\n", problem, word ? " " : "", word ? word : "");
    exit(exit_use);
}

// ---- arguments ---------------------------------------------------------------------------------

static size_t parse_number(const char *option, const char *text) {
    char *end, problem[64];
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    snprintf(problem, sizeof problem, "%s needs a number, not", option);
    if (errno || *end || end == text || *text == '-') usage(problem, text);
    return n;
}

// "30", "1.5s", "2m", "1h": seconds.
static double parse_duration(const char *text) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char *end;
    double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    for (size_t i = 0; number > 0 && number < 1e8 && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) return number * units[i].seconds;
    usage("-d needs a time such as 30, 30s or 5m, not", text);
}

typedef enum OptionId {
    FLAG,
    EXPORT_FORMAT,
    TOP,
    FILTER,
    ANALYSIS,
    SORT,
    METHOD,
    SOURCE,
    OUTPUT,
    JUNIT,
    SARIF,
    MAX,
    MIN,
    BYTECODE,
    CLASSES,
    WIDTH,
    EVERY,
    TIMES,
    EVENTS,
    NAME,
    DURATION
} OptionId;

static const struct ProfFormat {
    const char *option;
    ProfExport *write;
} formats[] = {
#define FORMAT(option, function, help) {option, function},
#include "profiler/tool/export/exports.def"
#undef FORMAT
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const struct Option {
    const char *name;
    OptionId id;
    size_t flag;  // offset in ProfOptions
    const char *argument, *help;
} options[] = {
#define OPTION(name, id, flag, argument, help) {name, id, flag, argument, help},
#include "profiler/tool/options.def"
#define FORMAT(option, function, help) {option, EXPORT_FORMAT, 0, "", help},
#include "profiler/tool/export/exports.def"
#undef FORMAT
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

// A known name of each row is at the beginning of the row. `kind`: "option".
static _Noreturn void unknown_name(const char *kind, const char *word, const void *rows, size_t count, size_t size) {
    char hint[WORDS_HINT];
    WordsGuess guess = {0};
    char *name = strndup(word, strcspn(word, "="));
    if (!name) prof_out_of_memory();
    for (size_t i = 0; i < count; i++) words_consider(&guess, name, *(char **)((char *)rows + i * size));
    fprintf(stderr, "cabernet-prof: there is no %s %s%s; there are", kind, word, words_hint(&guess, hint));
    for (size_t i = 0; i < count; i++) fprintf(stderr, " %s", *(char **)((char *)rows + i * size));
    fputs("\nTry: cabernet-prof help\n", stderr);
    exit(exit_use);
}

static _Noreturn void unknown_option(const char *word) {
    unknown_name("option", word, options, OPTION_COUNT, sizeof *options);
}

// --name, or --name VALUE or --name=VALUE.
static void take_option(ProfOptions *o, char **argv, int *i) {
    static const char *const sorts[] = {"count", "name", "caller", "callee"};
    int k = 0, sort = 0;
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
    if (!value) usage("a value is missing after", options[k].name);
    switch (options[k].id) {
        case TOP: o->top = parse_number("--top", value), o->top_given = true; break;
        case FILTER:
            if (o->filter_count == MAX_FILTERS) usage("too many filters", NULL);
            o->filters[o->filter_count++] = value;
            break;
        case ANALYSIS: o->analysis = value; break;
        case SORT:
            while (sort < 4 && strcmp(sorts[sort], value) != 0) sort++;
            if (sort == 4) usage("--sort takes count, name, caller or callee, not", value);
            o->sort = (ProfSort)sort;
            break;
        case METHOD: o->method = value; break;
        case SOURCE: o->source = value; break;
        case OUTPUT: o->output = value; break;
        case JUNIT: o->junit = value; break;
        case SARIF: o->sarif = value; break;
        case BYTECODE: o->bytecode = value; break;
        case CLASSES: o->classes = value; break;
        case WIDTH: o->width = parse_number("--width", value), o->width_given = true; break;
        case EVERY: o->every = parse_number("--every", value); break;
        case TIMES: o->times = parse_number("--times", value); break;
        case EVENTS: o->events = value; break;
        case NAME: o->name = value; break;
        case DURATION: o->duration = parse_duration(value); break;
        case MAX:
        case MIN:
            if (options[k].id == MIN && value[strspn(value, "0123456789.")] == '%') {
                o->least_share = strtod(value, NULL) / 100;
                break;
            }
            if (o->threshold_count == MAX_FILTERS) usage("too many bounds", NULL);
            if (!prof_threshold(value, options[k].id == MIN, &o->thresholds[o->threshold_count++]))
                usage(options[k].id == MIN ? "--min takes METHOD>=NUMBER, not" : "--max takes METHOD<=NUMBER, not",
                      value);
            break;
        case FLAG:
        case EXPORT_FORMAT: break;
    }
}

// Parses between `least` and `most` file names.
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

// Rejects options of check for other commands.
static void refuse_check_options(const ProfOptions *o) {
    if (o->threshold_count || o->junit || o->sarif)
        usage("--max, --min METHOD>=N, --junit and --sarif belong to check", NULL);
    if (o->least_share > 0 && !o->format) usage("--min SHARE% belongs to export", NULL);
}

// ---- commands ----------------------------------------------------------------------------------

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

// Runs a command whose output is for people.
static int on_screen(const ProfFile *f, const ProfOptions *o,
                     int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfScreen screen = prof_screen(o->width);
    if (o->width_given) screen.width = o->width;
    if (!screen.colours && !screen.pages && !screen.width) return command(f, o, stdout);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    int code = command(f, o, out);
    if (fclose(out) != 0) prof_out_of_memory();
    prof_screen_show(&screen, text, size);  // finish() reports errors
    free(text);
    return code;
}

// Runs the command with the file that -o names, or with standard output. An incompletely written file is removed, a
// device is not.
static int with_output(const ProfFile *f, const ProfOptions *o,
                       int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    if (o->text) return on_screen(f, o, command);
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

// Reports filters that match nothing: an empty table may mean a misspelt name.
static void warn_of_unmatched(const ProfFile *files, size_t count, const ProfOptions *o) {
    for (size_t k = 0; k < o->filter_count; k++) {
        bool matches = false;
        for (size_t i = 0; i < count && !matches; i++) matches = prof_filter_matches(&files[i], o->filters[k]);
        if (!matches)
            fprintf(stderr, "cabernet-prof: nothing in %s%s%s matches --filter %s\n", files[0].path,
                    count > 1 ? " or " : "", count > 1 ? files[1].path : "", o->filters[k]);
    }
    bool any = !o->source;
    for (size_t i = 0; i < count && !any; i++) any = prof_has_any_source(&files[i], o);
    if (!any)
        fprintf(stderr,
                "cabernet-prof: none of the sources is in --source %s: it is what the packages' folders are in\n",
                o->source);
}

static int with_file(const ProfOptions *o, int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfFile f;
    int code = EXIT_FILE;
    if (o->accuracy) usage("--accuracy belongs to overlap", NULL);
    refuse_to_overwrite(o->files[0], o->output);
    refuse_to_overwrite(o->files[0], o->junit);
    refuse_to_overwrite(o->files[0], o->sarif);
    prof_file_open(&f, o->files[0]);
    if (!f.complete) fprintf(stderr, "cabernet-prof: %s: %s\n", o->files[0], f.problem);
    if (!f.complete && !o->damaged && f.meta_count)
        fputs("cabernet-prof: --damaged shows what can be read of it\n", stderr);
    if (f.complete || (o->damaged && f.meta_count)) {
        if (o->analysis && !prof_analysis(&f, o->analysis)) {
            char hint[WORDS_HINT];
            WordsGuess guess = {0};
            for (size_t i = 0; i < f.analysis_count; i++) words_consider(&guess, o->analysis, f.analyses[i].name);
            fprintf(stderr, "cabernet-prof: %s holds no %s%s, but:", f.path, o->analysis, words_hint(&guess, hint));
            for (size_t i = 0; i < f.analysis_count; i++) fprintf(stderr, " %s", f.analyses[i].name);
            putc('\n', stderr);
            exit(EXIT_USE);
        }
        warn_of_unmatched(&f, 1, o);
        int result = with_output(&f, o, command);
        if (f.complete) code = result;
    }
    prof_file_close(&f);
    return finish(code);
}

// Opens two files; neither may be damaged.
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
    bool foreign = prof_is_imported(&files[0]) || prof_is_imported(&files[1]), names = false;
    for (int i = 0; i < 2; i++) names |= strcmp(prof_meta(&files[i], "precision", ""), "names") == 0;
    for (int i = 0; i < 2 && foreign; i++) prof_as_imported(&files[i], names);
    if (!code) warn_of_unmatched(files, 2, o);
    if (!code) code = with_output(files, o, command);
    for (int i = 0; i < 2; i++) prof_file_close(&files[i]);
    return finish(code);
}

static int with_two_files(char **argv, int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfOptions o = parse_arguments(argv, 2);
    refuse_check_options(&o);
    if (o.format || o.output || o.threads) usage("formats and -o belong to export, --threads to report", NULL);
    if (o.damaged) usage("--damaged belongs to report and export", NULL);
    if (o.method || o.source) usage("--method and --source belong to report", NULL);
    if (o.accuracy && command != prof_overlap) usage("--accuracy belongs to overlap", NULL);
    o.text = !o.json;
    return with_two_read(&o, command);
}

static int command_overlap(char **argv) { return with_two_files(argv, prof_overlap); }
static int command_join(char **argv) { return with_two_files(argv, prof_join); }
static int command_diff(char **argv) { return with_two_files(argv, prof_diff); }

static int command_report(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    refuse_check_options(&o);
    if (o.format || o.output) usage("formats and -o belong to export", NULL);
    if ((o.method != NULL) + (o.source != NULL) + (o.bytecode != NULL) > 1)
        usage("--method, --source and --bytecode are reports by themselves; take one", NULL);
    if (o.classes && !o.bytecode && !o.format) usage("--classes belongs to --bytecode and to export --lcov", NULL);
    if (o.json && (o.method || o.source || o.bytecode))
        usage("--json is of the whole report; --method, --source and --bytecode print text", NULL);
    if (o.html && (o.json || o.method || o.source || o.bytecode)) usage("--html stands alone", NULL);
    if (o.html) return with_file(&o, prof_html);
    o.text = !o.json;
    if (o.method) return with_file(&o, prof_report_method);
    if (o.bytecode) return with_file(&o, prof_report_bytecode);
    return with_file(&o, o.source ? prof_report_source : o.json ? prof_json : prof_report);
}

static int command_export(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
#define FORMAT(option, function, help) " " option
    if (!o.format)
        usage("export needs a format:"
#include "profiler/tool/export/exports.def"
              ,
              NULL);
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
    if (o.format || o.output || o.method || o.source || o.json || o.threads || o.damaged || o.top_given ||
        o.filter_count || o.analysis || o.least_share > 0)
        usage("check takes --max, --min, --junit and --sarif only", NULL);
    return with_file(&o, prof_check);
}

static int command_html(char **argv) {
    ProfOptions o = parse_files(argv, 1, 2);
    refuse_check_options(&o);
    if (o.format || o.method || o.json || o.html || o.threads || o.top_given || o.filter_count || o.analysis || o.all)
        usage("html takes -o, --source and --damaged only", NULL);
    if (o.damaged && o.file_count == 2) usage("--damaged belongs to pages of one file", NULL);
    return o.file_count == 1 ? with_file(&o, prof_page) : with_two_read(&o, prof_page);
}

static int command_advise(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    refuse_check_options(&o);
    if (o.format || o.method || o.bytecode || o.source || o.json || o.html || o.threads || o.damaged || o.top_given ||
        o.filter_count || o.analysis || o.all)
        usage("advise takes -o only", NULL);
    return with_file(&o, prof_advise);
}

static int command_plans(char **argv) {
    const char *output = NULL;
    size_t count = 0;
    bool all = false;
    for (size_t i = 0; argv[i]; i++) {
        if (strcmp(argv[i], "-o") == 0) {
            if (!(output = argv[++i])) usage("a value is missing after", "-o");
        } else if (strcmp(argv[i], "--all") == 0) {
            all = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            unknown_option(argv[i]);
        } else {
            argv[count++] = argv[i];
        }
    }
    argv[count] = NULL;
    if (count < 2) usage("name two files of plans or more", NULL);
    if (all && output) usage("-o excludes", "--all");
    return finish(output ? prof_plans_average(argv, output) : prof_plans_compare(argv, all));
}

static int command_trace(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    return finish(prof_trace(o.files[0], stdout));
}

static int command_productions(char **argv) {
    bool lines = argv[0] && strcmp(argv[0], "--lines") == 0;
    argv += lines;
    if (!argv[0]) usage("name a file of productions", NULL);
    if (argv[0][0] == '-') unknown_option(argv[0]);
    return finish(prof_productions(argv, lines, stdout));
}

static int command_tui(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    refuse_check_options(&o);
    if (o.format || o.output || o.method || o.json || o.html || o.threads || o.top_given || o.filter_count ||
        o.analysis || o.width_given)
        usage("tui takes --source, --all and --damaged only", NULL);
    return with_file(&o, prof_tui);
}

// Rejects texts after -e that would be more words of the command to the VM, and keys that are the tool's.
static void refuse_events(const ProfOptions *o) {
    const char *e = o->events;
    if (!e) return;
    if (!*e || e[strcspn(e, " \t\r\n")]) usage("-e takes analyses and options without spaces, not", e);
    if (strstr(e, ":file=") || strncmp(e, "file=", 5) == 0) usage("-o names the output; not in -e:", e);
    if (strstr(e, ":name=") || strncmp(e, "name=", 5) == 0) usage("the tool names the profile; not in -e:", e);
}

static int command_top(char **argv) {
    ProfOptions o = parse_arguments(argv, 1);
    refuse_check_options(&o);
    if (o.format || o.output || o.method || o.source || o.json || o.html || o.threads || o.damaged)
        usage("top takes --name, --every, --times, --top, --filter, --all and --width only", NULL);
    return finish(prof_top(&o));
}

static int command_live(char **argv) {
    ProfOptions o = parse_files(argv, 0, 1);
    refuse_check_options(&o);
    if (!o.file_count) usage("live takes the number of a process; jps -l lists those of VMs", NULL);
    if (o.format || o.output || o.method || o.bytecode || o.source || o.json || o.html || o.threads || o.damaged ||
        o.analysis || o.filter_count || o.duration > 0)
        usage("live takes -e or --name, -i, --times, --top, --all and --width only", NULL);
    if (o.events && o.name) usage("live shows the profile --name, or starts one of -e; not both:", o.name);
    refuse_events(&o);
    return finish(prof_live(&o));
}

// The profile itself, for -o FILE.prof.
static int copy_profile(const ProfFile *f, const ProfOptions *o, FILE *out) {
    (void)o;
    size_t size;
    char problem[256];
    uint8_t *bytes = prof_load(f->path, &size, problem, sizeof problem);
    if (!bytes) {
        fprintf(stderr, "cabernet-prof: %s: %s\n", f->path, problem);
        return EXIT_FILE;
    }
    fwrite(bytes, 1, size, out);  // with_output reports errors
    free(bytes);
    return 0;
}

// The formats of record, by the end of the output's name.
static const struct Output {
    const char *end;
    ProfExport *write;
} outputs[] = {
    {".html", prof_page},          {".folded", prof_export_collapsed}, {".collapsed", prof_export_collapsed},
    {".pb.gz", prof_export_pprof}, {".jfr", prof_export_jfr},          {".speedscope.json", prof_export_speedscope},
    {".prof", copy_profile},
};

static ProfExport *writer_of(const char *output) {
    enum { COUNT = sizeof outputs / sizeof *outputs };
    size_t n = strlen(output);
    for (size_t i = 0; i < COUNT; i++) {
        size_t m = strlen(outputs[i].end);
        if (n > m && strcmp(output + n - m, outputs[i].end) == 0) return outputs[i].write;
    }
    fprintf(stderr, "cabernet-prof: %s names no format; the name must end in", output);
    for (size_t i = 0; i < COUNT; i++) fprintf(stderr, "%s %s", i ? i + 1 < COUNT ? "," : " or" : "", outputs[i].end);
    putc('\n', stderr);
    exit(EXIT_USE);
}

// Writes the profile of a recording as the output's name says, or as a report; keeps it if that fails.
static int convert_recording(ProfProcess *p, ProfOptions *o, ProfExport *write) {
    o->files[0] = p->path;
    o->text = !o->output;
    int code = with_file(o, write);
    if (code) prof_record_keep(p, o->output);
    return code;
}

// Returns the program's exit code; if that is 0, whether there is an output.
static int record_command(char **command, ProfOptions *o, ProfExport *write) {
    ProfProcess p;
    int code = EXIT_FILE, status = -1;
    if (prof_process_prepare(&p)) status = prof_record_command(&p, command, o->events ? o->events : "cpu");
    if (status >= 0 && access(p.path, R_OK) == 0) code = convert_recording(&p, o, write);
    prof_process_close(&p);
    return status > 0 ? status : code;
}

static int record_process(ProfOptions *o, ProfExport *write) {
    ProfProcess p;
    prof_catch_interrupts();
    int code = prof_process_open(&p, "record", o->files[0]);
    if (!code) code = prof_record(&p, o->events ? o->events : "cpu", o->duration > 0 ? o->duration : -1);
    if (!code) code = convert_recording(&p, o, write);
    if (!code && o->output) fprintf(stderr, "cabernet-prof: written to %s\n", o->output);
    prof_process_close(&p);
    return code;
}

static int command_record(char **argv) {
    char **command = argv;
    while (*command && strcmp(*command, "--") != 0) command++;
    bool starts = *command;
    if (starts) *command++ = NULL;
    ProfOptions o = parse_files(argv, 0, 1);
    refuse_check_options(&o);
    if (!o.file_count && !*command)
        usage("record takes the number of a process (jps -l lists those of VMs), or a command after --", NULL);
    if (o.file_count && starts) usage("record takes a process or, after --, a command; not both:", o.files[0]);
    if (o.duration > 0 && starts) usage("-d belongs to the recording of a running process", NULL);
    if (o.format || o.method || o.bytecode || o.json || o.html || o.threads || o.damaged || o.analysis)
        usage("record takes -e, -d, -o, --all, --filter, --source, --top and --width only", NULL);
    refuse_events(&o);
    ProfExport *write = o.output ? writer_of(o.output) : prof_report;
    if (o.output && !prof_record_can_write(o.output)) return EXIT_FILE;
    return starts ? record_command(command, &o, write) : record_process(&o, write);
}

static int command_help(char **argv);
static int command_completion(char **argv);
static int command_isolate(char **argv) { return finish(prof_isolate(argv, stdout)); }

static const struct Command {
    const char *name;
    int (*run)(char **argv);
    const char *arguments, *help;
} commands[] = {
#define COMMAND(name, function, arguments, help) {name, function, arguments, help},
#include "profiler/tool/options.def"
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

// ---- help and completions ----------------------------------------------------------------------

enum { HELP_COLUMN = 23 };

// A word and its arguments, with the help beside or below it.
static void print_help(const char *word, const char *arguments, const char *text) {
    int n = printf("  %s%s%s", word, *arguments ? " " : "", arguments);
    if (n >= HELP_COLUMN) putchar('\n'), n = 0;
    for (const char *end; *text; text = end + (*end == '\n')) {
        end = strchrnul(text, '\n');
        printf("%*s%.*s\n", HELP_COLUMN - n, "", (int)(end - text), text);
        n = 0;
    }
}

static const struct Command *find_command(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    unknown_name("command", name, commands, COMMAND_COUNT, sizeof *commands);
}

// Of one command, whose options the help of all explains.
static int help_of(const struct Command *c) {
    print_help(c->name, c->arguments, c->help);
    puts("\nThe options are explained by: cabernet-prof help");
    return finish(0);
}

static int command_help(char **argv) {
    if (*argv) return help_of(find_command(*argv));
    puts("usage: cabernet-prof <command> [options] FILE\n\ncommands:");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        print_help(commands[i].name, commands[i].arguments, commands[i].help);
        if (commands[i].run != command_export) continue;
        for (int k = 0; k < OPTION_COUNT; k++)
            if (options[k].id == EXPORT_FORMAT)
                printf("%*s%s: %s\n", HELP_COLUMN + 2, "", options[k].name, options[k].help);
    }
    puts("  Of export --lines a line is one of\n"
         "    method <class>.<name><descriptor> <count>\n"
         "    edge <caller> <bytecode index> <callee> <count>\n"
         "    field <class>.<name>:<descriptor> get|put <count>\n"
         "    branch <method> <bytecode index> <edge> <count>\n"
         "  and in names a space is \\s and a backslash \\\\.\n\n"
         "options:");
    for (int k = 0; k < OPTION_COUNT; k++)
        if (options[k].id != EXPORT_FORMAT) print_help(options[k].name, options[k].argument, options[k].help);
    puts("\nOn a terminal texts have its width, colours (not with NO_COLOR in the environment) and a pager (PAGER).\n\n"
         "exit code: 0 done; 1 wrong use; 2 the file cannot be read or is damaged\n"
         "of check:  0 all bounds hold; 1 one does not; 2 wrong use, or the file cannot be read, is damaged or not "
         "exact");
    return finish(0);
}

// Completes commands and options, and file names elsewhere.
static int command_completion(char **argv) {
    static const char bash[] =
        "    local word=${COMP_WORDS[COMP_CWORD]}\n"
        "    if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
        "    elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "    else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
        "}\n"
        "complete -o filenames -F _cabernet_prof cabernet-prof\n";
    static const char zsh[] = "    if (( CURRENT == 2 )); then compadd -- ${=commands}\n"
                              "    elif [[ $PREFIX == -* ]]; then compadd -- ${=options}\n"
                              "    else _files; fi\n"
                              "}\n"
                              "_cabernet_prof \"$@\"\n";
    bool is_zsh = argv[0] && strcmp(argv[0], "zsh") == 0;
    if (!argv[0] || argv[1] || (!is_zsh && strcmp(argv[0], "bash") != 0)) usage("completion takes bash or zsh", NULL);
    printf("%s_cabernet_prof() {\n    local commands='", is_zsh ? "#compdef cabernet-prof\n" : "");
    for (int i = 0; i < COMMAND_COUNT; i++) printf("%s ", commands[i].name);
    fputs("' options='", stdout);
    for (int k = 0; k < OPTION_COUNT; k++) printf("%s ", options[k].name);
    fputs("'\n", stdout);
    fputs(is_zsh ? zsh : bash, stdout);
    return finish(0);
}

static bool asks_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: cabernet-prof <command> [options] FILE\nTry: cabernet-prof help\n", stderr);
        return EXIT_USE;
    }
    if (asks_help(argv[1])) return command_help(argv + 2);
    const struct Command *c = find_command(argv[1]);
    return argc == 3 && asks_help(argv[2]) ? help_of(c) : c->run(argv + 2);
}
