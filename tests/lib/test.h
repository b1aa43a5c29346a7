/*
 * Tests as sentences: TEST(truncated_map_record_is_refused) { ... CHECK_EQ(a, b); }
 *
 * A test registers itself, runs in a process of its own (a crash fails only
 * that test) and ends at its first failed CHECK. SKIP("why") ends it as not run.
 *
 *	unit_base                 run all
 *	unit_base cpu list        run those whose name contains "cpu" or "list"
 */
#ifndef PIPA_TESTS_TEST_H
#define PIPA_TESTS_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pipa_test {
	const char *name;
	const char *file;
	void (*run)(void);
	struct pipa_test *next;
};

void pipa_test_add(struct pipa_test *test);

#define TEST(id)                                                                                   \
	static void test_##id(void);                                                               \
	__attribute__((constructor)) static void add_##id(void)                                    \
	{                                                                                          \
		static struct pipa_test test = { .name = #id,                                      \
						 .file = __FILE__,                                 \
						 .run = test_##id };                               \
		pipa_test_add(&test);                                                              \
	}                                                                                          \
	static void test_##id(void)

__attribute__((noreturn, format(printf, 3, 4))) void pipa_test_fail(const char *file, int line,
								    const char *fmt, ...);
__attribute__((noreturn, format(printf, 1, 2))) void pipa_test_skip(const char *fmt, ...);

#define SKIP(...) pipa_test_skip(__VA_ARGS__)

/* tests/cross/run sets PIPA_EMULATED: what user-mode emulation does not do as a kernel does is not tested. */
#define NEED_REAL_KERNEL(why)                                                                      \
	do {                                                                                       \
		if (getenv("PIPA_EMULATED"))                                                       \
			SKIP("user-mode emulation: %s", why);                                      \
	} while (0)

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			pipa_test_fail(__FILE__, __LINE__, "%s is false", #cond);                  \
	} while (0)

/* Of a double only the part before the point would be compared. */
#define IS_INTEGER(x) _Generic((x), float : 0, double : 0, long double : 0, default : 1)

#define CHECK_EQ(got, want)                                                                        \
	do {                                                                                       \
		_Static_assert(IS_INTEGER(got) && IS_INTEGER(want), "use CHECK_NEAR");             \
		int64_t got_ = (int64_t)(got), want_ = (int64_t)(want);                            \
		if (got_ != want_)                                                                 \
			pipa_test_fail(__FILE__, __LINE__, "%s is %lld (%#llx), not %lld (%#llx)", \
				       #got, (long long)got_, (unsigned long long)got_,            \
				       (long long)want_, (unsigned long long)want_);               \
	} while (0)

#define CHECK_STR(got, want)                                                                       \
	do {                                                                                       \
		const char *got_ = (got), *want_ = (want);                                         \
		if (!got_ || strcmp(got_, want_) != 0)                                             \
			pipa_test_fail(__FILE__, __LINE__, "%s is\n%s\nnot\n%s", #got,             \
				       got_ ? got_ : "(null)", want_);                             \
	} while (0)

/* Does the text contain the piece? */
#define CHECK_HAS(text, piece)                                                                     \
	do {                                                                                       \
		const char *text_ = (text), *piece_ = (piece);                                     \
		if (!text_ || !strstr(text_, piece_))                                              \
			pipa_test_fail(__FILE__, __LINE__, "%s lacks '%s':\n%s", #text, piece_,    \
				       text_ ? text_ : "(null)");                                  \
	} while (0)

#define CHECK_NEAR(got, want, within)                                                              \
	do {                                                                                       \
		double got_ = (got), want_ = (want), off_ = got_ - want_;                          \
		if (!(off_ <= (within) && off_ >= -(within)))                                      \
			pipa_test_fail(__FILE__, __LINE__, "%s is %.10g, not %.10g", #got, got_,   \
				       want_);                                                     \
	} while (0)

/* A directory of this test's own, made on first use and removed at the end. */
const char *pipa_test_dir(void);

/* Write a file below a directory, its parents included; the trees of invented machines. */
void pipa_test_file(const char *dir, const char *path, const char *text);

#endif
