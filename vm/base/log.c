// The log (vm/base/log.h). An output is a file descriptor with a threshold for each set of tags; logsets.def has the
// tables of tags and decorators.
//
// `lock` guards the outputs. It is held over write(2), but never over a call that could wait for the VM. Readers of
// `lowest` need no lock and may see a change late.
#include "vm/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"

enum {
    MAX_TAGS = 8,
    LINE = 1024,
    USUAL_DECORATORS = 1 << DECORATE_UPTIME | 1 << DECORATE_LEVEL | 1 << DECORATE_TAGS,
    USUAL_FILES = 5,
};
static const int64_t usual_size = 20 << 20;

static const char *const set_tags[LOG_SETS] = {
#define LOGSET(id, tags, about) tags,
#include "vm/base/logsets.def"
};

static const char *const level_names[] = {"trace", "debug", "info", "warning", "error", "off"};

LogState log_state = {
    .lowest =
        {
#define LOGSET(id, tags, about) LOG_WARNING,
#include "vm/base/logsets.def"
        },
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .output_count = 2,
    .outputs =
        {
            {.fd = STDOUT_FILENO,
             .name = "stdout",
             .decorators = USUAL_DECORATORS,
             .least =
                 {
#define LOGSET(id, tags, about) LOG_WARNING,
#include "vm/base/logsets.def"
                 }},
            {.fd = STDERR_FILENO,
             .name = "stderr",
             .decorators = USUAL_DECORATORS,
             .least =
                 {
#define LOGSET(id, tags, about) LOG_OFF,
#include "vm/base/logsets.def"
                 }},
        },
};

void log_set_start(uint64_t ns) { log_state.start_ns = ns; }

// ---- decorations ---------------------------------------------------------------------------------

static uint64_t uptime_ns(void) { return log_state.start_ns ? (uint64_t)clock_monotonic_ns() - log_state.start_ns : 0; }

void log_date(char *text, size_t cap, bool utc) {
    int64_t now = clock_wall_ns();
    time_t seconds = (time_t)(now / 1000000000);
    struct tm tm;
    if (utc) gmtime_r(&seconds, &tm);
    else localtime_r(&seconds, &tm);
    char day[32], zone[8];
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
    strftime(zone, sizeof zone, "%z", &tm);
    snprintf(text, cap, "%s.%03u%s", day, (unsigned)(now / 1000000 % 1000), zone);
}

static void decoration(int id, LogSet set, LogLevel level, char *text, size_t cap) {
    switch (id) {
        case DECORATE_TIME: log_date(text, cap, false); break;
        case DECORATE_UTCTIME: log_date(text, cap, true); break;
        case DECORATE_UPTIME: snprintf(text, cap, "%.3fs", (double)uptime_ns() / 1e9); break;
        case DECORATE_TIMEMILLIS: snprintf(text, cap, "%llums", (unsigned long long)clock_wall_ms()); break;
        case DECORATE_UPTIMEMILLIS: snprintf(text, cap, "%llums", (unsigned long long)(uptime_ns() / 1000000)); break;
        case DECORATE_TIMENANOS: snprintf(text, cap, "%lluns", (unsigned long long)clock_wall_ns()); break;
        case DECORATE_UPTIMENANOS: snprintf(text, cap, "%lluns", (unsigned long long)uptime_ns()); break;
        case DECORATE_HOSTNAME:
            if (gethostname(text, cap) != 0) snprintf(text, cap, "?");
            text[cap - 1] = 0;
            break;
        case DECORATE_PID: snprintf(text, cap, "%d", getpid()); break;
        case DECORATE_TID: snprintf(text, cap, "%d", gettid()); break;
        case DECORATE_LEVEL: snprintf(text, cap, "%s", level_names[level]); break;
        default: snprintf(text, cap, "%s", set_tags[set]); break;
    }
}

// "[0.012s][info][gc] "; nothing for an output without decorations.
static size_t decorate(LogOutput *o, LogSet set, LogLevel level, char *line, size_t cap) {
    size_t n = 0;
    for (int id = 0; id < DECORATORS && n < cap; id++) {
        if (!(o->decorators & 1u << id)) continue;
        char text[300];
        decoration(id, set, level, text, sizeof text);
        int length = snprintf(line + n, cap - n, "[%-*s]", o->widths[id], text);
        if (length - 2 > o->widths[id]) o->widths[id] = length - 2;
        n += (size_t)length;
    }
    if (n && n < cap) line[n++] = ' ';
    return n < cap ? n : cap;
}

