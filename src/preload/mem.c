/* Memory and string functions for calls that the compiler emits and for unwind/, instead of libc's. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
size_t strlen(const char *text);

typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; size >= sizeof(word); size -= sizeof(word), t += sizeof(word), f += sizeof(word))
		*(word *)t = *(const word *)f;
	while (size--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f || t >= f + size) {
		while (size--)
			*t++ = *f++;
		return to;
	}
	while (size--)
		t[size] = f[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	unsigned char *t = to;
	uint64_t fill = (unsigned char)byte * UINT64_C(0x0101010101010101);

	for (; size >= sizeof(word); size -= sizeof(word), t += sizeof(word))
		*(word *)t = fill;
	while (size--)
		*t++ = (unsigned char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

void *memchr(const void *in, int byte, size_t size)
{
	const unsigned char *at = in;

	for (; size; size--, at++)
		if (*at == (unsigned char)byte)
			return (void *)at;
	return NULL;
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size && *a && *a == *b; a++, b++, size--)
		;
	return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

size_t strlen(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}
