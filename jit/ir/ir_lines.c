// Positions as debug locations (ir.h). Line n of the only file is position n - 1 (Unit.positions), inlined frames
// included; LLVM keeps track of lines through its passes, and jit/backend/lines.c reads its table.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "jit/ir/ir.h"

static void add_flag(Ir *ir, const char *name, unsigned value) {
    LLVMAddModuleFlag(ir->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(ir_int(ir, value)));
}

void ir_lines_begin(Ir *ir) {
    enum { DWARF_VERSION = 4 };
    if (!ir->unit->options->lines && !compiler_wants_lines()) return;
    add_flag(ir, "Dwarf Version", DWARF_VERSION);
    add_flag(ir, "Debug Info Version", LLVMDebugMetadataVersion());
    LLVMDIBuilderRef debug = LLVMCreateDIBuilder(ir->module);
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(debug, "positions", strlen("positions"), "", 0);
    LLVMDIBuilderCreateCompileUnit(debug, LLVMDWARFSourceLanguageJava, file, "cabernet", strlen("cabernet"), true, "",
                                   0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(debug, file, NULL, 0, LLVMDIFlagZero);
    ir->lines = LLVMDIBuilderCreateFunction(debug, file, UNIT_FUNCTION, strlen(UNIT_FUNCTION), "", 0, file, 1, type,
                                            false, true, 1, LLVMDIFlagZero, true);
    LLVMSetSubprogram(ir->function, ir->lines);
    LLVMDIBuilderFinalize(debug);
    LLVMDisposeDIBuilder(debug);
}

void ir_line(Ir *ir, uint32_t position) {
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(ir->context, position + 1, 0, ir->lines, NULL);
    LLVMSetCurrentDebugLocation2(ir->builder, at);
}
