// The state of the green thread backend, one part for each file in this folder. Only that file accesses it.
#ifndef CABERNET_VM_THREADS_GREEN_GREEN_INTERNAL_H
#define CABERNET_VM_THREADS_GREEN_GREEN_INTERNAL_H

#include <pthread.h>

#include "vm/threads/green/greenqueue.h"
#include "vm/threads/thread.h"

struct Processor {
    RunQueue queue;
    int id;
    // The thread that has it; NULL: none, or a carrier is looking for one.
    _Atomic(Thread *) current;
    struct Carrier *carrier;
    _Atomic uint32_t switches;
    struct Processor *next_idle;
    HeapCache lists;  // of the running thread
    // Used by the monitor.
    uint32_t seen_switches;
    int64_t switched_ns, away_since;
};

typedef struct Green {
    struct GreenOptions {  // constant from thread_green_configure on
        int carriers;
        int64_t quantum_ns;
        int32_t quantum_yieldpoints;
    } options;
    struct GreenScheduler {
        // Constant from greensched_init on.
        struct Processor *processors;
        int processor_count;
        int64_t quantum_ns, away_limit_ns;
        int32_t quantum_yieldpoints;
        int64_t start_ns;
        uint64_t start_ticks;
        pthread_mutex_t lock;
        struct Processor *idle;  // under the lock
        _Atomic int idle_count;
        struct Carrier *spare;  // under the lock
        int spare_count, carrier_count;
    } sched;
    struct GreenTimers {
        pthread_mutex_t lock;
        Thread **heap;
        uint32_t count, capacity;
        _Atomic int64_t first;  // deadline; THREAD_FOREVER: none
    } timers;
    struct GreenPoll {
        pthread_mutex_t lock;
        struct GreenWaiter **lists;  // by descriptor
        int list_count;
        int epoll_fd;
        bool refused;  // there will be no poller
        _Atomic int waiting;
        _Atomic uint32_t dozing;
    } polls;
    struct GreenMonitor {
        _Atomic uint32_t calls;  // incremented to wake the monitor
        _Atomic int64_t sleeps_until;
        _Atomic bool ticking;
    } monitor;
} Green;
extern Green green;  // thread_green.c

#endif
