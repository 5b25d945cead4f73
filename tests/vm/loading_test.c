// Loading: classes by name, arrays, definition from bytes with its errors, hidden classes, access between modules,
// loader constraints, the class library's file.
#include "tests/vm/booted.h"

#include "vm/loading/arrayclass.h"
#include "vm/loading/bootpath.h"
#include "vm/loading/classaccess.h"
#include "vm/loading/jdklibrary.h"
#include "vm/loading/jimage.h"
#include "vm/loading/module.h"

static ClassBuilder b;

static void a_name_means_one_class(void **state) {
    (void)state;
    Symbol *list = symbol_of("java/util/ArrayList");
    Class *c = loader_load(self, vm.boot_loader, list);
    assert_non_null(c);
    assert_ptr_equal(c->name, list);
    assert_ptr_equal(loader_load(self, app, list), c);  // by delegation
    assert_ptr_equal(loader_find_loaded(vm.boot_loader, list), c);
    assert_ptr_equal(loader_find_loaded(app, list), c);
    assert_ptr_equal(class_from_mirror(c->mirror), c);
    assert_string_equal(c->super->name->text, "java/util/AbstractList");
    assert_null(loader_find_loaded(vm.boot_loader, symbol_of("java/util/concurrent/Phaser")));  // never loads
}

static void a_missing_class(void **state) {
    (void)state;
    assert_null(loader_load(self, app, symbol_of("p/Missing")));
    Object *thrown = self->exception;
    assert_non_null(thrown);
    expect_thrown("java/lang/NoClassDefFoundError", "p/Missing");
    Method *cause = method_of(thrown->vt->cls, "getCause", "()Ljava/lang/Throwable;");
    Object *because = invoke_ref(self, cause, ENTRY_VM, 1, thrown);
    assert_non_null(because);
    assert_string_equal(because->vt->cls->name->text, "java/lang/ClassNotFoundException");
    assert_null(loader_load_cnfe(self, app, symbol_of("p/Missing")));
    expect_thrown("java/lang/ClassNotFoundException", "p.Missing");
    assert_null(loader_find_boot(self, symbol_of("p/Missing")));
    assert_null(self->exception);
    assert_null(loader_load(self, vm.boot_loader, symbol_of("p/Missing")));
    expect_thrown("java/lang/NoClassDefFoundError", "p/Missing");
    assert_null(loader_load(self, vm.boot_loader, symbol_of("[Lp/Missing;")));
    expect_thrown("java/lang/NoClassDefFoundError", "p/Missing");
}

static void arrays(void **state) {
    (void)state;
    Class *string = boot_class("java/lang/String"), *array = class_array_of(self, string);
    assert_non_null(array);
    assert_string_equal(array->name->text, "[Ljava/lang/String;");
    assert_ptr_equal(array->component, string);
    assert_ptr_equal(class_array_of(self, string), array);
    assert_ptr_equal(boot_class("[Ljava/lang/String;"), array);
    assert_ptr_equal(boot_class("[[I")->element, class_primitive('I'));
    assert_true(class_is_subtype(array, boot_class("[Ljava/lang/Object;")));
    assert_true(class_is_subtype(array, boot_class("java/lang/Cloneable")));
    assert_false(class_is_subtype(array, boot_class("[Ljava/lang/Integer;")));
    Class *deep = string;
    for (int i = 0; i < 255; i++) {
        deep = class_array_of(self, deep);
        assert_non_null(deep);
    }
    assert_int_equal(deep->dims, 255);
    assert_null(class_array_of(self, deep));
    expect_thrown("java/lang/IllegalArgumentException", NULL);
}

static void definition(void **state) {
    (void)state;
    uint32_t before = loader_class_count();
    cb_init(&b, "p/Defined");
    cb_field(&b, ACC_PUBLIC | ACC_STATIC, "count", "I");
    cb_interface(&b, "java/io/Serializable");
    Class *c = define_in(app, &b, (DefineOptions){.expected_name = symbol_of("p/Defined"), .source = "somewhere"});
    assert_non_null(c);
    assert_ptr_equal(c->loader, app);
    assert_ptr_equal(loader_load(self, app, symbol_of("p/Defined")), c);
    assert_null(loader_find_boot(self, symbol_of("p/Defined")));
    assert_int_equal(loader_class_count(), before + 1);
    assert_false(class_is_linked(c));
    assert_string_equal(c->source, "somewhere");
    assert_non_null(class_find_declared_field(c, symbol_of("count"), symbol_of("I")));
    assert_true(class_is_subtype(c, boot_class("java/io/Serializable")));
    assert_null(define_in(app, &b, (DefineOptions){0}));
    expect_thrown("java/lang/LinkageError", "duplicate class definition");
    assert_ptr_equal(loader_find_loaded(app, symbol_of("p/Defined")), c);
}

static void malformed(const char *error, const char *message) {
    assert_null(define_in(app, &b, (DefineOptions){0}));
    expect_thrown(error, message);
}

