/*
 * Mutated class files through reader, code check, graph, dataflow, disassembler and verifier. Nothing may crash, and
 * code that passes the code check must give a graph. Meant for the sanitizer build. The classes are the JDK's;
 * CABERNET_SEED and CABERNET_MUTANTS set the sequence and its length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytecode/analysis/cfg.h"
#include "bytecode/analysis/dataflow.h"
#include "bytecode/classfile/disasm.h"
#include "bytecode/verifier/verify.h"
#include "tests/bytecode/jdk_classes.h"
#include "tests/bytecode/dataflow_operands.h"

#define CORPUS_MAX 400
#define CLASS_MAX 6000

typedef struct Sample {
    uint8_t *bytes;
    size_t len;
} Sample;
static Sample corpus[CORPUS_MAX];
static unsigned corpus_count;
static uint64_t random_state;
static FILE *nowhere;
static unsigned accepted, checked;
static VerifyError err;

static uint32_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static void collect(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    (void)arg, (void)name;
    if (corpus_count == CORPUS_MAX || len > CLASS_MAX) return;
    corpus[corpus_count].bytes = malloc(len);
    memcpy(corpus[corpus_count].bytes, bytes, len);
    corpus[corpus_count++].len = len;
}

/* Pseudo-random answers, so that both outcomes are taken; the same class file always gets the same answers. */
static VerifyAnswer coin(ClassFileUtf8 n) {
    unsigned c = n.len == 0 ? 0 : n.ptr[n.len - 1];
    return c % 16 == 0 ? VERIFY_THROWN : c % 2 == 0 ? VERIFY_NO : VERIFY_YES;
}
static VerifyAnswer assignable(void *ctx, ClassFileUtf8 from, ClassFileUtf8 to) {
    (void)ctx, (void)from;
    return coin(to);
}
static VerifyAnswer superclass(void *ctx, ClassFileUtf8 n) {
    (void)ctx;
    return coin(n);
}
static VerifyAnswer protected_elsewhere(void *ctx, ClassFileUtf8 o, ClassFileUtf8 n, ClassFileUtf8 d, bool m) {
    (void)ctx, (void)o, (void)n, (void)m;
    return coin(d);
}

/* Code that passes the code check may have inconsistent kinds; the analysis must cope with them. */
static void flow(const ClassFile *cf, const ClassFileMethod *m) {
    static Operands operands;
    static char desc[70000];
    char msg[128];
    operands.cf = cf;
    operands.code = m->code;
    strcpy(desc, operands_text(&operands, classfile_utf8(cf, m->desc_index)));
    Dataflow *d = dataflow_build(m->code, desc, m->access_flags & ACC_STATIC, operands_descriptor, &operands, msg,
                                 sizeof msg);
    dataflow_free(d);
}

static void exercise(const uint8_t *bytes, size_t len, bool trusted) {
    static const VerifyCallbacks cb = {NULL, assignable, superclass, protected_elsewhere};
    ClassFileOptions opt = {.trusted = trusted};
    ClassFileError e;
    char msg[128];
    ClassFile *cf = classfile_parse(bytes, len, &opt, &e);
    assert_int_equal(!cf, e.kind != CLASSFILE_OK);
    if (!cf) return;
    accepted++;
    for (unsigned i = 0; i < cf->method_count; i++) {
        bool ok = code_check(cf, &cf->methods[i], &err);
        const ClassFileCode *code = cf->methods[i].code;
        if (!code) continue;
        checked += ok;
        Cfg *g = cfg_build(code, msg, sizeof msg);
        assert_true(!ok || g != NULL);
        for (uint32_t bci = 0; bci < code->code_len; bci += 7) classfile_line_of(code, bci);
        cfg_free(g);
        if (ok) flow(cf, &cf->methods[i]);
    }
    for (unsigned i = 0; i < cf->method_count; i++) disasm_method(nowhere, cf, &cf->methods[i]);
    if (cf->major >= 50) verify_class(cf, &cb, &err);
    classfile_free(cf);
}

static size_t mutate(uint8_t *b, size_t len) {
    size_t at = next_random() % len;
    switch (next_random() % 8) {
        case 0: b[at] = (uint8_t)next_random(); break;
        case 1: b[at] ^= (uint8_t)(1u << next_random() % 8); break;
        case 2: b[at]++; break;
        case 3: b[at]--; break;
        case 4:
            b[at] = 0;
            if (at + 1 < len) b[at + 1] = (uint8_t)(next_random() % 64);
            break;
        case 5: b[at] = 0xff; break;
        case 6:
            if (next_random() % 8 == 0) return at + 1;
            b[at] = (uint8_t)(next_random() % 20);
            break;
        case 7:
            if (next_random() % 4 == 0) {
                memmove(b + at, b + at + 1, len - at - 1);
                return len - 1;
            }
            b[at] = 0;
            break;
    }
    return len;
}

static unsigned long setting(const char *name, unsigned long otherwise) {
    const char *s = getenv(name);
    return s ? strtoul(s, NULL, 0) : otherwise;
}

static void mutants_do_no_harm(void **state) {
    (void)state;
    unsigned long seed = setting("CABERNET_SEED", 20), count = setting("CABERNET_MUTANTS", 5000);
    if (jdk_each_class("java.base", 13, collect, NULL) == 0) skip();
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    for (unsigned long i = 0; i < count; i++) {
        const Sample *s = &corpus[next_random() % corpus_count];
        uint8_t work[CLASS_MAX];
        size_t len = s->len;
        memcpy(work, s->bytes, len);
        for (unsigned n = 1 + next_random() % 3; n > 0; n--) len = mutate(work, len);
        if (next_random() % 8 == 0) work[7] = (uint8_t)(45 + next_random() % 17);
        /* An allocation of the exact size shows the sanitizer any read past the end. */
        uint8_t *exact = malloc(len);
        memcpy(exact, work, len);
        exercise(exact, len, false);
        exercise(exact, len, true);
        free(exact);
    }
    fclose(nowhere);
    if (accepted == 0 || checked == 0) fail_msg("seed %lu: nothing was accepted", seed);
    for (unsigned i = 0; i < corpus_count; i++) free(corpus[i].bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
