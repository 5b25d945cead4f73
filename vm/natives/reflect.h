// Core reflection inside the VM: java.lang.reflect objects and their members, boxing, and reflective calls.
//
// A reflect object names its member by (clazz, slot); slots are the indexes of Class.fields and Class.methods and never
// change. Reflected names are interned strings (the class library compares them by identity).
//
// Threads: any mutator. Functions that take `self` may allocate, load classes and throw.
#ifndef CABERNET_VM_NATIVES_REFLECT_H
#define CABERNET_VM_NATIVES_REFLECT_H

#include "vm/model/vm.h"

// The member flags that getModifiers and MemberName show.
enum {
    METHOD_MODIFIERS = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL | ACC_SYNCHRONIZED |
        ACC_BRIDGE | ACC_VARARGS | ACC_NATIVE | ACC_ABSTRACT | ACC_STRICT | ACC_SYNTHETIC,
    FIELD_MODIFIERS = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL | ACC_VOLATILE | ACC_TRANSIENT |
        ACC_ENUM | ACC_SYNTHETIC,
};

// The member of a java.lang.reflect.Field, or of a Method or Constructor. Neither throws.
Field *reflect_field_of(const Object *field);
Method *reflect_method_of(const Object *executable);

// New java.lang.reflect objects (JNI ToReflected*, getDeclared*0). A method named <init> belongs to
// reflect_new_constructor. NULL with an exception (types of the signature may fail to load).
Object *reflect_new_field(Thread *self, Field *f);
Object *reflect_new_method(Thread *self, Method *m);
Object *reflect_new_constructor(Thread *self, Method *m);

// getRecordComponents0 and getParameters0: arrays of java.lang.reflect.RecordComponent and Parameter. The second
// returns NULL without an exception if the class file has no MethodParameters.
Object *reflect_record_components(Thread *self, Class *cls);
Object *reflect_parameters(Thread *self, Object *executable);

// Raw attribute bytes as byte[]; NULL when absent (or with an exception).
Object *reflect_bytes(Thread *self, ClassFileBytes bytes);

// Parameter types of a method descriptor as Class[], and its return type's mirror in *rtype (if not
// NULL). NULL with an exception.
Object *reflect_parameter_types(Thread *self, Class *cls, const Symbol *desc, Object **rtype);

// Modifiers as Class.getModifiers reports them: from the InnerClasses entry for a nested class.
int reflect_class_modifiers(const Class *cls);

// The class file's flags, for Reflection.getClassAccessFlags; arrays and primitives as above.
int reflect_access_flags(const Class *cls);

// Reflection.getCallerClass: the caller of the method that called it, skipping reflection and method handles. The
// native method is the top frame. NULL when there is no such caller, or with InternalError pending when the calling
// method is not marked @CallerSensitive.
Class *reflect_caller_class(Thread *self);

// Is the method part of the implementation of reflection or method handles, which caller lookups skip?
bool reflect_is_plumbing(const Method *m);

// Array.newInstance: a new array with elements of class `component`. NegativeArraySizeException,
// IllegalArgumentException for void and for too many dimensions.
Object *reflect_new_array(Thread *self, Class *component, int32_t length);

// Boxes a value of type character Z B C S I J F D into a new box (like HotSpot, without valueOf's caches). 'L' and '['
// return the reference itself, 'V' NULL. Only for primitives, NULL means that OutOfMemoryError is pending.
Object *reflect_box(Thread *self, char type, const Slot *value);

// Type character of a box object and its value; 0 when `box` is null or not a box. Sub-int values are widened to int,
// as in slots. Does not throw.
char reflect_unbox(const Object *box, Slot *value);

// Widening primitive conversion (JLS 5.1.2, identity included) of *value between types; false when there is none. Does
// not throw.
bool reflect_widen(char from, char to, Slot *value);

// Method.invoke / Constructor.newInstance for JVM_InvokeMethod and JVM_NewInstanceFromConstructor: checks, unboxes and
// widens `args` (Object[] or NULL), selects by receiver, calls and boxes. Exceptions of the method are wrapped in
// InvocationTargetException.
Object *reflect_invoke(Thread *self, Object *method, Object *receiver, Object *args);
Object *reflect_new_instance(Thread *self, Object *constructor, Object *args);

// Throws a new `cls`, created by its constructor (Throwable) with `cause`.
void reflect_throw_wrapped(Thread *self, Class *cls, Object *cause);

#endif
