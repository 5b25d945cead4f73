// Statistics of the shares of rows in the results of shadows: whether they have converged, and whether the program is
// in another phase.
#ifndef CABERNET_PROFILER_CONTROL_SHARES_H
#define CABERNET_PROFILER_CONTROL_SHARES_H

#include "profiler/control/shadowcodec.h"

// Records how much of its planned length a shadow ran and, if it ran to the end (1), the shares of the largest rows of
// its analysis. A shadow that ended early never shows what follows the call that ended it: the rest is missing data,
// and its shares are no evidence. A shadow with very different shares restarts the statistics.
void shares_note(const ShadowThreads *t, int analysis, double part);
// Records a shadow without results: all of it is missing.
void shares_note_lost(void);
// True when the share of each row of at least 1 % is known to within 3 % of the whole. The error of a share is half of
// its 95 % confidence interval plus the possible effect of the missing part (after Wunderlich, Wenisch, Falsafi and
// Hoe, "SMARTS", ISCA 2003, with rows in place of one figure).
bool shares_converged(void);

// Records a call in which a look at the program's threads found one of them.
void shares_note_call(uint32_t caller, uint32_t callee);
// Ends a look. True if the program has left its phase, or entered another one (profiler/control/phases.h). The shares
// of a new phase are unknown.
bool shares_check_phase(void);

// Forgets everything.
void shares_end(void);

#endif
