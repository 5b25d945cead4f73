// The JDK's own native libraries, opened by the VM. They are searched directly for natives of the boot loader: asking
// ClassLoader.findNative for a native method of ClassLoader would recurse. The list only grows; any thread may add to
// it. Nothing here runs Java, allocates in the Java heap or throws.
#ifndef CABERNET_VM_LOADING_JDKLIBRARY_H
#define CABERNET_VM_LOADING_JDKLIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// Opens a library by short name ("java", "zip") from sun.boot.library.path. NULL with the reason in *error (static text
// until the next call).
void *jdklibrary_open(const char *short_name, const char **error);
// A symbol of the libraries opened that way, or NULL. Any thread.
void *jdklibrary_symbol(const char *name);
// The path of the file or folder of that name beside libjvm.so. False: unknown, or longer than `size`.
bool jdklibrary_beside_vm(const char *name, char *path, size_t size);

#endif
