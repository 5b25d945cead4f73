// Collapsed stacks, as async-profiler, flamegraph.pl's scripts and `export --collapsed` write them: names from the
// outermost to the innermost method, separated by semicolons, a space, a count. A name is class and method, with
// slashes or dots, possibly followed by parameters and by async-profiler's frame type (_[j]). Frames in brackets are
// threads; frames without a class are other code.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/import/prof_import.h"

// The count at the end of a line; returns the position of the space before it, SIZE_MAX: none.
static size_t count_at(const char *line, size_t n, uint64_t *count) {
    size_t at = n;
    uint64_t v = 0, scale = 1;
    for (; at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9'; at--, scale *= 10) {
        if (n - at >= 18) return SIZE_MAX;
        v += (uint64_t)(line[at - 1] - '0') * scale;
    }
    *count = v;
    return at == n || at < 2 || line[at - 1] != ' ' ? SIZE_MAX : at - 1;
}

// The length of the first line in the data; *length: without a carriage return at its end.
static size_t line_at(const uint8_t *data, size_t size, size_t *length) {
    const uint8_t *end = memchr(data, '\n', size);
    size_t n = end ? (size_t)(end - data) : size;
    *length = n && data[n - 1] == '\r' ? n - 1 : n;
    return n;
}

bool is_collapsed(const uint8_t *data, size_t size) {
    bool any = false;
    if (memchr(data, '\0', size)) return false;
    for (size_t at = 0, n; at < size; at += n + 1) {
        uint64_t count;
        size_t length;
        n = line_at(data + at, size - at, &length);
        if (!length) continue;
        if (count_at((const char *)data + at, length, &count) == SIZE_MAX) return false;
        any = true;
    }
    return any;
}

// The method of a name; modifies the name. Code that is not Java has no class and becomes a method of that name without
// one.
static uint32_t method_of(Import *b, char *name) {
    static const char *const packages[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
    size_t n = strlen(name);
    if (n > 4 && name[n - 4] == '_' && name[n - 3] == '[' && name[n - 1] == ']') name[n -= 4] = '\0';
    char *open = strchr(name, '(');
    if (open && open > name) *open = '\0';
    char *dot = strpbrk(name, "`:") ? NULL : strrchr(name, '.');  // libc.so`read, JavaThread::run
    if (!dot || dot == name) return import_method(b, "", name, "", FORMAT_METHOD_UNKNOWN);
    *dot = '\0';
    for (char *p = name; (p = strchr(p, '.')) != NULL;) *p = '/';
    bool library = false;
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        library |= strncmp(name, packages[i], strlen(packages[i])) == 0;
    return import_method(b, name, dot + 1, "", library ? 0 : FORMAT_METHOD_APPLICATION);
}

typedef struct Stack {
    ImportFrame *frames;
    size_t capacity;
} Stack;

static void take_line(Import *b, Stack *s, char *line, uint64_t count) {
    size_t depth = 0;
    for (char *p = line + strlen(line); p > line;) {
        char *name = p;
        while (name > line && name[-1] != ';') name--;
        *p = '\0';
        bool thread = name[0] == '[' && name == line;
        if (p > name && !thread) {
            if (!GROW(s->frames, s->capacity, depth + 1)) prof_out_of_memory();
            s->frames[depth++] = (ImportFrame){method_of(b, name), -1, -1, 0};
        }
        p = name > line ? name - 1 : line;
    }
    if (depth && count) import_stack(b, s->frames, depth, count, true);
}

bool import_collapsed(Import *b, const uint8_t *data, size_t size, char *problem, size_t problem_size) {
    Stack s = {0};
    (void)problem, (void)problem_size;
    import_meta(b, "import", "collapsed stacks");
    import_meta(b, "precision", "names");
    import_meta(b, "sampling", "imported");
    for (size_t at = 0, n; at < size; at += n + 1) {
        uint64_t count;
        size_t length;
        n = line_at(data + at, size - at, &length);
        if (!length) continue;
        length = count_at((const char *)data + at, length, &count);
        char *line = strndup((const char *)data + at, length);
        if (!line) prof_out_of_memory();
        take_line(b, &s, line, count);
        free(line);
    }
    free(s.frames);
    return true;
}
