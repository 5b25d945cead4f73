// One epoll descriptor, created when the first thread waits, and a pthread that waits on it.
//
// A waiting thread is in the list of its descriptor (`lists`) and in Thread.polls. The thread that removes it from the
// list, under the lock, wakes it; a thread woken by other means checks for itself. The system's registrations are
// one-shot and carry nothing but the descriptor's number. They may outlive the descriptor (a copy of it keeps the file
// open), or refer to another file that had the number before. Then they fire once and wake no thread wrongly, since
// events that are still wanted for the number are registered again, and a registration fires at once if they are ready.
//
// Closing. The class library replaces a descriptor that threads wait for by one that is at its end (dup2), and only
// then signals the waiting thread (sun.nio.ch.NativeThread, which calls greenpoll_stop). A thread that is not in the
// list yet finds the replacement when it registers.
//
// The poller sleeps on epoll while there is an idle processor. While there is none, carriers harvest when they run out
// of work, and the poller checks once per millisecond. So computing threads do not keep others from their sockets, and
// threads that only exchange messages are not woken one by one.
//
// Locks: `lock` is the innermost except for the scheduler's, and is held over epoll_ctl. Nothing here allocates in the
// Java heap.
#include "vm/threads/green/greenpoll.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/grow.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"
#include "vm/threads/green/greensched.h"

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI && EPOLLERR == POLLERR &&
                   EPOLLHUP == POLLHUP,
               "one coding of events");

enum { STACK = 256 * 1024, BATCH = 128, ALWAYS = EPOLLERR | EPOLLHUP };
static const int64_t doze_ns = 1000000;

typedef struct GreenWaiter {
    Thread *thread;
    int fd;
    uint32_t events;
    GreenPollResult result;  // with done
    _Atomic bool done;       // in no list any more; no other thread refers to the waiter
    struct GreenWaiter *next;
} GreenWaiter;

// Threads to be made runnable, in order.
typedef struct Woken {
    Thread *first, **end;
} Woken;

// ---- poller -------------------------------------------------------------------------------------

