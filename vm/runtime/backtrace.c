// Backtraces (vm/runtime/backtrace.h): recorded while an exception is constructed, and converted to StackTraceElements
// on demand.
//
// Recording must work when nearly everything else fails, for OutOfMemoryError and StackOverflowError. It runs no Java,
// needs little C stack, allocates from the heap directly, and gives up silently.
#include "vm/runtime/backtrace.h"

#include <string.h>

#include "vm/api/stackwalk.h"
#include "vm/model/classloader.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// ---- recording ----------------------------------------------------------------------------------

// Moves w to just before the first frame of the trace, which hidden frames may precede.
static void skip_construction(StackWalk *w, Thread *self, const Class *thrown) {
    StackWalk ahead;
    stackwalk_begin(w, self);
    ahead = *w;
    while (stackwalk_next(&ahead) &&
           (ahead.method->name == SYMS(fillInStackTrace) || ahead.method->name == SYMS(fillInStackTrace0)) &&
           class_is_subtype(thrown, ahead.method->cls))
        *w = ahead;
    ahead = *w;
    while (stackwalk_next(&ahead) && ahead.method->name == SYMS(object_initializer) &&
           class_is_subtype(thrown, ahead.method->cls))
        *w = ahead;
}

static bool is_left_out(const Method *m) { return (m->mflags & MF_HIDDEN) && !vm.options.show_hidden_frames; }

static bool next_visible(StackWalk *w) {
    while (stackwalk_next(w))
        if (!is_left_out(w->method)) return true;
    return false;
}

// A trace is optional: a program that throws many exceptions when out of memory must terminate, and not collect for
// each of them.
static Object *new_array(Thread *self, Class *cls, int kind, int32_t length) {
    size_t bytes = ARRAY_BASE + (size_t)length * sizeof(uintptr_t);
    Object *array = heap_alloc_unforced(&self->heap, kind, bytes);
    if (!array) return NULL;
    array->vt = cls->vt;
    array->length = length;
    object_publishable();
    object_report(self, array);
    return array;
}

// Flag in the first frame's bytecode index: hidden frames above it were omitted.
#define HIDDEN_TOP (INT64_C(1) << 32)

static Object *record(Thread *self, StackWalk w, int32_t depth) {
    StackWalk ahead = w;
    bool hidden_top = stackwalk_next(&ahead) && is_left_out(ahead.method);
    Class *longs = atomic_load(&class_primitive('J')->array_class);
    Class *objects = atomic_load(&WK(java_lang_Object)->array_class);
    if (!longs || !objects) return NULL;  // early during boot
    Object *positions = new_array(self, longs, HEAP_PRIMS, 2 * depth);
    Object *mirrors = positions ? new_array(self, objects, HEAP_REFS, depth) : NULL;
    Object *backtrace = mirrors ? new_array(self, objects, HEAP_REFS, 2) : NULL;
    if (!backtrace) return NULL;
    int64_t *position = ARRAY_DATA(positions, int64_t);
    for (int32_t i = 0; i < depth && next_visible(&w); i++) {
        *position++ = (int64_t)(uintptr_t)w.method;
        *position++ = (uint32_t)w.bci;
        set_element(mirrors, i, w.method->cls->mirror);
    }
    if (hidden_top && depth > 0) ARRAY_DATA(positions, int64_t)[1] |= HIDDEN_TOP;
    set_element(backtrace, 0, positions);
    set_element(backtrace, 1, mirrors);
    return backtrace;
}

void backtrace_fill(Thread *self, Object *throwable) {
    if (vm.options.no_stack_traces) return;
    StackWalk w, counting;
    // The maximum number of frames. -XX:MaxJavaStackTraceDepth=0 means all.
    int64_t most = vm.options.max_stack_trace_depth;
    int32_t depth = 0, limit = most <= 0 || most > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)most;
    skip_construction(&w, self, object_class(throwable));
    counting = w;
    while (depth < limit && next_visible(&counting)) depth++;
    Object *backtrace = record(self, w, depth);
    set_ref(throwable, (size_t)WK_OFF(java_lang_Throwable, backtrace), backtrace);
    set_int(throwable, (size_t)WK_OFF(java_lang_Throwable, depth), backtrace ? depth : 0);
    set_ref(throwable, (size_t)WK_OFF(java_lang_Throwable, stackTrace),
            get_ref(WK(java_lang_Throwable)->mirror, (size_t)WK_OFF(java_lang_Throwable, UNASSIGNED_STACK)));
}

