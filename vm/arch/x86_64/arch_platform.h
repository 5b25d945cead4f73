// The processor's names for the class library.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_PLATFORM_H
#define CABERNET_VM_ARCH_X86_64_ARCH_PLATFORM_H

#define ARCH_NAME "amd64"                  // value of the property os.arch
#define ARCH_LIBRARIES "x86_64-linux-gnu"  // the folder of its libraries in /usr/lib

enum {
    ARCH_UNALIGNED_ACCESS = 1,  // loads and stores need no alignment (UnsafeConstants.UNALIGNED_ACCESS)
    ARCH_ELF_MACHINE = 62,      // ELF machine number, EM_X86_64
};

#endif
