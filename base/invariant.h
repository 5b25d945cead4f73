// ASSERT: states an invariant where the code relies on it. In the builds with assertions (DEBUG=1, SANITIZE=1) a
// condition that does not hold is reported with its place and the values that the message names, and the process
// aborts, so that a crash report and a core show the state. In the others neither the condition nor the message is
// evaluated, but both are compiled: a name that no longer exists breaks every build.
//
// Every room states invariants; the header uses nothing but libc.
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

// Prints the report and aborts. No locks but stderr's; callable in every thread state and while the world is stopped.
__attribute__((noreturn, cold, noinline, unused, format(printf, 5, 6)))
static void invariant_failed(const char *file, int line, const char *function, const char *condition,
                             const char *message, ...) {
    char text[512];  // written at once: other threads may write as well
    va_list args;
    va_start(args, message);
    vsnprintf(text, sizeof text, message, args);
    va_end(args);
    fprintf(stderr, "cabernet: %s:%d: %s: assertion failed: %s: %s\n", file, line, function, condition, text);
    abort();
}

// ASSERT(condition, "format", values...): what is wrong when the condition is false, with the values that tell why.
// The condition has no side effects. Costly ones (walks over a list) belong behind a bound, as the whole test suite
// runs with them.
#define ASSERT(condition, ...)                                                                  \
    do {                                                                                        \
        if (ASSERTIONS && __builtin_expect(!(condition), 0))                                    \
            invariant_failed(__FILE__, __LINE__, __func__, #condition, __VA_ARGS__);            \
    } while (0)

#endif
