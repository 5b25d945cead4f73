// Linking: verification, selection of methods, interface calls, resolution with its errors, initialisation.
#include "tests/vm/booted.h"

#include "vm/linking/classinit.h"
#include "vm/linking/interfacecall.h"
#include "vm/linking/resolve.h"
#include "vm/linking/verifier.h"

static ClassBuilder b;

static Class *linked(const char *name) {
    Class *c = boot_class(name);
    assert_true(class_link(self, c));
    return c;
}

static int32_t static_int(Class *c, const char *name) {
    Field *f = class_find_declared_field(c, symbol_of(name), symbol_of("I"));
    assert_non_null(f);
    return *(int32_t *)field_static_addr(f);
}

// ---- linking and verification -------------------------------------------------------------------

static void supertypes_are_linked_first(void **state) {
    (void)state;
    cb_init(&b, "p/Base");
    Class *base = defined(app, &b);
    cb_init(&b, "p/Derived");
    b.super_class = cb_class(&b, "p/Base");
    code_of(&b, ACC_PUBLIC, "toString", "()Ljava/lang/String;", 1, 1, CODE(OPC_aconst_null, OPC_areturn));
    Class *derived = defined(app, &b);
    assert_false(class_is_linked(base));
    assert_true(class_link(self, derived));
    assert_true(class_is_linked(base));
    assert_true(class_link(self, derived));
    assert_false(class_is_initialized(derived));
    assert_int_equal(derived->vtable_length, base->vtable_length);
    Method *own = method_of(derived, "toString", "()Ljava/lang/String;"),
           *inherited = method_of(base, "toString", "()Ljava/lang/String;");
    assert_int_equal(own->vtable_index, inherited->vtable_index);
    assert_string_equal(inherited->cls->name->text, "java/lang/Object");
}

static void wrong_code(const char *name, const char *message, const uint8_t *code, size_t length) {
    cb_init(&b, name);
    code_of(&b, ACC_PUBLIC | ACC_STATIC, "f", "()I", 2, 0, code, length);
    Class *c = defined(app, &b);
    assert_false(verifier_check(self, c));
    expect_thrown("java/lang/VerifyError", message);
    for (int i = 0; i < 2; i++) {
        assert_false(class_link(self, c));
        expect_thrown("java/lang/VerifyError", message);
    }
    assert_false(class_is_linked(c));
}

static void verification(void **state) {
    (void)state;
    wrong_code("p/Underflow", "Operand stack underflow", CODE(OPC_pop, OPC_iconst_0, OPC_ireturn));
    wrong_code("p/Overflow", "Operand stack overflow", CODE(OPC_iconst_0, OPC_iconst_0, OPC_iconst_0, OPC_ireturn));
    wrong_code("p/Type", "Bad type on operand stack", CODE(OPC_fconst_0, OPC_ireturn));
    wrong_code("p/End", "Control flow falls through code end", CODE(OPC_iconst_0, OPC_pop));
    cb_init(&b, "p/Trusted");
    code_of(&b, ACC_PUBLIC | ACC_STATIC, "f", "()I", 2, 0, CODE(OPC_fconst_0, OPC_ireturn));
    Class *trusted = define_in(app, &b, (DefineOptions){.trusted = true});
    assert_true(class_link(self, trusted));
}

static void a_final_method_is_not_overridden(void **state) {
    (void)state;
    cb_init(&b, "p/Final");
    code_of(&b, ACC_PUBLIC, "notify", "()V", 0, 1, CODE(OPC_return));
    Class *c = defined(app, &b);
    assert_false(class_link(self, c));
    expect_thrown("java/lang/IncompatibleClassChangeError", "overrides final method");
}

// ---- selection ----------------------------------------------------------------------------------

