// The table of subsystems (vm/boot/subsystems.def) and what runs through it. There is one order: a row may use those
// above it. The start goes down the table, the end up; the locks for a fork are taken upwards and given back downwards.
#ifndef CABERNET_VM_SUBSYSTEMS_H
#define CABERNET_VM_SUBSYSTEMS_H

#include <stddef.h>

#include "vm/jni/jni.h"
#include "vm/model/object.h"

// What the steps of the start hand on.
typedef struct Start {
    JavaVMInitArgs *args;
    Thread *self;  // the main thread, from the row that attaches it on
} Start;

// A row. NULL: nothing is to be done.
typedef struct Subsystem {
    const char *name;
    jint (*start)(Start *s);      // JNI_OK, or a JNI error with a message on stderr
    void (*stop)(void);           // before the process ends; the thread may not be attached
    // Around a fork, by the running thread that has stopped the world. before_fork takes the locks that pthreads take
    // which do not stop: those of compile threads, the collector, the green scheduler and its helpers.
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(void);
} Subsystem;

extern const Subsystem subsystems[];  // vm/boot/boot.c
extern const size_t subsystem_count;

// A fork by a pthread that is no thread of the VM's and has stopped the world: for shadows (vm/shadow/hooks.h).
int process_fork_shadow(void (*begin)(void));

// Starts all, ends at the first that fails.
jint subsystems_start(Start *s);
// Ends all, the last one first. Once: the caller sees to it.
void subsystems_stop(void);

#endif
