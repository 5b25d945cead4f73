// The program's input, which shadows read again. Data from a socket or a pipe arrives once. While there are shadows,
// the program's process therefore records the result of each call that reads from, waits for or opens a stream, and a
// shadow that makes the same call gets the same result (vm/shadow/inputreplay.c). A shadow that is ahead of the program
// waits until the program has made the call.
//
// The records are in one ring in memory that the processes share. Only the program's process writes to it, without
// waiting for shadows. Where records have been overwritten that a shadow still needs, the shadow ends.
//
// A thread may be waiting in such a call when a shadow is forked. Calls therefore have a beginning and an end, both
// under the lock that a fork takes too. A thread that is between them in the shadow has not received anything, and its
// native method can be called again there (Thread.again.input).
#ifndef CABERNET_VM_SHADOW_INPUTLOG_H
#define CABERNET_VM_SHADOW_INPUTLOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/threads/thread.h"

typedef enum InputKind {
    INPUT_READ,       // key: the descriptor, as for all kinds but the last; data: an address, then what was read
    INPUT_PEEK,       // the same with MSG_PEEK
    INPUT_AVAILABLE,  // data: the number of bytes, an int
    INPUT_POLL,       // data: the events of each descriptor, short
    INPUT_SELECT,     // data: struct epoll_event
    INPUT_ACCEPT,     // data: an address; the result is a new descriptor
    INPUT_CONNECT,
    INPUT_OPEN,  // of a socket, selector or event descriptor; key: the thread; the result is a new descriptor
} InputKind;

typedef struct InputRecord {
    uint32_t size;  // with its data, a multiple of 8
    InputKind kind;
    int32_t key;
    int32_t result;          // negative: an error number
    uint32_t thread;         // serial of the thread that made the call; 0: none of the VM's
    uint32_t address, data;  // bytes of both, which follow
    uint32_t unused;
} InputRecord;

enum { INPUT_RING = 32 << 20 };  // bytes; a power of two

typedef struct InputLog {
    // Bytes written since the start; a position in the ring is one modulo its size. Up to `reserved` the ring may be
    // overwritten, up to `head` it is written.
    _Atomic uint64_t reserved, head;
    _Atomic uint32_t changes;  // futex: counts changes of head
    uint8_t ring[INPUT_RING];
} InputLog;

extern struct Inputs {
    InputLog *log;  // shared memory; NULL: there is none
    pthread_mutex_t lock;
    bool records;      // calls are recorded, because there is a shadow
    uint64_t at_fork;  // head at the last fork; in a shadow, at its own
} inputs;              // inputlog.c

// Creates the log; once, before any thread reads. False: no memory.
bool inputlog_open(void);

// A call that may wait, by any thread that is not running. Without the beginning, the end only records. `data` follows
// `address`; both may be empty. Preserve errno.
void inputlog_begin(void);
void inputlog_end(const InputRecord *r, const void *address, const void *data);

// The thread's native method is over. Under the lock: a fork while the thread changes its state finds it before or
// after.
void inputlog_native_is_over(Thread *self);

// Whether calls are recorded. The controller's thread.
void inputlog_record(bool on);

// Fork (vm/boot/subsystems.def).
void inputlog_before_fork(void);
void inputlog_after_fork(void);

#endif
