// Monitors of methods whose locking is not proven to be structured (MF_CHECKED_LOCKS): records which frame has entered
// which monitor.
//
// Other methods need no record, because they leave the monitors that they have entered. In these methods, each
// monitorenter adds an entry, and each monitorexit looks for an entry of its frame. When a frame is left, its remaining
// monitors are released and IllegalMonitorStateException is thrown, as in HotSpot's interpreter (JVMS 2.11.10 allows
// it). The monitor of a synchronized method is in Frame.monitor instead; such a method may empty and refill it. Only
// the interpreter executes these methods.
//
// The running thread calls all functions. `frame` is its top frame, with pc stored. They may collect and run Java code
// when they fail.
#ifndef CABERNET_VM_INTERP_FRAMELOCKS_H
#define CABERNET_VM_INTERP_FRAMELOCKS_H

#include "vm/threads/roots.h"
#include "vm/threads/thread.h"

// The frame has just entered o's monitor. False: no memory; the monitor has been left and OutOfMemoryError is pending.
bool framelocks_entered(Thread *self, Frame *frame, Object *o);
// Leaves o's monitor; o is not null. False with IllegalMonitorStateException pending: the frame has not entered it.
bool framelocks_exit(Thread *self, Frame *frame, Object *o);
// The frame is about to return: leaves the monitor of a synchronized method. False with IllegalMonitorStateException
// pending: that monitor was left before, or another monitor is still entered, and remains so.
bool framelocks_return(Thread *self, Frame *frame);
// The pending exception leaves the frame: leaves all its monitors. IllegalMonitorStateException replaces the exception,
// unless that is a ThreadDeath, if there were monitors other than the method's, or if that was left before.
void framelocks_abandon(Thread *self, Frame *frame);
// Passes the entered objects to `fn`. The world is stopped, or `t` is the running thread.
void framelocks_each_root(const Thread *t, RootFn *fn, void *arg);

#endif
