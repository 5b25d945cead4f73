// Class path wildcards: an element "*" or "dir/*" represents every .jar and .JAR of that directory.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vm/launcher/args.h"

static void append_element(Text *t, const char *s, size_t n) {
    if (t->length) text_put(t, ":", 1);
    text_put(t, s, n);
}

// An element whose directory is missing or has no jars stays unchanged.
static void append_jars(Text *t, const char *element, size_t n) {
    char *dir = strndup(element, n - 1);
    DIR *d = opendir(*dir ? dir : ".");
    bool any = false;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length <= 4) continue;
        const char *end = e->d_name + length - 4;
        if (strcmp(end, ".jar") != 0 && strcmp(end, ".JAR") != 0) continue;
        append_element(t, dir, n - 1);
        text_put_string(t, e->d_name);
        any = true;
    }
    if (d) closedir(d);
    if (!any) append_element(t, element, n);
    free(dir);
}

char *classpath_expand(const char *path) {
    Text t = {0};
    text_put(&t, "", 0);
    bool first = true;
    for (const char *p = path;; first = false) {
        size_t n = strcspn(p, ":");
        if (n && p[n - 1] == '*' && (n == 1 || p[n - 2] == '/')) append_jars(&t, p, n);
        else if (first) text_put(&t, p, n);
        else {
            text_put(&t, ":", 1);
            text_put(&t, p, n);
        }
        if (!p[n]) break;
        p += n + 1;
    }
    return t.at;
}