static void selection(void **state) {
    (void)state;
    Class *list = linked("java/util/ArrayList"), *linked_list = linked("java/util/LinkedList");
    Method *size = method_of(linked("java/util/List"), "size", "()I");
    assert_ptr_equal(itable_lookup(list->vt, size), method_of(list, "size", "()I"));
    assert_ptr_equal(itable_lookup(linked_list->vt, size), method_of(linked_list, "size", "()I"));
    assert_ptr_equal(class_select_virtual(list, size), method_of(list, "size", "()I"));
    Method *stream = method_of(linked("java/util/Collection"), "stream", "()Ljava/util/stream/Stream;");
    assert_ptr_equal(itable_lookup(list->vt, stream), stream);  // a default method
    assert_null(itable_lookup(linked("java/lang/String")->vt, size));
    assert_null(class_select_virtual(linked("java/lang/String"), size));
    Method *hash = method_of(linked("java/lang/Object"), "hashCode", "()I");
    assert_string_equal(class_select_virtual(linked("java/lang/String"), hash)->cls->name->text, "java/lang/String");
    assert_ptr_equal(class_select_virtual(linked("java/lang/Thread"), hash), hash);
    Method *grow = method_of(list, "grow", "()[Ljava/lang/Object;");
    assert_true(grow->flags & ACC_PRIVATE);
    assert_ptr_equal(class_select_virtual(list, grow), grow);
}

static void interface_with(const char *name, unsigned flags, const uint8_t *code, size_t length) {
    cb_init(&b, name);
    b.flags = ACC_PUBLIC | ACC_INTERFACE | ACC_ABSTRACT;
    if (code) code_of(&b, flags, "f", "()V", 1, 1, code, length);
    else cb_bare_method(&b, flags, "f", "()V");
}

static void calls_that_fail(void **state) {
    (void)state;
    interface_with("p/Left", ACC_PUBLIC, CODE(OPC_return));
    Class *left = defined(app, &b);
    interface_with("p/Right", ACC_PUBLIC, CODE(OPC_return));
    defined(app, &b);
    interface_with("p/Open", ACC_PUBLIC | ACC_ABSTRACT, NULL, 0);
    Class *open = defined(app, &b);
    cb_init(&b, "p/Both");
    cb_interface(&b, "p/Left");
    cb_interface(&b, "p/Right");
    Class *both = defined(app, &b);
    cb_init(&b, "p/Lacks");
    cb_interface(&b, "p/Open");
    Class *lacks = defined(app, &b);
    assert_true(class_link(self, both));
    assert_true(class_link(self, lacks));
    Method *f = method_of(left, "f", "()V"), *selected = itable_lookup(both->vt, f);
    assert_non_null(selected);
    assert_true(selected->mflags & MF_OVERPASS);
    method_throw_unlinked(self, selected, both, f);
    expect_thrown("java/lang/IncompatibleClassChangeError", "Conflicting default methods: p/Left.f p/Right.f");
    f = method_of(open, "f", "()V");
    selected = itable_lookup(lacks->vt, f);
    assert_non_null(selected);
    method_throw_unlinked(self, selected, lacks, f);
    expect_thrown("java/lang/AbstractMethodError", "p.Lacks");
}

static void interface_calls(void **state) {
    (void)state;
    Class *map = linked("java/util/TreeMap");
    Method *get = method_of(linked("java/util/NavigableMap"), "firstEntry", "()Ljava/util/Map$Entry;");
    assert_null(interfacecall_find(map->vt, get));
    const InterfaceCall *call = interfacecall_select(self, map->vt, get);
    assert_non_null(call);
    assert_ptr_equal(call->target, method_of(map, "firstEntry", "()Ljava/util/Map$Entry;"));
    assert_ptr_equal(interfacecall_find(map->vt, get), call);
    assert_ptr_equal(interfacecall_select(self, map->vt, get), call);
    Class *other = linked("java/util/concurrent/ConcurrentSkipListMap");
    assert_ptr_not_equal(interfacecall_select(self, other->vt, get), call);
    assert_ptr_equal(interfacecall_find(map->vt, get), call);
    assert_int_equal(interfacecall_slot(get), interfacecall_slot(get));
    assert_null(interfacecall_select(self, linked("java/lang/String")->vt, get));
    expect_thrown("java/lang/IncompatibleClassChangeError", "java.lang.String");
    assert_null(interfacecall_none.vt);
}

// ---- resolution ---------------------------------------------------------------------------------

