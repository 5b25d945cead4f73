// The class files in a file: the file itself, or the entries of an archive (jar, zip).
#ifndef CABERNET_PROFILER_TOOL_READ_PROF_CLASSES_H
#define CABERNET_PROFILER_TOOL_READ_PROF_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/tool/read/prof_file.h"

// Calls `fn` for each with its bytes, which are freed afterwards. False with *error: the file cannot be read or is
// malformed; `fn` was called for the class files before that point.
bool prof_classes(const char *path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size),
                  void *arg, char *error, size_t error_size);

// The bytes of the archive entry with this name, or of the first entry with the name inside a folder (in the JDK's
// src.zip and .jmod files modules are folders); malloc'd, zero-terminated. NULL: no such entry or archive, or it is
// damaged.
uint8_t *prof_archive_entry(const char *path, const char *name, size_t *size);

// ---- class paths: folders and archives, separated by colons --------------------------------------
//
// Several files may have the name of one class: on one class path, or in one archive with versions for several releases
// (META-INF/versions/17). The profile knows the bytes that the class was defined with (prof_class); a file with these
// bytes is preferred. Otherwise the choice is that of a Java 17 loader.

typedef enum ProfMatch {
    CLASS_SAME,     // the bytes that ran
    CLASS_OTHER,    // other bytes
    CLASS_UNKNOWN,  // the profile does not say which ran
} ProfMatch;

// The class path: the option's, else the profile's, else ".".
const char *prof_class_path(const ProfFile *f, const char *option);
// The class file of a class ("demo.Main"; a loader's name after @ is not part of the file's name): from the class path,
// else from where the class came from, else from the JDK's modules (its .jmod files). malloc'd; NULL: not found.
uint8_t *prof_class_file(const ProfFile *f, const char *class_name, const char *class_path, size_t *size,
                         ProfMatch *match);
// Calls `fn` for every class file on the class path, with its name in the folder or archive (without
// META-INF/versions/N) and its bytes, which are freed afterwards. Of several versions of a class in an archive only one
// is passed. Module descriptions are skipped. An unreadable element is reported on stderr. Returns the number of
// elements that could be read.
typedef void ProfEachClass(void *arg, const char *name, const uint8_t *bytes, size_t size, ProfMatch match);
size_t prof_each_class(const ProfFile *f, const char *class_path, ProfEachClass *fn, void *arg);

// The name with dots of the class in a file: demo.Main of "demo/Main.class". malloc'd.
char *prof_class_name(const char *file);

// ---- for class paths: archives ----

// A wanted class file. Several classes with one name (of different loaders) may have come from one file.
typedef struct ProfWanted {
    const ProfFile *f;
    const char *name;  // with dots; with a loader's name (after @) exactly that class, else any of that name
} ProfWanted;
ProfMatch prof_match_class(const ProfWanted *w, uint32_t crc, uint64_t size);
// The class file in an archive, which may be a .jmod file; "name" as in "demo/Main.class". malloc'd; NULL: not found.
uint8_t *prof_archive_class(const char *path, const char *name, const ProfWanted *w, size_t *size, ProfMatch *match);
// Like prof_each_class, for one archive. False with *error.
bool prof_archive_classes(const ProfFile *f, const char *path, ProfEachClass *fn, void *arg, char *error,
                          size_t error_size);

#endif
