// The payload of an event (vm/api/events.def), taken apart by the preprocessor alone, so that the assembler's tables
// can read the rows too. Includes no other header.
//
//   type      what a sink gets      what is reported (VM, compiled code)   signature of the runtime call
//   METHOD    uint32_t, its id      const Method *                         p
//   BCI       int32_t, -1: none     int32_t                                i
//   FIELD     uint32_t, its id      Field *                                p
//   CLASS     uint32_t, its id      const Class *                          p
//   THREAD    uint64_t, its serial  const Thread *                         p
//   OBJECT    uintptr_t             const void *                           p
//   ADDRESS   uintptr_t             const void *                           p
//   VALUE     uint64_t              uint64_t                               l
//   NUMBER    uint32_t              uint32_t                               i
//
// An object's address only identifies it and must not be dereferenced: the object may be dead by then.
#ifndef CABERNET_VM_API_EVENTPAYLOAD_H
#define CABERNET_VM_API_EVENTPAYLOAD_H

// EVENT_LIST(F, payload): F(type, name), F(type, name)...; EVENT_EACH: the same without commas.
#define EVENT_LIST(F, payload) EVENT_LIST_(F, EVENT_UNPACK payload)
#define EVENT_EACH(F, payload) EVENT_EACH_(F, EVENT_UNPACK payload)
#define EVENT_UNPACK(...) __VA_ARGS__
#define EVENT_SIZE_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, size, ...) size
#define EVENT_SIZE(...) EVENT_SIZE_(__VA_ARGS__, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0)
#define EVENT_JOIN_(a, b) a##b
#define EVENT_JOIN(a, b) EVENT_JOIN_(a, b)
#define EVENT_LIST_(F, ...) EVENT_JOIN(EVENT_LIST_, EVENT_SIZE(__VA_ARGS__))(F, __VA_ARGS__)
#define EVENT_LIST_1(F, t, n) F(t, n)
#define EVENT_LIST_2(F, t, n, ...) F(t, n), EVENT_LIST_1(F, __VA_ARGS__)
#define EVENT_LIST_3(F, t, n, ...) F(t, n), EVENT_LIST_2(F, __VA_ARGS__)
#define EVENT_LIST_4(F, t, n, ...) F(t, n), EVENT_LIST_3(F, __VA_ARGS__)
#define EVENT_LIST_5(F, t, n, ...) F(t, n), EVENT_LIST_4(F, __VA_ARGS__)
#define EVENT_LIST_6(F, t, n, ...) F(t, n), EVENT_LIST_5(F, __VA_ARGS__)
#define EVENT_LIST_7(F, t, n, ...) F(t, n), EVENT_LIST_6(F, __VA_ARGS__)
#define EVENT_EACH_(F, ...) EVENT_JOIN(EVENT_EACH_, EVENT_SIZE(__VA_ARGS__))(F, __VA_ARGS__)
#define EVENT_EACH_1(F, t, n) F(t, n)
#define EVENT_EACH_2(F, t, n, ...) F(t, n) EVENT_EACH_1(F, __VA_ARGS__)
#define EVENT_EACH_3(F, t, n, ...) F(t, n) EVENT_EACH_2(F, __VA_ARGS__)
#define EVENT_EACH_4(F, t, n, ...) F(t, n) EVENT_EACH_3(F, __VA_ARGS__)
#define EVENT_EACH_5(F, t, n, ...) F(t, n) EVENT_EACH_4(F, __VA_ARGS__)
#define EVENT_EACH_6(F, t, n, ...) F(t, n) EVENT_EACH_5(F, __VA_ARGS__)
#define EVENT_EACH_7(F, t, n, ...) F(t, n) EVENT_EACH_6(F, __VA_ARGS__)

// Parameter types of a sink's function.
#define EVENT_SINK_METHOD uint32_t
#define EVENT_SINK_BCI int32_t
#define EVENT_SINK_FIELD uint32_t
#define EVENT_SINK_CLASS uint32_t
#define EVENT_SINK_THREAD uint64_t
#define EVENT_SINK_OBJECT uintptr_t
#define EVENT_SINK_ADDRESS uintptr_t
#define EVENT_SINK_VALUE uint64_t
#define EVENT_SINK_NUMBER uint32_t
#define EVENT_SINK_PARAMETER(type, name) EVENT_SINK_##type name
#define EVENT_SINK_PARAMETERS(payload) EVENT_LIST(EVENT_SINK_PARAMETER, payload)

// Parameter types of a report by the VM and compiled code.
#define EVENT_VM_METHOD const Method *
#define EVENT_VM_BCI int32_t
#define EVENT_VM_FIELD Field *
#define EVENT_VM_CLASS const Class *
#define EVENT_VM_THREAD const Thread *
#define EVENT_VM_OBJECT const void *
#define EVENT_VM_ADDRESS const void *
#define EVENT_VM_VALUE uint64_t
#define EVENT_VM_NUMBER uint32_t
#define EVENT_VM_PARAMETER(type, name) EVENT_VM_##type name
#define EVENT_VM_PARAMETERS(payload) EVENT_LIST(EVENT_VM_PARAMETER, payload)

#define EVENT_NAME(type, name) name
#define EVENT_NAMES(payload) EVENT_LIST(EVENT_NAME, payload)
#define EVENT_UNUSED_ONE(type, name) (void)name;
#define EVENT_UNUSED(payload) EVENT_EACH(EVENT_UNUSED_ONE, payload)

// Signature letters as in vm/api/runtime_calls.def.
#define EVENT_LETTER_METHOD "p"
#define EVENT_LETTER_BCI "i"
#define EVENT_LETTER_FIELD "p"
#define EVENT_LETTER_CLASS "p"
#define EVENT_LETTER_THREAD "p"
#define EVENT_LETTER_OBJECT "p"
#define EVENT_LETTER_ADDRESS "p"
#define EVENT_LETTER_VALUE "l"
#define EVENT_LETTER_NUMBER "i"
#define EVENT_LETTER(type, name) EVENT_LETTER_##type
#define EVENT_LETTERS(payload) EVENT_EACH(EVENT_LETTER, payload)

#endif
