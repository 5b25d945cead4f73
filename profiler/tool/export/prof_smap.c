#include "profiler/tool/export/prof_smap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/tool/base/prof_memory.h"

// ---- lines of the map ---------------------------------------------------------------------------

// A file is "ID NAME", or "+ ID NAME" and a line with its class, whose package gives the folder.
static bool read_file(Smap *map, char **rest, char *line) {
    bool with_class = strncmp(line, "+ ", 2) == 0;
    char *name;
    int64_t id = strtoll(line + (with_class ? 2 : 0), &name, 10);
    const char *holder = with_class ? strsep(rest, "\n") : "", *slash = holder ? strrchr(holder, '/') : NULL;
    if (*name++ != ' ' || !*name || !holder || strchr(name, '/')) return false;
    if (!GROW(map->files, map->file_capacity, map->file_count + 1)) prof_out_of_memory();
    struct SmapFile *f = &map->files[map->file_count];
    if (asprintf(&f->path, "%.*s%s", slash ? (int)(slash + 1 - holder) : 0, holder, name) < 0) prof_out_of_memory();
    f->id = id;
    map->file_count++;
    return true;
}

// "INPUT#FILE,REPEAT:OUTPUT,STEP". FILE defaults to that of the previous range, REPEAT and STEP to 1.
static bool read_range(Smap *map, const char *at) {
    char *end;
    struct SmapRange r = {
        .file = map->range_count ? map->ranges[map->range_count - 1].file : 0, .repeat = 1, .step = 1};
    r.input = strtoll(at, &end, 10);
    if (*end == '#') r.file = strtoll(end + 1, &end, 10);
    if (*end == ',') r.repeat = strtoll(end + 1, &end, 10);
    if (*end++ != ':') return false;
    r.output = strtoll(end, &end, 10);
    if (*end == ',') r.step = strtoll(end + 1, &end, 10);
    bool possible = *end == '\0' && r.input >= 0 && r.input <= INT32_MAX && r.repeat > 0 && r.repeat <= INT32_MAX &&
        r.output >= 0 && r.output <= INT32_MAX && r.step > 0 && r.step <= INT32_MAX;
    if (!possible) return false;
    if (!GROW(map->ranges, map->range_capacity, map->range_count + 1)) prof_out_of_memory();
    map->ranges[map->range_count++] = r;
    return true;
}

// The sections of the Kotlin stratum, which ends at the next stratum.
static bool read_stratum(Smap *map, char **rest) {
    char section = '\0';
    for (char *line; (line = strsep(rest, "\n")) != NULL;) {
        if (*line == '*') {
            section = line[1];
            if (section == 'S' || section == 'E') return true;
        } else if (section == 'F' ? !read_file(map, rest, line) : section == 'L' && !read_range(map, line)) {
            return false;
        }
    }
    return true;
}

bool smap_read(Smap *map, const char *text, size_t size) {
    char *copy = strndup(text, size);
    *map = (Smap){0};
    if (!copy) prof_out_of_memory();
    for (char *p = copy; (p = strchr(p, '\r')) != NULL;) *p = '\n';
    char *rest = copy, *line = strsep(&rest, "\n");
    bool ok = line && strcmp(line, "SMAP") == 0, found = false;
    while (ok && !found && (line = strsep(&rest, "\n"))) found = strcmp(line, "*S Kotlin") == 0;
    ok = found && read_stratum(map, &rest) && map->file_count;
    free(copy);
    if (ok) return true;
    smap_free(map);
    return false;
}

void smap_free(Smap *map) {
    for (size_t i = 0; i < map->file_count; i++) free(map->files[i].path);
    free(map->files);
    free(map->ranges);
    *map = (Smap){0};
}

const char *smap_source(const Smap *map, uint32_t *line) {
    for (size_t i = 0; i < map->range_count; i++) {
        const struct SmapRange *r = &map->ranges[i];
        int64_t offset = (int64_t)*line - r->output;
        if (offset < 0 || offset / r->step >= r->repeat) continue;
        for (size_t k = 0; k < map->file_count; k++) {
            if (map->files[k].id != r->file) continue;
            *line = (uint32_t)(r->input + offset / r->step);
            return map->files[k].path;
        }
        return NULL;
    }
    return NULL;
}