static void malformed_files(void **state) {
    (void)state;
    cb_init(&b, "p/Wrong");
    const Bytes *bytes = cb_finish(&b);
    assert_null(loader_define(self, app, bytes->b, bytes->n - 1, &(DefineOptions){0}));
    expect_thrown("java/lang/ClassFormatError", "Truncated class file");
    assert_null(define_in(app, &b, (DefineOptions){.expected_name = symbol_of("p/Right")}));
    expect_thrown("java/lang/NoClassDefFoundError", "p/Wrong");
    b.magic = 0xCAFED00D;
    malformed("java/lang/ClassFormatError", "magic");
    cb_init(&b, "p/Wrong");
    b.major = 62;
    malformed("java/lang/UnsupportedClassVersionError", "62");
    cb_init(&b, "java/lang/Wrong");
    malformed("java/lang/SecurityException", "java.lang");
    assert_null(loader_find_loaded(app, symbol_of("p/Wrong")));
}

static void wrong_super(const char *super, const char *error, const char *message) {
    cb_init(&b, "p/Heir");
    b.super_class = cb_class(&b, super);
    malformed(error, message);
}

static void wrong_supertypes(void **state) {
    (void)state;
    wrong_super("p/Heir", "java/lang/ClassCircularityError", "p/Heir");
    wrong_super("java/lang/String", "java/lang/IncompatibleClassChangeError",
                "cannot inherit from final class java.lang.String");
    wrong_super("java/lang/Runnable", "java/lang/IncompatibleClassChangeError",
                "has interface java.lang.Runnable as super class");
    wrong_super("p/Missing", "java/lang/NoClassDefFoundError", "p/Missing");
    wrong_super("jdk/internal/misc/VM", "java/lang/IllegalAccessError", "does not export jdk.internal.misc");
    cb_init(&b, "p/Heir");
    cb_interface(&b, "java/lang/Object");
    malformed("java/lang/IncompatibleClassChangeError", "not an interface");
    assert_null(loader_find_loaded(app, symbol_of("p/Heir")));
}

static void hidden_classes(void **state) {
    (void)state;
    cb_init(&b, "p/Host");
    Class *host = defined(app, &b), *hidden[2];
    for (int i = 0; i < 2; i++) {
        cb_init(&b, "p/Hidden");
        DefineOptions options = {.flags = DEFINE_HIDDEN | DEFINE_NESTMATE, .host = host, .place = "p/Host#0"};
        hidden[i] = define_in(app, &b, options);
        assert_non_null(hidden[i]);
        assert_true(hidden[i]->cflags & CF_HIDDEN);
        assert_memory_equal(hidden[i]->name->text, "p/Hidden+0x", strlen("p/Hidden+0x"));
        assert_ptr_equal(hidden[i]->host, host);
        assert_true(hidden[i]->space->collectable);  // its lifetime is its own
        assert_ptr_not_equal(hidden[i]->space, &app->space);
    }
    assert_ptr_not_equal(hidden[0], hidden[1]);
    assert_ptr_not_equal(hidden[0]->name, hidden[1]->name);
    assert_null(loader_find_loaded(app, symbol_of("p/Hidden")));
    DefineOptions strong = {.flags = DEFINE_HIDDEN | DEFINE_STRONG, .host = host};
    cb_init(&b, "p/Hidden");
    Class *kept = define_in(app, &b, strong);
    assert_non_null(kept);
    assert_ptr_equal(kept->space, &app->space);
}

static void access_of_classes(void **state) {
    (void)state;
    cb_init(&b, "p/From");
    Class *from = defined(app, &b);
    cb_init(&b, "p/Near");
    b.flags = ACC_SUPER;
    Class *near = defined(app, &b);
    cb_init(&b, "q/Far");
    b.flags = ACC_SUPER;
    Class *far = defined(app, &b);
    Class *internal = boot_class("jdk/internal/misc/Unsafe"), *string = boot_class("java/lang/String");
    assert_true(class_can_access(from, near));
    assert_false(class_can_access(from, far));
    assert_false(class_can_access(from, class_array_of(self, far)));
    assert_true(class_can_access(from, string));
    assert_true(class_can_access(string, internal));
    assert_false(class_can_access(from, internal));
    assert_true(class_check_access(self, from, near));
    assert_null(self->exception);
    assert_false(class_check_access(self, from, internal));
    expect_thrown("java/lang/IllegalAccessError", "module java.base does not export jdk.internal.misc");
    assert_false(class_check_access(self, from, far));
    expect_thrown("java/lang/IllegalAccessError", "p.From");
    assert_null(class_access_text(self, from, far));  // the modules do not forbid it
    char *text = class_pair_description(from, string);
    assert_string_equal(
        text,
        "p.From is in unnamed module of loader 'app'; java.lang.String is in module java.base of loader 'bootstrap'");
    free(text);
    text = class_pair_description(from, far);
    assert_string_equal(text, "p.From and q.Far are in unnamed module of loader 'app'");
    free(text);
}

