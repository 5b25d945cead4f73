// JVM_*: walking the caller's stack: getCallerClass, stack traces, StackWalker, access control.
//
// All walk the current thread's frames below the calling native method. A StackWalker walk continues over several calls
// while its first one (callStackWalk) is still on the stack. Its position is a structure in that call's C frame, and
// the anchor that Java code passes back is the structure's address.
#include <stdlib.h>
#include <string.h>

#include "vm/api/stackwalk.h"
#include "vm/jni/handles.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/backtrace.h"
#include "vm/linking/classinit.h"
#include "vm/model/frame.h"
#include "vm/runtime/invoke.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/linking/link.h"
#include "vm/natives/methodhandle.h"
#include "vm/runtime/npemessage.h"
#include "vm/natives/reflect.h"

// ---- frames visible to security checks -----------------------------------------------------------

static bool next_visible(StackWalk *w) {
    while (stackwalk_next(w))
        if (!reflect_is_plumbing(w->method)) return true;
    return false;
}

EXPORT jclass JVM_GetCallerClass(JNIEnv *env) {
    VM_ENTER(env);
    jclass result = jni_class_handle(self, reflect_caller_class(self));
    VM_LEAVE();
    return result;
}

static Object *class_context(Thread *self) {
    StackWalk w;
    int32_t count = 0, n = 0;
    stackwalk_begin(&w, self);
    while (next_visible(&w)) count += !w.is_native;
    Object *result = reflect_new_array(self, WK(java_lang_Class), count);
    if (!result) return NULL;
    stackwalk_begin(&w, self);
    while (n < count && next_visible(&w))
        if (!w.is_native) set_element(result, n++, w.method->cls->mirror);
    return result;
}

EXPORT jobjectArray JVM_GetClassContext(JNIEnv *env) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, class_context(self));
    VM_LEAVE();
    return result;
}

// ---- access control ------------------------------------------------------------------------------

typedef struct Domains {
    StackWalk walk;
    Object *previous;  // last domain reported
    bool privileged;   // the walk has ended at a privileged frame
    Object *privileged_context;
} Domains;

// The next protection domain on the stack that differs from the previous one; NULL at the end.
static Object *next_domain(Domains *d) {
    while (!d->privileged && next_visible(&d->walk)) {
        const StackWalk *w = &d->walk;
        const Object *mirror = w->method->cls->mirror;
        // AccessController.executePrivileged(action, context, caller) ends the walk.
        if (w->method->cls == WK(java_security_AccessController) && symbol_is(w->method->name, "executePrivileged")) {
            d->privileged = true;
            d->privileged_context = w->locals[1].o;
            mirror = w->locals[2].o;
        }
        Object *domain = !mirror ? NULL : get_ref(mirror, (size_t)WK_OFF(java_lang_Class, protectionDomain));
        if (!domain || domain == d->previous) continue;
        return d->previous = domain;
    }
    return NULL;
}

// NULL means "only system code, without a context".
static Object *stack_context(Thread *self) {
    Domains d = {.previous = NULL};
    int32_t count = 0;
    stackwalk_begin(&d.walk, self);
    while (next_domain(&d)) count++;
    if (count == 0 && d.privileged && !d.privileged_context) return NULL;
    Object *domains = NULL;
    if (count > 0) {
        domains = reflect_new_array(self, WK(java_security_ProtectionDomain), count);
        if (!domains) return NULL;
        Domains again = {.previous = NULL};
        stackwalk_begin(&again.walk, self);
        for (int32_t i = 0; i < count; i++) set_element(domains, i, next_domain(&again));
    }
    Class *cls = WK(java_security_AccessControlContext);
    if (!class_ensure_initialized(self, cls)) return NULL;
    Object *context = object_new(self, cls);
    if (!context) return NULL;
    set_ref(context, (size_t)WK_OFF(java_security_AccessControlContext, context), domains);
    set_ref(context, (size_t)WK_OFF(java_security_AccessControlContext, privilegedContext), d.privileged_context);
    FIELD_AT(context, WK_OFF(java_security_AccessControlContext, isPrivileged), uint8_t) = d.privileged;
    FIELD_AT(context, WK_OFF(java_security_AccessControlContext, isAuthorized), uint8_t) = 1;
    return context;
}

