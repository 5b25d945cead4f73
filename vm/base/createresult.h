// What JNI_CreateJavaVM returns where HotSpot would end the process: the VM belongs to the program that embeds it, which decides about
// that itself. Both are negative, as every failure of that function, and outside of the range that JNI uses.
#ifndef CABERNET_VM_CREATERESULT_H
#define CABERNET_VM_CREATERESULT_H

enum {
    CREATE_PRINTED = -100,  // an option asked for some text alone, which has been printed: a launcher ends with status 0
    CREATE_REFUSED = -101,  // the reason has been printed: a launcher ends with status 1 and adds nothing
};

#endif