static bool arm(int fd, uint32_t events) {
    struct epoll_event e = {.events = events | EPOLLONESHOT, .data.fd = fd};
    return epoll_ctl(green.polls.epoll_fd, EPOLL_CTL_MOD, fd, &e) == 0 ||
        (errno == ENOENT && epoll_ctl(green.polls.epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0);
}

static uint32_t wanted(int fd) {
    uint32_t events = 0;
    for (const GreenWaiter *w = green.polls.lists[fd]; w; w = w->next) events |= w->events;
    return events;
}

// Takes the waiter at *at from its list. If its thread is asleep, adds it to `woken`, and the caller must make it
// runnable. If it is awake, the waiter may be gone once `done` is set.
static void finish(GreenWaiter **at, GreenPollResult result, Woken *woken) {
    GreenWaiter *w = *at;
    Thread *t = w->thread;
    *at = w->next;
    t->polls = NULL;
    w->result = result;
    atomic_fetch_sub(&green.polls.waiting, 1);
    if (atomic_exchange(&t->event, EVENT_WOKEN) == EVENT_ASLEEP) {
        t->queue_next = NULL;
        *woken->end = t;
        woken->end = &t->queue_next;
    }
    atomic_store_explicit(&w->done, true, memory_order_release);
}

static void wake_all(const Woken *woken) {
    for (Thread *t = woken->first, *next; t; t = next) {
        next = t->queue_next;
        t->queue_next = NULL;
        greensched_wake(t, thread_current());
    }
}

static void deliver_one(int fd, uint32_t events, Woken *woken) {
    if (fd >= green.polls.list_count) return;
    for (GreenWaiter **at = &green.polls.lists[fd]; *at;) {
        if (events & ((*at)->events | ALWAYS)) finish(at, GREENPOLL_READY, woken);
        else at = &(*at)->next;
    }
    if (!green.polls.lists[fd] || arm(fd, wanted(fd))) return;
    while (green.polls.lists[fd]) finish(&green.polls.lists[fd], GREENPOLL_CANNOT, woken);
}

static void deliver(const struct epoll_event *events, int n) {
    Woken woken = {NULL, &woken.first};
    pthread_mutex_lock(&green.polls.lock);
    for (int i = 0; i < n; i++) deliver_one(events[i].data.fd, events[i].events, &woken);
    pthread_mutex_unlock(&green.polls.lock);
    wake_all(&woken);
}

bool greenpoll_harvest(void) {
    struct epoll_event events[BATCH];
    if (atomic_load(&green.polls.waiting) == 0) return false;
    int n = epoll_wait(green.polls.epoll_fd, events, BATCH, 0);
    if (n > 0) deliver(events, n);
    return n > 0;
}

void greenpoll_rouse(void) {
    if (atomic_load(&green.polls.dozing) && atomic_exchange(&green.polls.dozing, 0))
        backend_wake(&green.polls.dozing, 1);
}

static void *poller_main(void *arg) {
    (void)arg;
    struct epoll_event events[BATCH];
    pthread_setname_np(pthread_self(), "Poller");
    for (;;) {
        int n = epoll_wait(green.polls.epoll_fd, events, BATCH, -1);
        if (n > 0) deliver(events, n);
        // The store comes before the check. greenpoll_rouse comes after the processor is in the list of idle ones, so
        // it either finds the poller dozing or is not needed.
        atomic_store(&green.polls.dozing, 1);
        if (atomic_load(&green.sched.idle_count) == 0) backend_wait(&green.polls.dozing, 1, thread_now() + doze_ns);
        atomic_store(&green.polls.dozing, 0);
    }
    return NULL;
}

// ---- waiting thread ----------------------------------------------------------------------------

// Under the lock.
static bool start(void) {
    if (green.polls.epoll_fd >= 0 || green.polls.refused) return green.polls.epoll_fd >= 0;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    green.polls.epoll_fd = fd;
    if (fd >= 0 && backend_start_helper(poller_main, NULL, STACK)) return true;
    green.polls.refused = true;
    green.polls.epoll_fd = -1;
    if (fd >= 0) close(fd);
    return false;
}

static void unlink_waiter(GreenWaiter *w) {
    GreenWaiter **at = &green.polls.lists[w->fd];
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    w->thread->polls = NULL;
    atomic_fetch_sub(&green.polls.waiting, 1);
}

static bool link_waiter(GreenWaiter *w) {
    pthread_mutex_lock(&green.polls.lock);
    bool ok = start() && GROW_ZEROED(green.polls.lists, green.polls.list_count, w->fd + 1);
    if (ok) {
        w->next = green.polls.lists[w->fd];
        green.polls.lists[w->fd] = w;
        w->thread->polls = w;
        atomic_fetch_add(&green.polls.waiting, 1);
        ok = arm(w->fd, wanted(w->fd));
        if (!ok) unlink_waiter(w);
    }
    pthread_mutex_unlock(&green.polls.lock);
    return ok;
}

GreenPollResult greenpoll_wait(Thread *self, int fd, uint32_t events, int64_t deadline) {
    if (fd < 0 || greensched_must_stay(self)) return GREENPOLL_CANNOT;
    GreenWaiter w = {.thread = self, .fd = fd, .events = events, .result = GREENPOLL_TIMEOUT};
    if (!link_waiter(&w)) return GREENPOLL_CANNOT;
    self->polling = true;
    for (bool over = false; !over && !atomic_load_explicit(&w.done, memory_order_acquire);) {
        thread_block(self, deadline);
        if (atomic_load_explicit(&w.done, memory_order_acquire)) break;
        // Woken by something else, or past the deadline. Holding the lock excludes a thread that has taken the waiter
        // from its list but not set `done` yet.
        pthread_mutex_lock(&green.polls.lock);
        bool done = atomic_load(&w.done), late = !done && thread_now() >= deadline;
        if (late) unlink_waiter(&w);
        pthread_mutex_unlock(&green.polls.lock);
        over = done || late;
    }
    self->polling = false;
    return w.result;
}

void greenpoll_stop(Thread *t) {
    Woken woken = {NULL, &woken.first};
    pthread_mutex_lock(&green.polls.lock);
    GreenWaiter *w = t->polls;
    if (w) {
        GreenWaiter **at = &green.polls.lists[w->fd];
        while (*at != w) at = &(*at)->next;
        finish(at, GREENPOLL_STOPPED, &woken);
    }
    pthread_mutex_unlock(&green.polls.lock);
    wake_all(&woken);
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void greenpoll_end_wait(Thread *t) {
    GreenWaiter *w = t->polls;
    if (!w) return;
    t->polls = NULL;
    w->result = GREENPOLL_READY;
    atomic_store(&w->done, true);
    atomic_store(&t->event, EVENT_WOKEN);
}

// The epoll descriptor is shared with the parent: the next wait in the child creates a new one, and a new poller.
void greenpoll_after_fork_child(void) {
    if (green.polls.epoll_fd >= 0) close(green.polls.epoll_fd);
    green.polls.epoll_fd = -1;
    green.polls.refused = false;
    for (int i = 0; i < green.polls.list_count; i++) green.polls.lists[i] = NULL;
    atomic_store(&green.polls.waiting, 0);
    atomic_store(&green.polls.dozing, 0);
    pthread_mutex_unlock(&green.polls.lock);
}
