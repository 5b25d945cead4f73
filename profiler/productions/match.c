// Determines which productions can apply at which instruction: partially evaluates their expressions with the facts
// from the class file and the code, once per instruction. The remainder depends on the running program, or is true.
//
// Class files may come from anywhere (cabernet-prof), so operands of instructions are checked before use.
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/cfg.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "bytecode/classfile/pattern.h"
#include "profiler/productions/productions_internal.h"

typedef struct Matcher {
    Productions *p;
    const ClassFile *file;
    const ClassFileMethod *method;
    const ClassFileCode *code;
    const Cfg *cfg;  // if loop depth is needed
    const char *class_name, *name, *desc;
    bool may_apply[PRODUCTIONS_MOST];  // anywhere in this method
    // The current place.
    uint32_t bci;
    unsigned opcode;
    enum ProductionPlace place;
    bool secondary;  // it is not the opcode's main place
    bool any_place;  // the method as a whole is examined, and what depends on the place is unknown
    bool ok;
} Matcher;

typedef enum Verdict { NO, YES, MAYBE } Verdict;

static Verdict verdict(bool b) { return b ? YES : NO; }

// ---- names --------------------------------------------------------------------------------------

static const char *copy(ClassFileUtf8 text, char **room) {
    char *to = *room;
    if (text.len) memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
    *room += text.len + 1u;
    return to;
}

