// The words of the launcher's command line: those of JDK_JAVA_OPTIONS, then the arguments, with each @file among the
// options replaced by the words in that file. The words after the main class belong to the program and stay unchanged.
//
// Argument files and the variable have different syntax. In a file, white space separates words; quotes of either kind
// group; inside quotes a backslash escapes, and before the end of a line it continues the word in the next line; #
// outside quotes starts a comment. An unclosed quote ends with its line. In the variable only quotes have a meaning.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "vm/launcher/args.h"

#define VARIABLE "JDK_JAVA_OPTIONS"

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
static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static const char *skip_space(const char *p) {
    while (is_space(*p)) p++;
    return p;
}

// Copies quoted text from p, which points past the opening quote, and moves *out. Returns the position past the closing
// quote, or the end of the line or file. NULL: a backslash is the last character of the file.
static const char *copy_quoted(const char *p, char quote, char **out) {
    while (*p && *p != quote && !is_line_end(*p)) {
        if (*p != '\\') {
            *(*out)++ = *p++;
            continue;
        }
        if (!*++p) return NULL;
        if (is_line_end(*p)) p = skip_space(p);
        else *(*out)++ = unescape(*p++);
    }
    return *p == quote ? p + 1 : p;
}

// Copies a word of a file from p, which is not white space, to out. Returns its end, or NULL when the file ends within
// a comment or an escape, which drops the word. A # drops the unquoted text before it in the same word, and the word
// continues after the comment, like in java.
static const char *take_word(const char *p, char *out) {
    char *kept = out;
    while (*p && !is_space(*p)) {
        if (*p == '#') {
            p = skip_space(p + strcspn(p, "\r\n"));
            out = kept;
            if (!*p) return NULL;
        } else if (*p == '"' || *p == '\'') {
            p = copy_quoted(p + 1, *p, &out);
            if (!p) return NULL;
            kept = out;
        } else {
            *out++ = *p++;
        }
    }
    *out = 0;
    return p;
}

void argfile_words(const char *text, StringList *out) {
    for (const char *p = skip_space(text); p && *p; p = p ? skip_space(p) : NULL) {
        char *word = malloc(strlen(p) + 1);
        if (!word) abort();
        p = take_word(p, word);
        // An empty word counts unless it is at the end of the file.
        if (p && (*p || *word)) list_add(out, word);
        else free(word);
    }
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
    fprintf(stderr, "Error: loading: %s\n", name);
    free(text.at);
    return NULL;
}

// ---- words of the program ------------------------------------------------------------------------

// Adds a word. The first word that is neither an option nor an option's value is the main class; a word after an option
// that names the main class also ends the options.
static void add_word(WordReader *r, char *word) {
    list_add(&r->words, word);
    if (*word == '-') {
        bool names_main = strcmp(word, "-jar") == 0 || strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0;
        r->wants_value = args_takes_value(word) && !names_main;
        if (strncmp(word, "--module=", 9) == 0) r->in_program = true;
    } else if (r->wants_value) {
        r->wants_value = false;
    } else {
        r->in_program = true;
    }
}

// Puts the expansion of `word` into *out: the words of a file, or the word itself. False with a message when the file
// cannot be read.
static bool expand(WordReader *r, char *word, StringList *out) {
    if (r->in_program || r->no_files || word[0] != '@' || !word[1]) {
        list_add(out, word);
        return true;
    }
    if (word[1] == '@') {
        list_add(out, word + 1);
        return true;
    }
    char *text = read_file(word + 1);
    if (!text) return false;
    argfile_words(text, out);
    free(text);
    return true;
}

// Adds expanded words. --disable-@files only affects the reader and is dropped.
static void add_words(WordReader *r, const StringList *words) {
    for (size_t i = 0; i < words->count; i++) {
        if (!r->in_program && strcmp(words->items[i], "--disable-@files") == 0) r->no_files = true;
        else add_word(r, words->items[i]);
    }
}

// ---- the variable --------------------------------------------------------------------------------

// Options that choose what to run, or that prevent a run.
static bool ends_options(const char *word) {
    static const char *const all[] = {
        "-jar",   "-m", "--module",     "--dry-run", "-h",        "-?",           "-help",
        "--help", "-X", "--help-extra", "-version",  "--version", "-fullversion", "--full-version"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i]) == 0) return true;
    return strncmp(word, "--module=", 9) == 0;
}

// Copies one word of the variable from p to out; returns its end, or NULL when a quote is not closed.
static const char *take_variable_word(const char *p, char *out) {
    while (*p && !isspace((unsigned char)*p)) {
        char quote = *p == '"' || *p == '\'' ? *p : 0;
        if (!quote) {
            *out++ = *p++;
            continue;
        }
        for (p++; *p != quote; *out++ = *p++)
            if (!*p) return NULL;
        p++;
    }
    *out = 0;
    return p;
}

// Adds one word of the variable, expanded. The variable must not choose the program.
static bool add_variable_word(WordReader *r, char *word) {
    StringList words = {0};
    if (!expand(r, word, &words)) return false;
    bool from_file = *word == '@' && words.count && words.items[0] != word && word[1] != '@';
    for (size_t i = 0; i < words.count; i++) {
        if (!ends_options(words.items[i])) continue;
        if (from_file)
            fprintf(stderr, "Error: Option %s in %s is not allowed in environment variable " VARIABLE "\n",
                    words.items[i], word);
        else fprintf(stderr, "Error: Option %s is not allowed in environment variable " VARIABLE "\n", words.items[i]);
        return false;
    }
    add_words(r, &words);
    free(words.items);
    if (!r->in_program) return true;
    fputs("Error: Cannot specify main class in environment variable " VARIABLE "\n", stderr);
    return false;
}

static bool read_variable(WordReader *r) {
    const char *p = getenv(VARIABLE);
    if (!p) return true;
    fprintf(stderr, "NOTE: Picked up " VARIABLE ": %s\n", p);
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (!*p) return true;
        char *word = malloc(strlen(p) + 1);
        if (!word) abort();
        p = take_variable_word(p, word);
        if (!p) {
            fputs("Error: Unmatched quote in environment variable " VARIABLE "\n", stderr);
            free(word);
            return false;
        }
        if (!add_variable_word(r, word)) return false;
    }
}

bool words_read(WordReader *r, int argc, char **argv) {
    if (!read_variable(r)) return false;
    for (int i = 1; i < argc; i++) {
        StringList words = {0};
        if (!expand(r, argv[i], &words)) return false;
        add_words(r, &words);
        free(words.items);
    }
    return true;
}
