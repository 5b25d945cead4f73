// `cabernet-prof productions`: checks production files, prints what they compile to and which instructions of class
// files they match. Runs nothing.
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/disasm.h"
#include "profiler/productions/productions.h"
#include "profiler/tool/base/prof_shipped.h"
#include "profiler/tool/prof_commands.h"
#include "profiler/tool/read/prof_classes.h"

typedef struct Show {
    Productions *p;
    const ClassFile *file;
    const ClassFileMethod *method;
    FILE *out;
    bool lines;  // one line for each match, for other programs
    bool begun;  // the method's name was printed
    uint64_t places, methods, classes, broken;
    uint64_t outside;  // allocation places that only native code and the VM reach
} Show;

static void put_utf8(FILE *out, ClassFileUtf8 text) {
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = text.ptr[i];
        putc(c == '/' ? '.' : c < ' ' || c == 0x7f ? '?' : c, out);
    }
}

static void put_method(Show *s) {
    put_utf8(s->out, classfile_this_name(s->file));
    putc('.', s->out);
    put_utf8(s->out, classfile_utf8(s->file, s->method->name_index));
    ClassFileUtf8 desc = classfile_utf8(s->file, s->method->desc_index);
    fprintf(s->out, "%.*s", (int)desc.len, (const char *)desc.ptr);
}

static void put_match(Show *s, const Match *m) {
    const Expr *rest = productions_expr(s->p, m->rest);
    char *condition = rest->kind == EXPR_TRUE ? NULL : productions_text(s->p, m->rest);
    fputs(productions_get(s->p, m->production)->name, s->out);
    if (condition) fprintf(s->out, " if %s", condition);
    free(condition);
}

// METHOD BCI PLACE PRODUCTION [if CONDITION]
static void put_lines(Show *s, const MatchSite *site) {
    static const char *const places[] = {
#define PLACE(id, event, has, text) #id,
#include "profiler/productions/words.def"
    };
    for (uint32_t i = 0; i < site->count; i++) {
        put_method(s);
        fprintf(s->out, " %d %s ", site->bci, places[site->place]);
        put_match(s, &site->matches[i]);
        putc('\n', s->out);
    }
}

static void show_site(void *arg, const MatchSite *site) {
    Show *s = arg;
    char text[400] = "(entry)";
    const ClassFileCode *code = s->method->code;
    if (s->lines) {
        put_lines(s, site);
        return;
    }
    if (site->place == PLACE_OF_allocation && site->secondary) {
        s->outside++;
        return;
    }
    if (!s->begun) {
        put_method(s);
        putc('\n', s->out);
        s->begun = true;
        s->methods++;
    }
    s->places++;
    if (site->bci < 0) {
        fputs("    entry", s->out);
    } else {
        disasm_instruction(s->file, code->code, code->code_len, (uint32_t)site->bci, text, sizeof text);
        int line = classfile_line_of(code, (uint32_t)site->bci);
        if (line >= 0) fprintf(s->out, "    %d line %d %s", site->bci, line, text);
        else fprintf(s->out, "    %d %s", site->bci, text);
        if (site->secondary) fprintf(s->out, " (%s)", productions_place_text(site->place));
    }
    for (uint32_t i = 0; i < site->count; i++) {
        fputs(i ? ", " : ": ", s->out);
        put_match(s, &site->matches[i]);
    }
    putc('\n', s->out);
}

static void broken(Show *s, const char *name, const char *why) {
    fprintf(stderr, "cabernet-prof: %s: %s\n", name, why);
    s->broken++;
}

static void show_class(void *arg, const char *name, const uint8_t *bytes, size_t size) {
    Show *s = arg;
    ClassFileError error;
    char why[256];
    ClassFile *file = classfile_parse(bytes, size, NULL, &error);
    if (!file) {
        broken(s, name, error.msg);
        return;
    }
    s->file = file;
    s->classes++;
    for (uint32_t i = 0; i < file->method_count; i++) {
        s->method = &file->methods[i];
        s->begun = false;
        if (!productions_match(s->p, file, s->method, show_site, s, why, sizeof why)) broken(s, name, why);
    }
    classfile_free(file);
}

static bool is_classes(const char *word) {
    const char *dot = strrchr(word, '.');
    return dot && (strcmp(dot, ".class") == 0 || strcmp(dot, ".jar") == 0 || strcmp(dot, ".zip") == 0);
}

int prof_productions(char **files, bool lines, FILE *out) {
    char error[512];
    Show s = {.p = productions_new(), .out = out, .lines = lines};
    if (!s.p) return fputs("cabernet-prof: out of memory\n", stderr), 2;
    char *shipped = prof_shipped("productions");
    productions_shipped(s.p, shipped);
    free(shipped);
    bool ok = true;
    int code = 0;
    for (char **f = files; ok && *f; f++) {
        if (is_classes(*f)) continue;
        bool text = strstr(*f, "=>") != NULL;
        ok = text ? productions_add(s.p, "text", *f, strlen(*f), NULL, error, sizeof error)
                  : productions_add_file(s.p, *f, error, sizeof error);
    }
    ok = ok && productions_check(s.p, error, sizeof error);
    if (!ok) fprintf(stderr, "cabernet-prof: %s\n", error);
    if (ok && !lines) productions_explain(s.p, out);
    for (char **f = files; ok && *f; f++) {
        if (!is_classes(*f) || prof_classes(*f, show_class, &s, error, sizeof error)) continue;
        fprintf(stderr, "cabernet-prof: %s\n", error);
        code = 2;
    }
    if (ok && s.classes && !lines)
        fprintf(out, "%llu places of %llu methods in %llu classes\n", (unsigned long long)s.places,
                (unsigned long long)s.methods, (unsigned long long)s.classes);
    if (s.outside)
        fprintf(out, "and %llu instructions during which native code or the VM may allocate\n",
                (unsigned long long)s.outside);
    productions_free(s.p);
    return !ok ? 1 : s.broken ? 2 : code;
}