const char *productions_type_name(const char *internal, size_t length, char *to, size_t size) {
    static const char *const primitives[] = {['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
                                             ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean"};
    size_t dims = 0, n;
    while (dims < length && internal[dims] == '[') dims++;
    const char *element = internal + dims;
    size_t left = length - dims;
    unsigned char c = left ? (unsigned char)*element : 0;
    if (dims && left == 1 && c < sizeof primitives / sizeof *primitives && primitives[c]) {
        n = (size_t)snprintf(to, size, "%s", primitives[c]);
    } else {
        if (dims && left >= 2 && c == 'L') element++, left -= 2;
        n = (size_t)snprintf(to, size, "%.*s", (int)left, element);
    }
    for (; dims > 0 && n + 2 < size; dims--, n += 2) memcpy(to + n, "[]", 3);
    return to;
}

// Matches a descriptor, by matching an array of it without the brackets.
static bool descriptor_matches(const char *pattern, const uint8_t *desc, size_t length, unsigned more_dims) {
    char text[1024], name[1100];
    if (length == 0 || length + 1 + more_dims >= sizeof text) return false;
    memset(text, '[', 1 + more_dims);
    memcpy(text + 1 + more_dims, desc, length);
    productions_type_name(text, length + 1 + more_dims, name, sizeof name);
    size_t n = strlen(name);
    if (n >= 2) name[n - 2] = '\0';
    return pattern_matches_text(pattern, name);
}

// ---- what an instruction refers to --------------------------------------------------------------

// The instruction's constant-pool index if the entry has one of the tags, otherwise 0.
static uint16_t reference(const Matcher *m, unsigned tag, unsigned other, unsigned third) {
    if (!(opcodes_info[m->opcode].flags & OPF_CP)) return 0;
    uint16_t index = opcodes_cp_index(m->code->code, m->bci);
    if (index == 0 || index >= m->file->cp_count) return 0;
    unsigned is = m->file->cp[index].tag;
    return is == tag || is == other || is == third ? index : 0;
}

static uint16_t field_reference(const Matcher *m) { return reference(m, CP_FIELDREF, CP_FIELDREF, CP_FIELDREF); }
static uint16_t method_reference(const Matcher *m) {
    return reference(m, CP_METHODREF, CP_INTERFACE_METHODREF, CP_INVOKE_DYNAMIC);
}

static bool member_matches(const Matcher *m, const char *pattern, uint16_t index, bool with_descriptor) {
    char *room = m->p->scratch;
    bool dynamic = m->file->cp[index].tag == CP_INVOKE_DYNAMIC;
    const char *cls = copy(dynamic ? (ClassFileUtf8){0, 0} : classfile_ref_class(m->file, index), &room);
    const char *name = copy(classfile_ref_name(m->file, index), &room);
    const char *desc = copy(with_descriptor ? classfile_ref_desc(m->file, index) : (ClassFileUtf8){0, 0}, &room);
    return pattern_matches(pattern, cls, name, desc);
}

// ---- annotations (JVMS 4.7.16) ------------------------------------------------------------------

typedef struct Reader {
    const uint8_t *at, *end;
    bool bad;
} Reader;

static unsigned read2(Reader *r) {
    if (r->end - r->at < 2) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    unsigned v = bytes_u2(r->at);
    r->at += 2;
    return v;
}

enum { MOST_NESTING = 32 };
static void skip_pairs(Reader *r, int depth);

static void skip_value(Reader *r, int depth) {
    if (r->at >= r->end || depth > MOST_NESTING) {
        r->bad = true;
        return;
    }
    switch (*r->at++) {
        case 'e':
            read2(r);
            read2(r);
            break;
        case '@':
            read2(r);
            skip_pairs(r, depth + 1);
            break;
        case '[':
            for (unsigned n = read2(r); n > 0 && !r->bad; n--) skip_value(r, depth + 1);
            break;
        default: read2(r); break;
    }
}

static void skip_pairs(Reader *r, int depth) {
    for (unsigned n = read2(r); n > 0 && !r->bad; n--) {
        read2(r);
        skip_value(r, depth);
    }
}

static bool has_annotation(const Matcher *m, ClassFileBytes body, const char *pattern) {
    Reader r = {body.ptr, body.ptr + body.len, false};
    if (!body.ptr) return false;
    for (unsigned n = read2(&r); n > 0 && !r.bad; n--) {
        unsigned type = read2(&r);
        skip_pairs(&r, 0);
        if (type == 0 || type >= m->file->cp_count || m->file->cp[type].tag != CP_UTF8) continue;
        ClassFileUtf8 text = classfile_utf8(m->file, (uint16_t)type);
        if (descriptor_matches(pattern, text.ptr, text.len, 0)) return true;
    }
    return false;
}

// ---- types of values ----------------------------------------------------------------------------

// Position of an array instruction among the loads or the stores, which have the same order of elements.
static unsigned element_of(unsigned opcode) { return opcode - (opcode >= OPC_iastore ? OPC_iastore : OPC_iaload); }

static char stack_type(char type) {
    switch (type) {
        case 'Z':
        case 'B':
        case 'C':
        case 'S':
        case 'I': return 'I';
        case 'J':
        case 'F':
        case 'D': return type;
        default: return 'A';
    }
}

static bool new_matches(const Matcher *m, const char *pattern) {
    static const char codes[] = "ZCFDBSIJ";
    const uint8_t *at = m->code->code + m->bci;
    if (m->opcode == OPC_newarray)
        return at[1] >= 4 && at[1] <= 11 && descriptor_matches(pattern, (const uint8_t *)&codes[at[1] - 4], 1, 1);
    uint16_t index = reference(m, CP_CLASS, CP_CLASS, CP_CLASS);
    if (!index) return false;
    ClassFileUtf8 name = classfile_name_of(m->file, index);
    char text[1100];
    productions_type_name((const char *)name.ptr, name.len, text, sizeof text - 2);
    if (m->opcode == OPC_anewarray) strcat(text, "[]");
    return pattern_matches_text(pattern, text);
}

// JVMS 4.3: the type of the value that the instruction moves.
static Verdict type_matches(const Matcher *m, const char *pattern) {
    static const char *const elements[] = {"int", "long", "float", "double", "object", "byte", "char", "short"};
    DescriptorIter it;
    DescriptorType t;
    ClassFileUtf8 desc;
    uint16_t index = 0;
    switch (m->place) {
        case PLACE_OF_get:
        case PLACE_OF_put:
            if (!(index = field_reference(m))) return NO;
            desc = classfile_ref_desc(m->file, index);
            return verdict(descriptor_matches(pattern, desc.ptr, desc.len, 0));
        case PLACE_OF_array_load:
        case PLACE_OF_array_store: return verdict(pattern_matches_text(pattern, elements[element_of(m->opcode)]));
        case PLACE_OF_call:
        case PLACE_OF_return:
            if (m->place == PLACE_OF_call && !(index = method_reference(m))) return NO;
            desc = m->place == PLACE_OF_call ? classfile_ref_desc(m->file, index)
                                             : classfile_utf8(m->file, m->method->desc_index);
            descriptor_begin(&it, desc.ptr, desc.len);
            while (descriptor_next(&it, &t)) {}
            if (!descriptor_return(&it, &t)) return NO;
            return verdict(t.kind == 'V' ? pattern_matches_text(pattern, "void")
                                         : descriptor_matches(pattern, t.ptr, t.len, 0));
        case PLACE_OF_allocation: return m->secondary ? MAYBE : verdict(new_matches(m, pattern));
        case PLACE_OF_select: return MAYBE;
        default: return NO;
    }
}

// ---- operands -----------------------------------------------------------------------------------

// Finds an operand's source and its type on the stack. False: there is none.
static bool argument_at(const Matcher *m, unsigned number, Expr *to) {
    uint16_t index = method_reference(m);
    if (!index) return false;
    bool is_static = m->opcode == OPC_invokestatic || m->opcode == OPC_invokedynamic;
    if (number == 0) {
        to->which = SOURCE_FIRST;
        to->type = 'A';
        return !is_static;
    }
    unsigned position = number - is_static;
    ClassFileUtf8 desc = classfile_ref_desc(m->file, index);
    DescriptorIter it;
    DescriptorType t;
    descriptor_begin(&it, desc.ptr, desc.len);
    for (unsigned i = 0; i < number; i++)
        if (!descriptor_next(&it, &t)) return false;
    if (position >= INSTRUCTION_OPERANDS) return false;
    to->which = (uint8_t)(SOURCE_FIRST + position);
    to->type = stack_type(t.kind);
    return true;
}

static bool is_static_field(unsigned opcode) { return opcode == OPC_getstatic || opcode == OPC_putstatic; }

static bool value_at(const Matcher *m, Expr *to) {
    static const char returns[] = "IJFDA";
    uint16_t index = 0;
    switch (m->place) {
        case PLACE_OF_get:
        case PLACE_OF_put:
            if (!(index = field_reference(m)) || !classfile_ref_desc(m->file, index).len) return false;
            to->type = stack_type((char)*classfile_ref_desc(m->file, index).ptr);
            to->which = m->place == PLACE_OF_get ? SOURCE_VALUE
                : is_static_field(m->opcode)     ? SOURCE_FIRST
                                                 : SOURCE_FIRST + 1;
            return true;
        case PLACE_OF_array_load:
        case PLACE_OF_array_store:
            to->type = stack_type("IJFDLBCS"[element_of(m->opcode)]);
            to->which = m->place == PLACE_OF_array_load ? SOURCE_VALUE : SOURCE_FIRST + 2;
            return true;
        case PLACE_OF_assign:
            to->which = SOURCE_VALUE;
            return productions_is_assignment(m->file, m->code, m->bci, &to->type);
        case PLACE_OF_return:
            to->which = SOURCE_FIRST;
            if (m->opcode == OPC_return) return false;
            to->type = returns[m->opcode - OPC_ireturn];
            return true;
        default: return false;
    }
}

static bool operand_at(const Matcher *m, ExprKind kind, Expr *to) {
    to->type = 'I';
    switch (kind) {
        case EXPR_VALUE: return value_at(m, to);
        case EXPR_INDEX: to->which = SOURCE_FIRST + 1; return true;
        case EXPR_LENGTH: to->which = SOURCE_FIRST; return !m->secondary && m->opcode != OPC_new;
        case EXPR_SIZE:
            to->which = SOURCE_SIZE;
            to->type = 'J';
            return true;
        case EXPR_EDGE: to->which = SOURCE_EDGE; return true;
        case EXPR_OBJECT:
            to->type = 'A';
            if (m->place == PLACE_OF_call) return argument_at(m, 0, to);
            to->which = m->place == PLACE_OF_get || m->place == PLACE_OF_put || m->place == PLACE_OF_array_load ||
                    m->place == PLACE_OF_array_store
                ? SOURCE_OBJECT
                : SOURCE_FIRST;
            return !is_static_field(m->opcode);
        default: return false;
    }
}

// ---- atoms that are known -----------------------------------------------------------------------

// A comparison of something that an instruction has and a method's entry has not.
static Verdict compared(const Matcher *m, const Expr *e, int64_t value) {
    if (m->place == PLACE_OF_entry) return NO;
    return verdict(productions_holds(e->relation, (value > e->number) - (value < e->number)));
}

static Verdict of_method(const Matcher *m, const Expr *e) {
    switch ((ExprKind)e->kind) {
        case EXPR_METHOD: return verdict(pattern_matches(e->pattern, m->class_name, m->name, m->desc));
        case EXPR_CLASS_NAME: return verdict(pattern_matches_text(e->pattern, m->class_name));
        case EXPR_ANNOTATION:
            return verdict(has_annotation(m, m->method->annotations, e->pattern) ||
                           has_annotation(m, m->file->annotations, e->pattern));
        default: return MAYBE;
    }
}

static Verdict of_place(const Matcher *m, const Expr *e) {
    uint16_t index = 0;
    const ClassRow *row;
    switch ((ExprKind)e->kind) {
        case EXPR_CLASS:
            row = &productions_classes[e->number];
            if (!(row->places >> m->place & 1) || (m->secondary && row->places == MAIN_PLACES)) return NO;
            return verdict(row->first < 0 || (m->opcode >= (unsigned)row->first && m->opcode <= (unsigned)row->last));
        case EXPR_OPCODE: return compared(m, e, m->opcode);
        case EXPR_FIELD:
            index = m->place == PLACE_OF_get || m->place == PLACE_OF_put ? field_reference(m) : 0;
            return verdict(index && member_matches(m, e->pattern, index, false));
        case EXPR_CALLEE:
            index = m->place == PLACE_OF_call ? method_reference(m) : 0;
            return verdict(index && member_matches(m, e->pattern, index, true));
        case EXPR_TYPE: return type_matches(m, e->pattern);
        case EXPR_LINE: return m->code ? compared(m, e, classfile_line_of(m->code, m->bci)) : NO;
        case EXPR_BCI: return compared(m, e, m->bci);
        case EXPR_LOOP_DEPTH: return m->cfg ? compared(m, e, m->cfg->blocks[m->cfg->block_at[m->bci]].loop_depth) : NO;
        default: return MAYBE;
    }
}

// `nothing`: treats every word that identifies the instruction as false.
static Verdict decide(const Matcher *m, uint32_t at, bool nothing) {
    const Expr *e = productions_expr(m->p, at);
    Verdict a, b;
    switch ((ExprKind)e->kind) {
        case EXPR_FALSE: return NO;
        case EXPR_TRUE: return YES;
        case EXPR_NOT: a = decide(m, e->left, nothing); return a == MAYBE ? MAYBE : a == YES ? NO : YES;
        case EXPR_AND:
        case EXPR_OR: {
            Verdict decides = e->kind == EXPR_AND ? NO : YES;
            a = decide(m, e->left, nothing);
            if (a == decides) return a;
            b = decide(m, e->right, nothing);
            return b == decides ? b : a == MAYBE ? a : b;
        }
        case EXPR_METHOD:
        case EXPR_CLASS_NAME:
        case EXPR_ANNOTATION: return of_method(m, e);
        case EXPR_OVERFLOW:  // true in a sample, because the events of such productions are reported only there
            return m->p->shape.sampled && e->number == m->p->shape.sampling ? YES : MAYBE;
        case EXPR_CLASS:
        case EXPR_OPCODE:
        case EXPR_FIELD:
        case EXPR_CALLEE:
            if (m->any_place) return MAYBE;
            return nothing && e->kind == EXPR_CLASS ? NO : of_place(m, e);
        default: return m->any_place ? MAYBE : of_place(m, e);
    }
}

// The remainder of an expression at this place.
static uint32_t reduce(Matcher *m, uint32_t at) {
    const Expr *e = productions_expr(m->p, at);
    Expr to = {.line = e->line, .column = e->column};
    bool there;
    uint32_t a;
    switch (decide(m, at, false)) {
        case NO: return FALSE_EXPR;
        case YES: return TRUE_EXPR;
        case MAYBE: break;
    }
    switch ((ExprKind)e->kind) {
        case EXPR_NOT: return productions_not(m->p, reduce(m, e->left), &m->ok);
        case EXPR_AND:
        case EXPR_OR:
            a = reduce(m, e->left);
            return productions_both(m->p, (ExprKind)e->kind, a, reduce(m, e->right), &m->ok);
        case EXPR_OBJECT:
        case EXPR_VALUE:
        case EXPR_INDEX:
        case EXPR_LENGTH:
        case EXPR_SIZE:
        case EXPR_EDGE:
        case EXPR_ARG:
            to.kind = EXPR_OPERAND;
            to.relation = e->relation;
            to.number = e->number;
            there = e->kind == EXPR_ARG ? argument_at(m, e->which, &to) : operand_at(m, (ExprKind)e->kind, &to);
            // False where there is no such operand, or it has another type.
            return there && (e->type == 'A') == (to.type == 'A') ? productions_add_expr(m->p, &to, &m->ok) : FALSE_EXPR;
        case EXPR_TYPE:
            to.kind = EXPR_DYNAMIC_TYPE;
            to.pattern = e->pattern;
            return productions_add_expr(m->p, &to, &m->ok);
        default: return at;
    }
}

// ---- places -------------------------------------------------------------------------------------

static enum ProductionPlace place_of(unsigned opcode) {
    unsigned flags = opcodes_info[opcode].flags;
    if (flags & OPF_INVOKE) return PLACE_OF_call;
    if (flags & OPF_FIELD) return opcode == OPC_putfield || opcode == OPC_putstatic ? PLACE_OF_put : PLACE_OF_get;
    if (flags & OPF_ARRAY) return opcode >= OPC_iastore ? PLACE_OF_array_store : PLACE_OF_array_load;
    if (flags & (OPF_COND | OPF_SWITCH)) return PLACE_OF_branch;
    if (flags & OPF_BRANCH) return PLACE_OF_jump;
    if (flags & OPF_RETURN) return PLACE_OF_return;
    if (flags & OPF_MONITOR) return opcode == OPC_monitorenter ? PLACE_OF_monitor_enter : PLACE_OF_monitor_exit;
    if (opcode == OPC_athrow) return PLACE_OF_throw;
    bool makes = opcode == OPC_new || opcode == OPC_newarray || opcode == OPC_anewarray || opcode == OPC_multianewarray;
    return makes ? PLACE_OF_allocation : PLACE_OF_other;
}

// Is one of its targets the instruction itself or an earlier one?
static bool goes_back(const ClassFileCode *code, uint32_t bci, unsigned opcode) {
    unsigned flags = opcodes_info[opcode].flags;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(code->code, bci);
        for (uint32_t i = 0; i <= s.count; i++)
            if (opcodes_switch_target(&s, i) <= bci) return true;
        return false;
    }
    return flags & OPF_BRANCH && opcodes_branch_target(code->code, bci) <= bci;
}

// ---- events that a site needs --------------------------------------------------------------------

typedef struct Needs {
    bool operands, object, value, caller, stack;
} Needs;

static void need_source(unsigned source, Needs *n) {
    n->operands |= source < SOURCE_OBJECT;
    n->object |= source == SOURCE_OBJECT;
    n->value |= source == SOURCE_VALUE;
}

static void need_expr(const Productions *p, uint32_t at, Needs *n) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT || e->kind == EXPR_AND || e->kind == EXPR_OR) {
        need_expr(p, e->left, n);
        if (e->kind != EXPR_NOT) need_expr(p, e->right, n);
    }
    if (e->kind == EXPR_OPERAND) need_source(e->which, n);
    n->caller |= e->kind == EXPR_CALLER;
}

