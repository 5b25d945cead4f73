// The class files in a file: itself, or those of an archive (jar, zip).
#ifndef CABERNET_PROFILER_PROF_CLASSES_H
#define CABERNET_PROFILER_PROF_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/tool/read/prof_file.h"

// Calls `fn` for each, with its bytes, which are freed afterwards. False with *error: the file cannot be read, or makes no
// sense; the class files in front of that were given to `fn`.
bool prof_classes(const char *path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size), void *arg,
                  char *error, size_t error_size);

// The bytes of an archive's entry of that name, or of the first that has the name below a folder (in the JDK's src.zip and .jmod files
// modules are folders); malloc'd, with a zero behind. NULL: it is not there, or there is no such archive, or it is damaged.
uint8_t *prof_archive_entry(const char *path, const char *name, size_t *size);

// ---- class paths: folders and archives, separated by colons --------------------------------------
//
// Several files may have a class's name: of one class path, of one archive with versions for several releases (META-INF/versions/17). The
// profile knows the bytes that the class was defined with (prof_class), so a file with these is taken. If there is none, it is the one that
// a loader of Java 17 would take.

typedef enum ProfMatch {
    CLASS_SAME,     // the bytes that ran
    CLASS_OTHER,    // other ones
    CLASS_UNKNOWN,  // the profile does not say which ran
} ProfMatch;

// The class path of the option, of the profile if it is NULL, "." if that has none.
const char *prof_class_path(const ProfFile *f, const char *option);
// The file of a class ("demo.Main"; a loader's name behind @ is not part of the file's name): of the class path, of where the class came
// from, else of the JDK's modules (its .jmod files). malloc'd; NULL: nobody has it.
uint8_t *prof_class_file(const ProfFile *f, const char *class_name, const char *class_path, size_t *size, ProfMatch *match);
// Calls `fn` for every class file of the class path with its name in the folder or archive (without META-INF/versions/N), and its bytes,
// which are freed afterwards. Of an archive's versions of a class it is one. Descriptions of modules are left out. What cannot be read
// makes a line on stderr; the number of elements that could be read.
typedef void ProfEachClass(void *arg, const char *name, const uint8_t *bytes, size_t size, ProfMatch match);
size_t prof_each_class(const ProfFile *f, const char *class_path, ProfEachClass *fn, void *arg);

// ---- for class paths: archives ----

// What a class's file may be: several classes of one name (of other loaders) may have come from one file.
typedef struct ProfWanted {
    const ProfFile *f;
    const char *name;  // of the class, with dots, without a loader's name; a loader's name behind @ means that very class
} ProfWanted;
ProfMatch prof_match_class(const ProfWanted *w, uint32_t crc, uint64_t size);
// The class's file in an archive, which may be a .jmod file; "name" as in "demo/Main.class". malloc'd; NULL: it has none.
uint8_t *prof_archive_class(const char *path, const char *name, const ProfWanted *w, size_t *size, ProfMatch *match);
// As prof_each_class, of one archive. False with *error.
bool prof_archive_classes(const ProfFile *f, const char *path, ProfEachClass *fn, void *arg, char *error, size_t error_size);

#endif
