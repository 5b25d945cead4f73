// Calls from C into Java (vm/runtime/invoke.h): the ENTRY frame and its activation.
#include "vm/runtime/invoke.h"

#include <stdarg.h>
#include <string.h>

#include "base/invariant.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/hooks.h"
#include "vm/threads/thread.h"

enum { MAX_REFS = 6 };

Slot *invoke_stack_top(Thread *self) { return self->frame ? self->frame->sp : self->stack_base; }

bool invoke_check_c_stack(Thread *self) {
    if (__builtin_expect(thread_c_stack_ok(self), 1)) return true;
    throw_stack_overflow(self);
    return false;
}

// The frame, with the arguments on its operand stack. NULL with StackOverflowError pending.
static Frame *push_entry(Thread *self, const Method *m, Slot *args, EntryReason reason) {
    Frame *f = (Frame *)invoke_stack_top(self);
    ASSERT((Slot *)f >= self->stack_base && (Slot *)f <= self->stack_limit + THREAD_STACK_RESERVE / sizeof(Slot),
           "the top of the Java stack is %p", (void *)f);
    // The result may take two slots even if there are no arguments.
    if (frame_stack(f) + m->nargs + 2 > self->stack_limit) {
        throw_stack_overflow(self);
        return NULL;
    }
    if (m->nargs) {
        memcpy(frame_stack(f), args, m->nargs * sizeof(Slot));
        memset(args, 0, m->nargs * sizeof(Slot));
    }
    *f = (Frame){.prev = self->frame,
                 .pc = runtime_hooks.halt,
                 .sp = frame_stack(f) + m->nargs,
                 .locals = frame_stack(f),
                 .kind = FRAME_ENTRY,
                 .reason = (uint8_t)reason};
    self->frame = f;
    return f;
}

static bool run(Thread *self, Method *m, Frame *entry, Slot *result) {
    ASSERT(thread_is_running(self), "Java is called in state %u", atomic_load(&self->state));
    bool ok = runtime_hooks.run(self, m, entry);
    ASSERT(self->frame == entry, "%s.%s came back with another frame", m->cls->name->text, m->name->text);
    ASSERT(ok == !self->exception, "%s.%s %s", m->cls->name->text, m->name->text,
           ok ? "returned with an exception pending" : "failed without an exception");
    if (ok && result) *result = *frame_stack(entry);
    self->frame = entry->prev;
    return ok;
}

bool invoke_method(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason) {
    ASSERT(!self->exception, "%s.%s is called with an exception pending", m->cls->name->text, m->name->text);
    if (!invoke_check_c_stack(self)) return false;
    Frame *entry = push_entry(self, m, args, reason);
    return entry && run(self, m, entry, result);
}

bool invoke_counted(Thread *self, Method *m, Slot *args, Slot *result, bool *entered) {
    *entered = false;
    if (!invoke_check_c_stack(self)) return false;
    Frame *entry = push_entry(self, m, args, ENTRY_COUNTED);
    if (!entry) return false;
    entry->native = m;
    bool ok = run(self, m, entry, result);
    *entered = entry->reason != ENTRY_COUNTED;
    return ok;
}

bool invoke_virtual(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason) {
    if (!args[0].o) {
        throw_npe(self);
        return false;
    }
    Method *selected = runtime_hooks.select_virtual(object_class(args[0].o), m);
    if (!selected) {
        throw_wk(self, "java/lang/IncompatibleClassChangeError",
                 "Class %s does not implement the requested interface %s", class_external_name(object_class(args[0].o)),
                 class_external_name(m->cls));
        return false;
    }
    return invoke_method(self, selected, args, result, reason);
}

static void gather(Slot *args, int count, va_list list) {
    ASSERT(count <= MAX_REFS, "%d arguments", count);
    for (int i = 0; i < count; i++) args[i].o = va_arg(list, Object *);
}

bool invoke_void(Thread *self, Method *m, EntryReason reason, int count, ...) {
    Slot args[MAX_REFS];
    va_list list;
    va_start(list, count);
    gather(args, count, list);
    va_end(list);
    return invoke_method(self, m, args, NULL, reason);
}

Object *invoke_ref(Thread *self, Method *m, EntryReason reason, int count, ...) {
    Slot args[MAX_REFS], result;
    va_list list;
    va_start(list, count);
    gather(args, count, list);
    va_end(list);
    return invoke_method(self, m, args, &result, reason) ? result.o : NULL;
}
