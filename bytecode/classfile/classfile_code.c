/*
 * The Code attribute and its tables (JVMS 4.7.3, 4.7.12 to 4.7.14). Instructions are not examined.
 *
 * Several LineNumberTables or LocalVariableTables of one method are read as one. Entries of
 * LocalVariableTypeTable are merged into the local variable that they describe.
 */
#include "bytecode/classfile/classfile_parser.h"

typedef struct CodeTables {
    uint32_t line_cap, local_cap, type_cap;
    uint32_t type_count;
    ClassFileLine *lines;
    ClassFileLocal *locals;
    const ClassFileLocal **types; /* entries of LocalVariableTypeTable, descriptor = signature */
} CodeTables;

static void parse_handlers(Parser *p, ClassFileCode *code) {
    uint16_t count = parser_next_u2(p);
    parser_need(p, (size_t)count * 8);
    ClassFileHandler *list = classfile_alloc(p, (size_t)count * sizeof *list);
    for (unsigned i = 0; i < count; i++) {
        ClassFileHandler *h = &list[i];
        h->start_pc = parser_u2(p);
        h->end_pc = parser_u2(p);
        h->handler_pc = parser_u2(p);
        h->catch_type = parser_u2(p);
        if (h->start_pc >= h->end_pc || h->end_pc > code->code_len)
            classfile_reject_in(p, "Illegal exception table range");
        if (h->handler_pc >= code->code_len) classfile_reject_in(p, "Illegal exception table handler");
        if (h->catch_type != 0 && !parser_has_tag(p, h->catch_type, CP_CLASS))
            classfile_reject_in(p, "Catch type in exception table has bad constant type");
    }
    code->handlers = list;
    code->handler_count = count;
}

/*
 * Room for `add` more entries after `count`. Exact for the first table, which is usually the only
 * one; doubled after that, so that many small tables do not cost quadratic time or memory.
 */
static void *grow(Parser *p, void *old, uint32_t *cap, uint32_t count, uint32_t add, size_t size) {
    if (count + add <= *cap) return old;
    *cap = count + add > 2 * *cap ? count + add : 2 * *cap;
    void *list = classfile_alloc(p, *cap * size);
    if (count != 0) memcpy(list, old, count * size);
    return list;
}

static void parse_lines(Parser *p, ClassFileCode *code, CodeTables *t, uint32_t len) {
    uint16_t count = parser_next_u2(p);
    if (len != 2 + 4 * (uint32_t)count) classfile_reject_in(p, "LineNumberTable attribute has wrong length");
    parser_need(p, (size_t)count * 4);
    t->lines = grow(p, t->lines, &t->line_cap, code->line_count, count, sizeof *t->lines);
    for (unsigned i = 0; i < count; i++) {
        ClassFileLine *l = &t->lines[code->line_count + i];
        l->start_pc = parser_u2(p);
        l->line = parser_u2(p);
        if (l->start_pc >= code->code_len) classfile_reject_in(p, "Invalid pc in LineNumberTable");
    }
    code->line_count += count;
}

static void parse_local(Parser *p, ClassFileCode *code, ClassFileLocal *l, bool types) {
    const char *table = types ? "LocalVariableTypeTable" : "LocalVariableTable";
    l->start_pc = parser_u2(p);
    l->length = parser_u2(p);
    l->name_index = parser_u2(p);
    l->desc_index = parser_u2(p);
    l->slot = parser_u2(p);
    if (l->start_pc >= code->code_len) classfile_reject_in(p, "Invalid start_pc %u in %s", l->start_pc, table);
    if ((uint32_t)l->start_pc + l->length > code->code_len)
        classfile_reject_in(p, "Invalid length %u in %s", l->length, table);
    if (!parser_has_tag(p, l->name_index, CP_UTF8))
        classfile_reject_in(p, "Name index %u in %s has bad constant type", l->name_index, table);
    if (!parser_has_tag(p, l->desc_index, CP_UTF8))
        classfile_reject_in(p, "Signature index %u in %s has bad constant type", l->desc_index, table);
    ClassFileUtf8 name = classfile_utf8(p->cf, l->name_index);
    ClassFileUtf8 desc = classfile_utf8(p->cf, l->desc_index);
    classfile_pool_check_field_name(p, name);
    unsigned extra = 0;
    if (!types) {
        classfile_pool_check_field_desc(p, name, desc);
        extra = PARSER_IS(desc, "J") || PARSER_IS(desc, "D");
    }
    if (l->slot + extra >= code->max_locals) classfile_reject_in(p, "Invalid index %u in %s", l->slot, table);
}

/* Reads the head of a table of locals; returns the number of entries, whose bytes exist. */
static uint16_t begin_locals(Parser *p, uint32_t len, const char *table) {
    uint16_t count = parser_next_u2(p);
    if (p->check && len != 2 + 10 * (uint32_t)count) classfile_reject_in(p, "%s has wrong length", table);
    parser_need(p, (size_t)count * 10);
    return count;
}

static void parse_locals(Parser *p, ClassFileCode *code, CodeTables *t, uint32_t len) {
    uint16_t count = begin_locals(p, len, "LocalVariableTable");
    t->locals = grow(p, t->locals, &t->local_cap, code->local_count, count, sizeof *t->locals);
    for (unsigned i = 0; i < count; i++) parse_local(p, code, &t->locals[code->local_count + i], false);
    code->local_count += count;
}

