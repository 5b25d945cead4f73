// Offsets that the stubs know (vm/code/stubs.S); vm/code/entry.c checks them. Read by the assembler: no C here.
#ifndef CABERNET_VM_ENTRY_LAYOUT_H
#define CABERNET_VM_ENTRY_LAYOUT_H

#define ENTRY_THREAD_FRAME 8    // Thread.frame
#define ENTRY_FRAME_FP 16       // Frame.pc: of a FRAME_COMPILED the frame pointer
#define ENTRY_FRAME_RETURN 64   // Frame.native: of a FRAME_COMPILED the address of the return address

#endif
