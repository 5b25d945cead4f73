// Source maps of class files (JSR-45, the SourceDebugExtension attribute) as the Kotlin compiler writes them: code of
// inlined functions has line numbers beyond the end of the file, which the map translates to a file and line.
#ifndef CABERNET_PROFILER_TOOL_EXPORT_PROF_SMAP_H
#define CABERNET_PROFILER_TOOL_EXPORT_PROF_SMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Smap {
    struct SmapFile {
        int64_t id;
        char *path;  // including the folders of its package: "demo/Main.kt"
    } * files;       // the first is the class's source
    size_t file_count, file_capacity;
    struct SmapRange {
        int64_t file, input, repeat, output, step;
    } * ranges;
    size_t range_count, range_capacity;
} Smap;

// Reads a map; the text is untrusted. False: it is not a Kotlin map, or malformed; *map is then empty. Always followed
// by smap_free.
bool smap_read(Smap *map, const char *text, size_t size);
void smap_free(Smap *map);

// The source path of a line of the class file; *line becomes the line in that source. NULL: the map has no such line.
const char *smap_source(const Smap *map, uint32_t *line);

#endif
