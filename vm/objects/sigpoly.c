#include "vm/objects/sigpoly.h"

#include "vm/objects/symbol.h"

static const char *const names[] = {
    [MH_INVOKE_BASIC] = "invokeBasic",          [MH_LINK_TO_STATIC] = "linkToStatic",
    [MH_LINK_TO_SPECIAL] = "linkToSpecial",     [MH_LINK_TO_VIRTUAL] = "linkToVirtual",
    [MH_LINK_TO_INTERFACE] = "linkToInterface", [MH_LINK_TO_NATIVE] = "linkToNative",
};

int sigpoly_id(const Symbol *cls, const Symbol *name) {
    if (cls == SYMS(java_lang_invoke_VarHandle)) return MH_GENERIC;
    if (cls != SYMS(java_lang_invoke_MethodHandle)) return MH_NONE;
    if (name == SYMS(invoke) || name == SYMS(invokeExact)) return MH_GENERIC;
    for (int id = MH_INVOKE_BASIC; id <= MH_LINK_TO_NATIVE; id++)
        if (symbol_is(name, names[id])) return id;
    return MH_NONE;
}

const char *sigpoly_name(int id) { return names[id]; }
