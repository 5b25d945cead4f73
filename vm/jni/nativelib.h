// The sources of native methods: RegisterNatives, the VM's own functions, and symbols of loaded libraries (JNI
// specification, chapter 2: short mangled name first, then with the signature).
#ifndef CABERNET_VM_JNI_NATIVELIB_H
#define CABERNET_VM_JNI_NATIVELIB_H

#include "base/text.h"
#include "vm/model/class.h"

// The function of native method m: m->native_fn if bound. Otherwise looks it up (the boot loader first searches the JDK
// libraries opened before, then every loader makes the upcall ClassLoader.findNative) and binds it to m->native_fn.
// NULL with an exception pending: UnsatisfiedLinkError ("'void A.f()'") or that of the upcall. May collect and run
// Java. Any thread; racing lookups bind the same address.
void *native_lookup(Thread *self, Method *m);

// Binds (fn != NULL) or unbinds a native method.
void native_bind(Method *m, void *fn);

// Appends the JNI mangling of a name (class name, method name or the argument part of a descriptor) to `out`.
void native_mangle(Text *out, const char *mutf8, size_t len);

#endif
