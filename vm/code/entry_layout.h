// Offsets that the stubs use (vm/code/stubs.S); vm/code/entry.c checks them. The assembler reads this file: no C
// here.
#ifndef CABERNET_VM_CODE_ENTRY_LAYOUT_H
#define CABERNET_VM_CODE_ENTRY_LAYOUT_H

#define ENTRY_THREAD_FRAME 8   // Thread.frame
#define ENTRY_FRAME_FP 16      // Frame.pc: the frame pointer of a FRAME_COMPILED
#define ENTRY_FRAME_RETURN 64  // Frame.native: the address of the return address of a FRAME_COMPILED

#endif
