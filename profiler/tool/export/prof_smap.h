// Source maps of class files (JSR-45, the attribute SourceDebugExtension) as Kotlin's compiler writes them: the code of inlined functions
// has lines beyond the end of the file, and the map says of which file and line each is.
#ifndef CABERNET_PROFILER_PROF_SMAP_H
#define CABERNET_PROFILER_PROF_SMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Smap {
    struct SmapFile {
        int64_t id;
        char *path;      // with the folders of its package: "demo/Main.kt"
    } *files;            // the first one is the class's own
    size_t file_count, file_capacity;
    struct SmapRange {
        int64_t file, input, repeat, output, step;
    } *ranges;
    size_t range_count, range_capacity;
} Smap;

// Reads a map, whose text comes from anywhere. False: it is none of Kotlin's, or makes no sense; *map is empty then. Always followed by
// smap_free.
bool smap_read(Smap *map, const char *text, size_t size);
void smap_free(Smap *map);

// The source of a line of the class file: its path, and *line becomes its line there. NULL: the map does not say.
const char *smap_source(const Smap *map, uint32_t *line);

#endif
