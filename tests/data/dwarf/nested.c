/* Functions within a function and within a block of one. */
__attribute__((noinline)) static int apply(int (*f)(int), int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}

int main(int argc, char **argv)
{
	int base = argc;

	__attribute__((noinline)) int add(int x)
	{
		return x + base + (x > 3 ? base * 2 : x);
	}

	{
		__attribute__((noinline)) int mul(int x)
		{
			return x * base;
		}

		base += apply(mul, 5);
	}
	return apply(add, 10) + argv[0][0];
}