static void modules(void **state) {
    (void)state;
    assert_true(module_system_ready());
    ModuleEntry *base = module_java_base(), *logging = boot_class("java/util/logging/Logger")->module;
    assert_string_equal(base->name->text, "java.base");
    assert_string_equal(logging->name->text, "java.logging");
    PackageEntry *util = module_find_package(vm.boot_loader, symbol_of("java/util"));
    PackageEntry *internal = module_find_package(vm.boot_loader, symbol_of("jdk/internal/logger"));
    assert_ptr_equal(util->module, base);
    assert_true(module_exports_to(util, app->unnamed));
    assert_true(module_exports_to(internal, logging));  // a qualified export
    assert_false(module_exports_to(internal, app->unnamed));
    assert_true(module_can_read(logging, base));
    assert_false(module_can_read(base, logging));
    assert_true(module_can_read(app->unnamed, logging));
    assert_null(module_find_package(vm.boot_loader, symbol_of("p/nothing")));
    PackageEntry *made = module_package(app, symbol_of("p/made"));
    assert_ptr_equal(made->module, app->unnamed);
    assert_ptr_equal(module_find_package(app, symbol_of("p/made")), made);
    assert_ptr_equal(module_of(self, module_object(base)), base);
    assert_non_null(module_system_package(symbol_of("java/util")));
    assert_null(module_system_package(symbol_of("p/made")));
}

static void constraints(void **state) {
    (void)state;
    Symbol *same = symbol_of("p/Same"), *later = symbol_of("p/Later");
    assert_true(loader_add_constraint(app, vm.boot_loader, symbol_of("java/lang/String")));
    cb_init(&b, "p/Same");
    defined(app, &b);
    cb_init(&b, "p/Same");
    define_in(vm.boot_loader, &b, (DefineOptions){.trusted = true});
    assert_non_null(loader_find_loaded(vm.boot_loader, same));
    assert_false(loader_add_constraint(app, vm.boot_loader, same));
    // A constraint on a class that neither of them has loaded forbids the second definition.
    assert_true(loader_add_constraint(app, vm.boot_loader, later));
    cb_init(&b, "p/Later");
    defined(app, &b);
    cb_init(&b, "p/Later");
    assert_null(define_in(vm.boot_loader, &b, (DefineOptions){.trusted = true}));
    expect_thrown("java/lang/LinkageError", "p.Later");
}

static void the_class_library(void **state) {
    (void)state;
    JImageLocation at;
    assert_true(jimage_find("java.base", "java/lang/Object", &at));
    uint8_t *bytes = malloc((size_t)at.size);
    assert_true(jimage_read(&at, bytes));
    assert_memory_equal(bytes, "\xCA\xFE\xBA\xBE", 4);
    free(bytes);
    assert_false(jimage_find("java.base", "java/lang/Nothing", &at));
    assert_false(jimage_find("java.logging", "java/lang/Object", &at));
    Arena arena;
    arena_init(&arena, 4096);
    size_t size;
    const char *source;
    assert_null(bootpath_read(&arena, symbol_of("p/Missing"), &size, &source));
    arena_free(&arena);
    const char *error = NULL;
    assert_null(jdklibrary_open("nothing", &error));
    assert_non_null(strstr(error, "nothing"));
    assert_non_null(jdklibrary_open("java", &error));
    assert_non_null(jdklibrary_symbol("JNU_ThrowByName"));
    assert_null(jdklibrary_symbol("JNU_Nothing"));
    char small[4];
    assert_false(jdklibrary_beside_vm("java", small, sizeof small));
}

typedef struct Visited {
    const Class *wanted;
    uint32_t times, arrays, primitives;
} Visited;

static void visit(void *arg, Class *c) {
    Visited *v = arg;
    v->times += c == v->wanted;
    v->arrays += class_is_array(c);
    v->primitives += class_is_primitive(c);
}

static void every_class_once(void **state) {
    (void)state;
    Visited v = {.wanted = boot_class("java/lang/String")};
    boot_class("[[J");
    loader_each_class(visit, &v);
    assert_int_equal(v.times, 1);
    assert_int_equal(v.primitives, 9);
    assert_true(v.arrays >= 2);
    v.wanted = boot_class("[[J"), v.times = 0;
    loader_each_class(visit, &v);
    assert_int_equal(v.times, 1);
}

int booted_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_means_one_class),
        cmocka_unit_test(a_missing_class),
        cmocka_unit_test(arrays),
        cmocka_unit_test(definition),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(wrong_supertypes),
        cmocka_unit_test(hidden_classes),
        cmocka_unit_test(access_of_classes),
        cmocka_unit_test(modules),
        cmocka_unit_test(constraints),
        cmocka_unit_test(the_class_library),
        cmocka_unit_test(every_class_once),
    };
    return cmocka_run_group_tests(tests, booted_setup, booted_teardown);
}