EXPORT jobject JVM_GetStackAccessControlContext(JNIEnv *env, jclass unused) {
    (void)unused;
    VM_ENTER(env);
    jobject result = handle_local(self, stack_context(self));
    VM_LEAVE();
    return result;
}

EXPORT jobject JVM_GetInheritedAccessControlContext(JNIEnv *env, jclass unused) {
    (void)unused;
    VM_ENTER(env);
    Object *context = get_ref(self->java_thread, (size_t)WK_OFF(java_lang_Thread, inheritedAccessControlContext));
    jobject result = handle_local(self, context);
    VM_LEAVE();
    return result;
}

// ---- stack traces --------------------------------------------------------------------------------

EXPORT void JVM_FillInStackTrace(JNIEnv *env, jobject throwable) {
    VM_ENTER(env);
    backtrace_fill(self, handle_get(throwable));
    VM_LEAVE();
}

EXPORT void JVM_InitStackTraceElementArray(JNIEnv *env, jobjectArray elements, jobject throwable) {
    VM_ENTER(env);
    backtrace_fill_elements(self, handle_get(elements), handle_get(throwable));
    VM_LEAVE();
}

EXPORT void JVM_InitStackTraceElement(JNIEnv *env, jobject element, jobject frame_info) {
    VM_ENTER(env);
    const Object *info = handle_get(frame_info);
    const Object *member = get_ref(info, (size_t)WK_OFF(java_lang_StackFrameInfo, memberName));
    Method *m = !member ? NULL : mh_member_target(member);
    int bci = get_int(info, (size_t)WK_OFF(java_lang_StackFrameInfo, bci));
    if (!m) throw_wk(self, "java/lang/InternalError", "uninitialized StackFrameInfo");
    else backtrace_fill_element(self, handle_get(element), m, bci);
    VM_LEAVE();
}

// The helpful message of a NullPointerException that the VM itself raised; null for any other exception.
static Object *npe_message_of(Thread *self, const Object *throwable) {
    Method *m = NULL;
    int bci = 0;
    if (!backtrace_frame(throwable, 0, &m, &bci) || backtrace_top_hidden(throwable)) return NULL;
    // Raised by reflection on behalf of native code, not by a bytecode.
    if (method_is_native(m) || symbol_is(m->cls->name, "jdk/internal/reflect/NativeConstructorAccessorImpl"))
        return NULL;
    char *text = npe_message(m, bci);
    Object *message = !text ? NULL : string_from_mutf8(self, text, strlen(text));
    free(text);
    return message;
}

EXPORT jstring JVM_GetExtendedNPEMessage(JNIEnv *env, jthrowable throwable) {
    if (!throwable || !vm.options.helpful_npe) return NULL;
    VM_ENTER(env);
    jstring result = handle_local(self, npe_message_of(self, handle_get(throwable)));
    VM_LEAVE();
    return result;
}

// ---- java.lang.StackWalker -----------------------------------------------------------------------

// Bits of `mode` (StackStreamFactory).
enum {
    WALK_CLASSES = 2,       // fill a Class[] rather than StackFrameInfo objects
    WALK_CALLER_CLASS = 4,  // for StackWalker.getCallerClass
    WALK_HIDDEN = 0x20,
    WALK_LIVE = 0x100,
};

static const uint64_t anchor_magic = 0x6b6c61776b636174;

typedef struct Anchor {
    uint64_t magic;
    Thread *thread;
    StackWalk walk;
    bool done;  // the walk has reached the bottom
} Anchor;

// Frames of the StackWalker implementation itself.
static bool is_walker(const Class *cls) {
    static const char stack_walker[] = "java/lang/StackWalker";
    static const char abstract_walker[] = "java/lang/StackStreamFactory$AbstractStackWalker";
    return symbol_is(cls->name, stack_walker) || symbol_is(cls->name, abstract_walker) ||
        (cls->super && symbol_is(cls->super->name, abstract_walker));
}

static bool walk_next(Anchor *a) {
    if (!a->done) a->done = !stackwalk_next(&a->walk);
    return !a->done;
}

static bool fill_frame(Thread *self, jlong mode, const StackWalk *w, Object *frames, int32_t index) {
    if (mode & WALK_CLASSES) {
        set_element(frames, index, w->method->cls->mirror);
        return true;
    }
    Object *info = ARRAY_DATA(frames, Object *)[index];
    Object *member = get_ref(info, (size_t)WK_OFF(java_lang_StackFrameInfo, memberName));
    set_int(info, (size_t)WK_OFF(java_lang_StackFrameInfo, bci), w->bci);
    return mh_member_init_method(self, member, w->method);
}