int productions_key_source(const MatchSite *site, enum ProductionKey key) {
    switch (key) {
        case KEY_OF_VALUE:
        case KEY_OF_SIGN: return site->value_source;
        case KEY_OF_LENGTH: return site->opcode == OPC_new || site->secondary ? -1 : SOURCE_FIRST;
        case KEY_OF_EDGE: return SOURCE_EDGE;
        case KEY_OF_TYPE: return SOURCE_CLASS;
        default: return -1;
    }
}

// Chooses the events of a site, and which one decides: the last of those from which the productions need data.
static void choose_events(const Matcher *m, MatchSite *site) {
    Needs n = {0};
    for (uint32_t i = 0; i < site->count; i++) {
        need_expr(m->p, site->matches[i].rest, &n);
        const Production *r = &m->p->rules[site->matches[i].production];
        for (uint32_t k = 0; k < r->key_count; k++) {
            int source = productions_key_source(site, r->keys[k]);
            if (source >= 0) need_source((unsigned)source, &n);
            n.caller |= r->keys[k] == KEY_OF_CALLER;
            n.object |= r->keys[k] == KEY_OF_FIELD;  // the field access reports object and field
        }
        for (int h = 0; h < HANDLERS; h++)
            n.caller |= r->handlers >> h & 1 && productions_handlers[h].event == EVENT_call_edge;
        n.object |= r->handlers != 0;
        n.stack |= r->frames != 0;
    }
    enum EventId event = productions_places[site->place].event;
    if (n.caller) event = EVENT_call_edge;
    site->decides = (uint8_t)(n.value && site->place != PLACE_OF_assign ? EVENT_value : event);
    site->events = EVENT_BIT(site->decides);
    if (n.operands) site->events |= EVENTS_OPERANDS;
    if (n.object) site->events |= EVENT_BIT(event);
    if (n.stack) site->events |= EVENTS_WALK;
}

