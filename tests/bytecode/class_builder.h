/*
 * Builds class files byte by byte for tests, so that anything can be made wrong. Buffers are fixed; nothing is
 * allocated.
 */
#ifndef CABERNET_TESTS_BYTECODE_CLASS_BUILDER_H
#define CABERNET_TESTS_BYTECODE_CLASS_BUILDER_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "bytecode/classfile/classfile.h"

typedef struct Bytes {
    uint8_t b[65536];
    size_t n;
} Bytes;

static inline void put1(Bytes *o, unsigned v) {
    assert(o->n < sizeof o->b);
    o->b[o->n++] = (uint8_t)v;
}
static inline void put2(Bytes *o, unsigned v) {
    put1(o, v >> 8);
    put1(o, v);
}
static inline void put4(Bytes *o, uint32_t v) {
    put2(o, v >> 16);
    put2(o, v & 0xffff);
}
static inline void put_bytes(Bytes *o, const void *p, size_t n) {
    assert(o->n + n <= sizeof o->b);
    memcpy(o->b + o->n, p, n);
    o->n += n;
}

typedef struct ClassBuilder {
    uint32_t magic;
    unsigned minor, major, flags, this_class, super_class;
    unsigned cp_count, interface_count, field_count, method_count, attr_count;
    Bytes cp, interfaces, fields, methods, attrs, out;
} ClassBuilder;

static inline unsigned cb_utf8n(ClassBuilder *c, const void *s, size_t n) {
    put1(&c->cp, CP_UTF8);
    put2(&c->cp, (unsigned)n);
    put_bytes(&c->cp, s, n);
    return c->cp_count++;
}
static inline unsigned cb_utf8(ClassBuilder *c, const char *s) { return cb_utf8n(c, s, strlen(s)); }

/* Entries of one u2, e.g. CP_CLASS, and of two. */
static inline unsigned cb_one(ClassBuilder *c, unsigned tag, unsigned a) {
    put1(&c->cp, tag);
    put2(&c->cp, a);
    return c->cp_count++;
}
static inline unsigned cb_two(ClassBuilder *c, unsigned tag, unsigned a, unsigned b) {
    put1(&c->cp, tag);
    put2(&c->cp, a);
    put2(&c->cp, b);
    return c->cp_count++;
}
static inline unsigned cb_class(ClassBuilder *c, const char *name) { return cb_one(c, CP_CLASS, cb_utf8(c, name)); }
static inline unsigned cb_nat(ClassBuilder *c, const char *name, const char *desc) {
    unsigned n = cb_utf8(c, name), d = cb_utf8(c, desc);
    return cb_two(c, CP_NAME_AND_TYPE, n, d);
}
static inline unsigned cb_ref(ClassBuilder *c, unsigned tag, const char *cls, const char *name, const char *desc) {
    unsigned k = cb_class(c, cls), n = cb_nat(c, name, desc);
    return cb_two(c, tag, k, n);
}
static inline unsigned cb_int(ClassBuilder *c, int32_t v) {
    put1(&c->cp, CP_INTEGER);
    put4(&c->cp, (uint32_t)v);
    return c->cp_count++;
}
static inline unsigned cb_long(ClassBuilder *c, int64_t v) {
    put1(&c->cp, CP_LONG);
    put4(&c->cp, (uint32_t)((uint64_t)v >> 32));
    put4(&c->cp, (uint32_t)v);
    c->cp_count += 2;
    return c->cp_count - 2;
}
static inline unsigned cb_handle(ClassBuilder *c, unsigned kind, unsigned ref) {
    put1(&c->cp, CP_METHOD_HANDLE);
    put1(&c->cp, kind);
    put2(&c->cp, ref);
    return c->cp_count++;
}

/* An empty public class of the given name that extends Object, version 61. */
static inline void cb_init(ClassBuilder *c, const char *name) {
    memset(c, 0, sizeof *c);
    c->magic = 0xCAFEBABE;
    c->major = 61;
    c->flags = ACC_PUBLIC | ACC_SUPER;
    c->cp_count = 1;
    c->this_class = cb_class(c, name);
    c->super_class = cb_class(c, "java/lang/Object");
}

