// The context of a call: see vm/api/callcontext.h.
#include "vm/api/callcontext.h"

#include "vm/api/events.h"
#include "vm/api/stackwalk.h"
#include "vm/instrument/scope.h"
#include "vm/threads/thread.h"

uint32_t callcontext(uint32_t *methods, int32_t *bcis, uint32_t most) {
    Thread *self = thread_current();
    StackWalk w;
    uint32_t n = 0;
    if (!self) return 0;
    stackwalk_begin(&w, self);
    while (n < most && stackwalk_next(&w)) {
        if (!scope_visible(w.method)) continue;
        methods[n] = w.method->id;
        bcis[n++] = w.is_native ? EVENT_NO_BCI : w.bci;
    }
    return n;
}
