// Method handles: the VM's part of java.lang.invoke (JVMS 5.4.3.5, 5.4.3.6, 6.5 invokedynamic and invokevirtual of
// signature-polymorphic methods).
//
// The Java side (MethodHandleNatives and LambdaForms) does nearly everything. The VM calls it to link a site and keeps
// its result: a static adapter method, and an appendix object that is pushed as last argument. The VM itself executes
// only invokeBasic and linkTo*, which tail-call their target and have no frame.
//
// Threads: every function may be called from any mutator. Functions that take `self` may allocate, run Java, block and
// throw, except where noted. No lock is held while Java runs.
#ifndef CABERNET_VM_NATIVES_METHODHANDLE_H
#define CABERNET_VM_NATIVES_METHODHANDLE_H

#include "vm/model/vm.h"
#include "vm/objects/sigpoly.h"

// The method that represents a call of invokeBasic or linkTo* with descriptor `desc`: a native method of MethodHandle
// with that name and descriptor, MF_SIGPOLY|MF_HIDDEN, correct nargs and ret, `sigpoly` == id, already passed to
// interp_link_method(). One per (id, desc), created on demand, never freed. NULL with OutOfMemoryError pending.
// resolve_method() returns this for an invokevirtual/invokestatic whose resolved method has sigpoly > MH_GENERIC.
Method *mh_intrinsic_method(Thread *self, int id, Symbol *desc);
// The same if it exists, else NULL. Any thread.
Method *mh_find_intrinsic_method(int id, const Symbol *desc);

// Links the invokedynamic instruction that self->frame executes (the key is frame->pc, which must be that instruction's
// word) by running the bootstrap method. Returns the static adapter; *appendix is the address of a root that holds the
// object to push after the arguments, or NULL. The result of the first thread counts for all threads; a failure is
// recorded and thrown again (JVMS 5.4.3.6). NULL with an exception pending: an Error as thrown, any other throwable as
// the cause of a BootstrapMethodError.
Method *mh_link_callsite(Thread *self, Class *caller, int cp_index, Object ***appendix);

// Links an invokevirtual of a signature-polymorphic method of kind MH_GENERIC, such as MethodHandle.invokeExact with
// `desc`. Result as above; the receiver stays the first argument. Only the Java side caches, so the caller should keep
// the result.
Method *mh_link_method(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc, Object ***appendix);

// Value of a CONSTANT_MethodHandle / CONSTANT_MethodType / CONSTANT_Dynamic entry of `caller`. Never cached here: the
// caller (vm/linking/resolve.c) keeps the value or the failure. mh_resolve_dynamic returns a value of primitive type
// boxed, with the type's character in *type; its NULL is a failure only if self->exception is set.
Object *mh_resolve_method_handle_constant(Thread *self, Class *caller, int cp_index);
Object *mh_resolve_method_type_constant(Thread *self, Class *caller, int cp_index);
Object *mh_resolve_dynamic(Thread *self, Class *caller, int cp_index, char *type);

// java.lang.invoke.MethodType for a method descriptor, with classes resolved and checked from `caller` (NULL: boot
// loader, no checks). NULL with an exception.
Object *mh_method_type(Thread *self, Class *caller, Symbol *desc);

// ---- for the interpreter -------------------------------------------------------------------------

// Target of invokeBasic on a non-null handle. Never NULL for a linked handle. No safepoint.
static inline Method *mh_member_target(const Object *member) {
    const Object *resolved = get_ref(member, (size_t)WK_OFF(java_lang_invoke_MemberName, method));
    if (!resolved) return NULL;
    return (Method *)(uintptr_t)get_long(resolved, (size_t)WK_OFF(java_lang_invoke_ResolvedMethodName, vmtarget));
}
// Compiled code follows the same path: compiler_handle_path().
static inline Method *mh_basic_target(const Object *handle) {
    const Object *form = get_ref(handle, (size_t)WK_OFF(java_lang_invoke_MethodHandle, form));
    return mh_member_target(get_ref(form, (size_t)WK_OFF(java_lang_invoke_LambdaForm, vmentry)));
}

// Target of a linkTo* call: `args` are all argument slots, args[nargs - 1] the MemberName. The target
// takes the first nargs - 1 slots. NULL with NullPointerException, IncompatibleClassChangeError,
// AbstractMethodError, ... pending.
Method *mh_link_target(Thread *self, int id, Slot *args, int nargs);

// ---- for reflection and natives ------------------------------------------------------------------

// Fills a MemberName from a method like `resolve` (clazz, flags, method, vmindex); name and type are unchanged. False
// with an exception.
bool mh_member_init_method(Thread *self, Object *member, Method *m);

// MemberName bits (java.lang.invoke.MethodHandleNatives.Constants).
enum MhMemberFlags {
    MN_IS_METHOD = 0x00010000,
    MN_IS_CONSTRUCTOR = 0x00020000,
    MN_IS_FIELD = 0x00040000,
    MN_IS_TYPE = 0x00080000,
    MN_CALLER_SENSITIVE = 0x00100000,
    MN_TRUSTED_FINAL = 0x00200000,
    MN_REFERENCE_KIND_SHIFT = 24,
    MN_REFERENCE_KIND_MASK = 0x0F,
};

// World stopped, collector thread: drops call sites of dead classes.
void mh_forget_dead(void);

#endif
