// What the processor is called, and what the class library is told of it.
#ifndef CABERNET_VM_ARCH_PLATFORM_H
#define CABERNET_VM_ARCH_PLATFORM_H

#define ARCH_NAME "amd64"                   // as in the property os.arch
#define ARCH_LIBRARIES "x86_64-linux-gnu"   // the folder of its libraries below /usr/lib

enum {
    ARCH_UNALIGNED_ACCESS = 1,  // loads and stores need no alignment (UnsafeConstants.UNALIGNED_ACCESS)
    ARCH_ELF_MACHINE = 62,      // ELF's number of the processor, EM_X86_64
};

#endif
