// Where native methods come from: RegisterNatives, the VM's own functions, and symbols of loaded
// libraries (JNI specification, chapter 2: short mangled name first, then with the signature).
#ifndef CABERNET_VM_NATIVELIB_H
#define CABERNET_VM_NATIVELIB_H

#include "base/text.h"
#include "vm/model/class.h"

// The function of native method m: m->native_fn if bound, else looked up in this order:
// for the boot loader the JDK's libraries opened so far, then for every loader the upcall
// ClassLoader.findNative. Binds m->native_fn. NULL with UnsatisfiedLinkError ("'void A.f()'") or
// whatever the upcall threw pending. May collect and run Java. Any thread; racing lookups bind the
// same address.
void *native_lookup(Thread *self, Method *m);

// Binds (fn != NULL) or unbinds a native method.
void native_bind(Method *m, void *fn);

// JNI mangling of a name (class name, method name or the argument part of a descriptor), appended
// to `out`.
void native_mangle(Text *out, const char *mutf8, size_t len);

#endif