static inline void cb_interface(ClassBuilder *c, const char *name) {
    put2(&c->interfaces, cb_class(c, name));
    c->interface_count++;
}

/* Appends an attribute to a list; the caller counts. */
static inline void cb_attr_to(ClassBuilder *c, Bytes *list, const char *name, const void *p, size_t n) {
    put2(list, cb_utf8(c, name));
    put4(list, (uint32_t)n);
    put_bytes(list, p, n);
}
static inline void cb_attr(ClassBuilder *c, const char *name, const void *p, size_t n) {
    cb_attr_to(c, &c->attrs, name, p, n);
    c->attr_count++;
}

/* A member whose attribute count and attributes follow in `attrs`. */
static inline void cb_member(ClassBuilder *c, Bytes *list, unsigned flags, const char *name, const char *desc,
                             unsigned attr_count, const Bytes *attrs) {
    put2(list, flags);
    put2(list, cb_utf8(c, name));
    put2(list, cb_utf8(c, desc));
    put2(list, attr_count);
    if (attrs) put_bytes(list, attrs->b, attrs->n);
}
static inline void cb_field(ClassBuilder *c, unsigned flags, const char *name, const char *desc) {
    cb_member(c, &c->fields, flags, name, desc, 0, NULL);
    c->field_count++;
}
static inline void cb_bare_method(ClassBuilder *c, unsigned flags, const char *name, const char *desc) {
    cb_member(c, &c->methods, flags, name, desc, 0, NULL);
    c->method_count++;
}

/* Code of a method; members left zero are empty. handlers holds raw 8-byte rows. */
typedef struct CbCode {
    unsigned max_stack, max_locals;
    const uint8_t *code;
    size_t len;
    unsigned handler_count;
    const uint16_t (*handlers)[4];
    unsigned attr_count;
    const Bytes *attrs;
    const uint8_t *stack_map; /* StackMapTable body */
    size_t stack_map_len;
} CbCode;

static inline void cb_method(ClassBuilder *c, unsigned flags, const char *name, const char *desc, const CbCode *code) {
    static Bytes body, attr;
    body.n = attr.n = 0;
    put2(&body, code->max_stack);
    put2(&body, code->max_locals);
    put4(&body, (uint32_t)code->len);
    put_bytes(&body, code->code, code->len);
    put2(&body, code->handler_count);
    for (unsigned i = 0; i < code->handler_count; i++) {
        for (int j = 0; j < 4; j++) put2(&body, code->handlers[i][j]);
    }
    put2(&body, code->attr_count + (code->stack_map != NULL));
    if (code->attrs) put_bytes(&body, code->attrs->b, code->attrs->n);
    if (code->stack_map) cb_attr_to(c, &body, "StackMapTable", code->stack_map, code->stack_map_len);
    cb_attr_to(c, &attr, "Code", body.b, body.n);
    cb_member(c, &c->methods, flags, name, desc, 1, &attr);
    c->method_count++;
}

static inline const Bytes *cb_finish(ClassBuilder *c) {
    Bytes *o = &c->out;
    o->n = 0;
    put4(o, c->magic);
    put2(o, c->minor);
    put2(o, c->major);
    put2(o, c->cp_count);
    put_bytes(o, c->cp.b, c->cp.n);
    put2(o, c->flags);
    put2(o, c->this_class);
    put2(o, c->super_class);
    put2(o, c->interface_count);
    put_bytes(o, c->interfaces.b, c->interfaces.n);
    put2(o, c->field_count);
    put_bytes(o, c->fields.b, c->fields.n);
    put2(o, c->method_count);
    put_bytes(o, c->methods.b, c->methods.n);
    put2(o, c->attr_count);
    put_bytes(o, c->attrs.b, c->attrs.n);
    return o;
}

#endif
