// Unsafe.park and unpark, Thread.sleep, Thread.interrupt.
#ifndef CABERNET_VM_THREADS_PARK_H
#define CABERNET_VM_THREADS_PARK_H

#include "vm/threads/thread.h"

// Unsafe.park(isAbsolute, time): relative nanoseconds, or absolute milliseconds since the epoch; a relative 0 means no
// limit. Returns at once when the permit is available or the thread is interrupted; may return spuriously. Never
// throws. [switch]
void thread_park(Thread *self, bool absolute, int64_t time);
// Unsafe.unpark; java_thread may be NULL, not started or dead.
void thread_unpark(Object *java_thread);
// Thread.sleep0. False: InterruptedException ("sleep interrupted", with the flag cleared) or IllegalArgumentException
// ("timeout value is negative"). [switch]
bool thread_sleep(Thread *self, int64_t millis);
// Thread.interrupt0, after the Java code has set the flag: wakes sleep, wait and park.
void thread_interrupt(Object *java_thread);
// The Java thread's `interrupted` field; `clear` resets it if set.
bool thread_interrupted(Thread *t, bool clear);

#endif
