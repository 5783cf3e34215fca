/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instrumented sources include this header: M(17) is true while mutant 17 is
 * selected.  UET_MUTANT=17 in the environment selects it.  UET_MUTANTS_REACHED=FILE
 * has a program write its milliseconds of CPU time when it ends, 8 bytes, and which mutants
 * it reached, one byte each.
 * Level: test.
 */
#ifndef UET_SELFTESTS_MUTANT_H
#define UET_SELFTESTS_MUTANT_H

#define UET_MUTANTS_MAX	32768

extern unsigned int uet_mutant;
extern unsigned char uet_mutants_reached[UET_MUTANTS_MAX];

#define M(n)	(uet_mutants_reached[n] = 1, uet_mutant == (n))

#endif /* UET_SELFTESTS_MUTANT_H */
