// The class files in a file: itself, or those of an archive (jar, zip).
#ifndef CABERNET_PROFILER_PROF_CLASSES_H
#define CABERNET_PROFILER_PROF_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Calls `fn` for each, with its bytes, which are freed afterwards. False with *error: the file cannot be read, or makes no
// sense; the class files in front of that were given to `fn`.
bool prof_classes(const char *path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size), void *arg,
                  char *error, size_t error_size);

// The bytes of an archive's entry of that name, or of the first that has the name below a folder (in the JDK's src.zip and .jmod files
// modules are folders); malloc'd, with a zero behind. NULL: it is not there, or there is no such archive, or it is damaged.
uint8_t *prof_archive_entry(const char *path, const char *name, size_t *size);

#endif
