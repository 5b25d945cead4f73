// Monitors of methods whose locking is not proven to be structured (MF_CHECKED_LOCKS): which frame has entered which.
//
// Other methods need no record, for they leave what they have entered. Of these, each monitorenter adds an entry, each
// monitorexit looks for one of its frame, and what a frame still has when it is left is given up with an
// IllegalMonitorStateException, as HotSpot's interpreter does (JVMS 2.11.10 allows it). The monitor of a synchronized
// method is in Frame.monitor instead, which such a method may empty and fill again. Only the interpreter executes these
// methods.
//
// All functions are called by the running thread, whose frame is its top one with pc stored. They may collect and run
// Java code where they fail.
#ifndef CABERNET_VM_FRAMELOCKS_H
#define CABERNET_VM_FRAMELOCKS_H

#include "vm/threads/thread.h"

// The frame has just entered o's monitor. False: no memory, the monitor is left again and OutOfMemoryError pending.
bool framelocks_entered(Thread *self, Frame *frame, Object *o);
// Leaves o's monitor, o not null. False with IllegalMonitorStateException pending: the frame has not entered it.
bool framelocks_exit(Thread *self, Frame *frame, Object *o);
// The frame is about to return: leaves the monitor of a synchronized method. False with IllegalMonitorStateException
// pending: that was left before, or another one is still entered, and stays so.
bool framelocks_return(Thread *self, Frame *frame);
// The pending exception leaves the frame: leaves all its monitors. IllegalMonitorStateException takes the place of the
// exception, unless that is a ThreadDeath, if there were others than the method's own, or that was left before.
void framelocks_abandon(Thread *self, Frame *frame);
// World stopped, or its own thread: the objects, for the collector.
void framelocks_push(const Thread *t);

#endif