static void match_place(Matcher *m, enum ProductionPlace place, bool secondary, MatchFn *fn, void *arg) {
    Match matches[PRODUCTIONS_MOST];
    MatchSite site = {.bci = place == PLACE_OF_entry ? EVENT_NO_BCI : (int32_t)m->bci,
                      .place = (uint8_t)place,
                      .opcode = (uint8_t)m->opcode,
                      .secondary = secondary,
                      .matches = matches,
                      .value_source = -1};
    Expr value = {0};
    m->place = place;
    m->secondary = secondary;
    for (uint32_t i = 0; i < m->p->rule_count; i++) {
        const Production *r = &m->p->rules[i];
        if (!m->may_apply[i] || !(r->places >> place & 1)) continue;
        if (decide(m, r->root, true) != NO && secondary) continue;
        uint32_t rest = reduce(m, r->root);
        if (rest != FALSE_EXPR) matches[site.count++] = (Match){(uint16_t)i, rest};
    }
    if (!site.count || !m->ok) return;
    if (value_at(m, &value)) {
        site.value_source = (int8_t)value.which;
        site.value_type = value.type;
    }
    choose_events(m, &site);
    fn(arg, &site);
}

static void look_at_instruction(Matcher *m, PlaceSet wanted, MatchFn *fn, void *arg) {
    enum ProductionPlace main_place = place_of(m->opcode);
    if (wanted >> main_place & 1) match_place(m, main_place, false, fn, arg);
    char type;
    if (wanted & AT(assign) && productions_is_assignment(m->file, m->code, m->bci, &type))
        match_place(m, PLACE_OF_assign, true, fn, arg);
    if (wanted & AT(select) && (m->opcode == OPC_invokevirtual || m->opcode == OPC_invokeinterface))
        match_place(m, PLACE_OF_select, true, fn, arg);
    // Native code or the VM may allocate objects on behalf of these instructions.
    bool may_allocate = opcodes_info[m->opcode].flags & (OPF_INVOKE | OPF_ALLOC | OPF_THROWS) &&
        main_place != PLACE_OF_allocation;
    if (wanted & AT(allocation) && may_allocate) match_place(m, PLACE_OF_allocation, true, fn, arg);
    if (wanted & AT(backward_branch) && goes_back(m->code, m->bci, m->opcode))
        match_place(m, PLACE_OF_backward_branch, true, fn, arg);
}