static void classes_resolve_once(void **state) {
    (void)state;
    cb_init(&b, "p/Refers");
    unsigned list = cb_class(&b, "java/util/Hashtable"), missing = cb_class(&b, "p/Missing");
    unsigned internal = cb_class(&b, "jdk/internal/misc/Unsafe"), array = cb_class(&b, "[[Ljava/lang/String;");
    Class *c = defined(app, &b);
    assert_false(cp_is_resolved(c, (int)list));
    assert_ptr_equal(resolve_class(self, c, (int)list), boot_class("java/util/Hashtable"));
    assert_true(cp_is_resolved(c, (int)list));
    assert_ptr_equal(resolve_class_if_loaded(c, (int)list), boot_class("java/util/Hashtable"));
    assert_int_equal(resolve_class(self, c, (int)array)->dims, 2);
    assert_null(resolve_class_if_loaded(c, (int)missing));
    for (int i = 0; i < 2; i++) {
        assert_null(resolve_class(self, c, (int)missing));
        expect_thrown("java/lang/NoClassDefFoundError", "p/Missing");
        assert_null(resolve_class(self, c, (int)internal));
        expect_thrown("java/lang/IllegalAccessError", "jdk.internal.misc");
    }
    // A failure stays, even when the class exists by then.
    cb_init(&b, "p/Missing");
    defined(app, &b);
    assert_null(resolve_class(self, c, (int)missing));
    expect_thrown("java/lang/NoClassDefFoundError", "p/Missing");
}

// p/Members, which the next two tests refer to from p/Near and q/Far.
static Class *members(void) {
    static Class *c;
    if (c) return c;
    cb_init(&b, "p/Members");
    cb_field(&b, ACC_PUBLIC | ACC_STATIC, "shared", "I");
    cb_field(&b, ACC_PUBLIC, "own", "I");
    cb_field(&b, ACC_PUBLIC | ACC_STATIC | ACC_FINAL, "fixed", "I");
    cb_field(&b, ACC_STATIC, "near", "I");
    code_of(&b, ACC_PUBLIC | ACC_STATIC, "f", "()V", 0, 0, CODE(OPC_return));
    code_of(&b, ACC_PUBLIC, "g", "()V", 0, 1, CODE(OPC_return));
    code_of(&b, ACC_PRIVATE | ACC_STATIC, "h", "()V", 0, 0, CODE(OPC_return));
    return c = defined(app, &b);
}

typedef struct Reference {
    const char *name, *desc;
    bool is_static, is_put;
    const char *error, *message;  // NULL: none
    unsigned index;
} Reference;

static void fields(void **state) {
    (void)state;
    Reference near[] = {
        {"shared", "I", true, true, NULL, NULL, 0},
        {"own", "I", false, true, NULL, NULL, 0},
        {"near", "I", true, false, NULL, NULL, 0},
        {"fixed", "I", true, false, NULL, NULL, 0},
        {"fixed", "I", true, true, "java/lang/IllegalAccessError", "final field p.Members.fixed", 0},
        {"shared", "I", false, false, "java/lang/IncompatibleClassChangeError",
         "Expected non-static field p.Members.shared", 0},
        {"own", "I", true, false, "java/lang/IncompatibleClassChangeError", "Expected static field p.Members.own", 0},
        {"shared", "J", true, false, "java/lang/NoSuchFieldError", "shared", 0},
    };
    enum { COUNT = sizeof near / sizeof *near };
    Class *m = members();
    cb_init(&b, "p/Near");
    for (int i = 0; i < COUNT; i++) near[i].index = cb_ref(&b, CP_FIELDREF, "p/Members", near[i].name, near[i].desc);
    Class *c = defined(app, &b);
    for (int i = 0; i < COUNT; i++) {
        Field *f = resolve_field_in(self, c, NULL, (int)near[i].index, near[i].is_static, near[i].is_put);
        if (near[i].error) {
            assert_null(f);
            expect_thrown(near[i].error, near[i].message);
        } else {
            assert_non_null(f);
            assert_ptr_equal(f, class_find_declared_field(m, symbol_of(near[i].name), symbol_of(near[i].desc)));
        }
    }
    cb_init(&b, "q/FarField");
    unsigned hidden = cb_ref(&b, CP_FIELDREF, "p/Members", "near", "I");
    c = defined(app, &b);
    assert_null(resolve_field_in(self, c, NULL, (int)hidden, true, false));
    expect_thrown("java/lang/IllegalAccessError", "p.Members.near");
}

