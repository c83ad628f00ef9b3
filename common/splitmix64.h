/*
 * splitmix64.h - the mixing of 64 bits that the reference rows and the digest
 * are defined by.
 *
 * The constants are those of the SplitMix64 generator: G. L. Steele, D. Lea,
 * C. H. Flood, 'Fast Splittable Pseudorandom Number Generators', OOPSLA 2014.
 * All arithmetic is unsigned, mod 2^64.
 */
#ifndef TRANSFERBENCH_SPLITMIX64_H
#define TRANSFERBENCH_SPLITMIX64_H

#include <stdint.h>

/* the odd number nearest to 2^64 divided by the golden ratio */
#define SPLITMIX64_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser: a bijection in which every input bit reaches every output bit. 0 stays 0. */
static inline uint64_t
splitmix64_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
