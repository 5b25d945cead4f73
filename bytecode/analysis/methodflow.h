/*
 * The dataflow of a method of a class file: dataflow_build with the descriptors from its constant
 * pool.
 */
#ifndef CABERNET_BYTECODE_ANALYSIS_METHODFLOW_H
#define CABERNET_BYTECODE_ANALYSIS_METHODFLOW_H

#include "bytecode/analysis/dataflow.h"

/*
 * Like dataflow_build; `code` is the code of a method of `file`. The caller frees the result with
 * dataflow_free.
 */
Dataflow *methodflow_build(const ClassFile *file, const ClassFileCode *code, const char *desc, bool is_static,
                           char *err, size_t cap);

#endif
