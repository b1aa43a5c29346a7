/* In a folder of its own, so that line tables have more than one. */
static inline __attribute__((always_inline)) int inner(int a)
{
	return a * 3 + 1;
}