// Selects the productions that may apply anywhere in the method. Returns the kinds of place they apply to.
static PlaceSet choose_rules(Matcher *m) {
    PlaceSet wanted = 0;
    m->any_place = true;
    for (uint32_t i = 0; i < m->p->rule_count; i++) {
        m->may_apply[i] = !m->p->of_shape[i] || !m->p->shape.sampled;
        if (m->may_apply[i]) m->may_apply[i] = decide(m, m->p->rules[i].root, false) != NO;
        if (m->may_apply[i]) wanted |= m->p->rules[i].places;
    }
    m->any_place = false;
    return wanted;
}

bool productions_match(Productions *p, const ClassFile *file, const ClassFileMethod *method, MatchFn *fn, void *arg,
                       char *error, size_t error_size) {
    Matcher m = {.p = p, .file = file, .method = method, .code = method->code, .ok = true};
    ClassFileUtf8 names[] = {classfile_this_name(file), classfile_utf8(file, method->name_index),
                             classfile_utf8(file, method->desc_index)};
    char *room = malloc(names[0].len + names[1].len + names[2].len + 3u), *own = room;
    Cfg *cfg = NULL;
    bool sense = true;
    *error = '\0';
    if (!room) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    m.class_name = copy(names[0], &room);
    m.name = copy(names[1], &room);
    m.desc = copy(names[2], &room);
    PlaceSet wanted = choose_rules(&m);
    if (wanted & AT(entry)) match_place(&m, PLACE_OF_entry, true, fn, arg);
    if (m.code && wanted & ~AT(entry)) {
        if (p->asks_loop_depth) m.cfg = cfg = cfg_build(m.code, error, error_size);
        sense = !p->asks_loop_depth || cfg;
        for (uint32_t length; sense && m.ok && m.bci < m.code->code_len; m.bci += length) {
            length = opcodes_length(m.code->code, m.code->code_len, m.bci);
            m.opcode = m.code->code[m.bci];
            if (length == 0) {
                snprintf(error, error_size, "no instruction at %u", m.bci);
                sense = false;
            } else if (m.opcode != OPC_wide) {
                look_at_instruction(&m, wanted, fn, arg);
            } else {
                m.opcode = m.code->code[m.bci + 1];
                look_at_instruction(&m, wanted, fn, arg);
            }
        }
    }
    if (cfg) cfg_free(cfg);
    free(own);
    if (!m.ok) snprintf(error, error_size, "there are too many different conditions");
    return sense && m.ok;
}
