#include "profiler/analyses/cacheconfig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

enum { LEAST_LINE = 16, MOST_LINE = 4096, MOST_WAYS = 64, MOST_BYTES = 1 << 30 };

const CacheConfig cacheconfig_default = {
    .level = {{32 << 10, 4}, {512 << 10, 8}}, .line = 64, .policy = CACHE_FIFO, .inclusive = true};

static const char *const policies[CACHE_POLICIES] = {"fifo", "lru", "random"};

typedef struct Parse {
    CacheConfig *c;
    const char *directory;
    char *error;
    size_t error_size;
} Parse;

__attribute__((format(printf, 2, 3))) static bool refuse(const Parse *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, p->error_size, format, args);
    va_end(args);
    return false;
}

// ---- this machine ----------------------------------------------------------------------------------

static bool read_text(const char *directory, int index, const char *name, char text[static 32]) {
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", directory, index, name);
    FILE *in = fopen(path, "re");
    bool ok = in && fgets(text, 32, in);
    if (in) fclose(in);
    if (ok) text[strcspn(text, "\n")] = '\0';
    return ok;
}

static bool read_size(const char *directory, int index, const char *name, uint32_t *to) {
    char text[32];
    int64_t n;
    if (!read_text(directory, index, name, text) || !words_size(text, 10, "km", &n) || n > MOST_BYTES) return false;
    *to = (uint32_t)n;
    return true;
}

static bool take_host(const Parse *p) {
    bool found[CACHE_LEVELS] = {false};
    p->c->policy = CACHE_LRU;
    p->c->inclusive = false;
    char type[32];
    for (int i = 0; read_text(p->directory, i, "type", type); i++) {
        struct CacheSize size;
        uint32_t level, line;
        if (strcmp(type, "Instruction") == 0 || !read_size(p->directory, i, "level", &level) || level < 1 ||
            level > CACHE_LEVELS || !read_size(p->directory, i, "size", &size.bytes) ||
            !read_size(p->directory, i, "ways_of_associativity", &size.ways) ||
            !read_size(p->directory, i, "coherency_line_size", &line))
            continue;
        p->c->level[level - 1] = size;
        p->c->line = line;
        found[level - 1] = true;
    }
    return (found[0] && found[1]) || refuse(p, "host: %s does not describe two levels", p->directory);
}

// ---- words -----------------------------------------------------------------------------------------

// BYTES/WAYS.
static bool take_level(const Parse *p, const char *word, char *value, struct CacheSize *to) {
    char *ways = strchr(value, '/');
    int64_t bytes = 0, count = 0;
    if (ways) *ways++ = '\0';
    if (!ways || !words_size(value, 10, "km", &bytes) || !words_size(ways, 10, "", &count) || bytes > MOST_BYTES ||
        count < 1 || count > MOST_WAYS)
        return refuse(p, "%s must be bytes and 1 to %d ways, as 32k/4", word, MOST_WAYS);
    *to = (struct CacheSize){(uint32_t)bytes, (uint32_t)count};
    return true;
}

static bool take_word(const Parse *p, char *word) {
    CacheConfig *c = p->c;
    int64_t line;
    if (strcmp(word, "host") == 0) return take_host(p);
    for (int i = 0; i < CACHE_POLICIES; i++) {
        if (strcmp(word, policies[i]) != 0) continue;
        c->policy = (CachePolicy)i;
        return true;
    }
    if (strcmp(word, "inclusive") == 0 || strcmp(word, "noninclusive") == 0) {
        c->inclusive = *word == 'i';
        return true;
    }
    char *value = words_value(word);
    if (value && strcmp(word, "l1") == 0) return take_level(p, word, value, &c->level[0]);
    if (value && strcmp(word, "l2") == 0) return take_level(p, word, value, &c->level[1]);
    if (!value || strcmp(word, "line") != 0)
        return refuse(
            p, "there is no %s; there are l1=, l2=, line=, fifo, lru, random, inclusive, noninclusive and host", word);
    if (!words_size(value, 10, "", &line) || line < LEAST_LINE || line > MOST_LINE || line & (line - 1))
        return refuse(p, "line must be a power of two, %d to %d", LEAST_LINE, MOST_LINE);
    c->line = (uint32_t)line;
    return true;
}

static bool check(const Parse *p) {
    const CacheConfig *c = p->c;
    for (int i = 0; i < CACHE_LEVELS; i++) {
        uint32_t set = c->level[i].ways * c->line, sets = c->level[i].bytes / set;
        if (sets * set != c->level[i].bytes || !sets || sets & (sets - 1))
            return refuse(p, "l%d=%u/%u with lines of %u bytes: the number of sets must be a power of two", i + 1,
                          c->level[i].bytes, c->level[i].ways, c->line);
    }
    return !c->inclusive || c->level[0].bytes <= c->level[1].bytes ||
        refuse(p, "l2 is smaller than l1, which it cannot include");
}

bool cacheconfig_parse(CacheConfig *c, const char *text, const char *directory, char *error, size_t error_size) {
    Parse p = {c, directory, error, error_size};
    char *copy = strdup(text), *rest = copy;
    *c = cacheconfig_default;
    bool ok = copy || refuse(&p, "out of memory");
    for (char *word; ok && (word = words_next(&rest, ',', WORDS_PLAIN)) != NULL;) ok = take_word(&p, word);
    free(copy);
    return ok && check(&p);
}

void cacheconfig_text(const CacheConfig *c, char text[static CACHECONFIG_TEXT]) {
    snprintf(text, CACHECONFIG_TEXT, "l1=%u/%u,l2=%u/%u,line=%u,%s,%s", c->level[0].bytes, c->level[0].ways,
             c->level[1].bytes, c->level[1].ways, c->line, policies[c->policy],
             c->inclusive ? "inclusive" : "noninclusive");
}