// getCallerClass must not be called from a caller-sensitive method.
static bool refuse_sensitive(Thread *self, jlong mode, const Method *m) {
    if (!(mode & WALK_CLASSES) || !(mode & WALK_CALLER_CLASS) || !(m->mflags & MF_CALLER_SENSITIVE)) return false;
    char *text = method_external_name(m);
    throw_wk(self, "java/lang/UnsupportedOperationException",
             "StackWalker::getCallerClass called from @CallerSensitive '%s' method", text);
    free(text);
    return true;
}

// Fills up to `count` elements from `start` on, beginning with the walk's current frame; afterwards the current frame
// is the last one filled. Returns the index after the last, or -1 with an exception.
static int32_t fill_frames(Thread *self, Anchor *a, jlong mode, int32_t count, int32_t start, Object *frames) {
    int32_t at = start;
    bool skip_hidden = !(mode & WALK_HIDDEN) || (mode & WALK_CALLER_CLASS);
    if (start < 0 || count < 0 || start > frames->length - count) {
        throw_wk(self, "java/lang/IllegalArgumentException", "not enough space in buffers");
        return -1;
    }
    for (bool more = !a->done; more; more = walk_next(a)) {
        const Method *m = a->walk.method;
        if (skip_hidden && m->mflags & MF_HIDDEN) continue;
        if (at == start && refuse_sensitive(self, mode, m)) return -1;
        if (!fill_frame(self, mode, &a->walk, frames, at)) return -1;
        if (++at - start >= count) break;
    }
    return at;
}

static Object *call_stack_walk(Thread *self, Object *stream, jlong mode, jint skip, jint count, jint start,
                               Object *frames) {
    Anchor a = {.magic = anchor_magic, .thread = self};
    if (mode & WALK_LIVE) {
        throw_wk(self, "java/lang/UnsupportedOperationException", "LiveStackFrame");
        return NULL;
    }
    stackwalk_begin(&a.walk, self);
    walk_next(&a);
    while (!a.done && is_walker(a.walk.method->cls)) walk_next(&a);
    for (jint i = 0; i < skip; i++) walk_next(&a);
    int32_t end = start;
    if (count > 0) {
        end = fill_frames(self, &a, mode, count, start, frames);
        if (end < 0) return NULL;
        if (end == start) {
            throw_wk(self, "java/lang/InternalError", "stack walk: decode failed");
            return NULL;
        }
    }
    Method *m = class_find_method(object_class(stream), symbol_of("doStackWalk"),
                                  symbol_of("(JIIII)Ljava/lang/Object;"));
    Slot args[] = {{.o = stream}, {.l = (int64_t)(uintptr_t)&a}, {.l = 0}, {.i = skip}, {.i = count}, {.i = start},
                   {.i = end}};
    Slot result = {.o = NULL};
    invoke_method(self, m, args, &result, ENTRY_VM);
    a.magic = 0;
    return self->exception ? NULL : result.o;
}

EXPORT jobject JVM_CallStackWalk(JNIEnv *env, jobject stream, jlong mode, jint skip, jint count, jint start,
                                 jobjectArray frames) {
    VM_ENTER(env);
    Object *value = NULL;
    if (!frames) throw_wk(self, "java/lang/NullPointerException", "frames_array is NULL");
    else value = call_stack_walk(self, handle_get(stream), mode, skip, count, start, handle_get(frames));
    jobject result = handle_local(self, value);
    VM_LEAVE();
    return result;
}

EXPORT jint JVM_MoreStackWalk(JNIEnv *env, jobject stream, jlong mode, jlong anchor, jint count, jint start,
                              jobjectArray frames) {
    (void)stream;
    VM_ENTER(env);
    Anchor *a = (Anchor *)(uintptr_t)anchor;
    int32_t end = start;
    if (!frames) throw_wk(self, "java/lang/NullPointerException", "frames_array is NULL");
    else if (!a || a->magic != anchor_magic || a->thread != self)
        throw_wk(self, "java/lang/InternalError", "doStackWalk: corrupted buffers");
    else if (walk_next(a)) end = fill_frames(self, a, mode, count, start, handle_get(frames));
    VM_LEAVE();
    return end < 0 ? 0 : end;
}
