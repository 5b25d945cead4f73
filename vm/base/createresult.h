// Results of JNI_CreateJavaVM where HotSpot would end the process. Here the embedding program decides about that
// itself. Like every failure of that function they are negative; they are outside the range that JNI uses.
#ifndef CABERNET_VM_BASE_CREATERESULT_H
#define CABERNET_VM_BASE_CREATERESULT_H

enum {
    CREATE_PRINTED = -100,  // an option only asked to print a text, which was done: a launcher ends with status 0
    CREATE_REFUSED = -101,  // the reason was printed: a launcher ends with status 1 and prints nothing more
};

#endif