static void methods(void **state) {
    (void)state;
    static const struct {
        uint8_t tag;
        int opcode;
        const char *holder, *name, *desc, *error, *message;
    } rows[] = {
        {CP_METHODREF, OPC_invokestatic, "p/Members", "f", "()V", NULL, NULL},
        {CP_METHODREF, OPC_invokevirtual, "p/Members", "g", "()V", NULL, NULL},
        {CP_METHODREF, OPC_invokevirtual, "p/Members", "hashCode", "()I", NULL, NULL},
        {CP_INTERFACE_METHODREF, OPC_invokeinterface, "java/lang/Runnable", "run", "()V", NULL, NULL},
        {CP_METHODREF, OPC_invokestatic, "p/Members", "g", "()V", "java/lang/IncompatibleClassChangeError",
         "Expected static method"},
        {CP_METHODREF, OPC_invokevirtual, "p/Members", "f", "()V", "java/lang/IncompatibleClassChangeError",
         "Expecting non-static method"},
        {CP_METHODREF, OPC_invokestatic, "p/Members", "h", "()V", "java/lang/IllegalAccessError", "p.Members.h()"},
        {CP_METHODREF, OPC_invokestatic, "p/Members", "f", "(I)V", "java/lang/NoSuchMethodError",
         "void p.Members.f(int)"},
        {CP_METHODREF, OPC_invokevirtual, "java/lang/Runnable", "run", "()V", "java/lang/IncompatibleClassChangeError",
         "java.lang.Runnable"},
        {CP_INTERFACE_METHODREF, OPC_invokeinterface, "p/Members", "g", "()V", "java/lang/IncompatibleClassChangeError",
         "p.Members"},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    unsigned index[COUNT];
    members();
    cb_init(&b, "q/Caller");
    for (int i = 0; i < COUNT; i++) index[i] = cb_ref(&b, rows[i].tag, rows[i].holder, rows[i].name, rows[i].desc);
    Class *c = defined(app, &b);
    for (int i = 0; i < COUNT; i++) {
        for (int again = 0; again < 2; again++) {
            Method *m = resolve_method(self, c, (int)index[i], rows[i].opcode);
            if (rows[i].error) {
                assert_null(m);
                expect_thrown(rows[i].error, rows[i].message);
            } else {
                assert_non_null(m);
                assert_string_equal(m->name->text, rows[i].name);
                assert_string_equal(m->desc->text, rows[i].desc);
            }
        }
    }
}

static void constants(void **state) {
    (void)state;
    cb_init(&b, "p/Constants");
    unsigned one = cb_one(&b, CP_STRING, cb_utf8(&b, "text")), two = cb_one(&b, CP_STRING, cb_utf8(&b, "text"));
    unsigned cls = cb_class(&b, "java/lang/String"), number = cb_int(&b, 77), wide = cb_long(&b, -5);
    Class *c = defined(app, &b);
    Object **slot = resolve_ref_slot(self, c, (int)one), **other = resolve_ref_slot(self, c, (int)two);
    assert_non_null(slot);
    assert_non_null(other);
    assert_ptr_equal(resolve_ref_slot(self, c, (int)one), slot);
    assert_ptr_equal(*slot, *other);  // interned
    assert_ptr_equal(*resolve_ref_slot(self, c, (int)cls), boot_class("java/lang/String")->mirror);
    Object *boxed = resolve_constant_boxed(self, c, (int)number);
    assert_string_equal(boxed->vt->cls->name->text, "java/lang/Integer");
    assert_int_equal(
        FIELD_AT(boxed, class_find_declared_field(boxed->vt->cls, symbol_of("value"), symbol_of("I"))->offset, int32_t),
        77);
    boxed = resolve_constant_boxed(self, c, (int)wide);
    assert_string_equal(boxed->vt->cls->name->text, "java/lang/Long");
    assert_ptr_not_equal(class_new_ref_slot(self, c), class_new_ref_slot(self, c));
}

static void types_of_descriptors(void **state) {
    (void)state;
    assert_ptr_equal(resolve_type(self, app, "I", 1), class_primitive('I'));
    assert_ptr_equal(resolve_type(self, app, "V", 1), class_primitive('V'));
    assert_ptr_equal(resolve_type(self, app, "Ljava/lang/String;", 18), boot_class("java/lang/String"));
    assert_string_equal(resolve_type(self, app, "[[J", 3)->name->text, "[[J");
    assert_null(resolve_type(self, app, "Lp/None;", 8));
    expect_thrown("java/lang/NoClassDefFoundError", "p/None");
    char *name = method_external_name(method_of(boot_class("java/lang/String"), "indexOf", "(Ljava/lang/String;I)I"));
    assert_string_equal(name, "int java.lang.String.indexOf(java.lang.String, int)");
    free(name);
}

static void nests(void **state) {
    (void)state;
    Class *entry = boot_class("java/util/HashMap$Node"), *host = boot_class("java/util/HashMap");
    assert_ptr_equal(class_nest_host(self, entry), host);
    assert_ptr_equal(class_nest_host(self, host), host);
    cb_init(&b, "p/Claims");  // its host does not list it
    uint8_t attribute[2];
    unsigned claimed = cb_class(&b, "java/lang/String");
    attribute[0] = (uint8_t)(claimed >> 8), attribute[1] = (uint8_t)claimed;
    cb_attr(&b, "NestHost", attribute, sizeof attribute);
    Class *claims = defined(app, &b);
    assert_ptr_equal(class_nest_host(self, claims), claims);
    assert_null(self->exception);
}

// ---- initialisation -----------------------------------------------------------------------------

// A class whose initialiser adds one to p/Members.shared and stores the sum in its own field.
static Class *counting(const char *name, const char *super, const uint8_t *code, size_t length) {
    cb_init(&b, name);
    if (super) b.super_class = cb_class(&b, super);
    cb_field(&b, ACC_PUBLIC | ACC_STATIC, "order", "I");
    unsigned shared = cb_ref(&b, CP_FIELDREF, "p/Members", "shared", "I"),
             order = cb_ref(&b, CP_FIELDREF, name, "order", "I");
    uint8_t bytes[64] = {OPC_getstatic, U2(shared), OPC_iconst_1,  OPC_iadd, OPC_dup,
                         OPC_putstatic, U2(shared), OPC_putstatic, U2(order)};
    enum { COUNTS = 12 };
    memcpy(bytes + COUNTS, code, length);
    code_of(&b, ACC_STATIC, "<clinit>", "()V", 2, 0, bytes, COUNTS + length);
    return defined(app, &b);
}

static void initialisation(void **state) {
    (void)state;
    Class *m = members();
    Class *base = counting("p/First", NULL, CODE(OPC_return)),
          *derived = counting("p/Second", "p/First", CODE(OPC_return));
    int32_t before = static_int(m, "shared");
    assert_true(class_initialize(self, derived));
    assert_int_equal(static_int(base, "order"), before + 1);
    assert_int_equal(static_int(derived, "order"), before + 2);
    assert_true(class_init_done(base));
    assert_true(class_init_done(derived));
    assert_true(class_initialize(self, base));
    assert_true(class_ensure_initialized(self, derived));
    assert_int_equal(static_int(m, "shared"), before + 2);  // once
}

static void an_initialiser_that_throws(void **state) {
    (void)state;
    Class *m = members();
    // Integer division by zero.
    Class *c = counting("p/Throws", NULL, CODE(OPC_iconst_1, OPC_iconst_0, OPC_idiv, OPC_pop, OPC_return));
    int32_t before = static_int(m, "shared");
    assert_false(class_initialize(self, c));
    expect_thrown("java/lang/ExceptionInInitializerError", NULL);
    assert_false(class_initialize(self, c));
    expect_thrown("java/lang/NoClassDefFoundError", "Could not initialize class p.Throws");
    assert_int_equal(static_int(m, "shared"), before + 1);
    assert_false(class_init_done(c));
    Class *heir = counting("p/Heir", "p/Throws", CODE(OPC_return));
    assert_false(class_initialize(self, heir));
    expect_thrown("java/lang/NoClassDefFoundError", "Could not initialize class p.Throws");
    assert_int_equal(static_int(m, "shared"), before + 1);
}

int booted_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supertypes_are_linked_first),
        cmocka_unit_test(verification),
        cmocka_unit_test(a_final_method_is_not_overridden),
        cmocka_unit_test(selection),
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(interface_calls),
        cmocka_unit_test(classes_resolve_once),
        cmocka_unit_test(fields),
        cmocka_unit_test(methods),
        cmocka_unit_test(constants),
        cmocka_unit_test(types_of_descriptors),
        cmocka_unit_test(nests),
        cmocka_unit_test(initialisation),
        cmocka_unit_test(an_initialiser_that_throws),
    };
    return cmocka_run_group_tests(tests, booted_setup, booted_teardown);
}
