// Stack traces of exceptions: Throwable.backtrace and its conversion.
//
// A backtrace is an ordinary object: Object[2] of a long[] (alternating method pointers and bytecode indexes) and an
// Object[] of the declaring classes' mirrors, innermost frame first. Immutable once stored.
#ifndef CABERNET_VM_RUNTIME_BACKTRACE_H
#define CABERNET_VM_RUNTIME_BACKTRACE_H

#include "vm/model/class.h"

// Number of frames for -XX:MaxJavaStackTraceDepth=0 ("all") where room is reserved beforehand.
enum { BACKTRACE_LIMIT = 1024 };

// Records the current stack in `throwable`: without frames of fillInStackTrace and of its constructors, without hidden
// ones (unless -XX:+ShowHiddenFrames), up to -XX:MaxJavaStackTraceDepth. Does nothing with -XX:-StackTraceInThrowable.
// Sets backtrace and depth, and stackTrace to UNASSIGNED_STACK. Allocates; if that fails, the throwable has no trace
// and no exception is pending.
void backtrace_fill(Thread *self, Object *throwable);

// Frame `i` of a throwable's backtrace. False if there is none.
bool backtrace_frame(const Object *throwable, int i, Method **m, int *bci);
// Was the exception raised in a hidden frame, above the first one recorded?
bool backtrace_top_hidden(const Object *throwable);

// A frame of a stack that was recorded while the world was stopped. Whoever holds frames keeps their classes alive.
typedef struct BacktraceFrame {
    Method *method;
    int32_t bci;
} BacktraceFrame;

// Fills one java.lang.StackTraceElement, or an array of them from a throwable's backtrace (NullPointerException,
// IndexOutOfBoundsException as in HotSpot). Allocates; false with an exception pending.
bool backtrace_fill_element(Thread *self, Object *element, Method *m, int bci);
bool backtrace_fill_elements(Thread *self, Object *elements, Object *throwable);
// Fills a StackTraceElement[] with new elements, one for each frame. The class is initialised.
bool backtrace_new_elements(Thread *self, Object *array, const BacktraceFrame *frames);

#endif
