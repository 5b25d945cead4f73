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

// The class path of the option, of the profile if it is NULL, "." if that has none.
const char *prof_class_path(const ProfFile *f, const char *option);
// The file of a class ("demo.Main"; a loader's name behind @ does not count): of the class path, else of the JDK's modules (its .jmod
// files). malloc'd; NULL: nobody has it.
uint8_t *prof_class_file(const char *class_name, const char *class_path, size_t *size);
// Calls `fn` for every class file of the class path with its name in the folder or archive, and its bytes, which are freed afterwards; those of
// META-INF (other versions of a class) are left out. What cannot be read makes a line on stderr; the number of elements that could be read.
size_t prof_each_class(const char *class_path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size), void *arg);

#endif
