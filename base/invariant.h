// ASSERT states an invariant that the code relies on. In builds with assertions (DEBUG=1, SANITIZE=1) a false condition
// is reported with its place and the values that the message names, and the process aborts, so that a crash report and
// a core show the state. Other builds do not evaluate the condition and the message but compile both: a name that no
// longer exists breaks every build.
//
// Every room states invariants; this header uses only libc.
#ifndef CABERNET_BASE_INVARIANT_H
#define CABERNET_BASE_INVARIANT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef NDEBUG
enum { ASSERTIONS = false };
#else
enum { ASSERTIONS = true };
#endif

// Prints the report and aborts. Takes no lock but stderr's; callable in every thread state and while the world is
// stopped.
__attribute__((noreturn, cold, noinline, unused, format(printf, 5, 6))) static void invariant_failed(
    const char *file, int line, const char *function, const char *condition, const char *message, ...) {
    char text[512];  // written with one call, because other threads may write too
    va_list args;
    va_start(args, message);
    vsnprintf(text, sizeof text, message, args);
    va_end(args);
    fprintf(stderr, "cabernet: %s:%d: %s: assertion failed: %s: %s\n", file, line, function, condition, text);
    abort();
}

// ASSERT(condition, "format", values...): the message says what is wrong, with the values that explain it. The
// condition must have no side effects. Guard costly conditions (walks over a list) by a bound, because the whole test
// suite runs with them.
#define ASSERT(condition, ...)                                                       \
    do {                                                                             \
        if (ASSERTIONS && __builtin_expect(!(condition), 0))                         \
            invariant_failed(__FILE__, __LINE__, __func__, #condition, __VA_ARGS__); \
    } while (0)

#endif
