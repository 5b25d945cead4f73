#include "profiler/tool/base/prof_problem.h"

#include <stdarg.h>
#include <stdio.h>

bool prof_wrong(ProfProblem *p, const char *format, ...) {
    char what[160];
    if (p->found) return false;
    p->found = true;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(p->text, p->size, "%s%s%s", p->where, *p->where ? ": " : "", what);
    return false;
}