// ---- reading ------------------------------------------------------------------------------------

static const Object *positions_of(const Object *throwable) {
    const Object *backtrace = get_ref(throwable, (size_t)WK_OFF(java_lang_Throwable, backtrace));
    return backtrace ? ARRAY_DATA(backtrace, Object *)[0] : NULL;
}

bool backtrace_frame(const Object *throwable, int i, Method **m, int *bci) {
    const Object *positions = positions_of(throwable);
    if (!positions || i < 0 || 2 * i >= positions->length) return false;
    *m = (Method *)(uintptr_t)ARRAY_DATA(positions, int64_t)[2 * i];
    *bci = (int)ARRAY_DATA(positions, int64_t)[2 * i + 1];
    return true;
}

bool backtrace_top_hidden(const Object *throwable) {
    const Object *positions = positions_of(throwable);
    return positions && positions->length > 0 && (ARRAY_DATA(positions, int64_t)[1] & HIDDEN_TOP);
}

// ---- java.lang.StackTraceElement ----------------------------------------------------------------

#define STE(field) ((size_t)WK_OFF(java_lang_StackTraceElement, field))

static bool set_string(Object *element, size_t offset, Object *string) {
    set_ref(element, offset, string);
    return string;
}

bool backtrace_fill_element(Thread *self, Object *element, Method *m, int bci) {
    Class *c = m->cls;
    const char *name = class_external_name(c);
    set_ref(element, STE(declaringClassObject), c->mirror);
    if (c->loader->java_loader)
        set_ref(element, STE(classLoaderName),
                get_ref(c->loader->java_loader, (size_t)WK_OFF(java_lang_ClassLoader, name)));
    const ModuleEntry *module = c->module;
    if (module && module_is_named(module)) {
        if (!set_string(element, STE(moduleName), string_intern_symbol(self, module->name))) return false;
        if (module->version && !set_string(element, STE(moduleVersion), string_intern_symbol(self, module->version)))
            return false;
    }
    Object *class_name = string_intern_mutf8(self, name, strlen(name));
    if (!set_string(element, STE(declaringClass), class_name)) return false;
    Object *method_name = string_intern_symbol(self, m->name);
    if (!set_string(element, STE(methodName), method_name)) return false;
    if (c->source_file && !set_string(element, STE(fileName), string_intern_symbol(self, c->source_file))) return false;
    set_int(element, STE(lineNumber), method_is_native(m) ? -2 : method_line_number(m, bci));
    return true;
}

bool backtrace_fill_elements(Thread *self, Object *elements, Object *throwable) {
    if (!elements || !throwable) {
        throw_npe(self);
        return false;
    }
    const Object *positions = positions_of(throwable);
    int depth = positions ? positions->length / 2 : 0;
    if (elements->length != depth) {
        throw_wk(self, "java/lang/IndexOutOfBoundsException", NULL);
        return false;
    }
    for (int i = 0; i < depth; i++) {
        Object *element = ARRAY_DATA(elements, Object *)[i];
        Method *m = NULL;
        int bci = -1;
        if (!element) {
            throw_npe(self);
            return false;
        }
        backtrace_frame(throwable, i, &m, &bci);
        if (!backtrace_fill_element(self, element, m, bci)) return false;
    }
    return true;
}

bool backtrace_new_elements(Thread *self, Object *array, const BacktraceFrame *frames) {
    for (int32_t i = 0; i < array->length; i++) {
        Object *element = object_new(self, WK(java_lang_StackTraceElement));
        if (!element) return false;
        set_element(array, i, element);
        if (!backtrace_fill_element(self, element, frames[i].method, frames[i].bci)) return false;
    }
    return true;
}
