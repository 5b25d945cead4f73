// The seccomp filter of a shadow, made from vm/shadow/syscalls.def. A stopped call raises SIGSYS on the thread that
// made it, and the handler supplies the result (vm/shadow/emulate.c). Calls of shadow_syscall pass.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch_syscall.h"
#include "vm/shadow/shadow_internal.h"

ARCH_SYSCALL_GATE(shadow_gate);
extern long shadow_gate_(long number, long a, long b, long c, long d, long e, long f) __asm__("shadow_gate");

long shadow_syscall(long number, long a, long b, long c, long d, long e, long f) {
    return shadow_gate_(number, a, b, c, d, e, f);
}

static const struct Row {
    uint32_t number;
    uint8_t way;
} rows[] = {
#define CALL(name, way, argument) {SYS_##name, WAY_##way},
#include "vm/shadow/syscalls.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Program {
    struct sock_filter code[16 + 4 * ROWS];
    unsigned short length;
} Program;

static void emit(Program *p, struct sock_filter instruction) { p->code[p->length++] = instruction; }

static void load(Program *p, size_t offset) {
    emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(Program *p, uint32_t action) { emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action)); }

// Skips the next `otherwise` instructions unless the loaded word is `value`.
static void if_equal(Program *p, uint32_t value, uint8_t otherwise) {
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise));
}

// Passes, unless the flag in the argument requires the handler.
static void pass_by_flag(Program *p, int argument, uint32_t flag, bool pass_if_set) {
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, !pass_if_set, pass_if_set));
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, SECCOMP_RET_TRAP);
}

bool shadow_install_filter(void) {
    struct sigaction handler = {.sa_sigaction = shadow_handle_call, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    Program filter = {.length = 0}, *p = &filter;
    uint64_t gate = (uintptr_t)shadow_gate_end;
    load(p, offsetof(struct seccomp_data, arch));
    if_equal(p, ARCH_AUDIT, 1);
    emit(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, instruction_pointer));
    if_equal(p, (uint32_t)gate, 3);
    load(p, offsetof(struct seccomp_data, instruction_pointer) + 4);
    if_equal(p, (uint32_t)(gate >> 32), 1);
    answer(p, SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ROWS; i++) {
        bool benign = rows[i].way == WAY_BENIGN, absent = rows[i].way == WAY_ABSENT, thread = rows[i].way == WAY_THREAD;
        if (!benign && !absent && !thread && rows[i].way != WAY_PRIVATE) continue;
        if_equal(p, rows[i].number, benign || absent ? 1 : 4);
        if (benign) answer(p, SECCOMP_RET_ALLOW);
        else if (absent) answer(p, SECCOMP_RET_ERRNO | ENOSYS);
        else if (thread) pass_by_flag(p, 0, CLONE_THREAD, true);
        else pass_by_flag(p, 3, MAP_SHARED, false);
    }
    answer(p, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = p->length, .filter = p->code};
    return sigaction(SIGSYS, &handler, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
