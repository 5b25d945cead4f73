// The log of -Xlog, as HotSpot's users know it: messages have a level and a set of tags, and go to
// those outputs that have selected them. Configured while the options are read, by one thread, and
// later by management; written by any thread. A message is one write(2), so lines of several threads
// do not mix and nothing is lost when the process dies.
#ifndef CABERNET_VM_LOG_H
#define CABERNET_VM_LOG_H

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
    char *name;                   // "stdout", "stderr", or the file as the option has it
    char *path;                   // of a file
    unsigned decorators;          // bit of each
    int widths[DECORATORS];       // the widest so far: columns line up
    uint8_t least[LOG_SETS];      // LogLevel
    int64_t written, size_limit;  // a file is put away when it has grown so large; 0: never
    int files, next_file;         // how many are kept, and the number of the next to be put away
} LogOutput;

// The state of the log. Others read `lowest`, by log_is; the rest is log.c's, the outputs under the lock.
typedef struct LogState {
    _Atomic uint8_t lowest[LOG_SETS];  // the lowest level that some output wants, for each set
    pthread_mutex_t lock;
    uint64_t start_ns;
    int output_count;
    LogOutput outputs[LOG_MAX_OUTPUTS];
} LogState;
extern LogState log_state;

// Does a message of this level go anywhere? Cheap.
#define log_is(set, level) (__builtin_expect(log_state.lowest[set] <= (level), 0))

// Writes a line to every output that wants it. Does not allocate Java objects, does not reach a
// safepoint; may block as long as the output's file does.
void log_write(LogSet set, LogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What follows -Xlog in an option: "" or ":selections:output:decorators:output-options". False when
// it cannot be done; the log then has said why.
bool log_configure(const char *text);
// The help of -Xlog, to stdout.
void log_print_help(void);

// The level from which standard output shows a set, and setting it.
LogLevel log_stdout_level(LogSet set);
void log_set_stdout_level(LogSet set, LogLevel level);

// The local time, or the one of UTC, as a log line has it: "2023-04-05T06:07:08.009+0200".
void log_date(char *text, size_t cap, bool utc);

// Uptimes count from here (CLOCK_MONOTONIC, nanoseconds).
void log_set_start(uint64_t start_ns);

// Around a fork, in the parent and in the child: nobody is in the middle of a line.
void log_before_fork(void);
void log_after_fork(void);

#endif
