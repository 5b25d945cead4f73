// Launcher argument files: @file on the command line, and JDK_JAVA_OPTIONS, which has the same
// grammar. Words are separated by white space; quotes of either kind group; inside quotes a
// backslash escapes and a backslash before a line's end continues it; # starts a comment.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "vm/launcher/args.h"

void list_add(StringList *list, char *item) {
    GROW_OR_EXIT(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = item;
}

static char unescape(char c) {
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'f': return '\f';
    default: return c;
    }
}

static bool is_space(char c) { return c && strchr(" \t\r\n\f", c); }

static const char *skip_blank(const char *p) {
    for (;;) {
        while (is_space(*p)) p++;
        if (*p != '#') return p;
        p += strcspn(p, "\n");
    }
}

// Copies one word from p to out; returns where it ends, or NULL when a quote stays open.
static const char *take_word(const char *p, char *out) {
    char quote = 0;
    for (; *p && (quote || !is_space(*p)); p++) {
        if (quote && *p == '\\' && p[1]) {
            p++;
            if (*p == '\n' || *p == '\r') {
                p += strspn(p, " \t\r\n\f") - 1;
                continue;
            }
            *out++ = unescape(*p);
        } else if (!quote && (*p == '"' || *p == '\'')) {
            quote = *p;
        } else if (quote && *p == quote) {
            quote = 0;
        } else {
            *out++ = *p;
        }
    }
    *out = 0;
    return quote ? NULL : p;
}

bool argfile_words(const char *text, const char *origin, StringList *out) {
    for (const char *p = skip_blank(text); *p; p = skip_blank(p)) {
        char *word = malloc(strlen(p) + 1);
        if (!word) abort();
        p = take_word(p, word);
        if (!p) {
            fprintf(stderr, "Error: Unmatched quote in %s\n", origin);
            free(word);
            return false;
        }
        list_add(out, word);
    }
    return true;
}

static char *read_file(const char *name) {
    FILE *f = fopen(name, "r");
    if (!f) {
        fprintf(stderr, "Error: could not open `%s'\n", name);
        return NULL;
    }
    Text text = {0};
    bool ok = text_put_file(&text, f);
    fclose(f);
    if (ok) return text.at;
    fprintf(stderr, "Error: could not read `%s'\n", name);
    free(text.at);
    return NULL;
}

bool argfile_expand(const StringList *in, StringList *out) {
    bool enabled = true;
    for (size_t i = 0; i < in->count; i++) {
        char *arg = in->items[i];
        if (strcmp(arg, "--disable-@files") == 0) {
            enabled = false;
        } else if (!enabled || arg[0] != '@') {
            list_add(out, arg);
        } else if (arg[1] == '@') {
            list_add(out, arg + 1);
        } else {
            char *text = read_file(arg + 1);
            if (!text) return false;
            bool ok = argfile_words(text, arg + 1, out);
            free(text);
            if (!ok) return false;
        }
    }
    return true;
}
