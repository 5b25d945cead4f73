// The calls of a profile, and the work below them: how many methods were entered while a call lasted, those that the callee
// called and so on. From a call tree these numbers are exact. From call edges they are estimated as gprof does (Graham,
// Kessler and McKusick, 1982): each call of a method is taken to cause the same work, whoever makes it.
#ifndef CABERNET_PROFILER_PROF_CALLS_H
#define CABERNET_PROFILER_PROF_CALLS_H

#include "profiler/tool/read/prof_file.h"

// The calls from one place to one method.
typedef struct ProfCall {
    uint32_t caller, callee;  // methods of the file
    int32_t bci, line;        // in the caller; -1: none. Larger ones, which no class file has, are INT32_MAX
    uint64_t count;           // 0: the VM called on the caller's behalf, which the callers' own calls do not say
    double below;             // entries while they last, their own with them; within a recursion counted at its first call
    double library;           // those of the class library before it calls the program back; 0 when the callee is the program's
} ProfCall;

typedef struct ProfCalls {
    ProfCall *calls;          // by caller, bci, line and callee
    size_t count;
    uint64_t *entries;        // by method: calls of it
    double *below;            // by method: entries while it is on the stack, its own with them
    bool exact;               // from a call tree
    uint64_t total;           // entries of all methods
} ProfCalls;

// Reads the file's call tree, or else its call edges. False: it has neither. Always followed by prof_calls_free.
bool prof_calls(const ProfFile *f, ProfCalls *out);
// The same, but what the VM calls on behalf of an instruction of a call tree (class loading, linking, initialisers) is a call of
// the method with that instruction, without bytecode index and line: then a method's work is its own and that of its calls.
// With `weights` an entry of a method is as much work as it has there: work is counted in other events then, of which each entry of a
// method is taken to cause as many. NULL: 1.
bool prof_calls_by_parent(const ProfFile *f, const double *weights, ProfCalls *out);
void prof_calls_free(ProfCalls *c);

// A call and its place: "a.B.c:12 @4 -> d.E.f(int)". malloc'd.
char *prof_call_text(const ProfFile *f, const ProfCall *call);

// Estimated work as a number of entries.
static inline uint64_t prof_rounded(double work) { return work < 0 ? 0 : (uint64_t)(work + 0.5); }

// Is the method the program's, not the class library's or a pseudo-caller?
static inline bool prof_is_application(const ProfMethod *m) { return m->flags & FORMAT_METHOD_APPLICATION; }

#endif
