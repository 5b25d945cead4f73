// A thread's entries form a list, newest first, so a frame's entries precede those of its callers. They are in malloc
// memory, where the collector finds them only through framelocks_each_root(). Entries are few and short-lived.
#include "vm/interp/framelocks.h"

#include <stdlib.h>

#include "vm/model/vm.h"
#include "vm/runtime/exception.h"
#include "vm/threads/monitor.h"

struct FrameLock {
    struct FrameLock *next;
    const Frame *frame;
    Object *object;
};

static bool is_synchronized(const Frame *frame) { return frame->method->flags & ACC_SYNCHRONIZED; }

// The link to the frame's newest entry for o, or for any object if o is NULL. NULL: the frame has none.
static struct FrameLock **find(Thread *self, const Frame *frame, const Object *o) {
    struct FrameLock **link = &self->frame_locks;
    for (; *link && (*link)->frame == frame; link = &(*link)->next)
        if (!o || (*link)->object == o) return link;
    return NULL;
}

static Object *take(Frame *frame, struct FrameLock **link) {
    struct FrameLock *entry = *link;
    Object *o = entry->object;
    *link = entry->next;
    free(entry);
    frame->lock_count--;
    return o;
}

static bool throw_illegal_state(Thread *self) {
    throw_new(self, WK(java_lang_IllegalMonitorStateException), NULL);
    return false;
}

bool framelocks_entered(Thread *self, Frame *frame, Object *o) {
    if (is_synchronized(frame) && !frame->monitor && !find(self, frame, o)) {
        frame->monitor = o;
        return true;
    }
    struct FrameLock *entry = malloc(sizeof *entry);
    if (!entry) {
        monitor_exit(self, o);
        throw_oom(self, NULL);
        return false;
    }
    *entry = (struct FrameLock){self->frame_locks, frame, o};
    self->frame_locks = entry;
    frame->lock_count++;
    return true;
}

bool framelocks_exit(Thread *self, Frame *frame, Object *o) {
    struct FrameLock **link = find(self, frame, o);
    if (link) take(frame, link);
    else if (is_synchronized(frame) && frame->monitor == o) frame->monitor = NULL;
    else return throw_illegal_state(self);
    return monitor_exit(self, o);
}

bool framelocks_return(Thread *self, Frame *frame) {
    if (is_synchronized(frame)) {
        Object *monitor = frame->monitor;
        frame->monitor = NULL;
        if (!monitor) return throw_illegal_state(self);
        if (!monitor_exit(self, monitor)) return false;
    }
    return !find(self, frame, NULL) || throw_illegal_state(self);
}

void framelocks_abandon(Thread *self, Frame *frame) {
    bool dies = exception_is(self, WK(java_lang_ThreadDeath)), replaces = is_synchronized(frame) && !frame->monitor;
    Object *exception = exception_take(self);
    if (frame->monitor && !monitor_exit(self, frame->monitor)) exception = exception_take(self);
    frame->monitor = NULL;
    for (struct FrameLock **link; (link = find(self, frame, NULL)) != NULL; replaces = true)
        if (!monitor_exit(self, take(frame, link))) exception_clear(self);
    if (replaces && !dies) throw_illegal_state(self);
    else throw_object(self, exception);
}

void framelocks_each_root(const Thread *t, RootFn *fn, void *arg) {
    for (const struct FrameLock *entry = t->frame_locks; entry; entry = entry->next)
        fn(arg, ROOT_FRAME, entry->frame, &entry->object, &entry->object + 1);
}
