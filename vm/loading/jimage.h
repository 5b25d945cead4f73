// The class library's modules file, read through the JDK's libjimage. Read-only after opening; any thread. Names are in
// internal form without suffix.
#ifndef CABERNET_VM_LOADING_JIMAGE_H
#define CABERNET_VM_LOADING_JIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct JImageLocation {
    int64_t location;
    int64_t size;
} JImageLocation;

// Opens JAVA_HOME/lib/modules. False with *error (malloc'd).
bool jimage_open(const char *java_home, char **error);
// The location of class file `class_name` (internal form) in a module; false if it has none. Any thread.
bool jimage_find(const char *module, const char *class_name, JImageLocation *out);
// Reads the bytes into a buffer of at->size. Any thread; may block on the file.
bool jimage_read(const JImageLocation *at, uint8_t *buffer);

#endif