// ---- files -----------------------------------------------------------------------------------------

static void numbered(const LogOutput *o, int number, char *path, size_t cap) {
    snprintf(path, cap, "%s.%0*d", o->path, o->files > 10 ? 2 : 1, number);
}

// The first unused number, or that of the oldest file.
static int first_number(const LogOutput *o) {
    int oldest = 0;
    time_t oldest_time = 0;
    for (int i = 0; i < o->files; i++) {
        char path[4200];
        struct stat st;
        numbered(o, i, path, sizeof path);
        if (stat(path, &st) != 0) return i;
        if (i == 0 || st.st_mtime < oldest_time) oldest_time = st.st_mtime, oldest = i;
    }
    return oldest;
}

static void put_away(LogOutput *o) {
    char path[4200];
    numbered(o, o->next_file, path, sizeof path);
    rename(o->path, path);
    o->next_file = (o->next_file + 1) % o->files;
}

static void open_output(LogOutput *o) {
    o->fd = open(o->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    o->written = 0;
}

// ---- writing -----------------------------------------------------------------------------------------

static void put(LogOutput *o, const char *text, size_t n) {
    o->written += (int64_t)n;
    while (n > 0) {
        ssize_t done = write(o->fd, text, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return;  // there is nowhere to report it
        text += done;
        n -= (size_t)done;
    }
    if (!o->path || !o->files || !o->size_limit || o->written < o->size_limit) return;
    close(o->fd);
    put_away(o);
    open_output(o);
}

void log_write(LogSet set, LogLevel level, const char *format, ...) {
    char short_message[LINE], *message = short_message, *long_message = NULL;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(short_message, sizeof short_message, format, args);
    va_end(args);
    if (n >= (int)sizeof short_message) {
        va_start(args, format);
        if (vasprintf(&long_message, format, args) >= 0) message = long_message;
        va_end(args);
    }
    size_t length = strlen(message);
    char *line = malloc(LINE + length + 1);
    pthread_mutex_lock(&log_state.lock);
    for (LogOutput *o = log_state.outputs; line && o < log_state.outputs + log_state.output_count; o++) {
        if (o->least[set] > level || o->fd < 0) continue;
        size_t at = decorate(o, set, level, line, LINE);
        memcpy(line + at, message, length);
        line[at + length] = '\n';
        put(o, line, at + length + 1);
    }
    pthread_mutex_unlock(&log_state.lock);
    free(line);
    free(long_message);
}

// ---- levels ------------------------------------------------------------------------------------------

static void settle(void) {
    for (int set = 0; set < LOG_SETS; set++) {
        uint8_t least = LOG_OFF;
        for (int i = 0; i < log_state.output_count; i++)
            if (log_state.outputs[i].least[set] < least) least = log_state.outputs[i].least[set];
        log_state.lowest[set] = least;
    }
}

LogLevel log_stdout_level(LogSet set) { return log_state.outputs[0].least[set]; }

void log_set_stdout_level(LogSet set, LogLevel level) {
    pthread_mutex_lock(&log_state.lock);
    log_state.outputs[0].least[set] = (uint8_t)level;
    settle();
    pthread_mutex_unlock(&log_state.lock);
}

// ---- selections: tag+tag*=level,... -----------------------------------------------------------------

typedef struct Selection {
    char *tags[MAX_TAGS];
    int count;
    bool wildcard, all;
    LogLevel level;
} Selection;

static bool complain(const char *format, const char *what) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    log_write(LOG_LOGGING, LOG_ERROR, format, what);
#pragma GCC diagnostic pop
    return false;
}

static bool is_tag(const char *word) {
    static const char *const known[] = {
#define LOGTAGS(words) words,
#include "vm/base/logsets.def"
    };
    size_t n = strchr(word, ' ') ? 0 : strlen(word);
    for (size_t i = 0; n && i < sizeof known / sizeof *known; i++)
        for (const char *p = known[i]; (p = strcasestr(p, word)) != NULL; p++)
            if (p > known[i] && p[-1] == ' ' && p[n] == ' ') return true;
    return false;
}

static bool parse_tags(char *text, Selection *s) {
    size_t n = strlen(text);
    if (n && text[n - 1] == '*') {
        s->wildcard = true;
        text[n - 1] = 0;
    }
    if (strcasecmp(text, "all") == 0) return s->all = true;
    for (char *tag; (tag = words_next(&text, '+', WORDS_PLAIN)) != NULL;) {
        if (!is_tag(tag)) return complain("Invalid tag '%s' in log selection.", tag);
        if (s->count == MAX_TAGS) return complain("Too many tags in log selection: '%s'.", tag);
        s->tags[s->count++] = tag;
    }
    return true;
}

static bool selects(const Selection *s, LogSet set) {
    if (s->all) return true;
    int tags = 1;
    for (const char *p = set_tags[set]; (p = strchr(p, ',')) != NULL; p++) tags++;
    for (int i = 0; i < s->count; i++) {
        size_t n = strlen(s->tags[i]);
        const char *p = set_tags[set];
        while (p && (strncasecmp(p, s->tags[i], n) != 0 || (p[n] != ',' && p[n])))
            p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL;
        if (!p) return false;
    }
    return s->wildcard || tags == s->count;
}

// The last of several selections wins.
static bool apply_selections(char *text, uint8_t *least) {
    char all[] = "all";
    if (!*text) text = all;
    for (char *one; (one = words_next(&text, ',', WORDS_PLAIN)) != NULL;) {
        Selection s = {.level = LOG_INFO};
        const char *level = words_value(one);
        if (level) {
            int i = LOG_TRACE;
            while (i <= LOG_OFF && strcasecmp(level, level_names[i]) != 0) i++;
            if (i > LOG_OFF) return complain("Invalid level '%s' in log selection.", level);
            s.level = (LogLevel)i;
        }
        if (!parse_tags(one, &s)) return false;
        for (int set = 0; set < LOG_SETS; set++)
            if (selects(&s, (LogSet)set)) least[set] = (uint8_t)s.level;
    }
    return true;
}

// ---- outputs and decorators ----------------------------------------------------------------------------

static bool parse_decorators(char *text, unsigned *decorators) {
    static const char *const names[][2] = {
#define DECORATOR(id, name, short_name) {name, short_name},
#include "vm/base/logsets.def"
    };
    if (!*text) return true;
    *decorators = 0;
    if (strcasecmp(text, "none") == 0) return true;
    for (char *word; (word = words_next(&text, ',', WORDS_PLAIN)) != NULL;) {
        int id = 0;
        while (id < DECORATORS && strcasecmp(word, names[id][0]) != 0 && strcasecmp(word, names[id][1]) != 0) id++;
        if (id == DECORATORS) return complain("Invalid decorator '%s'.", word);
        *decorators |= 1u << id;
    }
    return true;
}

static bool parse_file_options(char *text, LogOutput *o) {
    if (!*text) return true;
    for (char *word; (word = words_next(&text, ',', WORDS_PLAIN)) != NULL;) {
        int64_t n;
        const char *equals = strchr(word, '=');  // the message quotes the whole word
        if (!equals || !words_size(equals + 1, 10, "kmg", &n))
            return complain("Invalid option '%s' for log output.", word);
        if (strncasecmp(word, "filesize=", 9) == 0) o->size_limit = n;
        else if (strncasecmp(word, "filecount=", 10) == 0 && n <= 1000) o->files = (int)n;
        else return complain("Invalid option '%s' for log output.", word);
    }
    return true;
}

// %p: the process id; %t: its start time.
static char *expand(const char *name) {
    char *path = calloc(1, strlen(name) + 256), *to = path;
    if (!path) abort();
    bool pid = false, when = false;
    for (const char *p = name; *p; p++) {
        if (p[0] == '%' && p[1] == 'p' && !pid) {
            to += sprintf(to, "%d", getpid());
            pid = true, p++;
        } else if (p[0] == '%' && p[1] == 't' && !when) {
            time_t now = time(NULL);
            struct tm tm;
            localtime_r(&now, &tm);
            to += strftime(to, 32, "%Y-%m-%d_%H-%M-%S", &tm);
            when = true, p++;
        } else {
            *to++ = *p;
        }
    }
    return path;
}

static bool add_file(const char *file, char *file_options, LogOutput **found) {
    char given[256];
    snprintf(given, sizeof given, "%s", *file_options ? file_options : "(null)");
    if (log_state.output_count == LOG_MAX_OUTPUTS) return complain("Too many log outputs: '%s'.", file);
    LogOutput *o = &log_state.outputs[log_state.output_count];
    *o = (LogOutput){
        .fd = -1, .path = expand(file), .size_limit = usual_size, .files = USUAL_FILES, .decorators = USUAL_DECORATORS};
    memset(o->least, LOG_OFF, sizeof o->least);
    if (asprintf(&o->name, "file=%s", file) < 0) abort();
    bool ok = parse_file_options(file_options, o);
    if (ok) {
        struct stat st;
        bool used = stat(o->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
        if (o->files) o->next_file = first_number(o);
        if (o->files && used) put_away(o);
        open_output(o);
        ok = o->fd >= 0;
        if (!ok) log_write(LOG_LOGGING, LOG_ERROR, "Error opening log file '%s': %s", o->path, strerror(errno));
    }
    if (!ok) {
        log_write(LOG_LOGGING, LOG_ERROR, "Initialization of output '%s' using options '%s' failed.", o->name, given);
        return false;
    }
    log_state.output_count++;
    *found = o;
    return true;
}

// The output named `name`: "stdout", "stderr", "file=name" or a file name alone, optionally in quotes.
static bool find_output(char *name, char *file_options, LogOutput **found) {
    if (!*name) name = "stdout";
    char *file = strncasecmp(name, "file=", 5) == 0 ? name + 5 : name;
    size_t n = strlen(file);
    if (n > 1 && file[0] == '"' && file[n - 1] == '"') {
        file[n - 1] = 0;
        file++;
    }
    for (int i = 0; i < log_state.output_count; i++) {
        LogOutput *o = &log_state.outputs[i];
        const char *its = o->path ? o->name + 5 : o->name;
        if (strcmp(o->path ? file : name, its) != 0) continue;
        if (*file_options && !o->path) return complain("LogOutput %s takes no options.", o->name);
        *found = o;
        return true;
    }
    return add_file(file, file_options, found);
}

// ---- the option ------------------------------------------------------------------------------------------

// The next part, up to a colon outside quotes; empty at the end of the text.
static char *next_part(char **rest, char *end) {
    char *part = words_next(rest, ':', WORDS_QUOTES);
    return part ? part : end;
}

void log_print_help(void) {
    printf("-Xlog[:selections[:output[:decorators[:output-options]]]]\n"
           "  selections      tag[+tag...][*][=level][,...]; with * also sets that have more tags\n"
           "                  levels: trace, debug, info (when none is given), warning, error, off\n"
           "  output          stdout, stderr, file=<name> (%%p: process, %%t: time of start)\n"
           "  decorators      none, or some of:");
#define DECORATOR(id, name, short_name) printf(" " name " (" short_name ")");
#include "vm/base/logsets.def"
    printf("\n  output-options  filecount=<n>,filesize=<n>[k|m|g]\n"
           "-Xlog:disable turns everything off, warnings included. Sets that have messages:\n");
#define LOGSET(id, tags, about) printf("    %-12s %s\n", tags, about);
#include "vm/base/logsets.def"
    printf("HotSpot's other tags are accepted and select nothing.\n");
}

static bool configure(char *text) {
    char *end = text + strlen(text);
    char *selections = next_part(&text, end), *name = next_part(&text, end), *decorators = next_part(&text, end);
    char *file_options = next_part(&text, end);
    uint8_t least[LOG_SETS];
    unsigned decorating = USUAL_DECORATORS;
    LogOutput *o = NULL;
    bool has_decorators = *decorators;
    // Checked before a file is created, so that a rejected option leaves no file.
    char *trial = strdup(selections);
    bool ok = trial && apply_selections(trial, least) && parse_decorators(decorators, &decorating) &&
        find_output(name, file_options, &o);
    free(trial);
    if (!ok) return false;
    if (has_decorators) o->decorators = decorating;
    apply_selections(selections, o->least);
    settle();
    return true;
}

bool log_configure(const char *text) {
    if (*text && *text != ':') return false;
    if (*text) text++;
    if (strcmp(text, "async") == 0) return true;  // every message is written at once anyway
    if (strcmp(text, "disable") == 0) {
        for (int i = 0; i < log_state.output_count; i++) memset(log_state.outputs[i].least, LOG_OFF, LOG_SETS);
        settle();
        return true;
    }
    char *words = strdup(text);
    bool ok = words && configure(words);
    free(words);
    return ok;
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void log_before_fork(void) { pthread_mutex_lock(&log_state.lock); }
void log_after_fork(void) { pthread_mutex_unlock(&log_state.lock); }
