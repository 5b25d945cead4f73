// The log of -Xlog, as in HotSpot: messages have a level and a set of tags, and go to the outputs that have selected
// them. Configured while the options are read, by one thread, and later by management; written by any thread. A message
// is one write(2), so lines of different threads do not mix, and no message is lost when the process dies.
#ifndef CABERNET_VM_BASE_LOG_H
#define CABERNET_VM_BASE_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum LogLevel { LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_OFF } LogLevel;

typedef enum LogSet {
#define LOGSET(id, tags, about) LOG_##id,
#include "vm/base/logsets.def"
    LOG_SETS
} LogSet;

enum {
#define DECORATOR(id, name, short_name) DECORATE_##id,
#include "vm/base/logsets.def"
    DECORATORS,
    LOG_MAX_OUTPUTS = 16
};

typedef struct LogOutput {
    int fd;
    char *name;                   // "stdout", "stderr", or the file as named in the option
    char *path;                   // path, for a file
    unsigned decorators;          // one bit for each
    int widths[DECORATORS];       // the maximum yet, to align columns
    uint8_t least[LOG_SETS];      // LogLevel
    int64_t written, size_limit;  // size at which a file is rotated; 0: never
    int files, next_file;         // rotated files to keep; number of the next one
} LogOutput;

// The state of the log. Other files read `lowest` with log_is; the rest is private to log.c, and `lock` guards the
// outputs.
typedef struct LogState {
    _Atomic uint8_t lowest[LOG_SETS];  // by set: the lowest level that any output selects
    pthread_mutex_t lock;
    uint64_t start_ns;
    int output_count;
    LogOutput outputs[LOG_MAX_OUTPUTS];
} LogState;
extern LogState log_state;

// Does any output select messages of this level? Cheap.
#define log_is(set, level) (__builtin_expect(log_state.lowest[set] <= (level), 0))

// Writes a line to every output that selects it. Does not allocate Java objects and does not reach a safepoint; may
// block as long as the output's file does.
void log_write(LogSet set, LogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Applies the text after -Xlog: "" or ":selections:output:decorators:output-options". False after logging an error.
bool log_configure(const char *text);
// The help of -Xlog, to stdout.
void log_print_help(void);

// The level from which standard output shows a set.
LogLevel log_stdout_level(LogSet set);
void log_set_stdout_level(LogSet set, LogLevel level);

// The local time, or UTC, as in log lines: "2023-04-05T06:07:08.009+0200".
void log_date(char *text, size_t cap, bool utc);

// Start time for uptimes (CLOCK_MONOTONIC, nanoseconds).
void log_set_start(uint64_t start_ns);

// Around a fork, in parent and child: ensures that no thread is in the middle of a line.
void log_before_fork(void);
void log_after_fork(void);

#endif
