// Stack traces of exceptions: Throwable.backtrace and what is made of it.
//
// A backtrace is an ordinary object: Object[2] of a long[] (method pointer and bytecode index in
// turn) and an Object[] of the declaring classes' mirrors, in order from the innermost frame.
// Immutable once stored.
#ifndef CABERNET_VM_BACKTRACE_H
#define CABERNET_VM_BACKTRACE_H

#include "vm/model/class.h"

// Frames that -XX:MaxJavaStackTraceDepth=0 ("all") means where room is set aside beforehand.
enum { BACKTRACE_LIMIT = 1024 };

// Records the current stack in `throwable`: without frames of fillInStackTrace and of its own
// constructors, without hidden ones (unless -XX:+ShowHiddenFrames), up to -XX:MaxJavaStackTraceDepth; with
// -XX:-StackTraceInThrowable it does nothing. Sets backtrace and depth, and stackTrace to
// UNASSIGNED_STACK. Allocates; when that fails the throwable is left without a trace and nothing is
// pending.
void backtrace_fill(Thread *self, Object *throwable);

// Frame `i` of a throwable's backtrace. False if there is none.
bool backtrace_frame(const Object *throwable, int i, Method **m, int *bci);
int backtrace_depth(const Object *throwable);
// Was the exception raised in a hidden frame, above the first one recorded?
bool backtrace_top_hidden(const Object *throwable);

// Fills one java.lang.StackTraceElement; or an array of them from a throwable's backtrace
// (NullPointerException, IndexOutOfBoundsException as HotSpot). Allocates; false with an exception
// pending.
bool backtrace_fill_element(Thread *self, Object *element, Method *m, int bci);
bool backtrace_fill_elements(Thread *self, Object *elements, Object *throwable);

#endif
