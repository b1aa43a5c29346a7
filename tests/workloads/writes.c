/* writes N: N writes of one byte to /dev/null, and no other write. */

#include "work.h"

int main(int argc, char **argv)
{
	unsigned long n;
	int fd;

	if (argc != 2)
		return 2;
	fd = open("/dev/null", O_WRONLY);
	if (fd < 0)
		work_fail("/dev/null");
	for (n = work_number(argv[1]); n; n--)
		if (write(fd, "", 1) != 1)
			work_fail("write");
	return 0;
}