static void parse_local_types(Parser *p, ClassFileCode *code, CodeTables *t, uint32_t len) {
    uint16_t count = begin_locals(p, len, "LocalVariableTypeTable");
    ClassFileLocal *list = classfile_alloc(p, (size_t)count * sizeof *list);
    t->types = grow(p, t->types, &t->type_cap, t->type_count, count, sizeof *t->types);
    for (unsigned i = 0; i < count; i++) {
        parse_local(p, code, &list[i], true);
        t->types[t->type_count + i] = &list[i];
    }
    t->type_count += count;
}

typedef struct Locals {
    const ClassFile *cf;
    ClassFileLocal *list;
} Locals;

static bool same_local(const void *owner, uintptr_t item, const void *key) {
    const Locals *locals = owner;
    const ClassFileLocal *a = key, *b = &locals->list[item - 1];
    return a->start_pc == b->start_pc && a->length == b->length && a->slot == b->slot &&
        classfile_utf8_equal(classfile_utf8(locals->cf, a->name_index), classfile_utf8(locals->cf, b->name_index));
}

static const HashKind by_place_and_name = {NULL, same_local};

static uint32_t hash_local(const ClassFileLocal *l) { return (l->start_pc * 31u + l->length) * 31u + l->slot; }

static void merge_type(Parser *p, const Locals *locals, const HashTable *seen, const ClassFileLocal *type) {
    const char *name = classfile_text(p, classfile_utf8(p->cf, type->name_index));
    uintptr_t item = hash_find(seen, &by_place_and_name, locals, hash_local(type), type);
    if (item == 0)
        classfile_reject(p, "LVTT entry for '%s' in class file %s does not match any LVT entry", name,
                         classfile_text(p, p->name));
    ClassFileLocal *l = &locals->list[item - 1];
    if (l->signature_index != 0)
        classfile_reject(p, "Duplicated LocalVariableTypeTable attribute entry for '%s' in class file %s", name,
                         classfile_text(p, p->name));
    l->signature_index = type->desc_index;
}

/*
 * Finds duplicates and joins the two tables by hashing; local numbers that do not fit 16 bits are
 * rejected.
 */
static void join_locals(Parser *p, ClassFileCode *code, CodeTables *t) {
    /* Types without variables are not an error of the class. */
    if (code->local_count == 0 || (t->type_count == 0 && !p->check)) return;
    if (code->local_count >= UINT16_MAX || t->type_count >= UINT16_MAX)
        classfile_reject_in(p, "LocalVariableTable has too many entries");
    Locals locals = {p->cf, t->locals};
    HashTable *seen = classfile_seen(p, code->local_count);
    for (uint32_t i = 0; i < code->local_count; i++) {
        const ClassFileLocal *l = &t->locals[i];
        if (hash_find(seen, &by_place_and_name, &locals, hash_local(l), l))
            classfile_reject(p, "Duplicated LocalVariableTable attribute entry for '%s' in class file %s",
                             classfile_text(p, classfile_utf8(p->cf, l->name_index)), classfile_text(p, p->name));
        hash_place(seen, hash_local(l), i + 1);
    }
    for (uint32_t i = 0; i < t->type_count; i++) merge_type(p, &locals, seen, t->types[i]);
}

static void parse_attribute(Parser *p, ClassFileCode *code, CodeTables *t, uint64_t *total) {
    uint32_t len;
    enum AttrId id = classfile_attr_begin(p, "Invalid code attribute name index %u", &len);
    *total += 6 + (uint64_t)len;
    switch (id) {
        case ATTR_LineNumberTable: parse_lines(p, code, t, len); return;
        case ATTR_LocalVariableTable: parse_locals(p, code, t, len); return;
        case ATTR_LocalVariableTypeTable:
            if (p->cf->major < MAJOR_JAVA_5) break;
            parse_local_types(p, code, t, len);
            return;
        case ATTR_StackMapTable:
            if (p->cf->major < MAJOR_JAVA_6) break;
            if (code->has_stack_map) classfile_reject_in(p, "Multiple StackMapTable attributes");
            code->has_stack_map = true;
            code->stack_map = parser_raw(p, len);
            return;
        case ATTR_RuntimeVisibleTypeAnnotations: code->type_annotations = parser_raw(p, len); return;
        default: break;
    }
    parser_skip(p, len);
}

void classfile_code_parse(Parser *p, ClassFileMethod *m, uint32_t attr_len) {
    ClassFileCode *code = classfile_alloc(p, sizeof *code);
    CodeTables t = {0};
    parser_need(p, 8);
    code->max_stack = parser_u2(p);
    code->max_locals = parser_u2(p);
    code->code_len = parser_u4(p);
    if (m->arg_slots > code->max_locals) classfile_reject_in(p, "Arguments can't fit into locals");
    if (code->code_len == 0 || code->code_len > UINT16_MAX)
        classfile_reject_in(p, "Invalid method Code length %u", code->code_len);
    code->code = parser_skip(p, code->code_len);
    parse_handlers(p, code);
    /* 64 bits, so that no sum of lengths can wrap to the expected one. */
    uint64_t total = 8 + (uint64_t)code->code_len + 2 + 8 * (uint64_t)code->handler_count + 2;
    for (unsigned n = parser_next_u2(p); n > 0; n--) parse_attribute(p, code, &t, &total);
    if (p->check && total != attr_len) classfile_reject_in(p, "Code segment has wrong length");
    join_locals(p, code, &t);
    code->lines = t.lines;
    code->locals = t.locals;
    m->code = code;
}
