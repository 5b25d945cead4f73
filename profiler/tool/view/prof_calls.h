// The calls of a profile, and the work below them: the number of method entries while a call lasts, in its callee and
// all methods called from there. From a call tree these numbers are exact. From call edges they are estimated as gprof
// does (Graham, Kessler and McKusick, 1982): every call of a method is assumed to cause the same work, independent of
// its caller.
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_CALLS_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_CALLS_H

#include "profiler/tool/read/prof_file.h"

// The calls from one call site to one method.
typedef struct ProfCall {
    uint32_t caller, callee;  // methods of the file
    int32_t bci, line;        // in the caller; -1: none. Values larger than in any class file become INT32_MAX
    bool by_vm;               // with prof_calls_by_parent: the VM called on the caller's behalf
    uint64_t count;           // 0: the VM called on the caller's behalf; such calls are not among the caller's own
    double below;             // entries during the calls, incl. their own; in a recursion counted at its first call
    double library;           // of these, library entries before calls back into the program; 0 for its own methods
} ProfCall;

typedef struct ProfCalls {
    ProfCall *calls;  // by caller, bci, line and callee
    size_t count;
    uint64_t *entries;  // by method: calls of it
    double *below;      // by method: entries while it is on the stack, including its own
    bool exact;         // from a call tree
    uint64_t total;     // entries of all methods
} ProfCalls;

// Reads the file's call tree, or without one its call edges. False: it has neither. Always followed by prof_calls_free.
bool prof_calls(const ProfFile *f, ProfCalls *out);
// The same, except that a call made by the VM on behalf of an instruction of a call tree (class loading, linking,
// initialisers) is a call of that instruction's method, without bytecode index and line. A method's work is then its
// own and that of its calls. With `weights` an entry of method m counts as weights[m] units of work, so work can be
// counted in other events, which are assumed to be the same for each entry of a method. NULL: 1.
bool prof_calls_by_parent(const ProfFile *f, const double *weights, ProfCalls *out);
void prof_calls_free(ProfCalls *c);

// A call and its call site: "a.B.c(B.java:12) @4 -> d.E.f(int)". malloc'd.
char *prof_call_text(const ProfFile *f, const ProfCall *call);

// Estimated work, rounded to a number of entries.
static inline uint64_t prof_rounded(double work) { return work < 0 ? 0 : (uint64_t)(work + 0.5); }

// Is the method the program's, that is, neither the class library's nor a pseudo-caller?
static inline bool prof_is_application(const ProfMethod *m) { return m->flags & FORMAT_METHOD_APPLICATION; }

#endif
